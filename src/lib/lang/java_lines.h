/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of methods of Java. */
#pragma once
#include "abi/code.h"

/*
 * Return the line in its source of the bytecode at @position, in bytes from the start of the method @c, whose line table is in c->table.
 * Returns 0 if it is not known: the method has no table, as it is native, or what is kept of the table ends before that.
 */
u32 java_lines_find(const struct code_content *c, u32 position);
