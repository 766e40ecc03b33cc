/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What dusk record -e takes beside names of tracefs: words of perf's users, and what to do where there is nothing to record. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Return what @word means here, "cpu", "offcpu" or an event of tracefs; NULL: it is not such a word. */
const char *event_word_means(const char *word);

/* Is it a probe, which dusk record makes itself: "uprobe:libc:malloc" (lib/record/probe_word.h)? */
bool event_word_is_probe(const char *text);

/*
 * Write to @ret, of @room bytes, why @text cannot be recorded and what can be done instead. False: nothing is known of
 * it.
 */
bool event_word_explain(const char *text, char *ret, size_t room);
