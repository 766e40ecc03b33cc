/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Places of connections: one peer cannot take all of them.
 *
 * Whoever reaches the server can connect. A connection is a stranger's until one of its requests was right (guard.h), and there are
 * so many places for strangers: where one more comes, the oldest of them is shut down. Those that are known keep their
 * places, of which there are as many again; what is known beyond these stays among the strangers.
 *
 * Functions may be called from any thread.
 */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define PLACES_STRANGERS 64
#define PLACES_KNOWN 64
#define PLACES_MAX 256 /* with those that are shut down, and do not know it yet */

enum place_state { PLACE_FREE, PLACE_STRANGER, PLACE_KNOWN, PLACE_SHUT };

struct place {
	enum place_state state;
	int fd;
	uint64_t nr; /* the older, the smaller */
};

/* All-zero but for the lock: free places. */
struct places {
	pthread_mutex_t lock;
	uint64_t nr;
	struct place v[PLACES_MAX];
};

/* A connection begins. Returns its place; NULL: there are PLACES_MAX already. */
struct place *places_take(struct places *p, int fd);

/* A request of it was right. Returns true if it is known from now on, and was not before. @at may be NULL. */
bool places_know(struct places *p, struct place *at);

/* It has ended, and its descriptor is about to be closed. @at may be NULL. */
void places_leave(struct places *p, struct place *at);
