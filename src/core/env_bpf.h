/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* env.h for BPF. No kernel header: a core file compiles without vmlinux.h. */
#pragma once

typedef _Bool bool;
enum { false, true };
#define EPERM 1
#define ENOENT 2
#define ESRCH 3
#define E2BIG 7
#define EAGAIN 11
#define EACCES 13
#define EFAULT 14
#define EBUSY 16
#define EEXIST 17
#define EINVAL 22
#define ENOSPC 28
#define ENOSYS 38
#define EOVERFLOW 75
#define EOPNOTSUPP 95
#define memset __builtin_memset

/* Hidden: libbpf turns the function into a static subprogram, which is verified with the state of its caller. */
#define CORE __attribute__((visibility("hidden")))

/*
 * A function that the verifier checks once, on its own, instead of again for each caller. It must not sleep, and its
 * pointers must be marked NONNULL, or CONTEXT if it is the program's.
 */
#define GLOBAL __attribute__((noinline))
#define NONNULL __attribute__((btf_decl_tag("arg:nonnull")))
#define CONTEXT __attribute__((btf_decl_tag("arg:ctx")))

/*
 * A variable in a map of its own, ".bss." @name, which user space can map. Not hidden, as libbpf lets only public
 * variables be mapped.
 */
#define SHARED(name) __attribute__((section(".bss." name)))

/* A value the compiler cannot reason about, so that it cannot remove the mask that follows. */
#define opaque(x)                            \
	({                                   \
		typeof(x) v_ = (x);          \
		asm volatile("" : "+r"(v_)); \
		v_;                          \
	})

/*
 * @val, after a round trip through @home in map memory: the verifier forgets what it knew about the value, so that
 * paths become equal again.
 */
#define verifier_forget(home, val)                         \
	({                                                 \
		*(volatile typeof(home) *)&(home) = (val); \
		*(volatile typeof(home) *)&(home);         \
	})

#define at(array, i)                                                                                   \
	((array)[({                                                                                    \
		_Static_assert((COUNT(array) & (COUNT(array) - 1)) == 0, "at() needs a power of two"); \
		opaque((u64)(i)) & (COUNT(array) - 1);                                                 \
	})])

/* The same for an array of @mask + 1 elements, if its type does not have that size. */
#define within(array, i, mask) ((array)[opaque((u64)(i)) & (mask)])

/*
 * @known instead of @stored: a constant in frozen .rodata. The verifier knows its value, and user space sets it to the
 * same as @stored before it loads the program.
 */
#define frozen(stored, known) (known)
extern const volatile u32 stack_bits CORE;

/*
 * Zero, but unknown to the verifier: a counter that starts from it stays imprecise, so that a loop's second turn looks
 * like its first. It must not be const: libbpf freezes .rodata, and the verifier knows what frozen maps contain.
 */
extern volatile u32 loop_zero CORE;

/* @val, without what the verifier knows about it, where there is no map memory at hand for verifier_forget(). */
#define verifier_unknown(val) ((val) + (typeof(val))loop_zero)

/*
 * The verifier keeps the state that it has here, and ends paths that come here in an equal one. Elsewhere it keeps one only
 * now and then. It removes the instruction from the program.
 */
#define verifier_join() asm volatile("may_goto +0")

/* True for as long as the verifier's budget lasts (may_goto, since 6.9). */
#define may_loop()                                              \
	({                                                      \
		__label__ out, next;                            \
		bool more_ = true;                              \
		asm volatile goto("may_goto %l[out]" :: ::out); \
		goto next;                                      \
	out:                                                    \
		more_ = false;                                  \
	next:;                                                  \
		more_;                                          \
	})
#define each(i, n) for (u32 i = loop_zero; i < (n) && may_loop(); i++)

/* Inline in BPF, where each call takes one of eight frames. */
#define FLAT static INLINE

CORE int port_peek(void *dst, u32 len, u64 addr); /* core/port.h, as port_read() */
GLOBAL int port_refuse(u64 addr, u32 len);	  /* bpf/common/port.bpf.h */

FLAT int port_read(void *dst, u32 len, u64 addr)
{
	return port_peek(dst, len, addr) ? port_refuse(addr, len) : 0;
}

/* bpf_loop (helper 181, since 5.17): the verifier checks each body in one state, whatever surrounds the loop. */
#define TURN_(scope, name, type, arg)                       \
	static INLINE int name##_body(u32 turn, type *arg); \
	scope NOINLINE long name(u32 turn, void *ctx)       \
	{                                                   \
		return name##_body(turn, *(type **)ctx);    \
	}                                                   \
	static INLINE int name##_body(u32 turn, type *arg)
#define TURN(name, type, arg) TURN_(static, name, type, arg)
#define CORE_TURN(name, type, arg) TURN_(CORE, name, type, arg)
#define DECLARE_TURN(name, type) CORE long name(u32 turn, void *ctx)
#define loop(n, name, arg)                                                      \
	do {                                                                    \
		void *ctx_ = (arg);                                             \
		((long (*)(u32, void *, void *, u64))181)((n), name, &ctx_, 0); \
	} while (0)
