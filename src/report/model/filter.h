/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Select the stacks of a profile, and the functions in them, that a view shows.
 *
 * As in pprof, an expression matches a frame if it matches anywhere in the name of its function or module. Focus keeps
 * the stacks that have such a frame, and ignore drops them. Hide removes such frames from their stacks, and drops
 * stacks of which nothing is left; own does the same with frames of the kernel, of shared libraries, and of the libraries of
 * a language whose code is shown. A sample
 * without frames has the one frame that views show, "[no stack: exiting]".
 */
#pragma once
#include <dusk/dusk.h>
#include "base/strings.h"
#include "report/model/selection.h"

struct filter {
	struct selection only;		   /* keep only these samples */
	const char *focus, *ignore, *hide; /* POSIX extended regular expressions, or NULL */
	bool own;			   /* remove frames of the kernel and of libraries */
	bool hide_native;     /* remove an interpreter's functions that run code which is shown (native.h) */
	enum time_base kind;  /* keep only samples of this time base; TIME_BASE_WALL: also occurrences */
	bool trim;	      /* remove scheduler functions from the inner end of off-CPU stacks */
	bool marks;	      /* add the state as the innermost frame of off-CPU stacks: "[sleeping]" */
	bool idle_marks;      /* with marks: those of idle threads (idle.h) are "[waiting for work]" */
	bool waker_processes; /* with wakers: their PIDs and titles, too */
	uint32_t wakers;      /* add up to this many wakers in a chain to off-CPU stacks (synthetic.h) */
};

/* Check @regex. Returns NULL if it is valid, else @text with the reason why it is not. */
const char *filter_refuse(const char *regex, char *text, size_t size);

/* A filtered profile. It shares data with the original, and must not outlive it. */
struct filtered {
	struct dusk_profile profile;
	char (*marks)[32];	  /* names of added frames */
	struct strings processes; /* the same, of wakers' processes */
	struct dusk_function *functions;
	struct dusk_frame *frames;
	struct dusk_node *nodes;
	struct dusk_sample *samples;
	struct dusk_occurrence *occurrences;
	struct dusk_event event; /* of weighed occurrences */
	char *event_name;
	struct amount off_cpu,
		cpu;	    /* what filter.only keeps of both, whatever the time base; stacks are not looked at */
	struct amount idle; /* what filter.only.ignore_idle has left out */
};

/*
 * Filter @p. Free @ret with filtered_done() in any case; that accepts all-zero. Returns 0, -ENOMEM, or -EINVAL if an
 * expression is invalid.
 */
int filtered_init(struct filtered *ret, const struct dusk_profile *p, const struct filter *f);
void filtered_done(struct filtered *f);

/*
 * Replace a shared column of @nr entries by our own copy with room for @more, before it is changed. Returns 0 or
 * -ENOMEM.
 */
#define filtered_own(f, column, nr, more) \
	filtered_own_column((void **)&(f)->column, (void **)&(f)->profile.column, nr, more, sizeof(*(f)->column))
int filtered_own_column(void **column, void **view, size_t nr, size_t more, size_t size);
