/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/lang/merge.h"

#define NO_PLACE (~0u)

static INLINE void start(struct walk *w)
{
	u32 inner = w->max_depth - walk_nr_outer(w), nr = w->laps ? inner : w->out.nr;
	struct lang *l = &w->lang;

	l->native = nr;
	l->language = l->nr;
	l->place = l->keep = nr + l->nr_frames;
	l->outer = NO_PLACE;
	if (w->laps) { /* what is left out is where frames are missing already */
		l->keep = inner;
	} else if (l->place > w->max_depth) {
		l->keep = inner;
		l->outer = l->place - walk_nr_outer(w);
	}
	l->run = ~0ULL; /* frames behind the last run: their native frames are not there */
	l->is_placed = 1;
	l->caller = l->outer_caller = 0;
}

static INLINE void put(struct walk *w, u64 frame)
{
	struct lang *l = &w->lang;
	u32 place = l->place - 1;

	l->place = place;
	if (place < l->keep)
		at(w->out.frame, place) = frame;
	else if (place >= l->outer)
		at(w->outer, place - l->outer) = frame;
}

/* Does the stack pointer of native frame @nr lie below what the run has on the stack, or at it? */
static INLINE bool is_below_run(const struct walk *w, u32 nr)
{
	return at(w->sp_words, nr) <= sp_word(w, w->lang.run);
}

/*
 * Go to the next run. If outer frames of the native stack are missing, or not kept, and the run lies further out than all that are
 * there, then its frame is one of them.
 */
static INLINE void next_run(struct walk *w, u64 mark)
{
	u32 nr = w->lang.native, all = w->laps ? w->max_depth - walk_nr_outer(w) : w->out.nr;
	bool is_cut = w->laps || !outcome_is_complete(w->outcome);
	struct lang *l = &w->lang;

	l->run = mark;
	l->language--;
	l->is_placed = mark != LANG_NEXT_LOOP && nr && nr == all && is_cut && is_below_run(w, nr - 1);
	if (l->outside) {
		l->outside--;
		l->is_placed = 1;
	}
}

/* Is it a frame of the function that runs code? */
static INLINE bool is_of_loop(const struct runtime *rt, u64 frame)
{
	return frame_module(frame) == rt->module &&
	       frame_offset(frame) - frame_is_return(frame) - rt->loop < rt->loop_bytes;
}

/*
 * The same, if it runs code of its own. To catch exceptions Perl calls its loop from the loop (docatch()), with one function in between: then
 * the code that the inner one runs is that of the outer one. @outer: the frame behind the next one.
 */
static INLINE bool runs_code(const struct runtime *rt, u64 frame, u64 outer)
{
	return is_of_loop(rt, frame) && !(rt->language == LANGUAGE_PERL && is_of_loop(rt, outer));
}

/* Is it one of code that the JIT of PHP has made? It takes the place of the loop, and is called by PHP as that is. */
static INLINE bool is_of_jit(const struct runtime *rt, u64 frame, u64 caller)
{
	return frame_is_anon(frame) && frame_module(caller) == rt->module && rt->language == LANGUAGE_PHP;
}

TURN(merge_frame, struct walk, w)
{
	struct lang *l = &w->lang;
	u32 native = l->native, language = l->language;
	u64 frame = language ? at(l->frame, language - 1) : 0;

	if (!native && !language)
		return STOP;
	if (language && lang_is_mark(frame)) {
		next_run(w, frame);
	} else if (language && (l->is_placed || !native)) {
		put(w, frame);
		l->language = language - 1;
	} else {
		u64 native_frame = at(w->out.frame, native - 1);

		put(w, native_frame);
		l->native = native - 1;
		l->is_placed = l->run != LANG_NEXT_LOOP
				       ? is_below_run(w, native - 1)
				       : runs_code(&l->runtime, native_frame, l->outer_caller) ||
						 (l->has_jit && is_of_jit(&l->runtime, native_frame, l->caller));
		l->outer_caller = l->caller;
		l->caller = native_frame;
	}
	return NEXT;
}

TURN(count_loop, struct walk, w)
{
	u64 frame = at(w->out.frame, turn), caller = turn + 1 < w->out.nr ? at(w->out.frame, turn + 1) : 0;
	u64 outer = turn + 2 < w->out.nr ? at(w->out.frame, turn + 2) : 0;

	w->lang.loops += runs_code(&w->lang.runtime, frame, outer);
	w->lang.jits += is_of_jit(&w->lang.runtime, frame, caller);
	return NEXT;
}

GLOBAL int merge_count_loops(struct walk *w NONNULL)
{
	w->lang.loops = w->lang.jits = 0;
	loop(w->out.nr, count_loop, w);
	return 0;
}

/*
 * Frames whose runs are known by the loop's symbol alone: are all of its native frames there? A fiber of PHP has a native stack of its own,
 * but its callers' frames of PHP are those of whoever resumed it: there the outer runs lie outside. A sub of Perl is there before its run of
 * the loop is: that one comes last.
 */
static INLINE bool has_all_loops(struct walk *w)
{
	struct lang *l = &w->lang;

	l->outside = l->has_jit = 0;
	if (!l->nr || at(l->frame, l->nr - 1) != LANG_NEXT_LOOP)
		return true;
	merge_count_loops(w);
	if (!has_all_frames(w))
		return false;
	l->has_jit = l->loops < l->runs;
	if (l->has_jit)
		l->loops += l->jits;
	if (l->loops >= l->runs)
		return true;
	if (l->runtime.language == LANGUAGE_PERL)
		return l->runs - l->loops == 1;
	l->outside = l->runs - l->loops;
	return l->runtime.language == LANGUAGE_PHP;
}

GLOBAL int lang_merge(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;

	if (!has_all_loops(w))
		return -ENOENT;
	start(w);
	loop(3 * MAX_DEPTH, merge_frame, w); /* native frames, those of the language, and marks */
	if (l->outer != NO_PLACE)
		deep_close_gap(w);
	else if (!w->laps)
		w->out.nr = l->keep;
	return 0;
}
