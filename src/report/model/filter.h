/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which stacks does the user want to see, and which of their functions?
 *
 * As pprof has it: an expression is met by a frame whose function or module it matches anywhere. Focus keeps the stacks
 * that have such a frame, ignore drops them, hide takes the frames out of their stacks, and stacks away of which
 * nothing is left. A sample without frames is taken for the frame that views show for it, "[no stack: exiting]".
 */
#pragma once
#include <dusk/dusk.h>
#include "report/model/time_base.h"

struct filter {
	const char *focus, *ignore, *hide; /* POSIX extended regular expressions, or NULL */
	enum time_base kind;		   /* only these samples; and with TIME_BASE_WALL, occurrences */
	bool trim;			   /* off-CPU intervals end where the thread waited: without the scheduler */
	bool marks;			   /* what an off-CPU interval has for its innermost frame: "[sleeping]" */
	uint32_t wakers;		   /* on its stack are those of so many wakers in a row (synthetic.h) */
};

/* Why @regex cannot be used, written to @text; or NULL: it can. */
const char *filter_refuse(const char *regex, char *text, size_t size);

/* A profile of which some is left out: it shares the rest with the one that it was made of, and cannot outlive it. */
struct filtered {
	struct dusk_profile profile;
	char (*marks)[32]; /* names of what was added */
	struct dusk_function *functions;
	struct dusk_frame *frames;
	struct dusk_node *nodes;
	struct dusk_sample *samples;
	struct dusk_occurrence *occurrences;
};

/* All-zero is one that was not made. 0, -ENOMEM or -EINVAL; to be freed with filtered_done() in any case. */
int filtered_init(struct filtered *ret, const struct dusk_profile *p, const struct filter *f);
void filtered_done(struct filtered *f);

/* Columns are copied before they are changed, and with room for @more than the @nr that there are. 0 or -ENOMEM. */
#define filtered_own(f, column, nr, more) \
	filtered_own_column((void **)&(f)->column, (void **)&(f)->profile.column, nr, more, sizeof(*(f)->column))
int filtered_own_column(void **column, void **view, size_t nr, size_t more, size_t size);
