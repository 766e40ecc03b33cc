/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does every stack get one id of its own, and does the id lead to the stack, also if many insert at once? */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/stacktable.h"

#define THREADS 4
#define DISTINCT 3000
#define PUTS 20000

static struct stacktable *table;

static int fresh(void **state)
{
	table = calloc(1, sizeof(*table));
	return table ? 0 : -1;
}

static int drop(void **state)
{
	free(table);
	return 0;
}

static u64 mix(u64 x)
{
	x = (x ^ x >> 31) * 0x9E3779B97F4A7C15ULL;
	return x ^ x >> 29;
}

/* The @n-th of a set of different stacks. */
static void make(struct stack *s, u32 n)
{
	s->nr = n % 40;
	for (u32 i = 0; i < s->nr; i++)
		s->frame[i] = mix(n + (u64)i * 1000003);
	if (!s->nr)
		s->frame[s->nr++] = n;
}

static bool leads_to(u32 id, const struct stack *s)
{
	u32 nr = ~0;
	const u64 *frame = stacktable_get(table, id, &nr);

	return frame && nr == s->nr && !memcmp(frame, s->frame, nr * sizeof(*frame));
}

static void a_stack_keeps_its_id(void **state)
{
	static struct stack s;
	u32 id[100], again;

	for (u32 n = 0; n < COUNT(id); n++) {
		make(&s, n);
		assert_int_equal(stacktable_put(table, &s, &id[n]), 0);
		assert_true(id[n] && leads_to(id[n], &s));
		for (u32 m = 0; m < n; m++)
			assert_true(id[m] != id[n]);
	}
	for (u32 n = 0; n < COUNT(id); n++) {
		make(&s, n);
		assert_int_equal(stacktable_put(table, &s, &again), 0);
		assert_int_equal(again, id[n]);
	}
	assert_int_equal(table->stacks, COUNT(id));
}

static void stacks_of_any_length_are_kept(void **state)
{
	static const u32 length[] = { 0, 1, 2, MAX_DEPTH - 1, MAX_DEPTH };
	static struct stack s;
	u32 id[COUNT(length)], again;

	for (u32 i = 0; i < MAX_DEPTH; i++)
		s.frame[i] = mix(i);
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < COUNT(length); i++) {
			s.nr = length[i];
			assert_int_equal(stacktable_put(table, &s, round ? &again : &id[i]), 0);
			assert_true(!round || again == id[i]);
			assert_true(leads_to(id[i], &s));
		}
	assert_int_equal(table->stacks, COUNT(length));
	s.nr = MAX_DEPTH + 1;
	assert_true(stacktable_put(table, &s, &again) < 0);
}

static void stacks_that_differ_in_one_frame_or_in_length_differ(void **state)
{
	static struct stack s = { .nr = 3, .frame = { 1, 2, 3 } };
	u32 a, b, c;

	stacktable_put(table, &s, &a);
	s.frame[2] = 4;
	stacktable_put(table, &s, &b);
	s.frame[2] = 3;
	s.nr = 2;
	stacktable_put(table, &s, &c);
	assert_true(a != b && b != c && a != c);
}

/* Stacks of two frames that share the whole hash: the second frame undoes what the first one did (FNV-1a). */
static void make_collision(struct stack *s, u64 n)
{
	u64 first = (0xcbf29ce484222325ULL ^ n) * 0x100000001b3ULL;

	s->nr = 2;
	s->frame[0] = n;
	s->frame[1] = first ^ 0x1234567;
}

static void stacks_that_share_their_hash_are_told_apart_by_their_frames(void **state)
{
	static struct stack s;
	u32 id[STACK_PROBES], again;
	u64 hash = 0;

	for (u32 n = 0; n < STACK_PROBES; n++) {
		make_collision(&s, n);
		assert_int_equal(stacktable_put(table, &s, &id[n]), 0);
		assert_true(!n || s.hash == hash);
		hash = s.hash;
		assert_true(leads_to(id[n], &s));
	}
	for (u32 n = 0; n < STACK_PROBES; n++) {
		make_collision(&s, n);
		assert_int_equal(stacktable_put(table, &s, &again), 0);
		assert_int_equal(again, id[n]);
	}
	assert_int_equal(table->stacks, STACK_PROBES);
	make_collision(&s, STACK_PROBES);
	again = 77;
	assert_int_equal(stacktable_put(table, &s, &again), -ENOSPC);
	assert_int_equal(again, 77);
}

