/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A frame in one 64-bit word: the module, the offset in its file, and the method by which the walk left the frame.
 *
 *	63      48  47  46    44  43           0
 *	[ module | ret | method |    offset    ]
 *
 * The word does not depend on address space randomisation, is the same in all processes, and stays valid when the
 * process is gone. @ret is set for return addresses: the call is before them, so names are looked up at offset - 1. It
 * is clear for the interrupted instruction and for a frame below a signal frame. @method is that of the row at this
 * place, so it is the same in all processes, too.
 *
 * Three module numbers are reserved. 0 is memory without a file (JIT code): the offset is the address, which also uses
 * the method's bits, without its lowest bits if they are always 0 (abi/arch/address.h); an address that does not fit in
 * 47 bits is stored as 0. There may be memory above, but only for programs that ask for it. The walk leaves such frames only by the frame pointer. 0xffff is the
 * kernel: the whole word is the address, as kernel addresses begin with these bits. 0xfffe is code of an interpreted
 * language, which has a number (abi/code.h), and a position in it; what that is depends on the language:
 *
 *	63      48  47      44  43       20  19        0
 *	[ 0xfffe |  language  |    code    |  position ]
 *
 * Such a frame lies between the frame that it has called and that of the interpreter's function in which it runs.
 */
#pragma once
#include "abi/arch/address.h"
#include "abi/types.h"

#define FRAME_RET (1ULL << 47)
#define FRAME_ADDRESS (FRAME_RET - 1)
#define FRAME_ADDRESS_SHIFT_MAX 16 /* of addresses with 63 bits */
#define FRAME_METHOD_SHIFT 44
#define FRAME_OFFSET ((1ULL << FRAME_METHOD_SHIFT) - 1)
#define FRAME_MODULE_SHIFT 48
#define FRAME_ANON 0
#define FRAME_GAP \
	FRAME_ADDRESS /* no frame: those in the middle of a stack that is too deep. No code is at that address */
#define FRAME_GAP_NAME "[...]"
#define FRAME_KERNEL 0xffff
#define FRAME_LANGUAGE 0xfffe
#define FRAME_LANGUAGE_SHIFT 44
#define FRAME_CODE_SHIFT 20
#define FRAME_CODE ((1u << 24) - 1)	/* 0: code without a number: there was no room to keep what it is */
#define FRAME_POSITION ((1u << 20) - 1) /* this one: not known */

/* How the walk found the caller of a frame. BY_NOTHING: it did not. */
enum frame_method { BY_NOTHING, BY_CFI, BY_SFRAME, BY_FRAME_POINTER, BY_CODE };

static inline u64 frame_make(u32 module, u64 offset, u32 is_return)
{
	u64 below = (s64)((offset >> (47 + CODE_ADDRESS_SHIFT)) - 1) >>
		    63; /* no branch: the verifier would follow both ways for each frame */
	u64 room = module ? FRAME_OFFSET : FRAME_ADDRESS & below;

	offset >>= module ? 0 : CODE_ADDRESS_SHIFT;
	return (u64)module << FRAME_MODULE_SHIFT | (is_return ? FRAME_RET : 0) | (offset & room);
}

/* Return @frame, which is in a file, with @method added. */
static inline u64 frame_left(u64 frame, u32 method)
{
	return frame | (u64)method << FRAME_METHOD_SHIFT;
}

static inline u32 frame_module(u64 frame)
{
	return frame >> FRAME_MODULE_SHIFT;
}

static inline u64 frame_offset(u64 frame)
{
	return frame_module(frame) ? frame & FRAME_OFFSET : (frame & FRAME_ADDRESS) << CODE_ADDRESS_SHIFT;
}

static inline u64 frame_of_code(u32 language, u32 code, u32 position)
{
	return (u64)FRAME_LANGUAGE << FRAME_MODULE_SHIFT | (u64)language << FRAME_LANGUAGE_SHIFT |
	       (u64)code << FRAME_CODE_SHIFT | position;
}

static inline u32 frame_is_code(u64 frame)
{
	return frame_module(frame) == FRAME_LANGUAGE;
}

static inline u32 frame_language(u64 frame)
{
	return frame >> FRAME_LANGUAGE_SHIFT & 15;
}

static inline u32 frame_code(u64 frame)
{
	return frame >> FRAME_CODE_SHIFT & FRAME_CODE;
}

static inline u32 frame_position(u64 frame)
{
	return frame & FRAME_POSITION;
}

static inline u32 frame_is_return(u64 frame)
{
	return !frame_is_code(frame) && (frame >> 47 & 1);
}

/*
 * Return the enum frame_method of a frame of user code. For memory without a file it is always BY_FRAME_POINTER; that
 * the walk did not end there shows only from the next frame.
 */
static inline u32 frame_method(u64 frame)
{
	if (frame_is_code(frame))
		return BY_NOTHING;
	return frame_module(frame) ? frame >> FRAME_METHOD_SHIFT & 7 : BY_FRAME_POINTER;
}

/* Is it code at an address that means nothing in another process? */
static inline u32 frame_is_anon(u64 frame)
{
	return !frame_module(frame) && frame != FRAME_GAP;
}

/* Return @frame without its method, to compare places. */
static inline u64 frame_place(u64 frame)
{
	u32 module = frame_module(frame);

	return module && module < FRAME_LANGUAGE ? frame & ~(7ULL << FRAME_METHOD_SHIFT) : frame;
}
