/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * DWARF expressions (DWARF 5 §2.5), as far as they occur in CFI: PLT stubs, signal frames, realigned stacks.
 *
 * The expression's stack is m->scratch.word[], of m->scratch.nr words.
 */
#include "abi/outcome.h"
#include "core/arch/tables.h"
#include "core/tables/expr.h"

#define MAX_OPS 64

enum {
	OP_addr = 0x03,
	OP_deref = 0x06,
	OP_const1u = 0x08,
	OP_const1s,
	OP_const2u,
	OP_const2s,
	OP_const4u,
	OP_const4s,
	OP_const8u,
	OP_const8s,
	OP_constu,
	OP_consts,
	OP_dup,
	OP_drop,
	OP_over,
	OP_pick,
	OP_swap,
	OP_abs = 0x19,
	OP_and,
	OP_minus = 0x1c,
	OP_mul = 0x1e,
	OP_neg,
	OP_not,
	OP_or,
	OP_plus,
	OP_plus_uconst,
	OP_shl,
	OP_shr,
	OP_shra,
	OP_xor,
	OP_eq = 0x29,
	OP_ge,
	OP_gt,
	OP_le,
	OP_lt,
	OP_ne,
	OP_lit0 = 0x30,
	OP_lit31 = 0x4f,
	OP_breg0 = 0x70,
	OP_nop = 0x96,
};

static INLINE int bad(struct machine *m, u8 op)
{
	m->scratch.error = BAD_EXPRESSION;
	m->detail = op;
	return STOP;
}

static INLINE int unreadable(struct machine *m, int err, u32 outcome)
{
	m->scratch.error = read_outcome(err, outcome);
	return STOP;
}

/*
 * The bits of 64 that a value does not use: it has as many as an address in the file, the generic type (DWARF 5
 * §2.5.1).
 */
static INLINE u32 spare_bits(const struct machine *m)
{
	return (m->class & CLASS_ELF32) * 32;
}

static INLINE u64 generic(const struct machine *m, u64 val)
{
	return val & ~0ULL >> spare_bits(m);
}

static INLINE s64 generic_signed(const struct machine *m, u64 val)
{
	return (s64)(val << spare_bits(m)) >> spare_bits(m);
}

static INLINE int push(struct machine *m, u8 op, u64 val)
{
	u32 depth = m->scratch.nr;

	if (depth >= EXPR_DEPTH)
		return bad(m, op);
	at(m->scratch.word, depth) = generic(m, val);
	m->scratch.nr = depth + 1;
	return NEXT;
}

/* DW_OP_breg0 and so on: a register plus an offset, to m->word. */
static INLINE int register_plus(struct machine *m, u8 op)
{
	u64 off = reader_sleb(&m->scratch.in);
	u32 reg = known_reg(m->class, op - OP_breg0);
	int err = 0;

	if (EXPR_KNOWS_PC && reg == REG_PC)
		m->word = m->pc;
	else
		err = machine_word(m, reg);
	if (err) {
		m->detail = op - OP_breg0;
		return unreadable(m, err, CFA_REGISTER_LOST);
	}
	m->word += off;
	return NEXT;
}

static INLINE bool is_constant(u8 op)
{
	return op == OP_addr || (op >= OP_const1u && op <= OP_consts);
}

/* Odd ones are signed; an address is never extended, as it has all bits of a value. */
static INLINE u64 constant(struct machine *m, u8 op)
{
	u32 bytes = op == OP_addr ? 8 >> (m->class & CLASS_ELF32) : 1 << ((op - OP_const1u) / 2 & 3),
	    shift = 64 - 8 * bytes;
	struct reader *in = &m->scratch.in;
	u64 val;

	if (op >= OP_constu)
		return reader_leb(in, op & 1);
	val = reader_uint(in, bytes);
	if (bytes == 8)
		val |= (u64)reader_u32(in) << 32;
	return op & 1 ? (u64)((s64)(val << shift) >> shift) : val;
}

/* Operations that copy, drop or exchange values. There are @depth, at least one. */
static INLINE int rearrange(struct machine *m, u8 op, u32 depth)
{
	u64 val = at(m->scratch.word, depth - 1);
	u32 below = op != OP_dup;

	if (op == OP_drop) {
		m->scratch.nr = depth - 1;
		return NEXT;
	}
	if (op == OP_pick)
		below = reader_u8(&m->scratch.in);
	if (below >= depth)
		return bad(m, op);
	if (op != OP_swap) /* OP_dup, OP_over, OP_pick */
		return push(m, op, at(m->scratch.word, depth - 1 - below));
	at(m->scratch.word, depth - 1) = at(m->scratch.word, depth - 2);
	at(m->scratch.word, depth - 2) = val;
	return NEXT;
}

