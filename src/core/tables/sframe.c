/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The .sframe reader. All reads of a section are in one place, item by item: each place that reads memory is expensive
 * for the verifier. What decides between the items reads nothing, so it is verified once.
 */
#include "core/arch/tables.h"
#include "core/tables/sframe.h"

#define MAGIC 0xdee2
#define HEADER_BYTES 28
#define PLT_BYTES 16 /* version 1 does not say how large a block is; its linkers write this size */
#define FLEXIBLE 1
#define REG_BITS 5 /* the bits of a register's number in row.off */

static INLINE u32 decode_header(struct sframe *s)
{
	struct reader *in = &s->in;
	u32 magic = reader_u16(in), abi, auxiliary;
	u64 base;

	s->version = reader_u8(in);
	s->flags = reader_u8(in);
	abi = reader_u8(in);
	s->fixed_fp = (s8)reader_u8(in);
	s->fixed_ra = (s8)reader_u8(in);
	auxiliary = reader_u8(in);
	base = s->section + HEADER_BYTES + auxiliary;
	s->nr_functions = reader_u32(in);
	s->nr_rows = reader_u32(in);
	s->row_bytes = reader_u32(in);
	s->index = base + reader_u32(in);
	s->rows = base + reader_u32(in);
	return magic != MAGIC || s->version - 1 > 2 || abi != SFRAME_ABI ? BAD_SFRAME : 0;
}

static INLINE void decode_function(struct sframe *s)
{
	struct reader *in = &s->in;
	u64 base = s->flags & SFRAME_PCREL ? s->entry : s->section;

	if (s->version == 3)
		s->start = base + reader_u64(in);
	else
		s->start = base + (s64)(s32)reader_u32(in);
	s->size = reader_u32(in);
	s->first = reader_u32(in);
	if (s->version != 3)
		s->nr = reader_u32(in);
}

static INLINE u32 decode_attributes(struct sframe *s)
{
	struct reader *in = &s->in;
	u32 info;

	if (s->version == 3)
		s->nr = reader_u16(in);
	info = reader_u8(in);
	s->masked = info >> 4 & 1;
	s->signal = s->version == 3 && info & 0x80;
	s->start_bytes = 1 << (info & 3);
	s->flexible = s->version == 3 ? reader_u8(in) & 31 : 0;
	s->block = s->version == 1 ? PLT_BYTES : reader_u8(in);
	if ((info & 15) > 2 || s->flexible > FLEXIBLE || (s->masked && !s->block))
		return BAD_SFRAME;
	return s->nr > SFRAME_MAX_ROWS || (s->nr && s->first >= s->row_bytes) ? BAD_SFRAME : 0;
}

static INLINE u32 decode_row(struct sframe *s)
{
	struct reader *in = &s->in;
	struct sframe_row *row = &s->next;
	u32 info;

	row->start = reader_uint(in, s->start_bytes);
	info = reader_u8(in);
	row->from_sp = info & 1;
	row->nr = info >> 1 & 15;
	row->bytes = 1 << (info >> 5 & 3);
	if (row->nr > SFRAME_WORDS || row->bytes > 4)
		return BAD_SFRAME;
	for (u32 i = 0; i < SFRAME_WORDS; i++)
		row->word[i] = reader_uint(in, i < row->nr ? row->bytes : 0);
	return reader_addr(in) - s->rows > s->row_bytes ? BAD_SFRAME : 0;
}

GLOBAL u32 sframe_decode(struct sframe *s NONNULL)
{
	switch (s->item) {
	case SFRAME_HEADER: return decode_header(s);
	case SFRAME_FUNCTION: decode_function(s); return 0;
	case SFRAME_ATTRIBUTES: return decode_attributes(s);
	}
	return decode_row(s);
}

static INLINE u32 read_item(struct sframe *s)
{
	struct reader *in = &s->in;
	u32 bad = 0;
	int err = reader_ready(in);

	if (!err) {
		bad = sframe_decode(s);
		err = reader_check(in);
	}
	return err ? read_outcome(err, TABLE_UNREADABLE) : bad;
}

