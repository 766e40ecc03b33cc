/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events to the reader. What does not fit is counted.
 *
 * The reader looks ten times a second by itself, and is woken only when the ring fills up, and for modules: a wake-up
 * is an interrupt.
 */
#pragma once
#include "maps.h"

static INLINE u64 wakeup(void)
{
	return bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) > RING_BYTES / 4 ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

/* @head, and behind it the frames of @frames unless that is NULL. 0 or negative: no room. Any context. */
static INLINE int emit(void *head, u32 head_bytes, const struct stack *frames)
{
	struct bpf_dynptr ring;
	u32 nr = 0, bytes;

	if (frames)
		nr = frames->nr <= MAX_DEPTH ? frames->nr : MAX_DEPTH;
	bytes = nr * sizeof(u64);
	if (!bytes)
		return bpf_ringbuf_output(&events, head, head_bytes, wakeup());
	if (bpf_ringbuf_reserve_dynptr(&events, head_bytes + bytes, 0, &ring)) {
		bpf_ringbuf_discard_dynptr(&ring, BPF_RB_NO_WAKEUP);
		return -ENOSPC;
	}
	bpf_dynptr_write(&ring, 0, head, head_bytes, 0);
	bpf_dynptr_write(&ring, head_bytes, (void *)frames->frame, bytes, 0);
	bpf_ringbuf_submit_dynptr(&ring, wakeup());
	return 0;
}

static INLINE void emit_sample(struct event_sample *e, const struct stack *frames)
{
	if (emit(e, sizeof(*e), frames))
		count(COUNT_LOST_SAMPLES, 1);
}

static INLINE void emit_stack(struct event_stack *e, const struct stack *frames)
{
	if (emit(e, sizeof(*e), frames))
		count(COUNT_LOST_STACKS, 1);
}
