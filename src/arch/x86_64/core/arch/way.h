/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What instructions of x86-64 do to the stack, one after the other.
 *
 * How long an instruction is follows from its prefixes, its opcode and the byte behind that (Intel SDM volume 2, chapter
 * 2 and appendix A: opcode maps). What it does is looked at for those that move rsp, or rbp to and from it, those that save
 * and restore registers that a caller relies on, and jumps.
 */
#pragma once
#include "core/code/rule.h"
#include "core/code/way_row.h"
#include "core/way.h"

enum way_verdict { WAY_GOES_ON, WAY_BRANCHES, WAY_CALLS, WAY_ENDS, WAY_RETURNS };

/* What a byte of an opcode is: how the instruction goes on, and what it does. */
enum opcode {
	HAS_MODRM = 1,
	IMM_1 = 2,
	IMM_2 = 4,
	IMM_4 = 8,  /* 2 with an operand-size prefix */
	IMM_8 = 16, /* 4 without REX.W */

	DOES = 32,
	NOTHING = 0,
	PREFIX = 1 * DOES,
	REX = 2 * DOES,
	ESCAPE = 3 * DOES,
	VEX2 = 4 * DOES,
	VEX3 = 5 * DOES,
	EVEX = 6 * DOES,
	PUSH = 7 * DOES,
	POP = 8 * DOES,
	BRANCH = 9 * DOES,
	JUMP = 10 * DOES,
	CALL = 11 * DOES,
	RETURN = 12 * DOES,
	END = 13 * DOES, /* nothing follows, or it is not known where */
	GROUP_5 = 14 * DOES,
	ADD_IMM = 15 * DOES,
	WRITE_RM = 16 * DOES,
	WRITE_REG = 17 * DOES,
	STORE = 18 * DOES,
	LOAD = 19 * DOES,
	LEA = 20 * DOES,
	LEAVE = 21 * DOES,
	GROUP_3 = 22 * DOES,
};

#define ARITHMETIC(first)                                                                 \
	[first] = HAS_MODRM, [first + 1] = HAS_MODRM | WRITE_RM, [first + 2] = HAS_MODRM, \
	[first + 3] = HAS_MODRM | WRITE_REG, [first + 4] = IMM_1, [first + 5] = IMM_4

