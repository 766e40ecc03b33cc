/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The walk: from the interrupted PC to the outermost frame. */
#pragma once
#include "core/lang.h"
#include "core/tables/ehframe.h"
#include "core/machine.h"
#include "core/module.h"
#include "core/walk/read_log.h"
#include "core/tables/sframe.h"
#include "core/stack.h"

/* What a walk depended on, apart from its rows. */
struct walk_trace {
	u32 on;	     /* the trace is wanted */
	u32 initial; /* registers that have not been restored since the walk began, a bit each */
	u32 used;    /* those of them that the walk used */
	u32 pad;
	u64 base; /* the aligned eight bytes at the initial stack pointer */
	struct read_log reads;
};

/* The machine and the number of frames where a frame began: a walk that had to wait for a page goes back there. */
struct frame_start {
	u64 pc, sp, bare_at, callback_sp;
	u32 pc_is_exact, lazy, invalid, nr;
	u64 reg[KEPT_REGS];
};

/* All that a walk works with. It is in map memory: the verifier follows pointers to it, but not its contents. */
struct walk {
	/* input */
	struct machine machine; /* its registers */
	u32 max_depth;		/* frames to keep, at most MAX_DEPTH */
	u32 no_cache;		/* do not use the row cache */
	u32 at_once;		/* no other task can run here during the walk: it must be short */
	u32 turns;		/* of walk_frame() */
	u64 row_wanted;		/* the frame to learn the row of at the end; 0: none */
	/* output */
	u32 outcome;
	u32 row_misses;
	u64 visited;	  /* @row_wanted, if its row was looked up; 0: it was not */
	struct stack out; /* frames as in abi/frame.h */
	u32 laps;	  /* deep.c: how often the outer frames were overwritten */
	u32 nr_walked;	  /* out.nr as the walk left it */
	struct walk_trace trace;
	/* working space; @modules keeps what is known of the address space from walk to walk */
	struct modules modules;
	struct ehframe ehframe;
	struct sframe sframe;
	struct frame_start start;
	u64 outer[MAX_DEPTH / 4]; /* deep.c */
	u32 may_share;		  /* the row that is learnt: it is the file's */
	u32 may_keep;		  /* the row comes from tables, not from code: its process may keep it for itself */
	u32 before, nr_before;	  /* outcome and frames, before @row_wanted was looked up */
	u64 sp;			  /* the initial stack pointer */
	u32 sp_words[MAX_DEPTH];  /* the stack pointer of each frame, from there, in words: modulo 2^32 */
	struct lang lang;
};

/*
 * What a walk may cost, in steps of about 50 ns: a CFI instruction, an operation of an expression, and an FDE or entry
 * that is looked at are one step each; other things are several. A walk that can be preempted is bounded as well: until
 * it ends its task does not return to user mode, and keeps a walker.
 */
#define WORK (1 << 22)
#define WORK_AT_ONCE (1 << 13)
#define WORK_OF_TURN 16
#define WORK_OF_ROW 32
#define WORK_OF_FILE 512
#define MAX_WAITS 4096	       /* for pages */
#define WALK_DEEPEST (1 << 16) /* frames that are walked, however few are kept */
#define FDES_AT_ONCE 256
#define CFI_OPS_AT_ONCE 512
#define SFRAME_ITEMS_AT_ONCE 512

/* How many of the kept frames are the outermost ones, if the stack is too deep. */
static INLINE u32 walk_nr_outer(const struct walk *w)
{
	return w->max_depth / 4;
}

static INLINE u64 walk_work(const struct walk *w)
{
	return w->out.nr + (u64)w->laps * walk_nr_outer(w) + (u64)w->turns * WORK_OF_TURN +
	       (u64)w->row_misses * WORK_OF_ROW + (u64)w->modules.misses * WORK_OF_FILE + w->machine.work;
}

/* Is its class COMPLETE in abi/outcome.h? */
static INLINE bool outcome_is_complete(u32 outcome)
{
	enum { CUT, COMPLETE, NONE = CUT, ABSENT = CUT };
#define X(code, name, kind, sentence) | (u64)kind << code
	return (0 OUTCOMES(X)) >> (outcome & 63) & 1;
#undef X
}

_Static_assert(NR_OUTCOMES < 64, "a bit for each");

/* Return how far @addr is from the initial stack pointer, as w->sp_words has it. */
static INLINE u32 sp_word(const struct walk *w, u64 addr)
{
	return (addr - w->sp) / sizeof(u64);
}

static INLINE bool walk_takes_too_long(const struct walk *w)
{
	return walk_work(w) >= (w->at_once ? WORK_AT_ONCE : WORK);
}

