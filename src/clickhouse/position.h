/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What of a store has been sent to a server: a file in the store, one for each server.
 *
 * It is written before a batch is sent, and after. Who finds a batch in it that was not confirmed asks the server for it. The
 * agent does not merge profiles of which something is still to be sent.
 */
#pragma once
#include <limits.h>
#include "lib/profile/profile_read.h"

#define POSITION_PREFIX ".sent-"

struct position {
	char path[PATH_MAX];
	char profile[NAME_MAX +
		     1]; /* the one that is being sent; "": none yet. Those with lesser names have been sent */
	int done;	 /* all of it has arrived, also its names */
	struct profile_cursor from; /* up to here it has arrived */
	struct profile_cursor to;   /* up to here a batch may have arrived; the same: there is none */
};

/* Read where we are with the server at @place, in the folder @store. Returns 0, or a negative errno with a text in @err. */
int position_read(struct position *ret, const char *store, const char *place, struct dusk_error *err);

/* Write it, so that it is there after a crash. Returns as position_read(). */
int position_write(const struct position *p, struct dusk_error *err);
