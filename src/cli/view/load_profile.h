/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read profiles and look up their functions. */
#pragma once
#include <signal.h>
#include "cli/cmdline/command.h"
#include "cli/view/needs.h"

/*
 * Read the profile at @path. @symbols: look up functions that have no names yet, in memory. @inlined: give inlined
 * functions frames of their own. Free *@ret with dusk_profile_free(). Returns STATUS_OK, or as store_open().
 */
int open_profile(struct dusk_profile **ret, const char *path, bool symbols, bool inlined);

/* The same, of which only @needs are needed: a server leaves the rest out, a file has it. */
int open_profile_for(struct dusk_profile **ret, const char *path, bool symbols, bool inlined,
		     const struct needs *needs);

/* Options of commands that can leave inlined functions out. @member: a bool, which the command initializes to true. */
#define INLINE_OPTIONS(type, member)                                                                             \
	{0, "inline", OPTION_FLAG, offsetof(type, member), NULL, "frames for inlined functions, too (default)"}, \
		{0, "no-inline", OPTION_OFF, offsetof(type, member), NULL, "only functions with code of their own"}

static inline void profile_freep(struct dusk_profile **p)
{
	dusk_profile_free(*p);
}

/* A progress line on stderr, if that is a terminal; progress_end() erases it. */
struct progress {
	bool shown, quiet;
	double start_s;
	const volatile sig_atomic_t *stops; /* number of requests to stop: cancel at @max. NULL: never */
	int max;
	const volatile uint64_t
		*stopped_ns; /* time of the first request, or 0: cancel after @patience_ns more. NULL: never */
	uint64_t patience_ns;
};

void progress_begin(struct progress *p, bool quiet);
int progress_step(void *progress, uint32_t done, uint32_t total);
void progress_end(struct progress *p);
