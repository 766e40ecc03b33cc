/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any bytes as the expressions of a row, and as the stack that they read.
 *
 *	0..1  registers that lie on the stack		5     slots that have an expression
 *	2..3  registers that are lost (both bits)	6..13 where the slots' expressions begin
 *	4     CFA by expression (bit 0), class (1, 2)	14    the n-th read finds a page that is not safe
 *							15..  the bytes; the CFA's expression comes first
 */
#include <stddef.h>
#include <stdint.h>

#include "core/tables/expr.h"
#include "port/port_buffer.h"

#define ADDR 0x10000000ULL
#define HEAD 15

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct machine m;
	u32 err;

	if (size < HEAD)
		return 0;
	port_reset();
	port_map(ADDR, data + HEAD, size - HEAD, (struct vma){0});
	port_fail_read(data[14], -EACCES, false);
	memset(&m, 0, sizeof(m));
	m.hdr = ADDR;
	m.pc = m.cfa = m.sp = ADDR + size / 2;
	for (u32 i = 0; i < NR_REGS; i++)
		m.reg[i] = ADDR + i * 8;
	m.lazy = data[0] | data[1] << 8;
	m.invalid = data[2] & data[3];
	m.class = data[4] >> 1 & 3;
	m.row.cfa_kind = data[4] & 1 ? CFA_EXPR : CFA_REG;
	for (u32 i = 0; i < NR_SLOTS; i++) {
		m.row.rule[i] = data[5] >> i & 1 ? RULE_EXPR : RULE_SAME;
		m.row.off[i] = data[6 + i];
	}

	err = expr_row(&m);
	assert(err == 0 || err == BAD_EXPRESSION || err == CFA_REGISTER_LOST || err == TABLE_UNREADABLE ||
	       err == STACK_UNREADABLE || err == PAGE_NOT_SAFE);
	assert(err == m.scratch.error && m.scratch.nr <= EXPR_DEPTH && m.expressions <= 1 + NR_SLOTS);
	assert(m.stack.len <= STACK_WINDOW && !(m.stack.base & 7));
	return 0;
}
