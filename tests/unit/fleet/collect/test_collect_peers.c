/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How much of a collector an address can have, and for how long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "base/address.h"
#include "base/clock.h"
#include "fleet/collect/request.h"

static struct peers peers(void)
{
	return (struct peers){.lock = PTHREAD_MUTEX_INITIALIZER, .max_connections = 16, .max_bytes = 128};
}

static union address from(const char *text)
{
	union address a;

	assert_int_equal(address_parse(&a, text), 0);
	return a;
}

/* As many connections as @text may have. Returns how many these are. */
static int come(struct peers *p, const char *text, struct peer *ret[16])
{
	union address a = from(text);
	int nr = 0;

	while (nr < 16 && peers_may_come(p, &a.any))
		ret[nr++] = peers_come(p, &a.any);
	return nr;
}

static void leave(struct peers *p, struct peer **v, int nr)
{
	while (nr)
		peers_leave(p, v[--nr]);
}

static void an_address_has_half_of_what_others_leave(void **state)
{
	struct peer *one[16], *two[16], *three[16], *again[16];
	struct peers p = peers();

	(void)state;
	assert_int_equal(come(&p, "192.0.2.1:1", one), 8);
	assert_int_equal(come(&p, "192.0.2.2:1", two), 4);
	assert_int_equal(come(&p, "192.0.2.3:1", three), 2);
	assert_int_equal(come(&p, "192.0.2.1:2", again), 0);
	assert_ptr_equal(one[0], one[7]);
	leave(&p, one, 8);
	assert_int_equal(come(&p, "192.0.2.1:2", again), 5);
	leave(&p, again, 5);
	leave(&p, two, 4);
	leave(&p, three, 2);
	assert_int_equal(p.connections, 0);
	for (int i = 0; i < PEER_BUCKETS; i++)
		assert_null(p.buckets[i]);
}

static void a_network_of_ipv6_is_one_address(void **state)
{
	struct peer *one[16], *two[16];
	struct peers p = peers();
	int nr;

	(void)state;
	assert_int_equal(come(&p, "[2001:db8::1]:1", one), 8);
	assert_int_equal(come(&p, "[2001:db8::2]:1", two), 0);
	nr = come(&p, "[2001:db8:0:1::1]:1", two);
	assert_int_equal(nr, 4);
	leave(&p, one, 8);
	leave(&p, two, nr);
	assert_int_equal(come(&p, "192.0.2.1:1", one), 8);
	assert_int_equal(come(&p, "[::ffff:192.0.2.1]:1", two), 0);
	leave(&p, one, 8);
}

static void bytes_are_shared_as_connections_are(void **state)
{
	union address a = from("192.0.2.1:1"), b = from("192.0.2.2:1");
	struct peers p = peers();
	struct peer *one = peers_come(&p, &a.any), *two = peers_come(&p, &b.any);

	(void)state;
	assert_true(peers_take(&p, one, 64));
	assert_false(peers_take(&p, one, 1));
	assert_true(peers_take(&p, two, 32));
	assert_false(peers_take(&p, two, 1));
	peers_give_back(&p, one, 64);
	assert_true(peers_take(&p, two, 32));
	assert_false(peers_take(&p, NULL, 1));
	peers_leave(&p, two);
	assert_int_equal(p.bytes, 0);
	peers_leave(&p, one);
}

static void a_post_that_comes_too_slowly_is_refused_and_holds_nothing(void **state)
{
	static const char *const urls[] = {"clickhouse://127.0.0.1:1/dusk"};
	struct collector_options o = {.password = "", .urls = urls, .nr_shards = 1};
	struct collector c = {.o = &o, .peers = peers()};
	struct request_head head = {.sql = "INSERT INTO dusk.counts(ts,host,name,value,batch) FORMAT RowBinary",
				    .encoding = "gzip"};
	union address a = from("192.0.2.1:1");
	struct request r = {.peer = peers_come(&c.peers, &a.any)};
	struct dusk_error err;

	(void)state;
	assert_int_equal(client_new(&c.asking[0], urls[0], &err), 0);
	request_begin(&c, &r, &head);
	assert_int_equal(r.kind, REQUEST_INSERT);
	assert_true(request_take(&c, &r, "0123", 4));
	assert_int_equal(c.peers.bytes, 4);
	assert_true(r.until_s > now_s() + REQUEST_S / 2 && r.until_s <= now_s() + REQUEST_S);
	r.until_s = now_s() - 1;
	assert_false(request_take(&c, &r, "4567", 4));
	assert_true(r.kind == REQUEST_ANSWERED && r.status == 408);
	assert_int_equal(c.counts.refused[REFUSED_LATE], 1);
	assert_int_equal(c.peers.bytes, 0);
	request_done(&c, &r);
	peers_leave(&c.peers, r.peer);
	client_free(c.asking[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_has_half_of_what_others_leave),
		cmocka_unit_test(a_network_of_ipv6_is_one_address),
		cmocka_unit_test(bytes_are_shared_as_connections_are),
		cmocka_unit_test(a_post_that_comes_too_slowly_is_refused_and_holds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