/* Choose the next entry to look at: by binary search in a sorted index, else one after the other. */
static INLINE u32 probe(struct sframe *s)
{
	u32 i = s->low;

	if (i >= s->high)
		return NO_FDE;
	if (s->flags & SFRAME_SORTED)
		i += (s->high - i) / 2;
	else if (i >= SFRAME_MAX_UNSORTED)
		return BAD_SFRAME;
	s->i = i;
	sframe_at_function(s, i);
	return 0;
}

static INLINE u32 judge_function(struct sframe *s)
{
	if (s->pc - s->start < s->size) {
		sframe_at_attributes(s);
		return 0;
	}
	if (s->flags & SFRAME_SORTED && s->pc < s->start)
		s->high = s->i;
	else
		s->low = s->i + 1;
	return probe(s);
}

/* The row is the last one that begins at or before the PC. */
static INLINE u32 judge_row(struct sframe *s)
{
	s->left--;
	if (s->next.start > s->off)
		return NO_FDE;
	s->here = s->next;
	s->found = 1;
	return s->left ? 0 : NO_FDE;
}

/* Use what has been read, and choose what to read next. Not 0: nothing more. */
GLOBAL u32 sframe_go_on(struct sframe *s NONNULL)
{
	u32 block = s->block;

	switch (s->item) {
	case SFRAME_HEADER:
		s->low = 0;
		s->high = s->nr_functions;
		return probe(s);
	case SFRAME_FUNCTION: return judge_function(s);
	case SFRAME_ATTRIBUTES:
		s->off = s->pc - s->start;
		if (s->masked && block)
			s->off %= block;
		s->left = s->nr;
		sframe_at_rows(s);
		return s->nr ? 0 : NO_FDE;
	}
	return judge_row(s);
}

TURN(next_item, struct sframe, s)
{
	s->items = turn;
	s->error = read_item(s);
	if (!s->error)
		s->error = sframe_go_on(s);
	return s->error ? STOP : NEXT;
}

/* Set the rule of @slot from @control and @off. A register and an offset share row.off. */
static INLINE u32 set_rule(struct row *row, u32 slot, u32 control, s32 off)
{
	u32 lies = control & SFRAME_LIES_THERE, reg = control >> SFRAME_REG_SHIFT;

	if (!(control & SFRAME_FROM_REG)) {
		row->rule[slot] = lies ? RULE_OFFSET : RULE_VAL_OFFSET;
		row->off[slot] = off;
		return 0;
	}
	if (reg > SFRAME_LAST_REG || off != (s32)((u32)off << REG_BITS) >> REG_BITS)
		return BAD_SFRAME;
	row->rule[slot] = lies ? RULE_EXPR : RULE_VAL_EXPR;
	row->off[slot] = (s32)((u32)off << REG_BITS | reg);
	row->flags |= ROW_FLEXIBLE;
	return 0;
}

/*
 * The words: control and offset of the CFA; of the RA, or a single 0 if it is at its fixed place; of the FP, if it was
 * saved.
 */
static INLINE u32 flexible_row(struct row *row, const struct sframe_row *r)
{
	u32 control = r->word[0], next = r->word[2] ? 4 : 3, err = 0;

	if (r->nr < 2 || !(control & SFRAME_FROM_REG) || control >> SFRAME_REG_SHIFT > SFRAME_LAST_REG)
		return BAD_SFRAME;
	row->cfa_reg = control >> SFRAME_REG_SHIFT;
	row->cfa_off = sframe_offset(r, r->word[1]);
	if (control & SFRAME_LIES_THERE) {
		row->cfa_kind = CFA_EXPR;
		row->flags |= ROW_FLEXIBLE;
	}
	if (r->nr == 2)
		return 0;
	if (r->word[2])
		err = set_rule(row, SLOT_RA, r->word[2], sframe_offset(r, r->word[3]));
	if (err || r->nr == next)
		return err;
	if (r->nr != next + 2)
		return BAD_SFRAME;
	return set_rule(row, SLOT_FP, at(r->word, next), sframe_offset(r, at(r->word, next + 1)));
}

