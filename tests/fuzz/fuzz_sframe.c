/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any bytes as .sframe: a row that is found belongs to a function that covers the PC, and says nothing impossible.
 *
 *	0..3  PC, from the start of the bytes		5..   the bytes; flexible rules read them too
 *	4     the n-th read finds a page that is not safe
 */
#include <stddef.h>
#include <stdint.h>

#include "core/tables/sframe.h"
#include "port/port_buffer.h"
#include "core/arch/tables.h"

#define ADDR 0x10000000ULL
#define HEAD 5

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_named(u32 err)
{
	switch (err) {
	case 0:
	case NO_FDE:
	case BAD_SFRAME:
	case TABLE_UNREADABLE:
	case PAGE_NOT_SAFE: return true;
	}
	return false;
}

static void check_row(const struct sframe *s)
{
	const struct row *row = &s->row;

	assert(s->pc - s->start < s->size && s->here.start <= s->off);
	assert(row->cfa_reg <= SFRAME_LAST_REG && (row->cfa_kind == CFA_REG || row->flags & ROW_FLEXIBLE));
	assert(RA_IN_A_REGISTER || row->rule[SLOT_RA] != RULE_SAME);
	for (u32 slot = 0; slot < NR_SAVED; slot++)
		assert(slot == SLOT_FP || row->rule[slot] == RULE_UNDEFINED);
	assert(!(row->flags & ~(ROW_SIGNAL | ROW_GUESS | ROW_FLEXIBLE)));
}

static void follow(const struct row *row)
{
	static struct machine m;
	u32 err;

	memset(&m, 0, sizeof(m));
	m.row = *row;
	for (u32 i = 0; i < NR_REGS; i++)
		m.reg[i] = ADDR + i * 8;
	m.lazy = 0xff00;
	err = sframe_rules(&m);
	assert(!err || err == CFA_REGISTER_LOST || err == PAGE_NOT_SAFE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct range r = {.sframe = ADDR, .entry = ADDR};
	static struct sframe s;
	s32 off;
	u32 err;

	if (size < HEAD)
		return 0;
	memcpy(&off, data, sizeof(off));
	port_reset();
	port_map(ADDR, data + HEAD, size - HEAD, (struct vma){0});
	port_fail_read(data[4], -EACCES, false);
	memset(&s, 0, sizeof(s));
	s.pc = ADDR + (s64)off;
	for (int again = 0; again < 2; again++) { /* what is left of one search does nothing to the next */
		err = sframe_find(&s, &r);
		assert(is_named(err));
		assert(s.in.pos <= READER_WINDOW && s.in.len <= READER_WINDOW);
		if (err)
			continue;
		check_row(&s);
		follow(&s.row);
	}
	return 0;
}
