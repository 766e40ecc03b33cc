/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of profiles in a store. They are in the order in which profiles are recorded: 20261125T030000Z.dusk, when it begins. Where the
 * clock was set back this would be before the newest one, or its very name; then it is called after that one,
 * 20261125T030000Z_002.dusk, which says nothing of the time.
 */
#pragma once
#include <time.h>

#define STORE_TIME "%Y%m%dT%H%M%SZ" /* when a profile begins */
#define STORE_SUFFIX ".dusk"
#define STORE_RECORDING ".recording" /* behind that: it is being recorded */
#define STORE_BAD ".bad" /* behind that: it cannot be read, and was set aside when those of its day became one */
#define STORE_POSITION \
	".sent-" /* before a number: what has been sent somewhere, a file for each receiver (fleet/send/position.h) */

/*
 * Set *@start_s by @name, and *@nr to 1, or to the number behind "_". Returns what is left of @name behind STORE_SUFFIX, or NULL: it is
 * another name.
 */
const char *store_name_parse(const char *name, time_t *start_s, unsigned long *nr);
