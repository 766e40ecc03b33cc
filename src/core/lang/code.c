/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/lang/code.h"
#include "core/lang/frames.h"

#define WORDS (sizeof(struct code_content) / sizeof(u64))
_Static_assert(WORDS * sizeof(u64) == sizeof(struct code_content), "whole words");

GLOBAL int code_hash(struct lang *l NONNULL)
{
	l->hash = 0;
	each (i, WORDS) {
		u32 k = opaque(i);

		if (k >= WORDS)
			break;
		l->hash = code_mix(l->hash, l->content_word[k]);
	}
	return 0;
}

GLOBAL bool code_is_same(const struct code_content *a NONNULL, const struct code_content *b NONNULL)
{
	const u64 *x = (const u64 *)a, *y = (const u64 *)b;
	u64 differs = 0;

	each (i, WORDS) {
		u32 k = opaque(i);

		if (k >= WORDS)
			break;
		differs |= x[k] ^ y[k];
	}
	return !differs;
}

GLOBAL int read_word(struct lang *l NONNULL, u64 addr)
{
	return read_word_in_place(l, addr);
}

GLOBAL int code_read_words(struct lang *l NONNULL, u64 addr)
{
	int err = port_read(l->text, sizeof(l->text), addr);
	u64 bytes;

	if (err != -EFAULT)
		return err;
	UNROLL
	for (u32 i = 0; i < COUNT(l->text); i++)
		l->text[i] = 0;
	bytes = verifier_forget(l->bytes, PAGE_BYTES - addr % PAGE_BYTES);
	return bytes < sizeof(l->text) ? port_read(l->text, bytes, addr) : err;
}
