/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text of ftrace, as of trace, trace_pipe or trace-cmd report, with the stacks that its lines name by their numbers:
 *
 *	<stack_id 812> <user 813>	a kernel stack and a user stack
 *	<stack_id 812> <cookie 1c000>	the user stack is not known yet,
 *	<cookie 1c000> <user 813>	and here it is
 *	<map 5a0c11d2>			of which stackmap these numbers are; without: of the one at hand
 *
 * Who wrote a line is not to be trusted: names of files and tasks are in it, with line breaks perhaps. Only a line by
 * bpf_trace_printk says what a cookie is, if it begins with that, and ends with the number of our stackmap, which is
 * random, and only who may read ftrace's ring knows. Where two lines say different things, neither is believed.
 */
#pragma once
#include <dusk/stackmap.h>
#include <stdio.h>
#include "base/map.h"
#include "base/strings.h"
#include "base/vec.h"
#include "report/model/stackmap.h"

/* What a cookie is: a user stack, and how that ended, by its number in decode.words. */
struct decode_end {
	uint32_t user, word;
	bool disputed; /* lines say different things */
};

/* All-zero but for what is to be set: @find and what follows. To be ended with decode_done(). */
struct decode {
	/*
	 * The stack of that number, to *@ret, for as long as decode_write() runs. 0, or a negative errno: there is
	 * none.
	 */
	int (*find)(void *ctx, uint32_t id, struct dusk_stack *ret);
	void *ctx;
	const struct stackmap_names *names;
	uint32_t identity; /* of the stackmap at hand */
	bool live;	   /* the text goes on: each line is shown at once */

	uint64_t lines;		      /* that name stacks */
	uint64_t foreign;	      /* of these: of another stackmap, */
	uint32_t foreign_identity;    /* the last of them */
	uint64_t missing, unresolved; /* stacks that are not there; cookies of which no line says what they are */

	struct map by_cookie; /* -> index of ends */
	struct vec(struct decode_end) ends;
	struct strings words;
	bool learned;
};

/*
 * What all cookies in @in are, so that decode_write() shows the stack below the line that asked for it. 0 or -ENOMEM.
 */
int decode_learn(struct decode *d, FILE *in);

/*
 * @in to @out, with the stacks below the lines that name them. 0, or a negative errno of reading; @out is the caller's.
 */
int decode_write(struct decode *d, FILE *in, FILE *out);
void decode_done(struct decode *d);
