/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What did the programmer call this function? */
#pragma once

/*
 * The name of a C++, Rust or D symbol without its parameters, to be freed with free(). NULL if @symbol is not mangled,
 * or is longer, or would become longer, than a name can sensibly be.
 */
char *demangle(const char *symbol);