static INLINE u32 plain_row(struct row *row, const struct sframe_row *r)
{
	u32 fp = SFRAME_FIXED_RA ? 1 : 2; /* its word; before it is that of the RA, unless that is at its fixed place */

	if (!r->nr || r->nr > fp + 1)
		return BAD_SFRAME;
	row->cfa_reg = r->from_sp ? REG_SP : REG_FP;
	row->cfa_off = sframe_offset(r, r->word[0]);
	if (!SFRAME_FIXED_RA && r->nr > 1) {
		row->rule[SLOT_RA] = RULE_OFFSET;
		row->off[SLOT_RA] = sframe_offset(r, r->word[1]);
	}
	if (r->nr == fp + 1) {
		row->rule[SLOT_FP] = RULE_OFFSET;
		row->off[SLOT_FP] = sframe_offset(r, r->word[fp]);
	}
	return 0;
}

/*
 * Registers that are not described were saved somewhere by the functions that used them: from here on they are lost.
 * But a frame pointer that is not described as saved is unchanged.
 */
GLOBAL u32 sframe_make_row(struct sframe *s NONNULL)
{
	const struct sframe_row *r = &s->here;
	struct row *row = &s->row;
	u32 err = 0;

	memset(row, 0, sizeof(*row));
	row->cfa_kind = CFA_REG;
	row->cfa_reg = REG_SP;
	row->saved = SAVED_SLOTS;
	for (u32 slot = 0; slot < NR_SAVED; slot++)
		row->rule[slot] = slot == SLOT_FP ? RULE_SAME : RULE_UNDEFINED;
	row->rule[SLOT_RA] = SFRAME_FIXED_RA ? RULE_OFFSET : RULE_SAME;
	row->off[SLOT_RA] = s->fixed_ra;
	if (s->signal)
		row->flags |= ROW_SIGNAL;
	if (s->masked) /* linkers describe .plt.got as if it had pushed something */
		row->flags |= ROW_GUESS;

	/* Versions 1 and 2 in their first form cannot say that a frame is the outermost. */
	if ((!r->nr && s->version > 1) || (s->version < 3 && s->start == s->program_entry)) {
		row->rule[SLOT_RA] = RULE_UNDEFINED;
		return 0;
	}
	if (s->fixed_fp || !!s->fixed_ra != SFRAME_FIXED_RA)
		return BAD_SFRAME;
	err = s->flexible ? flexible_row(row, r) : plain_row(row, r);
	/*
	 * A return address below the stack pointer: assemblers used to write this for CFAs that they could not express.
	 */
	if (!err && row->cfa_kind == CFA_REG && row->cfa_reg == REG_SP && row->rule[SLOT_RA] == RULE_OFFSET &&
	    (s64)row->cfa_off + row->off[SLOT_RA] < 0)
		err = BAD_SFRAME;
	return err;
}

GLOBAL u32 sframe_find(struct sframe *s NONNULL, const struct range *r NONNULL)
{
	s->section = r->bias + r->sframe;
	s->program_entry = r->entry;
	s->found = s->error = s->items = 0;
	sframe_at_header(s);
	loop(SFRAME_MAX_ITEMS - s->spared, next_item, s);
	if (s->found && s->error == NO_FDE)
		return sframe_make_row(s);
	return s->error ? s->error : s->spared ? TOO_LONG : BAD_SFRAME;
}

/* Turn 0 is the CFA, the others are the slots. */
TURN(rule, struct machine, m)
{
	bool cfa = turn == 0;
	u32 slot = turn - 1;
	s32 off = m->row.cfa_off;
	u32 reg = m->row.cfa_reg;
	u64 base = 0;
	int err;

	if (cfa ? m->row.cfa_kind != CFA_EXPR : at(m->row.rule, slot) < RULE_EXPR)
		return NEXT;
	if (!cfa) {
		off = at(m->row.off, slot);
		reg = off & ((1 << REG_BITS) - 1);
		off >>= REG_BITS;
	}
	err = machine_reg(m, reg, &base);
	base += (s64)off;
	if (!err && cfa)
		err = stack_read(m, base, &base);
	if (err) {
		m->detail = reg;
		m->scratch.error = read_outcome(err, CFA_REGISTER_LOST);
		return STOP;
	}
	if (cfa)
		m->cfa = base;
	else
		at(m->value, slot) = base;
	return NEXT;
}

GLOBAL u32 sframe_rules(struct machine *m NONNULL)
{
	m->scratch.error = 0;
	loop(1 + NR_SLOTS, rule, m);
	return m->scratch.error;
}
