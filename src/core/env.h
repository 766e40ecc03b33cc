/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The dialect of core/: with atomic.h the one place in which BPF and the host differ.
 *
 *	CORE			a function that other files use
 *	GLOBAL			the same, but verified once; see env_bpf.h
 *	NOINLINE, INLINE	what the verifier's frame and path budgets want
 *	TURN(), loop()		a long loop: a named body, repeated until it says STOP
 *	CORE_TURN()		a body that another file repeats; DECLARE_TURN() in the header
 *	each(i, n)		a long loop in place; its state must live in map memory, not in locals
 *	verifier_forget(home, val)	@val, but the verifier must not distinguish how it came about
 *	read_flat()		port_read(), which costs no call frame in BPF
 *	at(array, i)		an element of a power-of-two array: masked for the verifier, asserted on the host
 *	within(array, i, mask)	the same where the size is not in the array's type
 *	frozen(stored, known)	a number that does not change while the program runs: for the verifier, a constant
 *
 * Short loops with a constant bound (up to about 16 turns) are plain C.
 */
#pragma once
#include "abi/types.h"

#define NOINLINE __attribute__((__noinline__)) /* "noinline" is a macro of the kernel's */
#define INLINE inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define PAGE_BYTES 4096ULL

enum { NEXT = 0, STOP = 1 }; /* the answers of a loop's turn */

#ifdef __bpf__
#include "core/env_bpf.h"
#elif defined(__KERNEL__)
#include "env_kernel.h" /* beside its Kbuild: ../../kernel */
#else
#include "core/env_host.h"
#endif
