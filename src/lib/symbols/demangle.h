/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Demangle the symbols of C++, Rust and D functions; of Ada and gccgo in files of these. */
#pragma once
#include "lib/symbols/mangling.h"

/*
 * Return the name of a C++, Rust or D symbol without its parameters, to be freed with free(). NULL if @symbol is not
 * mangled, or if it or the name is unreasonably long.
 */
char *demangle(const char *symbol);

/*
 * Return the name to show for a symbol of a file with names of @m, to be freed with free(): demangled, and without a version ("@@GLIBC_2.14");
 * the mark of a stub ("@plt") stays. NULL: memory is short.
 */
char *demangle_symbol(const char *symbol, enum mangling m);
