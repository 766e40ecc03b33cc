/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The mappings of processes and the names of threads, at a point in a recording.
 *
 * The caller passes maps, forks, names and execs in the order of time; the state is that after the last one. All-zero
 * is the state before the first. A forked process shares the maps of its parent until one of the two maps more. A pid
 * or tid that is reused starts anew.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/strings.h"
#include "base/vec.h"

struct process_map {
	uint64_t start, end; /* @end is exclusive */
	uint64_t offset;     /* of @start, in the mapped file */
	uint32_t what;	     /* a number of the caller */
};

struct process_maps;

struct processes {
	struct map maps_of, name_of; /* process -> index of its maps; thread -> number of its name, plus 1 */
	struct vec(struct process_maps *) all;
	struct strings names;
	uint64_t copied;  /* number of maps copied after forks */
	uint64_t refused; /* maps refused by the limits, per process and for copies */
};

/* Add a map, which replaces earlier ones where they overlap. Returns 0 or -ENOMEM. */
int processes_map(struct processes *p, uint32_t pid, const struct process_map *m);

/* What @pid has mapped from @start to @end is not there any more. Returns 0 or -ENOMEM. */
int processes_unmap(struct processes *p, uint32_t pid, uint64_t start, uint64_t end);

/* Process @pid has ended: its maps are removed. */
void processes_end(struct processes *p, uint32_t pid);

struct process_fork {
	uint32_t pid, tid, ppid, ptid;
	bool exec; /* it existed before, with a program of its own: it shares no maps with its parent */
};

/* Add thread @tid of @pid, created by @ptid of @ppid. Returns 0 or -ENOMEM. */
int processes_fork(struct processes *p, const struct process_fork *f);

/* Name a thread. @exec: the process runs a new program, so its maps are removed. Returns 0 or -ENOMEM. */
int processes_name(struct processes *p, uint32_t pid, uint32_t tid, const char *name, bool exec);

/* Return the map at @address of @pid, or NULL. It is valid until the next map is added. */
const struct process_map *processes_find(const struct processes *p, uint32_t pid, uint64_t address);

/* Return whether any map of @pid is known. Kernel threads have none. */
bool processes_has_maps(const struct processes *p, uint32_t pid);

/* Return the name of thread @tid, or "". */
const char *processes_name_of(const struct processes *p, uint32_t tid);
void processes_done(struct processes *p);
