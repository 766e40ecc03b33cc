/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/process/trace.h"
#include <stdio.h>
#include "core/code/rules.h"
#include "lib/arch/names.h"

int trace_init(struct trace *t)
{
	*t = (struct trace){.walk = calloc(1, sizeof(*t->walk))};
	return t->walk ? 0 : -ENOMEM;
}

void trace_done(struct trace *t)
{
	free(t->walk);
	vec_done(&t->frames);
	t->walk = NULL;
}

/* Return how walk_frame() has left its last frame, or tried to. */
static enum dusk_method method(const struct walk *w, u32 fp_steps)
{
	if (w->machine.fp_steps != fp_steps)
		return DUSK_BY_FRAME_POINTER;
	if (w->machine.row.cfa_kind == CFA_NONE)
		return DUSK_BY_NOTHING;
	return row_method(&w->machine.row);
}

int trace_walk(struct trace *t, const u64 *regs, u32 max_depth)
{
	struct walk *w = t->walk;
	struct machine *m = &w->machine;
	bool stop = false;

	memcpy(m->reg, regs, TRACE_REGS * sizeof(*regs));
	modules_reset(&w->modules);
	w->max_depth = max_depth;
	w->no_cache = 1; /* else walk_frame() may take several frames in one call */
	w->outcome = GOING_ON;
	t->frames.nr = 0;
	walk_start(w);
	while (!stop && w->out.nr < max_depth) {
		struct trace_frame f = {.pc = m->pc, .sp = m->sp, .pc_is_exact = m->pc_is_exact};
		u32 nr = w->out.nr, fp_steps = m->fp_steps;

		memset(&m->row, 0, sizeof(m->row));
		m->cfa = 0;
		m->rule = NO_RULE;
		stop = walk_frame(nr, w) == STOP;
		if (w->out.nr == nr)
			break;
		f.word = w->out.frame[nr];
		f.method = method(w, fp_steps);
		f.cfa = f.method == DUSK_BY_FRAME_POINTER && !stop ? m->sp : m->cfa;
		f.row = m->row;
		f.rule = m->rule;
		if (vec_push(&t->frames, f))
			return -ENOMEM;
	}
	if (!stop && w->out.nr == max_depth)
		w->outcome = TOO_DEEP;
	return 0;
}

const char *trace_rule_name(u32 rule)
{
#define NAME(name) #name,
	static const char *const names[NR_RULES] = {NULL, CODE_RULES(NAME)};
#undef NAME

	return names[rule];
}

static int rule_text(char *ret, size_t room, const struct row *row, u32 slot, bool compat)
{
	const char *name = register_name(reg_of_slot[slot], compat);
	s32 off = row->off[slot];

	switch (row->rule[slot]) {
	case RULE_OFFSET: return snprintf(ret, room, " %s=c%+d", name, off);
	case RULE_VAL_OFFSET: return snprintf(ret, room, " %s=v%+d", name, off);
	case RULE_UNDEFINED: return snprintf(ret, room, " %s=u", name);
	case RULE_REGISTER: return snprintf(ret, room, " %s=%s", name, register_name(off, compat));
	case RULE_EXPR: return snprintf(ret, room, " %s=exp", name);
	case RULE_VAL_EXPR: return snprintf(ret, room, " %s=vexp", name);
	case RULE_REPLACED: return snprintf(ret, room, " %s=replaced", name);
	}
	return 0;
}

void trace_rules(const struct row *row, bool compat, char *ret, size_t room)
{
	size_t used;

	if (row->cfa_kind == CFA_REG)
		used = snprintf(ret, room, "cfa=%s%+d", register_name(row->cfa_reg, compat), row->cfa_off);
	else
		used = snprintf(ret, room, "%s", row->cfa_kind == CFA_EXPR ? "cfa=exp" : "");
	for (u32 slot = 0; slot < NR_SLOTS && used < room; slot++)
		used += rule_text(ret + used, room - used, row, slot, compat);
}
