/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who else is asked for debug information, and for how long? The servers in $DEBUGINFOD_URLS, by libdebuginfod. */
#pragma once
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

struct Dwfl;

/* What servers have said while somebody waits for them. */
struct server_talk {
	long bytes;
	time_t heard;
	bool silent;		/* one sent nothing until it was given up */
};

/* Does the user name servers? If so libdw asks them, unless the program cannot: dusk_can_ask_servers(). */
static inline bool servers_named(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls;
}

/* Those that are asked for files of @dwfl are given up when they say nothing. Nothing happens without libdebuginfod. */
void servers_watch(struct Dwfl *dwfl);

/* From here to servers_end(), this thread's talk with servers is @t, which stays the caller's. */
void servers_begin(struct server_talk *t);
void servers_end(void);
