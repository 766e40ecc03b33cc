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

/* Are the 16 bytes cmp N(%r15),%rsp; ja ...; ret? N has four bytes, or one. */
static INLINE bool hotspot_looks_whether_to_stop(u64 code, u64 next)
{
	u64 ja = code >> 56 | next << 8, ja_near = code >> 32;

	return ((code & 0xffffff) == 0xa73b49 && (ja & 0xffff) == 0x870f && (next >> 40 & 0xff) == 0xc3) ||
	       ((code & 0xffffff) == 0x673b49 && (ja_near & 0xffff) == 0x870f && (next >> 16 & 0xff) == 0xc3);
}

/* @word: 16 bytes of code from the PC on. What comes behind pop %rbp may be a jump, for an exception. */
static INLINE enum hotspot_left hotspot_is_left(const u64 *word)
{
	u64 code = word[0], next = word[1];

	if ((code & 0xff) == 0xc3 || hotspot_looks_whether_to_stop(code, next) ||
	    ((code & 0xffff) == 0x870f && (code >> 48 & 0xff) == 0xc3))
		return HOTSPOT_POPPED;
	if ((code & 0xffff) == 0xc35d || (code & 0xffff) == 0xe95d ||
	    ((code & 0xff) == 0x5d && hotspot_looks_whether_to_stop(code >> 8 | next << 56, next >> 8)))
		return HOTSPOT_NOT_POPPED;
	return 0;
}

/* mov %rbp,N(%rsp) */
static INLINE bool hotspot_saves_fp(u64 code)
{
	return (u32)code == 0x246c8948 || (u32)code == 0x24ac8948;
}

/* push %rbp, perhaps with mov %rsp,%rbp behind it (-XX:+PreserveFramePointer)? @code: the eight bytes before the PC. */
static INLINE bool hotspot_pushes_fp(u64 code)
{
	return code >> 56 == 0x55 || code >> 32 == 0xec8b4855;
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
