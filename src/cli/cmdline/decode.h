/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Decode the text of ftrace from a file or standard input. */
#pragma once
#include "report/model/decode.h"

/*
 * Decode the text in @file by @d, and write it to standard output. NULL or "-": standard input; for a trace.dat, the
 * output of trace-cmd report is decoded. Returns an exit status, after printing errors.
 */
int decode_file(struct decode *d, const char *file);