/* The two opcode maps; in the others each has a ModR/M byte. */
static const u16 opcodes[512] = {
	ARITHMETIC(0x00),
	[0x06 ... 0x07] = END,
	ARITHMETIC(0x08),
	[0x0e] = END,
	[0x0f] = ESCAPE,
	ARITHMETIC(0x10),
	[0x16 ... 0x17] = END,
	ARITHMETIC(0x18),
	[0x1e ... 0x1f] = END,
	ARITHMETIC(0x20),
	[0x26] = PREFIX,
	[0x27] = END,
	ARITHMETIC(0x28),
	[0x2e] = PREFIX,
	[0x2f] = END,
	ARITHMETIC(0x30),
	[0x36] = PREFIX,
	[0x37] = END,
	[0x38 ... 0x3b] = HAS_MODRM,
	[0x3c] = IMM_1,
	[0x3d] = IMM_4,
	[0x3e] = PREFIX,
	[0x3f] = END,
	[0x40 ... 0x4f] = REX,
	[0x50 ... 0x57] = PUSH,
	[0x58 ... 0x5f] = POP,
	[0x60 ... 0x61] = END,
	[0x62] = EVEX,
	[0x63] = HAS_MODRM | WRITE_REG,
	[0x64 ... 0x67] = PREFIX,
	[0x68] = IMM_4 | PUSH,
	[0x69] = HAS_MODRM | IMM_4 | WRITE_REG,
	[0x6a] = IMM_1 | PUSH,
	[0x6b] = HAS_MODRM | IMM_1 | WRITE_REG,
	[0x70 ... 0x7f] = IMM_1 | BRANCH,
	[0x80] = HAS_MODRM | IMM_1,
	[0x81] = HAS_MODRM | IMM_4 | ADD_IMM,
	[0x82] = END,
	[0x83] = HAS_MODRM | IMM_1 | ADD_IMM,
	[0x84 ... 0x86] = HAS_MODRM,
	[0x87] = HAS_MODRM | WRITE_RM,
	[0x88] = HAS_MODRM,
	[0x89] = HAS_MODRM | STORE,
	[0x8a] = HAS_MODRM,
	[0x8b] = HAS_MODRM | LOAD,
	[0x8c] = HAS_MODRM,
	[0x8d] = HAS_MODRM | LEA,
	[0x8e] = HAS_MODRM,
	[0x8f] = END,
	[0x9a] = END,
	[0x9c] = PUSH,
	[0x9d] = POP,
	[0xa0 ... 0xa3] = END, /* addresses of eight bytes: no compiler's */
	[0xa8] = IMM_1,
	[0xa9] = IMM_4,
	[0xb0 ... 0xb7] = IMM_1,
	[0xb8 ... 0xbf] = IMM_8,
	[0xc0] = HAS_MODRM | IMM_1,
	[0xc1] = HAS_MODRM | IMM_1 | WRITE_RM,
	[0xc2] = IMM_2 | RETURN,
	[0xc3] = RETURN,
	[0xc4] = VEX3,
	[0xc5] = VEX2,
	[0xc6] = HAS_MODRM | IMM_1,
	[0xc7] = HAS_MODRM | IMM_4 | WRITE_RM,
	[0xc8] = END,
	[0xc9] = LEAVE,
	[0xca ... 0xcc] = END,
	[0xcd] = IMM_1,
	[0xce ... 0xcf] = END,
	[0xd0] = HAS_MODRM,
	[0xd1] = HAS_MODRM | WRITE_RM,
	[0xd2] = HAS_MODRM,
	[0xd3] = HAS_MODRM | WRITE_RM,
	[0xd4 ... 0xd6] = END,
	[0xd8 ... 0xdf] = HAS_MODRM,
	[0xe0 ... 0xe3] = IMM_1 | BRANCH,
	[0xe4 ... 0xe7] = IMM_1,
	[0xe8] = IMM_4 | CALL,
	[0xe9] = IMM_4 | JUMP,
	[0xea] = END,
	[0xeb] = IMM_1 | JUMP,
	[0xf0] = PREFIX,
	[0xf1] = END,
	[0xf2 ... 0xf3] = PREFIX,
	[0xf4] = END,
	[0xf6] = HAS_MODRM | GROUP_3,
	[0xf7] = HAS_MODRM | GROUP_3,
	[0xfe] = HAS_MODRM,
	[0xff] = HAS_MODRM | GROUP_5,

	[0x100 ... 0x104] = HAS_MODRM,
	[0x107] = END,
	[0x10a ... 0x10c] = END,
	[0x10d] = HAS_MODRM,
	[0x10f ... 0x12f] = HAS_MODRM,
	[0x134 ... 0x137] = END,
	[0x138] = ESCAPE,
	[0x13a] = ESCAPE,
	[0x140 ... 0x14f] = HAS_MODRM | WRITE_REG,
	[0x150 ... 0x16f] = HAS_MODRM,
	[0x170 ... 0x173] = HAS_MODRM | IMM_1,
	[0x174 ... 0x176] = HAS_MODRM,
	[0x178 ... 0x17f] = HAS_MODRM,
	[0x180 ... 0x18f] = IMM_4 | BRANCH,
	[0x190 ... 0x19f] = HAS_MODRM,
	[0x1a0 ... 0x1a1] = END,
	[0x1a3] = HAS_MODRM,
	[0x1a4] = HAS_MODRM | IMM_1,
	[0x1a5] = HAS_MODRM,
	[0x1a8 ... 0x1a9] = END,
	[0x1ab] = HAS_MODRM,
	[0x1ac] = HAS_MODRM | IMM_1,
	[0x1ad ... 0x1ae] = HAS_MODRM,
	[0x1af] = HAS_MODRM | WRITE_REG,
	[0x1b0] = HAS_MODRM,
	[0x1b1] = HAS_MODRM | WRITE_RM,
	[0x1b2 ... 0x1b5] = HAS_MODRM,
	[0x1b6 ... 0x1b8] = HAS_MODRM | WRITE_REG,
	[0x1b9] = END,
	[0x1ba] = HAS_MODRM | IMM_1,
	[0x1bb ... 0x1bd] = HAS_MODRM,
	[0x1be ... 0x1bf] = HAS_MODRM | WRITE_REG,
	[0x1c0] = HAS_MODRM,
	[0x1c1] = HAS_MODRM | WRITE_RM,
	[0x1c2] = HAS_MODRM | IMM_1,
	[0x1c3] = HAS_MODRM,
	[0x1c4 ... 0x1c6] = HAS_MODRM | IMM_1,
	[0x1c7] = HAS_MODRM,
	[0x1d0 ... 0x1fe] = HAS_MODRM,
	[0x1ff] = END,
};

