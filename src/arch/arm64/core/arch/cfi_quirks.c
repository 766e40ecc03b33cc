/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How to leave a frame where CFI is known to be wrong.
 *
 * - The trampoline of signals: where it has CFI, as that of C libraries may have, the frame is the kernel's all the same,
 *   and CFI has no words for the PC that it holds.
 * - glibc's _dl_runtime_resolve() begins with what PLT0 has put on the stack, the return address above the GOT's entry. Its
 *   CFI (2.36, sysdeps/aarch64/dl-trampoline.S) has the return address 8 bytes above the CFA, where no function can have
 *   saved it: the CFA is two words higher. At the first instruction, where CFI has it in x30, the CFA is higher, too.
 */
#include "core/arch/signal_frame.h"
#include "core/code/cfi_quirks.h"
#include "core/code/framepointer.h"
#include "core/code/rule.h"

#define PLT0_BYTES 16

#define STP_RESOLVER 0xa9b327e8 /* stp x8,x9,[sp,#-208]! */

static INLINE bool is_resolver(const struct row *row)
{
	return row->cfa_kind == CFA_REG && row->rule[SLOT_RA] == RULE_OFFSET && row->off[SLOT_RA] == PLT0_BYTES - 8;
}

/* Is the innermost frame at the first instruction of _dl_runtime_resolve(), bti or nop, of which m->row says nothing? */
static INLINE bool begins_resolver(struct machine *m, u64 start)
{
	const struct row *row = &m->row;

	return m->pc_is_exact && m->pc == start && row->cfa_kind == CFA_REG && row->cfa_reg == SP && !row->cfa_off &&
	       row->rule[SLOT_RA] == RULE_SAME && !framepointer_code(m, m->pc) &&
	       *(const u32 *)(m->code + RULE_BYTES_BEFORE + 4) == STP_RESOLVER;
}

/* Move the CFA, and with it all that is saved at a distance from it. */
static INLINE void raise_cfa(struct row *row, s32 bytes)
{
	row->cfa_off += bytes;
	for (u32 slot = 0; slot < NR_SLOTS; slot++)
		row->off[slot] -= row->rule[slot] == RULE_OFFSET ? bytes : 0;
}

GLOBAL u32 cfi_fixup(struct machine *m NONNULL, u64 start, u64 size)
{
	if (m->row.flags & ROW_SIGNAL && m->row.rule[SLOT_RA] != RULE_UNDEFINED) {
		row_of_signal(m);
		return NO_QUIRK; /* it is no guess */
	}
	if (!is_resolver(&m->row) && !begins_resolver(m, start))
		return NO_QUIRK;
	raise_cfa(&m->row, PLT0_BYTES);
	return QUIRK_BY_CODE;
}
