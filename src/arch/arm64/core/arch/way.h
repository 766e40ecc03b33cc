/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What instructions of arm64 do to the stack, one after the other (Arm ARM C4.1): those that move sp, or x29 to and from it,
 * those that save and restore registers that a caller relies on, and jumps.
 */
#pragma once
#include "core/arch/call.h"
#include "core/code/rule.h"
#include "core/code/way_row.h"
#include "core/way.h"

enum way_verdict { WAY_GOES_ON, WAY_BRANCHES, WAY_CALLS, WAY_ENDS, WAY_RETURNS };

#define SP_FIELD 31 /* sp, as a base or a result */
#define FP_FIELD 29

/* The number of @bits bits at bit @from of an instruction, with its sign. */
static INLINE s32 field(u32 code, u32 from, u32 bits)
{
	return (s32)(code << (32 - from - bits)) >> (32 - bits);
}

static INLINE void way_forget(struct way_out *out)
{
}

/* What @reg is, as a base: sp or x29. False: something else. */
static INLINE bool base_of(const struct way *w, u32 reg, s32 *off, u32 *from)
{
	if (reg != SP_FIELD && reg != FP_FIELD)
		return false;
	*off = reg == SP_FIELD ? w->sp : w->fp;
	*from = reg == SP_FIELD ? w->sp_from : w->fp_from;
	return true;
}

/* add or sub: @reg is @off bytes above the base @from; WAY_FROM_NOWHERE: it is anything. */
static INLINE void set_base(struct way *w, u32 reg, s32 off, u32 from)
{
	if ((u32)off + (1 << 20) > 2 << 20)
		from = WAY_FROM_NOWHERE;
	if (reg == SP_FIELD) {
		w->sp = off;
		w->sp_from = from;
	} else if (reg == FP_FIELD) {
		w->fp = off;
		w->fp_from = from;
	}
}

static INLINE u32 slot_of_field(u32 reg)
{
	return slot_of[reg & 31] & (ROW_SLOTS - 1);
}

/* Register @reg is loaded from the stack. What was stored from it on this way is known. */
static INLINE void load(struct way *w, u32 reg, s32 off, u32 base)
{
	u32 slot = slot_of_field(reg);
	s32 from = way_place(off, base), to = at(w->stored_at, slot), value = from;

	if (from == to)
		value = at(w->stored, slot);
	else if (to && (from ^ to) & 7) /* the same place, perhaps */
		value = way_place(0, WAY_FROM_NOWHERE);
	at(w->value, slot) = value;
	if (reg == FP_FIELD)
		w->fp_from = WAY_FROM_NOWHERE;
}

static INLINE void store(struct way *w, u32 reg, s32 off, u32 base)
{
	u32 slot = slot_of_field(reg);

	at(w->stored_at, slot) = way_place(off, base);
	at(w->stored, slot) = at(w->value, slot);
}

static INLINE void transfer(struct way *w, u32 reg, bool is_load, s32 off, u32 from)
{
	if (reg == SP_FIELD) /* here it is xzr */
		return;
	if (is_load)
		load(w, reg, off, from);
	else
		store(w, reg, off, from);
}

/* ldp, stp, ldr, str: @mode 1: the base changes behind the access, 3: before it, else: not at all. @bytes: by how many. */
static INLINE void access(struct way *w, u32 code, u32 mode, s32 bytes, bool is_pair, bool is_general)
{
	u32 base = code >> 5 & 31, from;
	bool is_load = code >> 22 & 1;
	s32 off;

	if (!base_of(w, base, &off, &from))
		return;
	if (mode == 1 || mode == 3)
		set_base(w, base, off + bytes, from);
	if (mode != 1)
		off += bytes;
	if (!is_general)
		return;
	transfer(w, code & 31, is_load, off, from);
	if (is_pair)
		transfer(w, code >> 10 & 31, is_load, off + 8, from);
}

