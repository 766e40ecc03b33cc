/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Code without CFI, followed from the PC to a return: what it does to the stack on the way says where the return address
 * is, and where the caller's registers are. Wherever a function is left, its stack pointer is where it was when the
 * function was entered. So one way to a return is as good as another, and where the function begins need not be known.
 *
 * What may mislead are calls that never return: behind them another function may begin, or another part of this one. So
 * ways with fewer calls come first. And where a function calls another there is at least a word between the stack
 * pointer and its return address, as the psABI wants the stack aligned (x86-64 §3.2.2): a way on which there is none
 * has entered another function.
 *
 * The row is a guess all the same: the return address that it leads to must follow a call.
 */
#include "core/arch/way.h"
#include "core/code/way_out.h"

#define TURNS 1024 /* instructions, and prefixes of instructions */
#define NEVER (-(1 << 30))
#define LONGEST 16 /* bytes of an instruction */

/* Mark the instruction at way.at. Was it marked already? */
static INLINE bool is_seen(struct way_out *o)
{
	u64 at = o->way.at, index = at - o->begin + WAY_SEEN_BYTES / 2, bit = 1ULL << (index & 63), was;

	if (at < o->low)
		o->low = at;
	if (at + LONGEST > o->high)
		o->high = at + LONGEST;
	if (index >= WAY_SEEN_BYTES)
		return false;
	was = at(o->seen, index / 64);
	at(o->seen, index / 64) = was | bit;
	return was & bit;
}

static INLINE void follow_branch(struct way_out *o)
{
	u32 nr = o->nr_branches;

	if (nr == WAY_LIST)
		return;
	at(o->branch, nr) = o->way;
	at(o->branch, nr).at = o->target;
	o->nr_branches = nr + 1;
}

static INLINE void follow_behind(struct way_out *o)
{
	struct way *w = &o->way;
	u32 nr = o->nr_behind;

	if (w->sp > w->called)
		w->called = w->sp;
	if (!o->past_calls || nr - o->next_behind == WAY_LIST)
		return;
	at(o->behind, nr & (WAY_LIST - 1)) = *w;
	o->nr_behind = nr + 1;
}

/* Go on with the next way. STOP: there is none. */
static INLINE int next_way(struct way_out *o)
{
	u32 nr = o->nr_branches, next = o->next_behind;

	way_forget(o);
	if (nr) {
		o->nr_branches = nr - 1;
		o->way = at(o->branch, nr - 1);
		return NEXT;
	}
	if (next == o->nr_behind)
		return STOP;
	o->next_behind = next + 1;
	o->way = at(o->behind, next & (WAY_LIST - 1));
	return NEXT;
}

/* Does the way end at a return address? */
static INLINE bool leads_out(const struct way *w)
{
	return w->sp_from == WAY_FROM_FP || (w->sp_from == WAY_FROM_SP && w->sp >= 0 && w->sp > w->called);
}

/* One instruction, or a part of it. */
TURN(follow, struct machine, m)
{
	struct way_out *o = &m->way_out;
	u32 verdict = WAY_ENDS;

	o->turns = turn;
	if (o->within || !is_seen(o))
		verdict = way_step(m);
	verdict = verifier_forget(m->scratch.nr, verdict);
	switch (verdict) {
	case WAY_BRANCHES: follow_branch(o); return NEXT;
	case WAY_GOES_ON: return NEXT;
	case WAY_CALLS: follow_behind(o); break;
	case WAY_RETURNS: o->found = leads_out(&o->way) && !(o->way.sp & 7);
	}
	return o->found ? STOP : next_way(o);
}

GLOBAL int way_out_row(struct machine *m NONNULL, u32 past_calls)
{
	struct way_out *o = &m->way_out;

	if (m->compat)
		return -ENOENT;
	memset(&o->way, 0, sizeof(o->way));
	each (i, COUNT(o->seen))
		at(o->seen, i) = 0;
	o->way.at = o->begin = m->pc;
	o->way.fp_from = WAY_FROM_FP;
	o->way.called = m->pc_is_exact ? NEVER : 0;
	o->nr_branches = o->nr_behind = o->next_behind = o->found = 0;
	o->past_calls = past_calls;
	way_forget(o);
	m->scratch.in.bounds = (struct bounds){.end = ~0ULL};
	m->scratch.in.len = 0;
	loop(TURNS, follow, m);
	m->work += o->turns;
	m->refused |= m->scratch.in.end_error == -EACCES;
	return o->found ? way_row(m) : -ENOENT;
}
