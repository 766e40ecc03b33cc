/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Summarize a recording. */
#pragma once
#include <stdbool.h>
#include <dusk/dusk.h>

/*
 * Print a summary of the profile at @path to stderr: samples, size, completeness, each loss, the event, and what to
 * type next. @verbose: include outcomes and counters that are zero.
 */
void summary_say(const char *path, const char *event, bool verbose);
