/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs whose chains are known, for check-size. It is compiled, never loaded.
 *
 * FRAMES says how deep the program "direct" goes, BYTES how much stack the functions "leaf" and "bearer" take.
 */
typedef unsigned int u32;
typedef unsigned long long u64;

#define SEC(name) __attribute__((section(name), used))
#define NOINLINE __attribute__((noinline))

#ifndef FRAMES
#define FRAMES 3
#endif
#ifndef BYTES
#define BYTES 32
#endif

static long (*bpf_loop)(u32 nr, void *body, void *ctx, u64 flags) = (void *)181;
extern int later(void *callback) __attribute__((section(".ksyms")));

static NOINLINE u32 leaf(u32 x)
{
	volatile char local[BYTES];

	local[x & 7] = x;
	return local[1];
}

#define LEVEL(name, callee)                   \
	static NOINLINE u32 name(u32 x)       \
	{                                     \
		u32 ret = callee(x + 1);      \
                                              \
		asm volatile("" : "+r"(ret)); \
		return ret + x;               \
	}
LEVEL(level3, leaf)
#if FRAMES > 3
LEVEL(level4, level3)
LEVEL(level5, level4)
LEVEL(level6, level5)
LEVEL(level7, level6)
LEVEL(level8, level7)
#endif
#if FRAMES == 9
LEVEL(top, level8)
#elif FRAMES == 8
#define top level8
#else
#define top leaf
#endif

static NOINLINE u32 bearer(u32 x)
{
	volatile char local[BYTES];

	local[x & 7] = leaf(x);
	return local[2];
}

/* greedy > bearer > leaf: twice BYTES. */
SEC("prog/greedy") int greedy(void *ctx)
{
	return bearer((u64)ctx);
}

SEC("prog/direct") int direct(void *ctx)
{
	return top(1);
}

static NOINLINE int body(u32 turn, void *ctx)
{
	return level3(turn);
}

/* A body is a frame of its caller: looping > body > level3 > leaf. */
SEC("prog/looping") int looping(void *ctx)
{
	u32 state = 0;

	bpf_loop(3, body, &state, 0);
	return state;
}

static NOINLINE int callback(void *map, void *key, void *value)
{
	return level3(1);
}

/* What the kernel calls later begins a chain of its own: callback > level3 > leaf. */
SEC("prog/deferring") int deferring(void *ctx)
{
	return later(callback);
}
