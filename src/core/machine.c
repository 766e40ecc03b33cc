/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "machine.h"

CORE int stack_read_slow(struct machine *m, u64 addr)
{
	struct stack_window *s = &m->stack;
	u32 left = PAGE_BYTES - (addr & (PAGE_BYTES - 1));
	int err;

	if (addr & 7 || addr < s->base)
		return port_read(&m->word, sizeof(m->word), addr);
	s->base = addr;
	s->len = 0;
	err = port_read(s->word, left, addr);
	if (err)
		return err;
	s->len = left;
	m->word = s->word[0];
	return 0;
}