/* Registers by their numbers in instructions, as slots of a row; those that a caller does not rely on have one that no row uses. */
#define NO_SLOT SLOT_RSP
static const u8 slot_of_code[16] = {
	NO_SLOT, NO_SLOT, NO_SLOT, SLOT_RBX, NO_SLOT,  SLOT_RBP, NO_SLOT,  NO_SLOT,
	NO_SLOT, NO_SLOT, NO_SLOT, NO_SLOT,  SLOT_R12, SLOT_R13, SLOT_R14, SLOT_R15,
};

enum { CODE_RSP = 4, CODE_RBP = 5 }; /* their numbers there */
enum { PREFIX_66 = 1, PREFIX_NOTRACK = 2 };
enum { REX_B = 1, REX_X = 2, REX_R = 4, REX_W = 8, REX_IS_VEX = 16 };

static INLINE s32 extended(u32 val, u32 bytes)
{
	u32 shift = (32 - 8 * bytes) & 31;

	return (s32)(val << shift) >> shift;
}

/* Is the operand in memory [rsp+disp]? [rbp+disp]? */
static INLINE bool at_sp(const struct operands *o)
{
	return (o->mod == 1 || o->mod == 2 || o->mod == 0) && o->rm == CODE_RSP && o->sib == 0x24;
}

static INLINE bool at_fp(const struct operands *o)
{
	return (o->mod == 1 || o->mod == 2) && o->rm == CODE_RBP;
}

static INLINE void move_sp(struct way *w, s32 bytes)
{
	w->sp += bytes;
	if ((u32)w->sp + (1 << 20) > 2 << 20)
		w->sp_from = WAY_FROM_NOWHERE;
}

/* Register number @reg of an instruction is loaded from the stack. What was stored from it on this way is known. */
static INLINE void load(struct way *w, u32 reg, s32 off, u32 base)
{
	u32 slot = slot_of_code[reg & 15];
	s32 from = way_place(off, base), to = at(w->stored_at, slot), value = from;

	if (from == to)
		value = at(w->stored, slot);
	else if (to && (from ^ to) & 7) /* the same place, perhaps */
		value = way_place(0, WAY_FROM_NOWHERE);
	at(w->value, slot) = value;
	if (reg == CODE_RBP)
		w->fp_from = WAY_FROM_NOWHERE;
}

static INLINE void store(struct way *w, u32 reg, s32 off, u32 base)
{
	u32 slot = slot_of_code[reg & 15];

	at(w->stored_at, slot) = way_place(off, base);
	at(w->stored, slot) = at(w->value, slot);
}

static INLINE void sp_is_fp(struct way *w, s32 off)
{
	w->sp = w->fp + off;
	w->sp_from = w->fp_from;
}

static INLINE void fp_is_sp(struct way *w, s32 off)
{
	w->fp = w->sp + off;
	w->fp_from = w->sp_from;
}

static INLINE void push(struct way *w, u32 reg)
{
	move_sp(w, -8);
	store(w, reg, w->sp, w->sp_from);
}

static INLINE void pop(struct way *w, u32 reg)
{
	load(w, reg, w->sp, w->sp_from);
	move_sp(w, 8);
	if (reg == CODE_RSP)
		w->sp_from = WAY_FROM_NOWHERE;
}

/* mov between registers, or to memory */
static INLINE void mov(struct way *w, const struct operands *o, u32 to, u32 from)
{
	if (to == CODE_RSP && from == CODE_RBP)
		sp_is_fp(w, 0);
	else if (to == CODE_RSP)
		w->sp_from = WAY_FROM_NOWHERE;
	else if (to == CODE_RBP && from == CODE_RSP)
		fp_is_sp(w, 0);
}

