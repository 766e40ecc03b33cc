/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The end of a cookie: whoever waits for it is served, and requests from here on find what the answer was. */
#pragma once
#include "consumers.bpf.h"

/* Serve with @e, but for its cookie, which is the word's; @frames: of a stack that is not in the stackmap, or NULL. */
static INLINE void answer(struct task_state *st, struct event_stack *e, struct stack *frames)
{
	u32 consumers;

	st->last.stack = e->stack;
	st->last.outcome = frames ? STACKMAP_FULL : e->outcome;
	st->last.mm = st->mm;
	st->last.cookie = load_relaxed(&st->defer.word) >> DEFER_BITS;
	st->scheduler = 0;
	consumers = defer_take(&st->defer, &e->cookie);
	if (e->cookie)
		serve_consumers(st, e, frames, consumers);
}
