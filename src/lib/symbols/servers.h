/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ask the debuginfod servers in $DEBUGINFOD_URLS for debug files, through libdebuginfod. */
#pragma once
#include <stdbool.h>
#include <stdlib.h>

struct opener_talk;

/* Return whether the user names servers. If so they are asked, unless the program cannot: dusk_can_ask_servers(). */
static inline bool servers_named(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls;
}

/*
 * Get the debug file for @build_id, in hexadecimal, from a server or from libdebuginfod's cache. A server that sends
 * nothing is given up, and @talk says so.
 * Returns a descriptor or a negative errno.
 */
int servers_fetch(const char *build_id, struct opener_talk *talk);
