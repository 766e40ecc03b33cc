/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What did a recording bring? */
#pragma once
#include <stdbool.h>
#include <dusk/dusk.h>

/*
 * Say on stderr what is in the profile at @path: samples, size, completeness, each loss, the event, what to type next.
 * @verbose: outcomes and counters that are zero too.
 */
void summary_say(const char *path, const char *event, double duration_s, bool verbose);
