/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who else is asked for debug information, and for how long? The servers in $DEBUGINFOD_URLS, by libdebuginfod. */
#pragma once
#include <stdbool.h>
#include <stdlib.h>

struct opener_talk;

/* Does the user name servers? If so they are asked, unless the program cannot: dusk_can_ask_servers(). */
static inline bool servers_named(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls;
}

/*
 * The debug file for @build_id, in hexadecimal, from a server or what libdebuginfod has kept of one: a descriptor or a
 * negative errno. A server that says nothing is given up, and @talk says so.
 */
int servers_fetch(const char *build_id, struct opener_talk *talk);
