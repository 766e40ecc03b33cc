/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Find the function that a JIT has put at an address, in the file /tmp/perf-PID.map of its runtime. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perfmap;

/*
 * Open the map of process @pid: the file in its own mount namespace, under its number in its own PID namespace, or else
 * the file in our namespaces. Only a regular file that belongs to root or to the owner of the process is opened.
 * Returns a file descriptor, -ENOENT (there is none), -EPERM (it belongs to another user), or -ESTALE (it was written
 * before the process began, by an earlier process with the same number).
 */
int perfmap_open(pid_t pid);

/*
 * Read the map in @fd from its beginning, for the functions at @addresses; memory use depends on their number, not on
 * the size of the map. Free *@ret with perfmap_free().
 * Returns 0, -EFBIG (over 256 MiB: a part of it could give names that later lines replace), -ENOMEM, or an error of
 * reading.
 */
int perfmap_read(struct perfmap **ret, int fd, const uint64_t *addresses, size_t nr);

/* Like perfmap_read(), from text in memory. Invalid lines are skipped. */
int perfmap_parse(struct perfmap **ret, const char *text, size_t len_bytes, const uint64_t *addresses, size_t nr);

/*
 * Return the name of the function at @address, one of those given to perfmap_read(), or NULL; *@start is where it
 * begins. Of overlapping functions the later one in the map is taken.
 */
const char *perfmap_find(const struct perfmap *m, uint64_t address, uint64_t *start);
void perfmap_free(struct perfmap *m);
