/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is held by each address that agents post from: connections, and bytes of posts that are under way.
 *
 * An address has half of what the others leave at the most. So one alone, which may be a proxy of many agents, has half of all, and
 * however much it takes, as much is left for others. Of IPv6 an address is its first 64 bits, which one machine has.
 *
 * Functions may be called from any thread.
 */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define PEER_BUCKETS 1024

struct peer {
	struct peer *next;
	uint64_t key;
	uint64_t connections, bytes;
};

/* All-zero but for the lock and what is there at most: no peers. */
struct peers {
	pthread_mutex_t lock;
	uint64_t max_connections, max_bytes;
	uint64_t connections, bytes; /* of all */
	struct peer *buckets[PEER_BUCKETS];
};

/* May one more connection come from @a? */
bool peers_may_come(struct peers *p, const struct sockaddr *a);

/* It has come. Returns its peer, for peers_leave(); NULL: memory is short. */
struct peer *peers_come(struct peers *p, const struct sockaddr *a);
void peers_leave(struct peers *p, struct peer *peer);

/* Let @peer have @bytes more, until it gives them back. Returns false if that is more than its share. */
bool peers_take(struct peers *p, struct peer *peer, uint64_t bytes);
void peers_give_back(struct peers *p, struct peer *peer, uint64_t bytes);
