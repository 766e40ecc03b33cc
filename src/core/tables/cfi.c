/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Call frame instructions.
 *
 * A turn runs few instructions and keeps all state in struct cfi, so the verifier finds the same state at every turn.
 * It first decodes the operands, by a table of formats, and then executes the instruction: this is shorter, and gives
 * the reader's LEB128 two call sites instead of thirty.
 */
#include "abi/outcome.h"
#include "core/tables/cfi.h"
#include "core/tables/encoding.h"
#include "core/arch/tables.h"

#define USUAL_A_TURN 32

/* operand formats; a and b are the first and second operand */
enum {
	A = 1,
	B = 2,
	SB = 4, /* unsigned, unsigned, signed LEB128 */
	BLOCK = 8,
	F1 = 0x10,
	F2 = 0x20,
	F4 = 0x30,	/* an advance of 1, 2, 4 bytes */
	ADDRESS = 0x40, /* as the CIE encodes addresses */
	BAD = 0x80,
};

enum {
	CFA_advance_loc = 1,
	CFA_offset = 2,
	CFA_restore = 3, /* the two high bits */
	CFA_nop = 0x00,
	CFA_set_loc,
	CFA_advance_loc1,
	CFA_advance_loc2,
	CFA_advance_loc4,
	CFA_offset_extended,
	CFA_restore_extended,
	CFA_undefined,
	CFA_same_value,
	CFA_register,
	CFA_remember_state,
	CFA_restore_state,
	CFA_def_cfa,
	CFA_def_cfa_register,
	CFA_def_cfa_offset,
	CFA_def_cfa_expression,
	CFA_expression,
	CFA_offset_extended_sf,
	CFA_def_cfa_sf,
	CFA_def_cfa_offset_sf,
	CFA_val_offset,
	CFA_val_offset_sf,
	CFA_val_expression,
	CFA_vendor_first = 0x2b, /* to 0x2d: what the architecture makes of them */
	CFA_GNU_args_size = 0x2e,
	CFA_GNU_negative_offset_extended = 0x2f,
};

static const u8 operands[64] = {
	[CFA_nop] = 0,
	ADDRESS,
	F1,
	F2,
	F4,
	A | B,
	[CFA_restore_extended] = A,
	A,
	A,
	A | B,
	0,
	0,
	[CFA_def_cfa] = A | B,
	A,
	A,
	BLOCK,
	A | BLOCK,
	[CFA_offset_extended_sf] = A | SB,
	A | SB,
	SB,
	A | B,
	A | SB,
	[CFA_val_expression] = A | BLOCK,
	[CFA_val_expression + 1 ... CFA_vendor_first - 1] = BAD,
	[CFA_vendor_first] = CFA_VENDOR_OPERANDS,
	[CFA_GNU_args_size] = A,
	A | B,
	[CFA_GNU_negative_offset_extended + 1 ... 63] = BAD,
};

static INLINE int fail(struct cfi *c, u32 detail)
{
	c->error = BAD_CFI;
	c->detail = detail;
	return STOP;
}

static INLINE int advance(struct cfi *c, u64 delta)
{
	c->loc += delta * c->code_align;
	if (c->loc <= c->pc)
		return NEXT;
	c->phase = 2;
	return STOP;
}

static INLINE int set(struct cfi *c, u32 reg, u8 rule, s32 off)
{
	u32 slot = at(slot_of, reg);

	if (slot < NR_SLOTS) {
		at(c->row.rule, slot) = rule;
		at(c->row.off, slot) = off;
		c->row.saved |= 1 << slot;
		if (rule >= RULE_EXPR)
			c->row.flags |= ROW_EXPRESSIONS;
	}
	return NEXT;
}

static INLINE int restore(struct cfi *c, u32 reg)
{
	u32 slot = at(slot_of, reg);

	if (slot < NR_SLOTS) {
		at(c->row.rule, slot) = at(c->initial.rule, slot);
		at(c->row.off, slot) = at(c->initial.off, slot);
		c->row.saved |= c->initial.saved;
		c->row.flags |= c->initial.flags;
	}
	return NEXT;
}

