/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* env.h for the host: ordinary C, with assertions where BPF has masks. */
#pragma once
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

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

#define at(array, i)                       \
	((array)[({                        \
		u64 i_ = (i);              \
		assert(i_ < COUNT(array)); \
		i_;                        \
	})])

#define within(array, i, mask)        \
	((array)[({                   \
		u64 i_ = (i);         \
		assert(i_ <= (mask)); \
		i_;                   \
	})])

#define frozen(stored, known) (stored)