/* Begin a walk from the registers in w->machine.reg[], INPUT_REGS of them, after regs_settle(). */
static INLINE void walk_start(struct walk *w)
{
	struct machine *m = &w->machine;

	m->compat = regs_compat(m->reg);
	m->beyond = m->compat ? ~0ULL << 32 : 0;
	m->pc = m->reg[REG_PC];
	m->sp = m->reg[REG_SP];
	m->pc_is_exact = 1;
	m->lazy = 0;
	m->invalid = NEVER_KNOWN;
	m->fp_steps = m->signal_frames = m->expressions = 0;
	m->stack_end = ~0ULL;
	m->detail = m->code_at = m->bare_at = m->callback_sp = 0;
	stack_forget(m);
	if (w->modules.compat != m->compat)
		modules_reset(&w->modules);
	w->modules.compat = m->compat;
	w->modules.vma_lookups = w->modules.misses = 0;
	ehframe_start(&w->ehframe);
	m->scratch.in.fills = 0;
	m->work = 0;
	w->turns = 0;
	w->modules.at_once = w->at_once;
	w->modules.wait.bytes = w->modules.wait.absent = 0;
	w->ehframe.spared = w->at_once ? MAX_FDES - FDES_AT_ONCE : 0;
	w->ehframe.cfi.spared = w->at_once ? CFI_MAX_OPS - CFI_OPS_AT_ONCE : 0;
	w->sframe.spared = w->at_once ? SFRAME_MAX_ITEMS - SFRAME_ITEMS_AT_ONCE : 0;
	w->row_misses = 0;
	w->row_wanted = w->visited = 0;
	w->trace.on = 0;
	w->out.nr = w->laps = 0;
	w->sp = m->sp;
	w->lang.lost = w->lang.refused = w->lang.nr_frames = w->lang.is_first = w->lang.is_full = 0;
	w->lang.numbered = w->lang.seek = 0;
}

/* prefetch.c: the walk has ended, @why; learn the row of w->row_wanted. Returns what the turn has to return. */
GLOBAL int learn_row_at(struct walk *w NONNULL, u32 why);

/* walk.c: parts of a turn, each verified once. */
GLOBAL int walk_classify(struct row *row NONNULL, u32 word);
GLOBAL u32 walk_find_row(struct walk *w NONNULL, u64 pc, u64 key);
GLOBAL u32 walk_keep_row(struct walk *w NONNULL, u64 key, u32 err);
GLOBAL u32 walk_pass_uretprobe(struct machine *m NONNULL);
GLOBAL u32 walk_find_cfa(struct machine *m NONNULL);

/* Learn the row at @pc, and cache it under @key for all processes, if it was learnt from the file, and @key is not 0. */
static INLINE u32 learn_row(struct walk *w, u64 pc, u64 key)
{
	return walk_keep_row(w, key, walk_find_row(w, pc, key));
}

/* deep.c: make room for another frame in w->out, which is full. Returns 0 or TOO_DEEP. */
GLOBAL u32 deep_make_room(struct walk *w NONNULL);

/* deep.c: w->outer has the outermost frames of a stack that is too deep: put them behind the others, and FRAME_GAP between. */
GLOBAL int deep_close_gap(struct walk *w NONNULL);

/* deep.c: the walk has ended, and what was looked up for others is forgotten. */
GLOBAL int walk_ended(struct walk *w NONNULL);

/*
 * deep.c: all frames are there. The outermost frames of a stack that was too deep are put in order, behind FRAME_GAP.
 */
GLOBAL int walk_finish(struct walk *w NONNULL);

/* walk.c: one turn of a walk. */
DECLARE_TURN(walk_frame, struct walk);

/* lang/steps.c: one step towards the frames of a language. Returns NEXT, or STOP: they are there, or a page has to be waited for. */
GLOBAL int lang_step(struct walk *w NONNULL);
DECLARE_TURN(lang_turn, struct walk);

/* Wait for the page that a read has noted. May sleep. */
static INLINE void walk_wait(struct walk *w)
{
	struct page_wait *wait = &w->modules.wait;

	stack_forget(&w->machine);
	if (port_wait(w->machine.stack.word, ((wait->bytes - 1) & (PAGE_BYTES - 1)) + 1, wait->addr))
		wait->absent = wait->addr / PAGE_BYTES + 1;
	wait->bytes = 0;
}

/* A walk that must be short takes no more than so many steps of a language. */
static INLINE u32 lang_turns(const struct walk *w)
{
	return w->at_once ? LANG_TURNS_AT_ONCE : LANG_TURNS;
}

/* Begin with the frames of languages. False: there are none. */
static INLINE bool lang_is_due(struct walk *w)
{
	struct lang *l = &w->lang;

	if (!l->thread_pointer || w->machine.compat)
		w->modules.unexamined = w->modules.runtime = 0;
	l->step = w->modules.unexamined ? LANG_EXAMINE : LANG_THREAD;
	l->cursor = l->thread;
	l->thread = l->interpreter = l->numbered = l->no_code = l->page = 0;
	l->looked = l->nr = l->nr_in_run = l->runs = 0;
	return w->modules.unexamined || w->modules.runtime;
}

/*
 * Walk: fill w->out and w->outcome. May sleep in port_read() or port_wait(). Ends for any contents of the target's memory. Inline,
 * because BPF allows eight call frames, and the longest chain from here has seven.
 */
static INLINE void walk_stack(struct walk *w)
{
	w->outcome = GOING_ON;
	loop(WALK_DEEPEST + MAX_WAITS, walk_frame, w);
	walk_ended(w);
	if (lang_is_due(w))
		loop(lang_turns(w), lang_turn, w);
	walk_finish(w);
}
