/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copy the text of ftrace (trace, trace_pipe, trace-cmd report), adding the stacks that its lines name by number:
 *
 *	<stack_id 812> <user 813>	a kernel stack and a user stack
 *	<stack_id 812> <cookie 1c000>	the user stack is not known yet,
 *	<cookie 1c000> <user 813>	and here it is
 *	<map 5a0c11d2>			the stackmap of these numbers; without it: the current one
 *
 * Lines are not trusted: they contain names of files and tasks, perhaps with line breaks. Only a line of
 * bpf_trace_printk says what a cookie is, and only if its text begins with the cookie and has the number of our
 * stackmap. That number is random, and known only to those who may read ftrace's ring. If two lines say different
 * things of a cookie, neither is believed.
 */
#pragma once
#include <dusk/stackmap.h>
#include <stdio.h>
#include "base/map.h"
#include "base/strings.h"
#include "base/vec.h"
#include "report/model/stackmap.h"

/* What a cookie is: a user stack, and how that stack ended, as a number of decode.words. */
struct decode_end {
	uint32_t user, word;
	bool disputed; /* lines say different things */
};

/* The caller sets @find to @live; everything else begins as zero. Free with decode_done(). */
struct decode {
	/*
	 * Find the stack @id. *@ret must stay valid until decode_write() returns. Returns 0, or a negative errno if
	 * there is no such stack.
	 */
	int (*find)(void *ctx, uint32_t id, struct dusk_stack *ret);
	void *ctx;
	const struct stackmap_names *names;
	uint32_t identity; /* of the current stackmap */
	bool live;	   /* the text is still being written: flush after each line */

	uint64_t lines;		      /* that name stacks or cookies */
	uint64_t foreign;	      /* of these, lines of another stackmap */
	uint32_t foreign_identity;    /* the stackmap of the last such line */
	uint64_t missing, unresolved; /* stacks not found; cookies without a (believed) line that says what they are */

	struct map by_cookie; /* -> index of ends */
	struct vec(struct decode_end) ends;
	struct strings words;
	bool learned;
};

/*
 * Learn what all cookies in @in are, so that decode_write() shows a stack below the line that requested it. Returns 0,
 * -ENOMEM, or another negative errno of reading.
 */
int decode_learn(struct decode *d, FILE *in);

/*
 * Copy @in to @out, with the stacks below the lines that name them. Returns 0, or a negative errno of reading; the
 * caller checks @out for write errors.
 */
int decode_write(struct decode *d, FILE *in, FILE *out);
void decode_done(struct decode *d);