/* Loads and stores of 64-bit registers, and others as far as they change their base. False: it is none of these. */
static INLINE bool is_access(struct way *w, u32 code)
{
	u32 scale = code >> 30, is_vector = code >> 26 & 1;

	if ((code & 0x3a000000) == 0x28000000) { /* a pair */
		access(w, code, code >> 23 & 3, field(code, 15, 7) << (is_vector ? scale + 2 : 2 + (scale >> 1)), true,
		       !is_vector && scale == 2);
		return true;
	}
	if ((code & 0x3b200000) == 0x38000000) { /* one, with an offset that is not scaled */
		access(w, code, code >> 10 & 3, field(code, 12, 9), false, !is_vector && scale == 3);
		return true;
	}
	if ((code & 0x3b000000) == 0x39000000) { /* one, with an offset that is */
		access(w, code, 0, (code >> 10 & 0xfff) * 8, false, !is_vector && scale == 3 && !(code >> 23 & 1));
		return true;
	}
	return false;
}

/* add, sub with a constant; whatever else has sp as its result */
static INLINE void compute(struct way *w, u32 code)
{
	u32 result = code & 31, from;
	s32 bytes = (code >> 10 & 0xfff) << 12 * (code >> 22 & 1), off;

	if ((code & 0xbf800000) == 0x91000000) { /* 64 bits wide */
		if (base_of(w, code >> 5 & 31, &off, &from))
			set_base(w, result, code >> 30 & 1 ? off - bytes : off + bytes, from);
		else
			set_base(w, result, 0, WAY_FROM_NOWHERE);
	} else if (result == SP_FIELD &&
		   ((code & 0x3fe00000) == 0x0b200000 || ((code & 0x1f800000) == 0x12000000 && code >> 29 != 7))) {
		w->sp_from =
			WAY_FROM_NOWHERE; /* add, sub with a register that is extended; and, orr, eor with a constant */
	}
}

static INLINE u32 jump(struct way_out *out, s32 words, bool is_always)
{
	u64 target = out->way.at - 4 + (s64)words * 4;

	if (is_always)
		out->way.at = target;
	else
		out->target = target;
	return is_always ? WAY_GOES_ON : WAY_BRANCHES;
}

/* A call leaves its own return address in x30. */
static INLINE u32 call(struct way *w)
{
	w->value[SLOT_RA] = way_place(0, WAY_FROM_NOWHERE);
	return WAY_CALLS;
}

/* Do to m->way_out.way what the next instruction does. Returns an enum way_verdict. */
static INLINE u32 way_step(struct machine *m)
{
	struct way_out *out = &m->way_out;
	struct way *w = &out->way;
	u32 code;

	if (w->at & 3 || reader_to(&m->scratch.in, w->at) || reader_ready(&m->scratch.in))
		return WAY_ENDS;
	code = reader_u32(&m->scratch.in);
	w->at += 4;
	if ((code & 0x7c000000) == 0x14000000)
		return code >> 31 ? call(w) : jump(out, field(code, 0, 26), true);
	if ((code & 0xff000000) == 0x54000000 || (code & 0x7e000000) == 0x34000000)
		return jump(out, field(code, 5, 19), false);
	if ((code & 0x7e000000) == 0x36000000)
		return jump(out, field(code, 5, 14), false);
	if ((code & 0xfe000000) == 0xd6000000) {
		if ((code >> 21 & 3) == 1) /* blr */
			return call(w);
		return (code >> 21 & 3) == 2 && (code & 0xf0ffffff) == 0xd05f03c0 ? WAY_RETURNS
		       : (code & 0xfffffbff) == 0xd65f0bff			  ? WAY_RETURNS
										  : WAY_ENDS;
	}
	if (!(code >> 16) || (code & 0xff000000) == 0xd4000000)
		return (code & 0xffe0001f) == 0xd4000001 ? WAY_GOES_ON : WAY_ENDS; /* svc; brk, udf */
	if (!is_access(w, code))
		compute(w, code);
	return WAY_GOES_ON;
}

/* Make m->row of the way that was found. Returns 0, or -ENOENT: it does not say where the return address is. */
static INLINE int way_row(struct machine *m)
{
	const struct way *w = &m->way_out.way;

	row_of_entry(m, 0);
	m->row.cfa_off = w->sp;
	if (w->sp_from == WAY_FROM_FP)
		m->row.cfa_reg = X29;
	each (slot, SLOT_RA + 1)
		way_row_saves(m, slot);
	m->row.flags = ROW_GUESS | ROW_FRAME_POINTER;
	m->rule = 0;
	return m->row.rule[SLOT_RA] == RULE_UNDEFINED || (!m->pc_is_exact && m->row.rule[SLOT_RA] != RULE_OFFSET)
		       ? -ENOENT
		       : 0;
}
