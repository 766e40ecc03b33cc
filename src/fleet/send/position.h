/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What of a store has been sent to a target: a file in the store, one for each target.
 *
 * It is written before a batch is sent, and after: a batch that was not confirmed may have arrived. The agent does not merge
 * profiles of which something is still to be sent. dusk store status (src/cli) reads the file, too. Where it is gone, the target
 * is asked what it has.
 */
#pragma once
#include <limits.h>
#include <stdbool.h>
#include "fleet/send/target.h"

struct position {
	char path[PATH_MAX];
	const char *place;
	int lock;
	/* The one that is being sent; "": none yet. Those with lesser names have been sent. */
	char profile[NAME_MAX + 1];
	int done;		    /* all of it has arrived, also its names */
	struct profile_cursor from; /* up to here it has arrived */
	struct profile_cursor to;   /* up to here a batch may have arrived; the same: there is none */
	struct sent sent;	    /* since the position was made, of all profiles */
	uint64_t lost_profiles;	    /* were removed before all of them was sent */
	int asks;		    /* there was no position: what is in the store may have arrived, nobody knows */
	uint64_t session;	    /* of the target, in which the batch may have been sent */
};

/*
 * Read where we are with the target at @place, which must live as long, in the folder @store, and keep others from sending to it
 * meanwhile. One that is damaged is as good as none, which is said, if the target can be asked (@can_ask), and otherwise a failure.
 * Close with position_close(), in any case. Returns 0, or a negative errno with a text in @err.
 */
int position_open(struct position *ret, const char *store, const char *place, bool can_ask, struct dusk_error *err);
void position_close(struct position *p);

/* Write it, so that it is there after a crash. Returns as position_open(). */
int position_write(const struct position *p, struct dusk_error *err);
