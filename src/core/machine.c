/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "machine.h"

CORE int stack_read_slow(struct machine *m, u64 addr)
{
	struct stack_window *s = &m->stack;
	u32 left;

	if (!(addr & 7) && addr >= s->base) {
		s->refills++;
		s->base = addr;
		s->len = STACK_WINDOW;
		if (!port_read(s->word, STACK_WINDOW, addr)) {
			m->word = s->word[0];
			return 0;
		}
		left = PAGE_BYTES - (addr & (PAGE_BYTES - 1));
		s->len = 0;
		if (left < STACK_WINDOW && !port_read(s->word, left, addr)) {
			s->len = left;
			m->word = s->word[0];
			return 0;
		}
		s->base = 0;
	}
	s->reads++;
	return port_read(&m->word, sizeof(m->word), addr);
}
