/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is held by each address. See peers.h. */
#include "fleet/collect/peers.h"
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include "base/map.h"

/* IPv4, also where it comes as IPv6 (::ffff:192.0.2.1), or the network of IPv6. */
static uint64_t key_of(const struct sockaddr *a)
{
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)a;
	uint32_t four = 0;
	uint64_t network = 0;

	if (a->sa_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(&six->sin6_addr)) {
		memcpy(&network, &six->sin6_addr, sizeof(network));
		return hash64(network + 1);
	}
	if (a->sa_family == AF_INET6)
		memcpy(&four, &six->sin6_addr.s6_addr[12], sizeof(four));
	else if (a->sa_family == AF_INET)
		four = ((const struct sockaddr_in *)a)->sin_addr.s_addr;
	return hash64(~(uint64_t)four);
}

/* Where the peer of @key is linked, or NULL is if it is not there. */
static struct peer **find(struct peers *p, uint64_t key)
{
	struct peer **at = &p->buckets[key % PEER_BUCKETS];

	while (*at && (*at)->key != key)
		at = &(*at)->next;
	return at;
}

static bool is_share(uint64_t own, uint64_t all, uint64_t max)
{
	return 2 * own + (all - own) <= max;
}

bool peers_may_come(struct peers *p, const struct sockaddr *a)
{
	struct peer *peer;
	bool may;

	pthread_mutex_lock(&p->lock);
	peer = *find(p, key_of(a));
	may = is_share(peer ? peer->connections + 1 : 1, p->connections + 1, p->max_connections);
	pthread_mutex_unlock(&p->lock);
	return may;
}

struct peer *peers_come(struct peers *p, const struct sockaddr *a)
{
	uint64_t key = key_of(a);
	struct peer **at, *peer;

	pthread_mutex_lock(&p->lock);
	at = find(p, key);
	if (!*at && (*at = calloc(1, sizeof(**at))))
		(*at)->key = key;
	peer = *at;
	if (peer) {
		peer->connections++;
		p->connections++;
	}
	pthread_mutex_unlock(&p->lock);
	return peer;
}

void peers_leave(struct peers *p, struct peer *peer)
{
	struct peer **at;

	if (!peer)
		return;
	pthread_mutex_lock(&p->lock);
	p->connections--;
	if (!--peer->connections) {
		at = find(p, peer->key);
		*at = peer->next;
		p->bytes -= peer->bytes;
		free(peer);
	}
	pthread_mutex_unlock(&p->lock);
}

bool peers_take(struct peers *p, struct peer *peer, uint64_t bytes)
{
	bool may;

	pthread_mutex_lock(&p->lock);
	may = peer && is_share(peer->bytes + bytes, p->bytes + bytes, p->max_bytes);
	if (may) {
		peer->bytes += bytes;
		p->bytes += bytes;
	}
	pthread_mutex_unlock(&p->lock);
	return may;
}

void peers_give_back(struct peers *p, struct peer *peer, uint64_t bytes)
{
	if (!bytes)
		return;
	pthread_mutex_lock(&p->lock);
	peer->bytes -= bytes;
	p->bytes -= bytes;
	pthread_mutex_unlock(&p->lock);
}