static void a_slot_with_the_same_tag_and_another_hash_is_not_taken_for_it(void **state)
{
	static struct stack s = { .nr = 1, .frame = { 99 } };
	u32 id, other;

	assert_int_equal(stacktable_put(table, &s, &id), 0);
	table->word[id] ^= 1;			/* the hash of another stack: upper half and slot are the same */
	assert_int_equal(stacktable_put(table, &s, &other), 0);
	assert_true(other != id);
	table->word[other + 1]++;		/* and of another length */
	assert_int_equal(stacktable_put(table, &s, &id), 0);
	assert_true(other != id);
}

static void a_full_table_still_finds_what_it_has(void **state)
{
	static struct stack s;
	u32 id, first, n = 0, refused = 0;

	make(&s, 0);
	assert_int_equal(stacktable_put(table, &s, &first), 0);
	for (n = 1; refused < 1000; n++) {
		make(&s, n);
		if (stacktable_put(table, &s, &id))
			refused++;
		else
			assert_true(id + STACK_HEAD + s.nr <= STACK_WORDS && leads_to(id, &s));
	}
	assert_true(n > 20000);
	assert_true(table->used <= STACK_WORDS);
	make(&s, 0);
	assert_int_equal(stacktable_put(table, &s, &id), 0);
	assert_int_equal(id, first);
}

static void ids_that_were_not_given_out_lead_nowhere_outside_the_table(void **state)
{
	static const u32 wild[] = { 0, STACK_WORDS - 1, STACK_WORDS, ~0u, ~0u - 2 };
	u32 nr = 0;

	for (size_t i = 0; i < COUNT(wild); i++)
		assert_ptr_equal(stacktable_get(table, wild[i], &nr), NULL);
	table->word[101] = MAX_DEPTH + 1;
	assert_ptr_equal(stacktable_get(table, 100, &nr), NULL);
	table->word[STACK_WORDS - 9] = 9;
	assert_ptr_equal(stacktable_get(table, STACK_WORDS - 10, &nr), NULL);
	table->word[STACK_WORDS - 9] = 8;
	assert_true(stacktable_get(table, STACK_WORDS - 10, &nr) && nr == 8);
}

static u32 id_of[THREADS][DISTINCT];

/* Insert a random multiset; look at once at what the id leads to, and at whatever slots others are filling. */
static void *insert(void *arg)
{
	uintptr_t me = (uintptr_t)arg, wrong = 0;
	struct stack *s = malloc(sizeof(*s)), *seen = malloc(sizeof(*seen));
	unsigned int seed = me + 1;
	u32 id;

	for (u32 i = 0; i < PUTS; i++) {
		u32 n = rand_r(&seed) % DISTINCT, nr;
		u64 slot = load_acquire(&table->slot[rand_r(&seed) % STACK_SLOTS]);
		const u64 *frame;

		make(s, n);
		if (stacktable_put(table, s, &id) || !leads_to(id, s) || (id_of[me][n] && id_of[me][n] != id))
			wrong++;
		id_of[me][n] = id;
		if (!slot)
			continue;
		frame = stacktable_get(table, (u32)slot, &nr);
		if (!frame || nr > 40) {
			wrong++;
			continue;
		}
		seen->nr = nr;
		memcpy(seen->frame, frame, nr * sizeof(*frame));
		if (stacktable_put(table, seen, &id) || id != (u32)slot)
			wrong++;
	}
	free(s);
	free(seen);
	return (void *)wrong;
}

static void four_threads_agree_on_one_id_for_each_stack(void **state)
{
	pthread_t thread[THREADS];
	u32 distinct = 0;
	void *wrong;

	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, insert, (void *)i), 0);
	for (u32 i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(thread[i], &wrong), 0);
		assert_ptr_equal(wrong, NULL);
	}
	for (u32 n = 0; n < DISTINCT; n++) {
		u32 id = 0;

		for (u32 i = 0; i < THREADS; i++) {
			if (!id_of[i][n])
				continue;
			assert_true(!id || id == id_of[i][n]);
			id = id_of[i][n];
		}
		distinct += id != 0;
	}
	assert_int_equal(table->stacks, distinct);
}

int main(void)
{
#define fresh_test(name) cmocka_unit_test_setup_teardown(name, fresh, drop)
	const struct CMUnitTest tests[] = {
		fresh_test(a_stack_keeps_its_id),
		fresh_test(stacks_of_any_length_are_kept),
		fresh_test(stacks_that_differ_in_one_frame_or_in_length_differ),
		fresh_test(stacks_that_share_their_hash_are_told_apart_by_their_frames),
		fresh_test(a_slot_with_the_same_tag_and_another_hash_is_not_taken_for_it),
		fresh_test(a_full_table_still_finds_what_it_has),
		fresh_test(ids_that_were_not_given_out_lead_nowhere_outside_the_table),
		fresh_test(four_threads_agree_on_one_id_for_each_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
