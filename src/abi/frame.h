/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A frame in one word: which module, and where in its file.
 *
 *	63      48  47  46              0
 *	[ module | ret |     offset     ]
 *
 * Free of address space randomisation, equal in all processes, and still right when the process is gone. @ret is set
 * for return addresses: the call is before them, so names are looked up at offset - 1. It is clear for the interrupted
 * instruction and for a frame below a signal frame.
 *
 * Two module numbers are taken. 0 is memory without a file (JIT code): the offset is the address. 0xffff is the
 * kernel: the whole word is the address, as kernel addresses begin with these bits.
 */
#pragma once
#include "types.h"

#define FRAME_RET (1ULL << 47)
#define FRAME_OFFSET (FRAME_RET - 1)
#define FRAME_MODULE_SHIFT 48
#define FRAME_ANON 0
#define FRAME_KERNEL 0xffff

static inline u64 frame_make(u32 module, u64 offset, u32 is_return)
{
	return (u64)module << FRAME_MODULE_SHIFT | (is_return ? FRAME_RET : 0) | (offset & FRAME_OFFSET);
}

static inline u32 frame_module(u64 frame)
{
	return frame >> FRAME_MODULE_SHIFT;
}

static inline u64 frame_offset(u64 frame)
{
	return frame & FRAME_OFFSET;
}

static inline u32 frame_is_return(u64 frame)
{
	return frame >> 47 & 1;
}
