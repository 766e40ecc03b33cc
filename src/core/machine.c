/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/machine.h"

#define WORK_OF_WINDOW 4

/* Move the window to @addr, and read the word there. */
static INLINE int move_window(struct machine *m, u64 addr)
{
	struct stack_window *s = &m->stack;
	u32 bytes = word_bytes(m), len;
	bool odd = addr & (bytes - 1); /* not at a word: read one word only, and keep no window */
	u64 base = odd ? addr : addr & ~7ULL;
	int err;

	len = odd ? bytes : PAGE_BYTES - (base & (PAGE_BYTES - 1));
	if (!odd && base < m->stack_end && m->stack_end - base < len)
		len = m->stack_end - base;
	m->work += WORK_OF_WINDOW;
	s->base = base;
	s->len = 0;
	err = port_read(s->word, len, base); /* in one place: each read is expensive for the verifier */
	if (err)
		return err;
	s->len = odd ? 0 : len;
	m->word = word_in(m, odd ? 0 : addr, s->word[0]);
	return 0;
}

GLOBAL int stack_word(struct machine *m NONNULL, u64 addr)
{
	return stack_peek(m, addr, &m->word) ? 0 : move_window(m, addr);
}

GLOBAL int machine_word(struct machine *m NONNULL, u32 reg)
{
	u64 *known = &at(m->reg, reg & (NR_REGS - 1)), addr = *known;
	u32 bit = 1u << (reg & (NR_REGS - 1));
	int err;

	m->word = addr;
	if (m->invalid & bit)
		return -EFAULT;
	if (!(m->lazy & bit))
		return 0;
	if (!stack_peek(m, addr, &m->word)) {
		err = move_window(m, addr);
		if (err)
			return err;
	}
	*known = m->word;
	m->lazy &= ~bit;
	return 0;
}
