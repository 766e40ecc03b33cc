/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The code to which signal handlers return. It ends with its system call, which does not come back. */
#pragma once
#include <stdint.h>
#include <string.h>

#define SIGNAL_RETURN_BYTES 8 /* of code before the PC, to be looked at */

/*
 * The kernel runs a system call of a task whose PC lies behind @code: is it the one with which a handler ends? Then the
 * PC lies behind the function, and what is known of the function holds so many bytes before. Returns 0 if it is not.
 * (linux 6.18 arch/arm64/kernel/vdso/sigreturn.S)
 */
static inline uint32_t signal_return(const uint8_t code[SIGNAL_RETURN_BYTES])
{
	static const uint8_t in_vdso[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4}; /* mov x8,#139; svc #0 */

	return memcmp(code, in_vdso, sizeof(in_vdso)) ? 0 : 4;
}
