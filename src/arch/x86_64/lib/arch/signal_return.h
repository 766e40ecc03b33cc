/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The code to which signal handlers return. It ends with its system call, which does not come back. */
#pragma once
#include <stdint.h>
#include <string.h>

#define SIGNAL_RETURN_BYTES 9 /* of code before the PC, to be looked at */

/*
 * The kernel runs a system call of a task whose PC lies behind @code: is it the one with which a handler ends? Then the
 * PC lies behind the function, and what is known of the function holds so many bytes before. Returns 0 if it is not.
 * (glibc sysdeps/unix/sysv/linux/x86_64/libc_sigaction.c, linux 6.18 arch/x86/entry/vdso/vdso32/sigreturn.S)
 */
static inline uint32_t signal_return(const uint8_t code[SIGNAL_RETURN_BYTES])
{
	static const uint8_t of_64_bits[] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05}, /* mov $,%rax; syscall */
		plain[] = {0xb8, 119, 0, 0, 0, 0xcd, 0x80},				 /* mov $,%eax; int $0x80 */
		with_info[] = {0xb8, 173, 0, 0, 0, 0xcd, 0x80};
	const uint8_t *end = code + SIGNAL_RETURN_BYTES;

	return !memcmp(code, of_64_bits, sizeof(of_64_bits)) || !memcmp(end - sizeof(plain), plain, sizeof(plain)) ||
			       !memcmp(end - sizeof(with_info), with_info, sizeof(with_info))
		       ? 2
		       : 0;
}
