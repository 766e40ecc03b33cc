/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A receiver of OTLP as the target of a store: each window is a request, or several if it is large.
 *
 * OTLP cannot be asked what has arrived, so each arrives at least once. What is sent again has the same ids of profiles.
 */
#pragma once
#include "fleet/otlp/receiver.h"
#include "fleet/send/target.h"

struct otlp_target {
	struct target target;
	struct receiver *receiver;
	char cache[4096];	/* of functions; "": there is none */
	uint64_t batch;		/* hash of the one that is being sent, */
	uint64_t settled;	/* ... and how many of its samples have been taken or refused, in order */
	unsigned int nr_broken; /* so often in a row the next request failed there */
	size_t max_bytes;	/* of a request */
	uint64_t said;		/* hash of what was complained of last */
};

/* @r must live as long. */
void otlp_target_init(struct otlp_target *ret, struct receiver *r);
