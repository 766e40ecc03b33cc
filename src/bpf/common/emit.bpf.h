/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Send events to a ring buffer.
 *
 * A reader polls its ring ten times a second, and is woken only when the ring is a quarter full or the sender says so:
 * each wake-up costs an interrupt.
 */
#pragma once
#include "bpf/common/maps.h"

static INLINE u64 wakeup(void *ring, bool now)
{
	if (!now)
		now = bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) > bpf_ringbuf_query(ring, BPF_RB_RING_SIZE) / 4;
	return now ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

/* Send @head, followed by the frames of @frames unless that is NULL. 0, or negative: no room. Any context. */
static INLINE int emit(void *ring, void *head, u32 head_bytes, const struct stack *frames, bool now)
{
	struct bpf_dynptr space;
	u32 nr = frames ? opaque((u32)frames->nr) : 0, bytes;

	if (nr > MAX_DEPTH)
		nr = MAX_DEPTH;
	bytes = nr * sizeof(u64);
	if (!bytes)
		return bpf_ringbuf_output(ring, head, head_bytes, wakeup(ring, now));
	if (bpf_ringbuf_reserve_dynptr(ring, head_bytes + bytes, 0, &space)) {
		bpf_ringbuf_discard_dynptr(&space, BPF_RB_NO_WAKEUP);
		return -ENOSPC;
	}
	bpf_dynptr_write(&space, 0, head, head_bytes, 0);
	bpf_dynptr_write(&space, head_bytes, (void *)frames->frame, bytes, 0);
	bpf_ringbuf_submit_dynptr(&space, wakeup(ring, now));
	return 0;
}
