/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A probe as its user writes it:
 *
 *	uprobe:FILE:FUNCTION[+OFFSET][(ARGUMENTS)]	uretprobe:FILE:FUNCTION[(ARGUMENTS)]
 *	kprobe:FUNCTION[+OFFSET][(ARGUMENTS)]		kretprobe:FUNCTION[(ARGUMENTS)]
 *	usdt:FILE:PROVIDER:PROBE[(ARGUMENTS)]
 *
 * ARGUMENTS are [NAME=]VALUE[:TYPE], with commas between. VALUE: arg1 (the first argument), retval, str(VALUE), +8(VALUE).
 */
#pragma once
#include <dusk/dusk.h>
#include <stdbool.h>
#include <stdint.h>

enum probe_kind { PROBE_UPROBE, PROBE_URETPROBE, PROBE_KPROBE, PROBE_KRETPROBE, PROBE_USDT };

#define PROBE_NAME_BYTES 512
#define PROBE_TEXT_BYTES 1024

struct probe_word {
	enum probe_kind kind;
	char file[PROBE_TEXT_BYTES], provider[PROBE_NAME_BYTES],
		function[PROBE_NAME_BYTES]; /* "" where there is none */
	uint64_t offset;
	bool has_arguments;
	char arguments[PROBE_TEXT_BYTES]; /* what is in the parentheses */
	char shown[PROBE_TEXT_BYTES];	  /* the word without them */
	size_t function_at;		  /* where the function is in it */
};

/* Does @text begin with one of the words above and a colon? */
bool probe_word_is(const char *text);

/* Returns 0; or -EINVAL, with the reason in @err. */
int probe_word_parse(struct probe_word *ret, const char *text, struct dusk_error *err);

/* Is it a probe where a function returns; at user code? */
static inline bool probe_word_returns(const struct probe_word *w)
{
	return w->kind == PROBE_URETPROBE || w->kind == PROBE_KRETPROBE;
}

static inline bool probe_word_is_user(const struct probe_word *w)
{
	return w->kind != PROBE_KPROBE && w->kind != PROBE_KRETPROBE;
}
