/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/lang/hotspot.h"
#include "core/lang/merge.h"
#include "core/lang/perl.h"
#include "core/lang/php.h"
#include "core/lang/python.h"
#include "core/lang/ruby.h"
#include "core/lang/symbols.h"
#include "core/lang/v8.h"

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

/* The symbols of each language, in the order of both. The first one of each says that it is that language's runtime. */
static const struct {
	u32 first, end, loop;
} symbols_of[8] = {
	[LANGUAGE_PYTHON] = {SYMBOL_PYTHON_RUNTIME, SYMBOL_PHP_LOOP, SYMBOL_PYTHON_LOOP},
	[LANGUAGE_PHP] = {SYMBOL_PHP_LOOP, SYMBOL_HOTSPOT_FIELDS, SYMBOL_PHP_LOOP},
	[LANGUAGE_JAVA] = {SYMBOL_HOTSPOT_FIELDS, SYMBOL_V8_FUNCTION_SHARED, NR_LANG_SYMBOLS},
	[LANGUAGE_JAVASCRIPT] = {SYMBOL_V8_FUNCTION_SHARED, SYMBOL_PERL_LOOP, SYMBOL_V8_FUNCTION_SHARED},
	[LANGUAGE_PERL] = {SYMBOL_PERL_LOOP, SYMBOL_RUBY_VERSION, SYMBOL_PERL_LOOP},
	[LANGUAGE_RUBY] = {SYMBOL_RUBY_VERSION, NR_LANG_SYMBOLS, NR_LANG_SYMBOLS},
};

/* How a range is examined that could not be read. */
static INLINE u32 in_vain(struct range *r)
{
	return ++r->nr_vain < EXAMINATIONS ? EXAMINED_IN_VAIN : EXAMINED;
}

/* module_here() has been examined: 0: it is a runtime. */
static INLINE int end_examination(struct walk *w, int err)
{
	struct range *r = module_here(&w->modules);

	if (err == -EACCES)
		return err;
	r->examined = err && err != -ENOENT ? in_vain(r) : EXAMINED;
	w->lang.step = err ? LANG_EXAMINE : LANG_LEARN;
	w->lang.looked = 0;
	return 0;
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
	if (r->dynamic && !ms->runtime && r->code_end - r->code >= LANG_TEXT_BYTES) {
		err = symbols_open(&l->symbols, r->dynamic, r->bias);
		if (err == -ENOENT) /* perhaps it has not been mapped completely */
			err = -EFAULT;
	}
	if (err)
		return end_examination(w, err);
	l->runtime.language = LANGUAGE_NONE + 1;
	l->symbol = 0;
	l->step = LANG_SYMBOLS;
	return 0;
}

/* Look for the next symbol; of a language that has not its first one, for none. */
static INLINE int find_symbol(struct walk *w)
{
	struct lang *l = &w->lang;
	struct runtime *rt = &l->runtime;
	const struct range *r = module_here(&w->modules);
	u32 language = rt->language, which = l->symbol, end = at(symbols_of, language).end;
	int err = symbols_find(&l->symbols, which);

	if (err)
		return end_examination(w, err);
	if (which == at(symbols_of, language).first && !l->symbols.found) {
		rt->language = language + 1;
		l->symbol = end;
		return end < NR_LANG_SYMBOLS ? 0 : end_examination(w, -ENOENT);
	}
	at(rt->symbol, which) = l->symbols.found;
	if (which == at(symbols_of, language).loop) {
		rt->loop = l->symbols.found + r->file_off;
		rt->loop_bytes = l->symbols.bytes;
		rt->module = r->module;
	}
	l->symbol = which + 1;
	return l->symbol < end ? 0 : end_examination(w, 0);
}

/* A step that each language has one of: a line each. */
#define STEP_OF_LANGUAGE(step)                                 \
	static INLINE int step##_of_language(struct walk *w)   \
	{                                                      \
		switch (w->lang.runtime.language) {            \
		case LANGUAGE_PYTHON: return python_##step(w); \
		case LANGUAGE_PHP: return php_##step(w);       \
		case LANGUAGE_JAVA: return hotspot_##step(w);  \
		case LANGUAGE_JAVASCRIPT: return v8_##step(w); \
		case LANGUAGE_PERL: return perl_##step(w);     \
		case LANGUAGE_RUBY: return ruby_##step(w);     \
		}                                              \
		return -ESRCH;                                 \
	}
STEP_OF_LANGUAGE(learn)
STEP_OF_LANGUAGE(thread)
STEP_OF_LANGUAGE(frame)
STEP_OF_LANGUAGE(code)

static INLINE int learn(struct walk *w)
{
	struct range *r = module_here(&w->modules);
	struct lang *l = &w->lang;
	int err = learn_of_language(w);

	if (w->modules.wait.bytes)
		return err;
	if (err > 0)
		return 0; /* there is more to do */
	if (!err)
		w->modules.runtime = l->runtime.language;
	if (err && err != -ENOSYS)
		r->examined = in_vain(r);
	l->refused += err == -ENOSYS;
	l->step = LANG_EXAMINE;
	return 0;
}

static INLINE int merge(struct walk *w)
{
	if (w->lang.nr_frames && lang_merge(w))
		return -EFAULT;
	return -ESRCH; /* there is no more to do */
}

static INLINE int step_of(struct walk *w)
{
	switch (w->lang.step) {
	case LANG_EXAMINE: return examine(w);
	case LANG_SYMBOLS: return find_symbol(w);
	case LANG_LEARN: return learn(w);
	case LANG_THREAD: return thread_of_language(w);
	case LANG_FRAMES: return frame_of_language(w);
	case LANG_CODE: return code_of_language(w);
	case LANG_MERGE: return merge(w);
	}
	return -ESRCH;
}

/* The frames of Java are there already. */
static INLINE void lose(struct walk *w)
{
	w->lang.lost = w->modules.runtime && w->modules.runtime != LANGUAGE_JAVA;
	w->lang.nr_frames = 0;
}

GLOBAL int lang_step(struct walk *w NONNULL)
{
	int err = step_of(w);

	if (err && err != -ESRCH && !w->modules.wait.bytes)
		lose(w);
	if ((err && !w->modules.wait.bytes) || w->lang.step == LANG_THREAD)
		w->lang.is_first = 0;
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
