/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which function is it that a JIT has put at this address? The runtime says so in /tmp/perf-PID.map. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perfmap;

/*
 * Open the map of process @pid: the one in its own mount namespace, under the number it has in its own PID namespace,
 * or that in ours. Only a regular file that belongs to root or to the owner of the process is opened. Returns the file
 * descriptor; -ENOENT: there is none; -EPERM: it belongs to somebody else; -ESTALE: it was written before the process
 * began, by another one that had its number.
 */
int perfmap_open(pid_t pid);

/*
 * Read the map in @fd from its beginning, for the functions at @addresses: little more memory is needed than for those.
 * *@ret is to be freed with perfmap_free(). -EFBIG: it has over 256 MiB, and to read half of it would be to get names
 * wrong that come again; -ENOMEM.
 */
int perfmap_read(struct perfmap **ret, int fd, const uint64_t *addresses, size_t nr);

/* The same of text in memory. Lines that make no sense are passed over. */
int perfmap_parse(struct perfmap **ret, const char *text, size_t len_bytes, const uint64_t *addresses, size_t nr);

/*
 * The name of the function at @address, one of those that were asked for, or NULL; *@start is where it begins. Of two
 * that overlap the later one counts.
 */
const char *perfmap_find(const struct perfmap *m, uint64_t address, uint64_t *start);
void perfmap_free(struct perfmap *m);
