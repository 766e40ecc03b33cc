/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/lang/merge.h"
#include "core/lang/python.h"
#include "core/lang/symbols.h"

/* Return the first range that has not been examined; NULL: all have been. */
static INLINE struct range *next_range(struct modules *ms)
{
	ms->here = NR_RANGES;
	each (i, NR_RANGES) {
		if (i < ms->nr && !at(ms->range, i).examined) {
			ms->here = i;
			break;
		}
	}
	return ms->here < NR_RANGES ? module_here(ms) : 0;
}

/* Look for the symbols of a runtime in the module of @r, to l->runtime. Returns 0, -ENOENT, -EFAULT or -EACCES. */
static INLINE int look_for_runtime(struct lang *l, const struct range *r)
{
	struct runtime *rt = &l->runtime;
	int err = symbols_open(&l->symbols, r->dynamic, r->bias);

	if (err == -ENOENT) /* perhaps it has not been mapped completely */
		return -EFAULT;
	each (i, NR_LANG_SYMBOLS) {
		if (!err)
			err = symbols_find(&l->symbols, i);
		if (!err && !i && !l->symbols.found)
			err = -ENOENT;
		if (err)
			break;
		at(rt->symbol, i) = l->symbols.found;
		if (i == SYMBOL_PYTHON_LOOP) {
			rt->loop = l->symbols.found + r->file_off;
			rt->loop_bytes = l->symbols.bytes;
			rt->module = r->module;
		}
	}
	return err;
}

/* How a range is examined that could not be read. */
static INLINE u32 in_vain(struct range *r)
{
	return ++r->nr_vain < EXAMINATIONS ? EXAMINED_IN_VAIN : EXAMINED;
}

/*
 * Dynamic sections are private copies in each process: what they lead to is its own word, and is not shared. So this is
 * done for each process, but only where the file, which has the sizes of segments, has enough code.
 */
static INLINE int examine(struct walk *w)
{
	struct modules *ms = &w->modules;
	struct range *r = next_range(ms);
	struct lang *l = &w->lang;
	int err = -ENOENT;

	if (!r) {
		ms->unexamined = 0;
		l->step = LANG_THREAD;
		return ms->runtime && l->thread_pointer ? 0 : -ESRCH;
	}
	if (r->dynamic && !ms->runtime && r->code_end - r->code >= LANG_TEXT_BYTES)
		err = look_for_runtime(l, r);
	if (err == -EACCES)
		return err;
	r->examined = err && err != -ENOENT ? in_vain(r) : EXAMINED;
	l->step = err ? LANG_EXAMINE : LANG_LEARN;
	return 0;
}

static INLINE int learn(struct walk *w)
{
	struct range *r = module_here(&w->modules);
	struct lang *l = &w->lang;
	int err = python_learn(w);

	if (w->modules.wait.bytes)
		return err;
	if (!err)
		w->modules.runtime = LANGUAGE_PYTHON;
	if (err && err != -ENOSYS)
		r->examined = in_vain(r);
	l->refused += err == -ENOSYS;
	l->step = LANG_EXAMINE;
	return 0;
}

static INLINE int merge(struct walk *w)
{
	if (w->lang.nr_frames && merge_stacks(w))
		return -EFAULT;
	return -ESRCH; /* there is no more to do */
}

static INLINE int step_of(struct walk *w)
{
	switch (w->lang.step) {
	case LANG_EXAMINE: return examine(w);
	case LANG_LEARN: return learn(w);
	case LANG_THREAD: return python_thread(w);
	case LANG_FRAMES: return python_frame(w);
	case LANG_CODE: return python_code(w);
	case LANG_MERGE: return merge(w);
	}
	return -ESRCH;
}

static INLINE void lose(struct walk *w)
{
	w->lang.lost = !!w->modules.runtime;
	w->lang.nr_frames = 0;
}

GLOBAL int lang_step(struct walk *w NONNULL)
{
	int err = step_of(w);

	if (err && err != -ESRCH && !w->modules.wait.bytes)
		lose(w);
	return err ? STOP : NEXT;
}

CORE_TURN(lang_turn, struct walk, w)
{
	int verdict;

	if (turn == lang_turns(w) - 1) {
		lose(w);
		return STOP;
	}
	verdict = opaque(lang_step(w)) & STOP; /* the verifier does not know it */
	if (!w->modules.wait.bytes)
		return verdict;
	walk_wait(w);
	return NEXT;
}
