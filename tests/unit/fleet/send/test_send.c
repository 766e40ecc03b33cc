/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is all of a store sent, and is what may have arrived already said to be so, whenever sending stops? */
#include "profile_fixture.h"
#include "fleet/send/send.h"

#define NAME "20261125T030000Z.dusk"
#define BATCHES 4 /* the rows of samples in write_small() */

/* A receiver: what it was sent, and what it does with it. */
static struct {
	int nr, maybe, ends;	/* batches, those that may have come before, and ends of profiles */
	int stop_at, fails_end; /* the batch that sets stop; so many ends fail */
	struct profile_cursor from[2 * BATCHES];
} got;
static volatile sig_atomic_t stop;

static int take_batch(struct target *t, const struct batch *b, struct sent *sent, struct dusk_error *err)
{
	(void)t;
	(void)err;
	assert_in_range(got.nr, 0, 2 * BATCHES - 1);
	got.from[got.nr++] = b->from;
	got.maybe += b->maybe;
	stop = got.nr == got.stop_at;
	sent->nr += b->p->nr_samples;
	return 0;
}

static int take_end(struct target *t, const struct dusk_profile *p, struct dusk_error *err)
{
	(void)t;
	(void)p;
	(void)err;
	return ++got.ends <= got.fails_end ? -EIO : 0;
}

static struct target target = {
	.place = "there", .unit = "rows", .most = {1, 1, 1, 1}, .send = take_batch, .end = take_end};

/* A store with one profile, which nobody has sent. */
static int make_store(void **state)
{
	char name[128];
	struct profile_writer *w = created();

	write_small(w);
	profile_set(w, "start_time", "2026-11-25T03:00:00Z");
	close_finished(w);
	snprintf(name, sizeof(name), "%s/" NAME, dir);
	memset(&got, 0, sizeof(got));
	return rename(path, name);
}

static int empty_store(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s && mkdir %s", dir, dir);
	return system(command);
}

/* What a process sends until stop is set, or there is no more. */
static int send_as_new(struct sent *sent)
{
	struct dusk_error err = {""};
	struct sender *s;
	int rc;

	stop = 0;
	assert_int_equal(sender_new(&s, &target, dir, &err), 0);
	rc = sender_send(s, &stop, sent, &err);
	sender_free(s);
	return rc;
}

static void what_has_arrived_is_not_sent_by_the_next_process(void **state)
{
	struct sent sent = {0};

	for (int i = 1; i <= BATCHES; i++) {
		got.stop_at = i;
		assert_int_equal(send_as_new(&sent), 0);
		assert_int_equal(got.nr, i);
	}
	assert_int_equal(send_as_new(&sent), 0);
	assert_int_equal(got.nr, BATCHES);
	assert_int_equal(got.maybe, 0);
	assert_int_equal(sent.nr, BATCHES);
	for (int i = 0; i < BATCHES; i++)
		assert_int_equal(got.from[i].sample, i);
	assert_int_equal(got.ends, 1);
}

static void the_end_of_a_profile_is_sent_until_it_has_arrived(void **state)
{
	struct dusk_error err = {""};
	struct sent sent = {0};
	struct sender *s;

	got.fails_end = 3;
	stop = 0;
	assert_int_equal(sender_new(&s, &target, dir, &err), 0);
	assert_int_equal(sender_send(s, &stop, &sent, &err), -EIO);
	assert_int_equal(sender_send(s, &stop, &sent, &err), -EIO);
	sender_free(s);
	assert_int_equal(send_as_new(&sent), -EIO);
	assert_int_equal(send_as_new(&sent), 0);
	assert_int_equal(got.ends, 4);
	assert_int_equal(send_as_new(&sent), 0);
	assert_int_equal(got.ends, 4);
	assert_int_equal(got.nr, BATCHES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_has_arrived_is_not_sent_by_the_next_process, make_store,
						empty_store),
		cmocka_unit_test_setup_teardown(the_end_of_a_profile_is_sent_until_it_has_arrived, make_store,
						empty_store),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
