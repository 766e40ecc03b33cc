/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which connections to dusk web keep their places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "web/places.h"

struct connection {
	int server, client;
	struct place *at;
};

static struct connection connected(struct places *p)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	return (struct connection){pair[0], pair[1], places_take(p, pair[0])};
}

static bool is_open(const struct connection *c)
{
	struct pollfd fd = {.fd = c->client, .events = POLLIN};

	return !poll(&fd, 1, 0);
}

static void leave(struct places *p, struct connection *c)
{
	places_leave(p, c->at);
	close(c->server);
	close(c->client);
}

static void the_oldest_stranger_makes_room_and_what_is_known_stays(void **state)
{
	struct places p = {.lock = PTHREAD_MUTEX_INITIALIZER};
	struct connection owner = connected(&p), strangers[PLACES_STRANGERS + 1];

	(void)state;
	assert_true(places_know(&p, owner.at));
	assert_false(places_know(&p, owner.at));
	for (int i = 0; i <= PLACES_STRANGERS; i++)
		strangers[i] = connected(&p);
	assert_true(is_open(&owner));
	assert_false(is_open(&strangers[0]));
	for (int i = 1; i <= PLACES_STRANGERS; i++)
		assert_true(is_open(&strangers[i]));
	assert_false(places_know(&p, strangers[0].at));
	leave(&p, &owner);
	for (int i = 0; i <= PLACES_STRANGERS; i++)
		leave(&p, &strangers[i]);
}

static void a_place_that_was_left_is_free(void **state)
{
	struct places p = {.lock = PTHREAD_MUTEX_INITIALIZER};
	struct connection first = connected(&p);

	(void)state;
	for (int i = 0; i < 2 * PLACES_MAX; i++) {
		struct connection c = connected(&p);

		assert_non_null(c.at);
		leave(&p, &c);
	}
	assert_true(is_open(&first));
	leave(&p, &first);
	places_leave(&p, NULL);
}

static void what_is_known_beyond_its_places_stays_a_stranger(void **state)
{
	struct places p = {.lock = PTHREAD_MUTEX_INITIALIZER};
	struct connection known[PLACES_KNOWN], more = {0};

	(void)state;
	for (int i = 0; i < PLACES_KNOWN; i++) {
		known[i] = connected(&p);
		assert_true(places_know(&p, known[i].at));
	}
	more = connected(&p);
	assert_false(places_know(&p, more.at));
	leave(&p, &known[0]);
	assert_true(places_know(&p, more.at));
	for (int i = 1; i < PLACES_KNOWN; i++)
		leave(&p, &known[i]);
	leave(&p, &more);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_oldest_stranger_makes_room_and_what_is_known_stays),
		cmocka_unit_test(a_place_that_was_left_is_free),
		cmocka_unit_test(what_is_known_beyond_its_places_stays_a_stranger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