static INLINE void lea(struct way *w, const struct operands *o)
{
	bool sp = at_sp(o), fp = at_fp(o);

	if (o->reg == CODE_RSP) {
		if (sp)
			move_sp(w, o->disp);
		else if (fp)
			sp_is_fp(w, o->disp);
		else
			w->sp_from = WAY_FROM_NOWHERE;
	} else if (o->reg == CODE_RBP) {
		if (sp)
			fp_is_sp(w, o->disp);
		else
			w->fp_from = WAY_FROM_NOWHERE;
	}
}

/* add, or, adc, sbb, and, sub, xor, cmp with a constant */
static INLINE void add_imm(struct way *w, const struct operands *o)
{
	if (o->mod != 3 || o->rm != CODE_RSP || (o->reg & 7) == 7)
		return;
	if ((o->reg & 7) == 0)
		move_sp(w, o->imm);
	else if ((o->reg & 7) == 5)
		move_sp(w, -o->imm);
	else
		w->sp_from = WAY_FROM_NOWHERE;
}

/* A jump whose target is not in the code. If it is that of a switch, what follows is one of its cases. */
static INLINE u32 jump_anywhere(const struct way_out *out, const struct operands *o)
{
	bool scaled = o->mod != 3 && o->rm == CODE_RSP && o->sib >> 6 == 3;
	bool added = out->before == 0x01 || out->before == 0x03;

	return out->prefixes & PREFIX_NOTRACK || scaled || added ? WAY_GOES_ON : WAY_ENDS;
}

/* inc, dec, call, call far, jmp, jmp far, push */
static INLINE u32 group_5(struct way_out *out, const struct operands *o)
{
	switch (o->reg & 7) {
	case 2: return WAY_CALLS;
	case 4: return jump_anywhere(out, o);
	case 6: move_sp(&out->way, -8); return WAY_GOES_ON;
	}
	return (o->reg & 7) < 2 ? WAY_GOES_ON : WAY_ENDS;
}

static INLINE u32 act(struct way_out *out, u32 op, u32 does, const struct operands *o)
{
	struct way *w = &out->way;
	u32 low = (op & 7) | (out->rex & REX_B) << 3;

	switch (does) {
	case PUSH: push(w, op == (0x50 | (op & 7)) ? low : 0); break;
	case POP: pop(w, op == (0x58 | (op & 7)) ? low : 0); break;
	case LEAVE:
		sp_is_fp(w, 0);
		pop(w, CODE_RBP);
		break;
	case RETURN: return WAY_RETURNS;
	case END: return WAY_ENDS;
	case CALL: return WAY_CALLS;
	case BRANCH: out->target = w->at + (s64)o->imm; return WAY_BRANCHES;
	case JUMP: w->at += (s64)o->imm; break;
	case GROUP_5: return group_5(out, o);
	case ADD_IMM: add_imm(w, o); break;
	case LEA: lea(w, o); break;
	case STORE:
		if (!(out->rex & REX_W))
			break;
		if (o->mod == 3)
			mov(w, o, o->rm, o->reg);
		else if (at_sp(o))
			store(w, o->reg, w->sp + o->disp, w->sp_from);
		else if (at_fp(o))
			store(w, o->reg, w->fp + o->disp, w->fp_from);
		break;
	case LOAD:
		if (!(out->rex & REX_W))
			break;
		if (o->mod == 3 || o->reg == CODE_RSP)
			mov(w, o, o->reg, o->mod == 3 ? o->rm : 0);
		else if (at_sp(o))
			load(w, o->reg, w->sp + o->disp, w->sp_from);
		else if (at_fp(o))
			load(w, o->reg, w->fp + o->disp, w->fp_from);
		break;
	case WRITE_RM:
		if (o->mod == 3 && o->rm == CODE_RSP)
			w->sp_from = WAY_FROM_NOWHERE;
		break;
	case WRITE_REG:
		if (o->reg == CODE_RSP)
			w->sp_from = WAY_FROM_NOWHERE;
		break;
	}
	return WAY_GOES_ON;
}

/* The next byte is the first one of an instruction. */
static INLINE void way_forget(struct way_out *out)
{
	out->within = out->prefixes = out->rex = out->map = out->before = 0;
}

