/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process that stands still, and its stacks as elfutils sees them: by the same library as eu-stack, which reads the
 * tables of the files, not those in the target's memory.
 */
#pragma once
#include <elfutils/libdwfl.h>
#include <sys/user.h>
#include "live.h"

#define MAX_STOPPED 64

struct stopped_mapping {
	uint64_t start, end, offset;
	char path[256];
};

struct stopped_frame {
	uint64_t pc;
	bool exact; /* where it was interrupted, not a return address */
};

struct stopped {
	pid_t pid, tid[MAX_STOPPED];
	int nr_tids;
	size_t nr_mappings;
	struct stopped_mapping *mapping;
	Dwfl *dwfl;
};

/* Stop all threads of @pid. To be ended with stopped_end(). */
void stopped_begin(struct stopped *s, pid_t pid);
void stopped_end(struct stopped *s);

void stopped_registers(const struct stopped *s, pid_t tid, struct user_regs_struct *ret);

/* The frames of thread @tid, innermost first: how many, at most @max. 0 if elfutils cannot tell. */
size_t stopped_stack(const struct stopped *s, pid_t tid, struct stopped_frame *ret, size_t max);

/* Which file is at @pc, and where in it? The answer is of the same kind as a profile's. NULL: no file. */
const char *stopped_place(const struct stopped *s, uint64_t pc, uint64_t *offset);
