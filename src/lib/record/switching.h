/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Off-CPU intervals and thread times of mode copied: from records of perf events to rows of the profile. */
#pragma once
#include "lib/copied/switches.h"
#include "lib/process/processes.h"
#include "lib/perfdata/perfdata.h"
#include "lib/record/first_threads.h"
#include "lib/record/intervals.h"

struct switching {
	struct join *join;
	const struct processes *names;
	struct switches switches;
	struct intervals rows;
	struct map of_kernel; /* process -> is it one of the kernel's threads? */
	bool kernel_threads;  /* record these, too */
	bool only;	      /* not what the processes create */
	char *cgroup;	      /* only threads of this folder and below, or NULL */
	pid_t self;
};

/* Initialize @s, to be ended with switching_done(). Names of threads come from @names. Returns 0 or -ENOMEM. */
int switching_init(struct switching *s, struct join *j, const struct processes *names,
		   const struct dusk_record_options *o);
void switching_done(struct switching *s);

/* The switches of all threads are being recorded: look where those of @f are now. Returns 0 or a negative errno. */
int switching_begin(struct switching *s, const struct first_threads *f);

/* Take a record other than a sample, in the order of time. Returns 0 or -ENOMEM. */
int switching_take(struct switching *s, const struct perfdata_record *r);

/* Is the stack of this sample, of a thread that leaves its CPU, wanted? */
bool switching_wants(const struct switching *s, const struct perfdata_record *r);

/* Take it, walked. Returns 0 or -ENOMEM. */
int switching_stack(struct switching *s, const struct perfdata_record *r, const struct switch_stack *stack);

/* End all intervals at @stop_ns. */
void switching_end(struct switching *s, uint64_t stop_ns);

/* Return the number of a thread in the profile, with the name that it has now. */
uint32_t switching_thread(const struct join *j, const struct processes *names, pid_t pid, pid_t tid);
