/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which function of the running kernel, of its modules or of its BPF programs is at this address? */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct ksyms;

/* Read /proc/kallsyms. *@ret is to be freed with ksyms_free(). -EPERM: the kernel hides its addresses (kptr_restrict).
 */
int ksyms_load(struct ksyms **ret);

/* The same of text in memory, in the form of /proc/kallsyms. Takes @text (also on failure), which has a 0 byte at its
 * end. */
int ksyms_parse(struct ksyms **ret, char *text, size_t len_bytes);

/*
 * The function at @address, or NULL. *@start is where it begins, *@module "[kernel]" or the name of the module in
 * brackets. Both strings live as long as @k.
 */
const char *ksyms_find(const struct ksyms *k, uint64_t address, uint64_t *start, const char **module);

/* Where the function that begins at @start ends, as far as is known: where the next one begins. 0: not known. */
uint64_t ksyms_end(const struct ksyms *k, uint64_t start);
void ksyms_free(struct ksyms *k);
