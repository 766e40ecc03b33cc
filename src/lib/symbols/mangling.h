/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read names that only their file shows to be mangled: those of GNAT (Ada) and of gccgo (Go).
 *
 * Other schemes begin with a mark, such as _Z. In these, "a__b" is a.b, and "a_1b" is a/b, but in files of C it is not.
 */
#pragma once
#include <stddef.h>

enum mangling { MANGLING_MARKED, MANGLING_GNAT, MANGLING_GCCGO };

/* Return which it is, by the names of all functions of a file, one after the other, each with a 0 byte. */
enum mangling mangling_of(const char *names, size_t bytes);

/* Return the name of @symbol, to be freed with free(); NULL: it is not mangled so, or memory is short. */
char *mangling_read(enum mangling m, const char *symbol);
