/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The dialect of core/: together with atomic.h the only place where BPF, the host and the kernel module differ.
 *
 *	CORE			a function that other files use
 *	GLOBAL			the same, but verified once; see env_bpf.h
 *	FLAT			the same, but without a call frame in BPF
 *	NOINLINE, INLINE	as the verifier's budgets of call frames and of paths require
 *	TURN(), loop()		a long loop: a named body, repeated until it returns STOP
 *	CORE_TURN()		a body that another file repeats; DECLARE_TURN() in the header
 *	each(i, n)		a long loop in place; its state must be in map memory, not in locals
 *	verifier_forget(home, val)	@val, without what the verifier knows about it
 *	verifier_join()		many paths meet here: the verifier is to compare them
 *	at(array, i)		an element of a power-of-two array: masked for the verifier, asserted on the host
 *	within(array, i, mask)	the same if the array's type does not have its size
 *	frozen(stored, known)	a number that does not change while the program runs: a constant for the verifier
 *
 * Short loops with a constant bound (up to about 16 turns) are plain C.
 */
#pragma once
#include "abi/types.h"

#define NOINLINE __attribute__((__noinline__)) /* "noinline" is a macro of the kernel */
#define INLINE inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define PAGE_BYTES 4096ULL

enum { NEXT = 0, STOP = 1 }; /* what a loop's turn returns */

#ifdef __bpf__
#include "core/env_bpf.h"
#elif defined(__KERNEL__)
#include "env_kernel.h" /* beside its Kbuild: ../../kernel */
#else
#include "core/env_host.h"
#endif
