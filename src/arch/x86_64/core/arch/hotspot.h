/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Code of HotSpot: JDK 17 src/hotspot/cpu/x86/frame_x86.hpp, stubGenerator_x86_64.cpp, x86_64.ad (MachPrologNode, MachEpilogNode). */
#pragma once
#include "core/machine.h"

#define HOTSPOT_IS_KNOWN 1
#define HOTSPOT_THREAD R15 /* these registers have the thread, */
#define HOTSPOT_NEXT R13   /* and the interpreter's next bytecode */

/* The frame of an interpreted method, in bytes from the frame pointer. */
#define HOTSPOT_FRAME_METHOD (-24)
#define HOTSPOT_FRAME_SENDER (-8) /* the caller's stack pointer */
#define HOTSPOT_FRAME_NEXT (-64)

/* What the code at the end of a method has left on the stack. 0: it is not at its end. */
enum hotspot_left { HOTSPOT_POPPED = 1, HOTSPOT_NOT_POPPED };

/* Is @first cmp N(%r15),%rsp, and what is seven bytes behind it, ja ...; ret? */
static INLINE bool hotspot_looks_whether_to_stop(u64 first, u64 seventh)
{
	return (first & 0xffffff) == 0xa73b49 && (seventh & 0xffff) == 0x870f && (seventh >> 48 & 0xff) == 0xc3;
}

/* @word: 16 bytes of code from the PC on. */
static INLINE enum hotspot_left hotspot_is_left(const u64 *word)
{
	u64 code = word[0];

	if ((code & 0xff) == 0xc3 || hotspot_looks_whether_to_stop(code, code >> 56 | word[1] << 8) ||
	    ((code & 0xffff) == 0x870f && (code >> 48 & 0xff) == 0xc3))
		return HOTSPOT_POPPED;
	if ((code & 0xff) == 0x5d && ((code >> 8 & 0xff) == 0xc3 || hotspot_looks_whether_to_stop(code >> 8, word[1])))
		return HOTSPOT_NOT_POPPED;
	return 0;
}

/* mov %rbp,N(%rsp) */
static INLINE bool hotspot_saves_fp(u64 code)
{
	return (u32)code == 0x246c8948 || (u32)code == 0x24ac8948;
}

/* push %rbp */
static INLINE bool hotspot_pushes_fp(u64 code)
{
	return code == 0x55;
}

/* sub $N,%rsp, for a frame of @bytes bytes with or without the word that has been pushed, beside the return address? */
static INLINE bool hotspot_makes_room(u64 code, u64 bytes)
{
	u64 room = (code & 0xffffff) == 0xec8348   ? code >> 24 & 0xff
		   : (code & 0xffffff) == 0xec8148 ? (u32)(code >> 24)
						   : 0;

	return room && (room + 8 == bytes || room + 16 == bytes);
}

/* Does mov $N,%r10; call *%r10 come before the return address, at @code + 8? N is this far before it. */
#define HOTSPOT_CALL_BYTES 11

static INLINE bool hotspot_calls_by_register(const u8 *code)
{
	return code[5] == 0x41 && code[6] == 0xff && code[7] == 0xd2;
}

/* What the stub by which C calls Java has saved of its caller's registers. */
static INLINE void hotspot_restore_registers(struct machine *m, u64 fp)
{
	lies_at(m, RBX, fp - 56);
	lies_at(m, R12, fp - 64);
	lies_at(m, R13, fp - 72);
	lies_at(m, R14, fp - 80);
	lies_at(m, R15, fp - 88);
}
