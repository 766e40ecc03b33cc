/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Places of connections. See places.h. */
#include "web/places.h"
#include <stddef.h>
#include <sys/socket.h>

static unsigned int nr_of(const struct places *p, enum place_state state)
{
	unsigned int nr = 0;

	for (int i = 0; i < PLACES_MAX; i++)
		nr += p->v[i].state == state;
	return nr;
}

static struct place *oldest(struct places *p, enum place_state state)
{
	struct place *found = NULL;

	for (int i = 0; i < PLACES_MAX; i++)
		if (p->v[i].state == state && (!found || p->v[i].nr < found->nr))
			found = &p->v[i];
	return found;
}

/* Its thread sees that it has ended, and closes it. */
static void shut(struct place *at)
{
	shutdown(at->fd, SHUT_RDWR);
	at->state = PLACE_SHUT;
}

struct place *places_take(struct places *p, int fd)
{
	struct place *at;

	pthread_mutex_lock(&p->lock);
	if (nr_of(p, PLACE_STRANGER) >= PLACES_STRANGERS)
		shut(oldest(p, PLACE_STRANGER));
	at = oldest(p, PLACE_FREE);
	if (at)
		*at = (struct place){PLACE_STRANGER, fd, ++p->nr};
	pthread_mutex_unlock(&p->lock);
	return at;
}

bool places_know(struct places *p, struct place *at)
{
	bool fresh;

	pthread_mutex_lock(&p->lock);
	fresh = at && at->state == PLACE_STRANGER && nr_of(p, PLACE_KNOWN) < PLACES_KNOWN;
	if (fresh)
		at->state = PLACE_KNOWN;
	pthread_mutex_unlock(&p->lock);
	return fresh;
}

void places_leave(struct places *p, struct place *at)
{
	pthread_mutex_lock(&p->lock);
	if (at)
		at->state = PLACE_FREE;
	pthread_mutex_unlock(&p->lock);
}
