/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* In which mode dusk record records: the one that is asked for, or the best that works here, with a line that says why. */
#pragma once
#include <dusk/dusk.h>

struct mode_choice {
	const char *name; /* of the mode that is asked for; NULL: the best */
	bool quiet;
	bool sources_by_name; /* then none of them is left out */
	bool needs_full;      /* something is asked for that only the full mode has */
	bool wakers_may_lack; /* where they cannot be recorded */
};

/* Is there a mode of this name? */
bool mode_is_known(const char *name);

/*
 * Set up the recording. @ro->mode is then the mode that it has. Returns as dusk_record_new(); where a better mode was
 * refused, that has been printed, and @err is empty.
 */
int mode_choose(struct dusk_record **ret, struct dusk_record_options *ro, const struct mode_choice *c,
		struct dusk_error *err);