/* Go on when a program has ended: from the CIE's to the FDE's, and from that to the end. */
static INLINE int next_phase(struct cfi *c)
{
	int err;

	if (c->phase) {
		c->phase = 2;
		return STOP;
	}
	c->initial = c->row;
	c->has_initial = !c->depth && c->loc == c->start; /* usually: the CIE's program has changed only the row */
	c->phase = 1;
	c->stop = c->end;
	err = reader_check(&c->in);
	if (!err)
		err = reader_to(&c->in, c->insns);
	if (!err)
		return NEXT;
	c->error = read_outcome(err, TABLE_UNREADABLE);
	return STOP;
}

/* DW_CFA_set_loc: an absolute location instead of an advance. */
static INLINE int set_loc(struct cfi *c)
{
	u64 here = reader_addr(&c->in);

	switch (c->encoding) {
	case PE_SDATA4_PCREL: c->loc = here + (s64)(s32)reader_u32(&c->in); break;
	case PE_UDATA4: c->loc = reader_u32(&c->in); break;
	case PE_ABSPTR:
	case PE_UDATA8: c->loc = reader_u64(&c->in); break;
	default: return fail(c, CFA_set_loc);
	}
	return advance(c, 0);
}

/*
 * Run the instructions that most programs consist of, with operands of one byte, one after the other: a turn is a call,
 * and costs more than any of these. STOP: the row is complete.
 */
static INLINE int run_usual(struct cfi *c)
{
	struct reader *in = &c->in;

	each (i, USUAL_A_TURN) {
		u32 pos = in->pos;
		u8 op = at(in->window, pos % READER_WINDOW), operand = at(in->window, (pos + 1) % READER_WINDOW);

		if (pos + 2 > in->len || reader_addr(in) >= c->stop || c->ops >= CFI_MAX_OPS - c->spared)
			break;
		if (op >> 6 == CFA_advance_loc) {
			in->pos = pos + 1;
			if (advance(c, op & 63))
				return STOP;
		} else if (operand & 0x80) {
			break;
		} else if (op >> 6 == CFA_offset) {
			in->pos = pos + 2;
			set(c, known_reg(c->class, op & 63), RULE_OFFSET, operand * (u64)c->data_align);
		} else if (op == CFA_def_cfa_offset) {
			in->pos = pos + 2;
			c->row.cfa_off = operand;
		} else {
			break;
		}
		c->ops++;
	}
	return NEXT;
}

/* DW_CFA_remember_state */
static INLINE int push_state(struct cfi *c)
{
	u32 depth = c->depth;

	if (depth >= CFI_MAX_SAVED)
		return fail(c, 0x1000);
	at(c->saved, depth) = c->row;
	c->depth = depth + 1;
	return NEXT;
}

/* DW_CFA_restore_state */
static INLINE int pop_state(struct cfi *c)
{
	u32 depth = c->depth - 1;

	if (depth >= CFI_MAX_SAVED)
		return fail(c, 0x1001);
	c->row = at(c->saved, depth);
	c->depth = depth;
	return NEXT;
}

static INLINE int define_cfa(struct cfi *c, u32 reg, s32 off)
{
	c->row.cfa_kind = CFA_REG;
	c->row.cfa_reg = reg;
	c->row.cfa_off = off;
	return NEXT;
}

/* An instruction with its operands. */
struct instruction {
	u8 op, primary; /* @primary: the two high bits of @op, which say it all unless they are 0 */
	u32 reg;	/* the first operand as a register */
	u64 a, b;
	s32 scaled; /* @b, in units of the CIE's data alignment */
	u64 block;  /* where the expression is */
};

/* Decode the operands of @i, which are of @format. */
static INLINE void read_operands(struct cfi *c, u8 format, struct instruction *i)
{
	struct reader *in = &c->in;

	if (format & A)
		i->a = reader_uleb(in);
	if (format & (B | SB))
		i->b = reader_leb(in, format & SB);
	if (format & BLOCK) {
		i->block = reader_addr(in) - c->hdr;
		i->b = reader_uleb(in);
		reader_skip(in, i->b & 0xffff);
	}
	i->scaled = i->b * (u64)c->data_align;
	i->reg = known_reg(c->class, i->a);
}