/* A byte that says more of those behind it. */
static INLINE void note_prefix(struct way_out *out, struct reader *in, u32 op, u32 does)
{
	u32 b;

	out->within = 1;
	if (does == PREFIX) {
		out->prefixes |= (op == 0x66 ? PREFIX_66 : 0) | (op == 0x3e ? PREFIX_NOTRACK : 0);
		out->rex = 0;
	} else if (does == REX) {
		out->rex = op & 15;
	} else if (does == ESCAPE) {
		out->map = op == 0x38 ? 2 : op == 0x3a ? 3 : 1;
	} else if (does == VEX2) {
		reader_u8(in);
		out->map = 1;
		out->rex = REX_IS_VEX;
	} else {
		b = reader_u8(in);
		reader_u8(in);
		if (does == EVEX)
			reader_u8(in);
		out->map = b & (does == EVEX ? 7 : 31);
		out->rex = REX_IS_VEX;
	}
}

static INLINE void read_modrm(struct way_out *out, struct reader *in, struct operands *o)
{
	u32 modrm = reader_u8(in), bytes;

	o->mod = modrm >> 6;
	o->reg = modrm >> 3 & 7;
	o->rm = modrm & 7;
	o->sib = 0;
	bytes = o->mod == 1 ? 1 : o->mod == 2 ? 4 : 0;
	if (o->mod != 3 && o->rm == 4) {
		o->sib = reader_u8(in);
		if (o->mod == 0 && (o->sib & 7) == 5)
			bytes = 4;
	}
	if (o->mod == 0 && o->rm == 5)
		bytes = 4;
	o->disp = extended(reader_uint(in, bytes), bytes);
	o->reg |= (out->rex & REX_R) << 1;
	o->rm |= (out->rex & REX_B) << 3;
	o->sib |= (out->rex & REX_X) << 8;
}

/* Read the next instruction, or a prefix of it, and do to m->way_out.way what it does. Returns an enum way_verdict. */
static INLINE u32 way_step(struct machine *m)
{
	struct way_out *out = &m->way_out;
	struct reader *in = &m->scratch.in;
	struct operands *o = &out->operands;
	u32 op, info, does, bytes, verdict;

	if (reader_to(in, out->way.at) || reader_ready(in))
		return WAY_ENDS;
	op = reader_u8(in);
	info = out->map > 1 ? HAS_MODRM | (out->map == 3 ? IMM_1 : 0) : within(opcodes, (out->map & 1) << 8 | op, 511);
	if (info >= PREFIX && info < PUSH) {
		note_prefix(out, in, op, info);
		out->way.at = reader_addr(in);
		return reader_check(in) ? WAY_ENDS : WAY_GOES_ON;
	}
	info = verifier_forget(o->imm, info);
	does = info & ~(DOES - 1);
	if (info & HAS_MODRM)
		read_modrm(out, in, o);
	bytes = info & IMM_1 ? 1 : info & IMM_2 ? 2 : info & (IMM_4 | IMM_8) ? 4 : 0;
	if (does == GROUP_3 && !(o->reg & 6)) /* test */
		bytes = op == 0xf6 ? 1 : 4;
	if (bytes == 4 && out->prefixes & PREFIX_66 && (does < BRANCH || does > CALL))
		bytes = 2;
	o->imm = extended(reader_uint(in, bytes), bytes);
	if (info & IMM_8 && out->rex & REX_W)
		reader_u32(in);
	out->way.at = reader_addr(in);
	verdict = out->rex & REX_IS_VEX ? WAY_GOES_ON : act(out, op, does, o);
	way_forget(out);
	out->before = op;
	return reader_check(in) ? WAY_ENDS : verdict;
}

/* Make m->row of the way that was found. Returns 0. */
static INLINE int way_row(struct machine *m)
{
	const struct way *w = &m->way_out.way;

	row_ra_at_sp(m, w->sp);
	if (w->sp_from == WAY_FROM_FP)
		m->row.cfa_reg = RBP;
	each (slot, NR_SAVED)
		way_row_saves(m, slot);
	m->row.flags = ROW_GUESS | ROW_FRAME_POINTER;
	m->rule = 0;
	return 0;
}
