/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What was mapped where, in which process, and what was a thread called, at this point of a recording?
 *
 * Told of maps, forks, names and programs in the order of time, it knows the state after the last of them. All-zero is
 * the state before the first. A process that is forked has the maps of its parent, which are copied when one of both
 * gets more; numbers that are used again begin anew.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/strings.h"
#include "base/vec.h"

struct process_map {
	uint64_t start, end; /* @end is the first address behind it */
	uint64_t offset;     /* of @start, in what is mapped */
	uint32_t what;	     /* the caller's number */
};

struct process_maps;

struct processes {
	struct map maps_of, name_of; /* process -> index of its maps; thread -> number of its name, plus 1 */
	struct vec(struct process_maps *) all;
	struct strings names;
	uint64_t copied;  /* maps, by forks */
	uint64_t refused; /* maps that were too many for a process, or for all copies */
};

/* Maps that came before make room, as far as they are in the way. 0 or -ENOMEM. */
int processes_map(struct processes *p, uint32_t pid, const struct process_map *m);

struct process_fork {
	uint32_t pid, tid, ppid, ptid;
	bool exec; /* it was there before, with a program of its own: it has no maps of its parent's */
};

/* Thread @tid of @pid was made by @ptid of @ppid. 0 or -ENOMEM. */
int processes_fork(struct processes *p, const struct process_fork *f);

/* @exec: it has a new program, so its maps are gone. 0 or -ENOMEM. */
int processes_name(struct processes *p, uint32_t pid, uint32_t tid, const char *name, bool exec);

/* What is at @address of @pid, or NULL. Good until the next map. */
const struct process_map *processes_find(const struct processes *p, uint32_t pid, uint64_t address);

/* Is anything known to be mapped there? Of the kernel's threads nothing is. */
bool processes_has_maps(const struct processes *p, uint32_t pid);

/* The name of thread @tid, or "". */
const char *processes_name_of(const struct processes *p, uint32_t tid);
void processes_done(struct processes *p);
