/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any bytes as the programs of a CIE and an FDE: the run ends, by a row or by a named outcome.
 *
 *	0     length of the CIE's program		4     encoding of addresses; from 128 on: of i386
 *	1..2  PC, from the start of the code		5     the n-th read finds a page that is not safe
 *	3     code alignment - 1 and data alignment	6..   both programs
 */
#include <stddef.h>
#include <stdint.h>

#include "core/tables/cfi.h"
#include "core/arch/regs.h"
#include "port/port_buffer.h"
#include "test_arch.h"

#define ADDR 0x10000000ULL
#define HEAD 6

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct cfi c;
	u64 split, end;
	u32 err;

	if (size < HEAD)
		return 0;
	end = ADDR + size - HEAD;
	split = ADDR + data[0] % (size - HEAD + 1);
	port_reset();
	port_map(ADDR, data + HEAD, size - HEAD, (struct vma){0});
	port_fail_read(data[5], -EACCES, false);
	memset(&c, 0, sizeof(c));
	c.pc = data[1] | data[2] << 8;
	c.code_align = 1 + (data[3] & 7);
	c.data_align = (s8)data[3] >> 3;
	c.encoding = data[4];
	c.class = data[4] >> 7 & TEST_CLASSES;
	c.hdr = ADDR;
	c.initial_insns = ADDR;
	c.initial_end = c.insns = split;
	c.end = end;

	err = cfi_run(&c);
	assert(err == 0 || err == BAD_CFI || err == TOO_MANY_OPS || err == TABLE_UNREADABLE || err == PAGE_NOT_SAFE);
	assert(c.depth <= CFI_MAX_SAVED && c.ops <= CFI_MAX_OPS && c.phase <= 2);
	assert(c.row.cfa_kind <= CFA_EXPR && c.row.cfa_reg < 32);
	for (u32 i = 0; i < NR_SLOTS; i++) {
		assert(c.row.rule[i] <= RULE_VAL_EXPR);
		assert(c.row.rule[i] == RULE_SAME || c.row.saved >> i & 1);
		assert(c.row.rule[i] < RULE_EXPR || c.row.flags & ROW_EXPRESSIONS);
	}
	return 0;
}
