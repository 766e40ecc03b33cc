/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where a store is sent to: what each kind of receiver does in its own way. A program that sends has one, with what it needs
 * behind it, and calls send_store().
 */
#pragma once
#include <signal.h>
#include "lib/profile/read/read.h"

/* What has been written to a profile since the batch before. */
struct batch {
	struct dusk_profile *p;	    /* these rows, and all that they refer to; its functions may be looked up */
	struct profile_cursor from; /* where they begin, which is different for each batch of a profile */
	struct profile_cursor to;   /* where they end, which is the same whenever it is sent */
	bool maybe;		    /* it may have arrived already: we were killed, or the answer did not come */
};

/* What became of what was sent. */
struct sent {
	uint64_t nr;	  /* has arrived, in the target's unit */
	uint64_t refused; /* the receiver does not want it, now or later: it is lost */
};

enum { ALL_ARRIVED = 2 };

struct target {
	const char *place; /* where it is, without secrets: the same text for the same receiver, and for no other */
	const char *unit;  /* what is sent, in the plural: "rows" */
	struct profile_cursor most; /* so many rows of each table a batch has at most */
	uint64_t most_samples;	    /* likewise, of what is in them, unless one row has more; 0: any number */
	unsigned int poll_s;	    /* what follows a store looks for more so often; 0: each 5 s */
	unsigned int patience_s;    /* after a failure: for so long the receiver asks to be left alone, at least */
	uint64_t session;	    /* what is sent from now on is sent in it; 0: there are none */

	/* These return 0, or a negative errno with a text in @err; then it is tried again. NULL: there is nothing to do. */

	/*
	 * We do not know what was sent before: how far goes the batch that begins where @b does, if the receiver has heard of
	 * one? Returns 1, with that in *@to: it may have arrived; ALL_ARRIVED: it has all of the profile; 0: it never came; or
	 * a negative errno, likewise. NULL: the receiver cannot say.
	 */
	int (*recall)(struct target *t, const struct batch *b, struct profile_cursor *to, struct dusk_error *err);

	/*
	 * What was sent in @session (0: nobody knows) and has not arrived yet never does, whenever the network delivers it. From now on
	 * another session is used.
	 */
	int (*end_session)(struct target *t, uint64_t session, struct dusk_error *err);

	/* What waits for the receiver is given up soon after *@stop is set (patience.h). NULL: nothing waits for long. */
	void (*set_stop)(struct target *t, const volatile sig_atomic_t *stop);

	/* Can anything be sent there? */
	int (*check)(struct target *t, struct dusk_error *err);

	/* Send @b, which is the same whenever it is sent again. What has come of it is added to @sent. */
	int (*send)(struct target *t, const struct batch *b, struct sent *sent, struct dusk_error *err);

	/* A recording has ended, and all of it was sent: @p has its functions, and no samples. */
	int (*end)(struct target *t, const struct dusk_profile *p, struct dusk_error *err);

	/* The profile @name is gone, or cannot be read, before all of it was sent. @host: whose it was, likely; NULL: nobody knows. */
	int (*lose)(struct target *t, const char *host, const char *name, struct dusk_error *err);
};
