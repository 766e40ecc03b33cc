/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "machine.h"

CORE int stack_read_slow(struct machine *m, u64 addr)
{
	struct stack_window *s = &m->stack;
	u32 bytes = word_bytes(m), left;
	u64 base = addr & ~7ULL;
	int err;

	if (addr & (bytes - 1) || addr < s->base) {
		m->word = 0;
		return port_read(&m->word, bytes, addr);
	}
	left = PAGE_BYTES - (base & (PAGE_BYTES - 1));
	s->base = base;
	s->len = 0;
	err = port_read(s->word, left, base);
	if (err)
		return err;
	s->len = left;
	m->word = word_in(m, addr, s->word[0]);
	return 0;
}
