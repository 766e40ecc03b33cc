/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Take kernel stacks without the frames of the program that takes them. */
#pragma once
#include "bpf/common/maps.h"

#define MAX_OWN_FRAMES 12

/* Its highest bit is 0 if @addr is in @text. Without a branch, which would double the verifier's paths. */
static INLINE u64 is_outside(u64 addr, const volatile struct kernel_text *text)
{
	return (addr - text->start) | (text->end - 1 - addr);
}

static INLINE bool is_in(u64 addr, const volatile struct kernel_text *text)
{
	return (s64)is_outside(addr, text) >= 0;
}

static INLINE bool is_in_either(u64 addr, const volatile struct kernel_text *text,
				const volatile struct kernel_text *or_text)
{
	return (s64)(is_outside(addr, text) & is_outside(addr, or_text)) >= 0;
}

static INLINE void get_frames(void *ctx, struct stack *s, u32 skip)
{
	long bytes = bpf_get_stack(ctx, s->frame, MAX_KERNEL_FRAMES * sizeof(u64), skip & BPF_F_SKIP_FIELD_MASK);

	s->nr = (u64)(bytes & ~(bytes >> 63)) / sizeof(u64);
}

/*
 * Take the stack of program context @ctx to @s, beginning with the function that contains the tracepoint: @here or
 * @or_here. The number of frames inner to it depends on how many programs are attached there; *@own, a variable of the
 * caller, keeps it. If neither function is found, all frames are taken.
 */
static INLINE void get_frames_from(void *ctx, struct stack *s, volatile u32 *own,
				   const volatile struct kernel_text *here, const volatile struct kernel_text *or_here)
{
	get_frames(ctx, s, *own);
	if (!s->nr || is_in_either(s->frame[0], here, or_here))
		return;
	get_frames(ctx, s, 0);
	*own = 0;
	each (i, MAX_OWN_FRAMES) {
		u64 addr = at(s->frame, i);

		if (i < s->nr && is_in_either(addr, here, or_here)) {
			*own = i;
			break;
		}
	}
	get_frames(ctx, s, *own);
}
