/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* env.h for a kernel module: ordinary C as on the host, masks as in BPF. */
#pragma once
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/types.h>

#define CORE
#define GLOBAL
#define FLAT
#define NONNULL
#define SHARED(name)

#define each(i, n) for (u32 i = 0; i < (n); i++)

#define TURN(name, type, arg) static int name(u32 turn, type *arg)
#define CORE_TURN(name, type, arg) int name(u32 turn, type *arg)
#define DECLARE_TURN(name, type) int name(u32 turn, type *arg)
#define loop(n, name, arg)                                \
	do {                                              \
		for (u32 turn_ = 0; turn_ < (n); turn_++) \
			if (name(turn_, (arg)) != NEXT)   \
				break;                    \
	} while (0)

#define opaque(x) (x)
#define verifier_forget(home, val) ((home) = (val))
#define verifier_join() ((void)0)

/* The host's assertions show that the mask is never needed: nothing here depends on it. */
#define at(array, i)                                                                                   \
	((array)[({                                                                                    \
		_Static_assert((COUNT(array) & (COUNT(array) - 1)) == 0, "at() needs a power of two"); \
		(u64)(i) & (COUNT(array) - 1);                                                         \
	})])

#define within(array, i, mask) ((array)[(u64)(i) & (mask)])

#define frozen(stored, known) (stored)
