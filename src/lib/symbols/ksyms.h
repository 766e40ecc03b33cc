/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Find the function at an address of the running kernel, its modules and its BPF programs. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct ksyms;

/*
 * Read /proc/kallsyms. Free *@ret with ksyms_free().
 * Returns 0, -EPERM (the kernel hides its addresses: kptr_restrict), or another negative errno.
 */
int ksyms_load(struct ksyms **ret);

/* Like ksyms_load(), from text in memory with a 0 byte behind it. Takes ownership of @text, also on failure. */
int ksyms_parse(struct ksyms **ret, char *text, size_t len_bytes);

/*
 * Return the name of the function at @address, or NULL. *@start is its beginning, and *@module is "[kernel]" or the
 * name of the module in brackets. Both strings are valid as long as @k.
 */
const char *ksyms_find(const struct ksyms *k, uint64_t address, uint64_t *start, const char **module);

/*
 * Return the end of the function that begins at @start, which is taken to be where the next one begins. 0: not known.
 */
uint64_t ksyms_end(const struct ksyms *k, uint64_t start);
void ksyms_free(struct ksyms *k);