/* Operations that replace the topmost value. */
static INLINE int unary(struct machine *m, u8 op, u32 depth)
{
	u64 val = at(m->scratch.word, depth - 1);
	int err;

	switch (op) {
	case OP_deref:
		err = stack_read(m, val, &val);
		if (err)
			return unreadable(m, err, STACK_UNREADABLE);
		break;
	case OP_abs: val = generic_signed(m, val) < 0 ? -val : val; break;
	case OP_plus_uconst: val += reader_uleb(&m->scratch.in); break;
	case OP_neg: val = -val; break;
	case OP_not: val = ~val; break;
	}
	at(m->scratch.word, depth - 1) = generic(m, val);
	return NEXT;
}

/* Operations that replace the two topmost values by one. */
static INLINE int binary(struct machine *m, u8 op, u32 depth)
{
	u64 y = at(m->scratch.word, depth - 1), x = at(m->scratch.word, depth - 2);
	s64 sx = generic_signed(m, x), sy = generic_signed(m, y);

	switch (op) {
	case OP_and: x &= y; break;
	case OP_or: x |= y; break;
	case OP_xor: x ^= y; break;
	case OP_plus: x += y; break;
	case OP_minus: x -= y; break;
	case OP_mul: x *= y; break;
	case OP_shl: x <<= y & 63; break;
	case OP_shr: x >>= y & 63; break;
	case OP_shra: x = sx >> (y & 63); break;
	case OP_eq: x = sx == sy; break;
	case OP_ge: x = sx >= sy; break;
	case OP_gt: x = sx > sy; break;
	case OP_le: x = sx <= sy; break;
	case OP_lt: x = sx < sy; break;
	case OP_ne: x = sx != sy; break;
	default: return bad(m, op);
	}
	at(m->scratch.word, depth - 2) = generic(m, x);
	m->scratch.nr = depth - 1;
	return NEXT;
}

/* Operations on values that are there. */
static INLINE int operate(struct machine *m, u8 op)
{
	u32 depth = m->scratch.nr;

	op = verifier_forget(m->word, op);
	if (depth < 1 || depth > EXPR_DEPTH)
		return bad(m, op);
	switch (op) {
	case OP_dup:
	case OP_drop:
	case OP_over:
	case OP_pick:
	case OP_swap: return rearrange(m, op, depth);
	case OP_deref:
	case OP_abs:
	case OP_plus_uconst:
	case OP_neg:
	case OP_not: return unary(m, op, depth);
	}
	return depth < 2 ? bad(m, op) : binary(m, op, depth);
}

TURN(operation, struct machine, m)
{
	struct reader *in = &m->scratch.in;
	int err;
	u8 op;

	m->work++;
	if (reader_addr(in) >= m->scratch.end)
		return STOP;
	err = reader_ready(in);
	if (err)
		return unreadable(m, err, TABLE_UNREADABLE);

	op = reader_u8(in);
	if (op == OP_nop)
		return NEXT;
	if (op >= OP_lit0 && op <= OP_lit31)
		m->word = op - OP_lit0;
	else if (is_constant(op))
		m->word = constant(m, op);
	else if (op < OP_breg0 || op > OP_breg0 + LAST_BREG)
		return operate(m, op);
	else if (register_plus(m, op))
		return STOP;
	return push(m, op, m->word);
}

GLOBAL u32 expr_evaluate(struct machine *m NONNULL, s32 off, u32 nr)
{
	struct reader *in = &m->scratch.in;
	int err;

	m->expressions++;
	m->scratch.error = 0;
	m->scratch.nr = nr;
	err = reader_seek(in, m->hdr + (s64)off);
	if (err)
		return read_outcome(err, TABLE_UNREADABLE);
	m->scratch.end = reader_uleb(in);
	m->scratch.end += reader_addr(in);
	loop(MAX_OPS, operation, m);
	if (m->scratch.error)
		return m->scratch.error;
	err = reader_check(in);
	if (err)
		return read_outcome(err, TABLE_UNREADABLE);
	nr = m->scratch.nr;
	if (nr < 1 || nr > EXPR_DEPTH || reader_addr(in) < m->scratch.end)
		return BAD_EXPRESSION;
	m->word = at(m->scratch.word, nr - 1);
	return 0;
}

GLOBAL u32 expr_row(struct machine *m NONNULL)
{
	u32 err = 0;

	if (m->row.cfa_kind == CFA_EXPR) {
		err = expr_evaluate(m, m->row.cfa_off, 0);
		if (err)
			return err;
		m->cfa = m->word;
	}
	each (slot, NR_SLOTS) {
		if (at(m->row.rule, slot) < RULE_EXPR)
			continue;
		m->scratch.word[0] = m->cfa; /* DWARF 5 §6.4.2.3: a register's expression starts with the CFA pushed */
		err = expr_evaluate(m, at(m->row.off, slot), 1);
		if (err)
			break;
		at(m->value, slot) = m->word;
	}
	return err;
}