static INLINE int execute(struct cfi *c, const struct instruction *i)
{
	struct row *row = &c->row;

	switch (i->primary) {
	case CFA_advance_loc: return advance(c, i->a);
	case CFA_offset: return set(c, i->reg, RULE_OFFSET, i->scaled);
	case CFA_restore: return restore(c, i->reg);
	}
	switch (i->op) {
	case CFA_offset_extended:
	case CFA_offset_extended_sf: return set(c, i->reg, RULE_OFFSET, i->scaled);
	case CFA_GNU_negative_offset_extended: return set(c, i->reg, RULE_OFFSET, -(u32)i->scaled);
	case CFA_restore_extended: return restore(c, i->reg);
	case CFA_undefined: return set(c, i->reg, RULE_UNDEFINED, 0);
	case CFA_same_value: return set(c, i->reg, RULE_SAME, 0);
	case CFA_register: return set(c, i->reg, RULE_REGISTER, known_reg(c->class, i->b));
	case CFA_expression: return set(c, i->reg, RULE_EXPR, i->block);
	case CFA_val_expression: return set(c, i->reg, RULE_VAL_EXPR, i->block);
	case CFA_val_offset:
	case CFA_val_offset_sf: return set(c, i->reg, RULE_VAL_OFFSET, i->scaled);
	case CFA_remember_state: return push_state(c);
	case CFA_restore_state: return pop_state(c);
	case CFA_def_cfa: return define_cfa(c, i->reg, i->b);
	case CFA_def_cfa_sf: return define_cfa(c, i->reg, i->scaled);
	case CFA_def_cfa_register: return define_cfa(c, i->reg, row->cfa_off);
	case CFA_def_cfa_offset: row->cfa_off = i->a; return NEXT;
	case CFA_def_cfa_offset_sf: row->cfa_off = i->scaled; return NEXT;
	case CFA_def_cfa_expression:
		row->cfa_kind = CFA_EXPR;
		row->cfa_off = i->block;
		row->flags |= ROW_EXPRESSIONS;
		return NEXT;
	}
	return NEXT; /* nop, GNU_args_size */
}

/* Run one instruction of any kind. STOP: the row is complete, or there is an error. */
static INLINE int run_any(struct cfi *c)
{
	struct reader *in = &c->in;
	struct instruction i = {.op = reader_u8(in)};
	u8 format;

	i.primary = i.op >> 6;
	if (i.primary) {
		i.a = i.op & 63;
		format = i.primary == CFA_offset ? B : 0;
	} else {
		format = at(operands, i.op);
	}
	if (format & BAD)
		return fail(c, i.op);
	switch (format & F4) {
	case F1: return advance(c, reader_u8(in));
	case F2: return advance(c, reader_u16(in));
	case F4: return advance(c, reader_u32(in));
	}
	if (format & ADDRESS)
		return set_loc(c);
	read_operands(c, format, &i);
	return execute(c, &i);
}

TURN(step, struct cfi, c)
{
	int err;

	if (run_usual(c))
		return STOP;
	if (reader_addr(&c->in) >= c->stop)
		return next_phase(c);
	if (c->ops >= CFI_MAX_OPS - c->spared)
		return STOP;
	err = reader_ready(&c->in);
	if (err) {
		c->error = read_outcome(err, TABLE_UNREADABLE);
		return STOP;
	}
	c->ops++;
	return run_any(c);
}

GLOBAL u32 cfi_run(struct cfi *c NONNULL)
{
	bool known = c->has_initial;
	int err;

	if (!known)
		memset(&c->initial, 0, sizeof(c->initial));
	c->row = c->initial;
	c->depth = c->ops = c->error = 0;
	c->loc = c->start;
	c->phase = known;
	c->stop = known ? c->end : c->initial_end;
	err = reader_to(&c->in, known ? c->insns : c->initial_insns);
	if (err)
		return read_outcome(err, TABLE_UNREADABLE);

	loop(CFI_MAX_OPS + 3, step, c); /* the ends of two programs, and one instruction too many */
	if (c->error)
		return c->error;
	err = reader_check(&c->in);
	if (err)
		return read_outcome(err, TABLE_UNREADABLE);
	return c->phase == 2 ? 0
	       : c->spared   ? TOO_LONG
			     : TOO_MANY_OPS; /* the loop may have ended by its bound: check how far it is */
}
