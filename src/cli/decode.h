/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which text of ftrace is to be decoded, and where does it come from? */
#pragma once
#include "report/model/decode.h"

/*
 * The text in @file (NULL or "-": standard input; a trace.dat: what trace-cmd says of it) to standard output, decoded
 * by @d. A status; all is said.
 */
int decode_file(struct decode *d, const char *file);
