/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Find the functions that a JIT has put at an address, in the file /tmp/perf-PID.map of its runtime. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "lib/process/code_lives.h"

struct perfmap;

/*
 * Open the map of process @pid: the file in its own mount namespace, under its number in its own PID namespace, or else
 * the file in our namespaces. Only a regular file that belongs to root or to the owner of the process is opened.
 * Returns a file descriptor, -ENOENT (there is none), -EPERM (it belongs to another user), or -ESTALE (it was written
 * before the process began, by an earlier process with the same number).
 */
int perfmap_open(pid_t pid);

/*
 * Is there a file of that name for @pid, which is @inner in its own namespace, or 0: it is gone? Where files are on a network this may wait:
 * for a child that asks (ask.h).
 */
bool perfmap_is_there(pid_t pid, pid_t inner);

/*
 * Read the map in @fd from its beginning, for the functions at @addresses; memory use depends on their number, and on that
 * of lines for them, not on the size of the map. Free *@ret with perfmap_free().
 * Returns 0, -EFBIG (over 256 MiB, or a million lines or 32 MiB of names for these addresses: a part of it could give names
 * that later lines replace), -ENOMEM, or an error of reading.
 */
int perfmap_read(struct perfmap **ret, int fd, const uint64_t *addresses, size_t nr);

/* Like perfmap_read(), from text in memory. Invalid lines are skipped. */
int perfmap_parse(struct perfmap **ret, const char *text, size_t len_bytes, const uint64_t *addresses, size_t nr);

/* A map was @bytes long from @first_ns to @last_ns of CLOCK_MONOTONIC. */
struct perfmap_mark {
	uint64_t bytes, first_ns, last_ns; /* @bytes must be first: rank_below() */
};

struct perfmap_marks vec(struct perfmap_mark); /* in the order of time; bytes only grow */

/*
 * Add to @ret the functions that the map has for @address, one of those given to perfmap_read(), in the order of their lines.
 * Lines have no times, but were written between two of @marks. Names are valid as long as @m.
 * Returns 0 or -ENOMEM.
 */
int perfmap_loads(const struct perfmap *m, const struct perfmap_marks *marks, uint64_t address, struct code_loads *ret);
void perfmap_free(struct perfmap *m);
