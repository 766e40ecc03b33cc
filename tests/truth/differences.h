/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where may the walk differ from the truth, and why? A list that is checked in, one place a line:
 *
 *	FILE FUNCTION FROM TO WHY
 *
 * of instructions from FUNCTION+FROM to, and with, FUNCTION+TO (decimal; * for TO: to its end) of the file with this
 * name (a pattern, as of a shell). Where WHY begins with the name of an outcome and a colon, the walk must have ended so; with
 * "one-more:" it must have one frame more than the truth, and all others like it.
 * FUNCTION is a symbol, a section, or * for any. What counts is the last frame that
 * is right: the one that was left wrongly.
 */
#pragma once
#include <stdbool.h>
#include "base/vec.h"
#include "core/walk/walk.h"
#include "lib/process/target.h"

struct excuse {
	char *file, *function, *why;
	unsigned long from, to;
	unsigned long used;
	int outcome; /* or -1: any */
	bool one_more;
};

/* One place at which the walk differed. */
struct differing {
	uint64_t pc;
	char file[64], place[96];
	unsigned long offset; /* in @place */
	unsigned long times;
	u32 outcome;
	size_t nr, nr_true, same; /* frames, the first time */
	uint64_t word, true_word; /* of the first frame that differs; 0: there is none */
	uint64_t innermost;	  /* the frame in which the thread was */
	bool one_more;		  /* but for the first frame that differs they are the same */
	struct excuse *excuse;	  /* NULL: none */
};

struct differences {
	struct vec(struct excuse) excuses;
	struct vec(struct differing) places;
};

/* The list at @path. False: it cannot be read, and that is said on stderr. */
bool differences_read(struct differences *d, const char *path);

/*
 * The walk @w has @same frames of @nr in common with @truth, and then no more; the last of these is at @pc. @one_more: without its next
 * frame it is the truth. True: that is in the list.
 */
bool differences_take(struct differences *d, const struct target *t, uint64_t pc, const struct walk *w,
		      const uint64_t *truth, size_t nr, size_t same, bool one_more);

/* Describe all that is not in the list, on stderr. */
void differences_say(const struct differences *d);
