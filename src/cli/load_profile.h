/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where does a command get its profile, with names? */
#pragma once
#include <signal.h>
#include "cli/command.h"

/*
 * Read the profile at @path. @symbols: if functions can be looked up, do that now, in memory. @inlined: inlined
 * functions get frames of their own. STATUS_OK, and *@ret is to be freed with dusk_profile_free(); or STATUS_FAILED
 * with all said.
 */
int open_profile(struct dusk_profile **ret, const char *path, bool symbols, bool inlined);

/* For the commands that can leave inlined functions out; @member is a bool, true unless the user says else. */
#define INLINE_OPTIONS(type, member)                                                                             \
	{0, "inline", OPTION_FLAG, offsetof(type, member), NULL, "frames for inlined functions, too (default)"}, \
		{0, "no-inline", OPTION_OFF, offsetof(type, member), NULL, "only functions with code of their own"}

static inline void profile_freep(struct dusk_profile **p)
{
	dusk_profile_free(*p);
}

/* A line on stderr that is overwritten, if stderr is a terminal; progress_end() wipes it. */
struct progress {
	bool shown, quiet;
	double start_s;
	const volatile sig_atomic_t *stops; /* how often we were asked to stop: @max times is enough. NULL: never */
	int max;
	const volatile uint64_t
		*stopped_ns; /* when that was first asked, or 0; after @patience_ns more it is enough, too */
	uint64_t patience_ns;
};

void progress_begin(struct progress *p, bool quiet);
int progress_step(void *progress, uint32_t done, uint32_t total);
void progress_end(struct progress *p);
