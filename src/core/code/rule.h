/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The form of the rules that rules.sh makes of rules.txt, and their comparison with code.
 *
 * Comparisons have no branches: each would double the verifier's paths through everything that follows.
 */
#pragma once
#include "core/machine.h"

#define RULE_BYTES_BEFORE 8 /* bytes of code that are compared before the PC or the return address */

/* Eight bytes of code as a word. */
#define WORD(a, b, c, d, e, f, g, h)                                                                    \
	((u64)(a) | (u64)(b) << 8 | (u64)(c) << 16 | (u64)(d) << 24 | (u64)(e) << 32 | (u64)(f) << 40 | \
	 (u64)(g) << 48 | (u64)(h) << 56)

/* 16 bytes of code, which count where a mask is not 0. */
struct code {
	u64 word[2];
} __attribute__((packed)); /* at any alignment */

/* The code around a return address: RULE_BYTES_BEFORE bytes before it and 16 behind, as in m->code. */
struct code_around {
	u64 word[3];
} __attribute__((may_alias));

/*
 * What a rule says, in one word: how many words above the stack pointer the CFA is, two numbers from 0 to 15 of which
 * the architecture says what they mean (core/arch/rule_row.h), the enum switch_kind, and the rule's own number.
 */
#define RULE(words, first, second, kind, id) \
	((u32)(words) | (first) << 8 | (second) << 12 | (kind) << 16 | (u32)(id) << 24)
#define RULE_SAYS 0xffff

static INLINE u32 rule_words(u32 rule)
{
	return rule & 0xff;
}

static INLINE u32 rule_first(u32 rule)
{
	return rule >> 8 & 15;
}

static INLINE u32 rule_second(u32 rule)
{
	return rule >> 12 & 15;
}

/* How a function that has changed the stack is left (go.c, cgo.c), or what else there is. */
enum switch_kind {
	NO_SWITCH,
	SYSTEMSTACK,
	MCALL,
	MORESTACK,
	ASMCGOCALL,
	CGOCALLBACK,
	CROSSCALL1,
	CROSSCALL2,
	OUTERMOST,    /* not at all */
	SIGNAL_FRAME, /* by the registers that the kernel has put on the stack */
	START,	      /* it never returns, and the stack begins near by */
};

static INLINE u32 rule_kind(u32 rule)
{
	return rule >> 16 & 0xff;
}

static INLINE u32 rule_id(u32 rule)
{
	return rule >> 24;
}

/* The rules `at`. */
struct at_rule {
	struct code code, mask;
	u32 rule;
};

/* The rules `function`: true from @from on, of a function of @bytes bytes. */
struct function_rule {
	struct code code, mask;
	u32 rule, from, bytes;
};

/* The rules `cfi`: true from @from up to @to. */
struct cfi_rule {
	struct code code, mask;
	u32 rule, from, to;
};

/* The rules `return`. */
struct return_rule {
	struct code_around code, mask;
	u32 rule;
};

/* All bits if @a is 0, or none. */
static INLINE u64 is_zero(u64 a)
{
	return (s64)((a - 1) & ~a) >> 63;
}

/* All bits if @a is less than @b, or none. */
static INLINE u64 is_less(u64 a, u64 b)
{
	return (s64)(a - b) >> 63;
}

/* All bits if @here is @code where @mask is not 0, or none. */
static INLINE u64 fits(const struct code *here, const struct code *code, const struct code *mask)
{
	return is_zero(((here->word[0] ^ code->word[0]) & mask->word[0]) |
		       ((here->word[1] ^ code->word[1]) & mask->word[1]));
}

static INLINE u64 fits_around(const struct code_around *here, const struct code_around *code,
			      const struct code_around *mask)
{
	return is_zero(((here->word[0] ^ code->word[0]) & mask->word[0]) |
		       ((here->word[1] ^ code->word[1]) & mask->word[1]) |
		       ((here->word[2] ^ code->word[2]) & mask->word[2]));
}
