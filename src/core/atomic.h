/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All access to words that other CPUs may write at the same time.
 *
 * In BPF the __sync builtins are fully ordered only if their result is used; otherwise the compiler emits an
 * instruction without a result, which is not ordered. So fetch_...() always use it. Acquire and release are compiler
 * barriers on x86, where loads and stores keep their order and the JIT does not move them. Elsewhere, as on arm64, they
 * contain an exchange with a word of the stack, which always has a result and is a full barrier. BPF_LOAD_ACQ and
 * BPF_STORE_REL would cost less, but need Linux 6.15.
 */
#pragma once
#include "core/env.h"

#ifdef __bpf__
#ifdef __TARGET_ARCH_x86
#define barrier_() asm volatile("" ::: "memory")
#else
#define barrier_()                                         \
	({                                                 \
		u32 word_ = 0;                             \
                                                           \
		asm volatile("" ::"r"(&word_) : "memory"); \
		(void)__sync_lock_test_and_set(&word_, 1); \
		asm volatile("" ::: "memory");             \
	})
#endif
#define load_relaxed(p) (*(volatile typeof(*(p)) *)(p))
#define store_relaxed(p, v) (*(volatile typeof(*(p)) *)(p) = (v))
#define load_acquire(p)                            \
	({                                         \
		typeof(*(p)) v_ = load_relaxed(p); \
		barrier_();                        \
		v_;                                \
	})
#define store_release(p, v)                          \
	({                                           \
		barrier_();                          \
		*(volatile typeof(*(p)) *)(p) = (v); \
	})
#define fence_acquire() barrier_()
#define fence_release() barrier_()
#define use_(fetch)                           \
	({                                    \
		typeof(fetch) was_ = (fetch); \
		asm volatile("" ::"r"(was_)); \
		was_;                         \
	})
#define fetch_add(p, v) use_(__sync_fetch_and_add((p), (v)))
#define fetch_or(p, v) use_(__sync_fetch_and_or((p), (v)))
#define fetch_and(p, v) use_(__sync_fetch_and_and((p), (v)))
#define cmpxchg(p, old, new) __sync_val_compare_and_swap((p), (old), (new))
#define xchg(p, v) __sync_lock_test_and_set((p), (v))
#else
#define load_relaxed(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define store_relaxed(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define fence_acquire() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define fence_release() __atomic_thread_fence(__ATOMIC_RELEASE)
#define fetch_add(p, v) __atomic_fetch_add((p), (v), __ATOMIC_SEQ_CST)
#define cmpxchg(p, old, new) __sync_val_compare_and_swap((p), (old), (new))
#define xchg(p, v) __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
#define fetch_or(p, v) __atomic_fetch_or((p), (v), __ATOMIC_SEQ_CST)
#define fetch_and(p, v) __atomic_fetch_and((p), (v), __ATOMIC_SEQ_CST)
#endif
