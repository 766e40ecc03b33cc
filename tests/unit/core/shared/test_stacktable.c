/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does every stack get one id of its own, and does the id lead to the stack, also if many insert at once? */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/shared/references.h"
#include "core/shared/stacktable.h"

#define THREADS 4
#define DISTINCT 3000
#define PUTS 20000
#define BITS 14
#define WORDS stacktable_words(BITS)
#define SLOTS stacktable_slots(BITS)
#define PLACE(id) ((id) & (WORDS - 1))

static struct stacktable *table;
static struct again_row rows[AGAIN_ROWS];

static int fresh(void **state)
{
	table = calloc(1, stacktable_bytes(BITS));
	if (table)
		table->bits = BITS;
	return table ? 0 : -1;
}

/* What was counted, on all CPUs. */
static struct stack_counts counts(void)
{
	struct stack_counts sum = {};

	for (u32 row = 0; row < STACK_ROWS; row++)
		for (size_t i = 0; i < sizeof(sum) / sizeof(u64); i++)
			((u64 *)&sum)[i] += ((u64 *)&table->counts[row])[i];
	return sum;
}

static u64 successes(void)
{
	struct stack_counts c = counts();
	u64 sum = 0;

	for (u32 i = 0; i < STACK_LENGTHS; i++)
		sum += c.found[i];
	return sum;
}

static int put(struct stack *s, u32 *id)
{
	return stacktable_put(table, s, 1, id);
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
		assert_int_equal(put(&s, &id[n]), 0);
		assert_true(id[n] && leads_to(id[n], &s));
		for (u32 m = 0; m < n; m++)
			assert_true(id[m] != id[n]);
	}
	for (u32 n = 0; n < COUNT(id); n++) {
		make(&s, n);
		assert_int_equal(put(&s, &again), 0);
		assert_int_equal(again, id[n]);
	}
	assert_int_equal(table->stacks, COUNT(id));
}

static void stacks_of_any_length_are_kept(void **state)
{
	static const u32 length[] = {0, 1, 2, MAX_DEPTH - 1, MAX_DEPTH};
	static struct stack s;
	u32 id[COUNT(length)], again;

	for (u32 i = 0; i < MAX_DEPTH; i++)
		s.frame[i] = mix(i);
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < COUNT(length); i++) {
			s.nr = length[i];
			assert_int_equal(put(&s, round ? &again : &id[i]), 0);
			assert_true(!round || again == id[i]);
			assert_true(leads_to(id[i], &s));
		}
	assert_int_equal(table->stacks, COUNT(length));
	s.nr = MAX_DEPTH + 1;
	assert_true(put(&s, &again) < 0);
}

static void stacks_that_differ_in_one_frame_or_in_length_differ(void **state)
{
	static struct stack s = {.nr = 3, .frame = {1, 2, 3}};
	u32 a, b, c;

	put(&s, &a);
	s.frame[2] = 4;
	put(&s, &b);
	s.frame[2] = 3;
	s.nr = 2;
	put(&s, &c);
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
		assert_int_equal(put(&s, &id[n]), 0);
		assert_true(!n || s.hash == hash);
		hash = s.hash;
		assert_true(leads_to(id[n], &s));
	}
	for (u32 n = 0; n < STACK_PROBES; n++) {
		make_collision(&s, n);
		assert_int_equal(put(&s, &again), 0);
		assert_int_equal(again, id[n]);
	}
	assert_int_equal(table->stacks, STACK_PROBES);
	make_collision(&s, STACK_PROBES);
	again = 77;
	assert_int_equal(put(&s, &again), -EBUSY);
	assert_int_equal(again, 77);
	assert_int_equal(counts().crowded, 1);
	assert_int_equal(counts().full, 0);
	assert_int_equal(counts().found[STACK_LENGTHS - 1], 2 * (STACK_PROBES - 24));
}

/* Likewise, but of three frames: they share the first one, and the third undoes what the second did. */
static void stacks_that_share_their_hash_and_first_frame_are_told_apart(void **state)
{
	static struct stack s = {.nr = 3, .frame = {5}};
	u64 first = (0xcbf29ce484222325ULL ^ 5) * 0x100000001b3ULL, hash = 0;
	u32 id[8];

	for (u32 n = 0; n < COUNT(id); n++) {
		s.frame[1] = n;
		s.frame[2] = ((first ^ n) * 0x100000001b3ULL) ^ 0x1234567;
		assert_int_equal(put(&s, &id[n]), 0);
		assert_true(!n || s.hash == hash);
		hash = s.hash;
		assert_true(leads_to(id[n], &s));
	}
	assert_int_equal(table->stacks, COUNT(id));
}

static void a_slot_with_the_same_tag_and_another_hash_is_not_taken_for_it(void **state)
{
	static struct stack s = {.nr = 1, .frame = {99}};
	u32 id, other;

	assert_int_equal(put(&s, &id), 0);
	table->word[PLACE(id)] ^= 1; /* the hash of another stack: upper part and slot are the same */
	assert_int_equal(put(&s, &other), 0);
	assert_true(other != id);
	table->word[PLACE(other) + 1]++; /* and of another length */
	assert_int_equal(put(&s, &id), 0);
	assert_true(other != id);
}

static void refer(u32 id, u32 n, u32 cpu)
{
	u64 again = again_count(&rows[cpu & (AGAIN_ROWS - 1)], id, n);

	if (again)
		stacktable_refer(table, again >> 32, again);
}

/* Each reference counts, whichever ids of whichever CPU share a place, and however many there are. */
static void references_to_what_is_remembered_are_counted_to_the_last(void **state)
{
	enum { STACKS = 300, EVENTS = 100000 };
	static struct stack s;
	static u64 expected[STACKS];
	u32 id[STACKS];

	memset(expected, 0, sizeof(expected));
	memset(rows, 0, sizeof(rows));
	for (u32 n = 0; n < STACKS; n++) {
		make(&s, n);
		assert_int_equal(put(&s, &id[n]), 0);
		expected[n] = 1;
	}
	for (u32 event = 0; event < EVENTS; event++) {
		u32 n = mix(event) % (event & 1 ? STACKS : 3), by = 1 + event % 5;

		refer(id[n], by, mix(event) >> 40);
		expected[n] += by;
	}
	for (u32 i = 0; i < 5000; i++) /* more than 32 bits */
		refer(id[0], AGAIN_MAX - 1, 3);
	expected[0] += 5000ULL * (AGAIN_MAX - 1);
	for (u32 n = 0; n < STACKS; n++)
		assert_int_equal(stacktable_refs(table, id[n]) + again_references(rows, id[n]), expected[n]);
}

static void what_is_no_id_of_the_table_is_not_referred_to(void **state)
{
	static struct stack s;
	u32 id;

	make(&s, 1);
	assert_int_equal(put(&s, &id), 0);
	stacktable_refer(table, stack_id(BITS, 1, PLACE(id)), 7); /* of another epoch */
	stacktable_refer(table, 1, 7);				  /* a slot */
	assert_int_equal(stacktable_refs(table, id), 1);
	assert_int_equal(table->word[2], 0);
}

/* Full in words if stacks are long, and in slots if they are short. */
static void fill(u32 extra)
{
	static struct stack s;
	u32 id, first, n = 0, refused = 0;
	struct stack_counts c;

	make(&s, 0);
	assert_int_equal(put(&s, &first), 0);
	for (n = 1; refused < 1000; n++) {
		make(&s, n);
		s.nr += extra;
		if (put(&s, &id))
			refused++;
		else
			assert_true(PLACE(id) + STACK_HEAD + s.nr <= WORDS && leads_to(id, &s));
	}
	assert_true(table->stacks > 1 << BITS);
	assert_true(table->used <= WORDS - SLOTS);
	c = counts();
	assert_true(extra ? c.full > 900 : c.crowded > 900);
	assert_int_equal(c.full + c.crowded, refused);
	assert_int_equal(successes() + refused, n);
	make(&s, 0);
	assert_int_equal(put(&s, &id), 0);
	assert_int_equal(id, first);
}

static void a_full_table_still_finds_what_it_has(void **state)
{
	fill(30);
}

static void so_does_one_whose_slots_are_taken(void **state)
{
	fill(0);
}

static void places_that_were_not_given_out_lead_nowhere_outside_the_table(void **state)
{
	const u64 wild[] = {0, 1, SLOTS - 1, WORDS - 1, WORDS, ~0ULL >> 1, ~0u - 2};
	u32 nr = 0;

	for (size_t i = 0; i < COUNT(wild); i++)
		assert_ptr_equal(stacktable_at(table, wild[i], &nr), NULL);
	table->word[SLOTS + 101] = MAX_DEPTH + 1;
	assert_ptr_equal(stacktable_at(table, SLOTS + 100, &nr), NULL);
	table->word[WORDS - 9] = 9;
	assert_ptr_equal(stacktable_at(table, WORDS - 10, &nr), NULL);
	table->word[WORDS - 9] = 1ULL << 40 | 8;
	assert_true(stacktable_at(table, WORDS - 10, &nr) && nr == 8);
}

static void each_request_is_a_reference(void **state)
{
	static struct stack s, other = {.nr = 1, .frame = {7}};
	u32 id, second;

	make(&s, 33);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(put(&s, &id), 0);
	assert_int_equal(put(&other, &second), 0);
	assert_int_equal(stacktable_refs(table, id), 1000);
	assert_int_equal(stacktable_refs(table, second), 1);
	assert_int_equal(successes(), 1001);
	assert_true(leads_to(id, &s));
	table->word[PLACE(id) + 1] += (u64)UINT32_MAX << STACK_REF;
	assert_true(leads_to(id, &s));
}

static void ids_of_another_epoch_are_others(void **state)
{
	static struct stack s = {.nr = 2, .frame = {1, 2}};
	u32 id[40], shift = BITS + STACK_WORD_BITS;

	for (u32 epoch = 0; epoch < COUNT(id); epoch++) {
		table->epoch = epoch * 101;
		assert_int_equal(put(&s, &id[epoch]), 0);
		assert_true(leads_to(id[epoch], &s) && !(id[epoch] >> 31));
		for (u32 before = 0; before <= epoch; before++) {
			bool alike = !((epoch - before) * 101 & ((1u << (31 - shift)) - 1));

			assert_int_equal(stack_is_of(BITS, before * 101, id[epoch]), alike);
			assert_int_equal(id[before] == id[epoch], alike);
		}
	}
}

static void a_seed_moves_the_stacks(void **state)
{
	static struct stack s;
	u64 hash;
	u32 id;

	make(&s, 5);
	assert_int_equal(put(&s, &id), 0);
	hash = s.hash;
	table->seed = 0x123456789abcdef0;
	assert_int_equal(put(&s, &id), 0);
	assert_true(s.hash != hash && table->stacks == 2);
}

/* Each slot that is filled leads to a whole stack, and all of them are those that were put, each once. */
static void who_goes_through_the_slots_meets_each_stack_once(void **state)
{
	static struct stack s;
	u64 refs = 0, nr = 0;
	u32 id;

	for (u32 n = 0; n < 1000; n++) {
		make(&s, n % 300);
		assert_int_equal(put(&s, &id), 0);
	}
	for (u64 i = 0; i < SLOTS; i++) {
		u32 len;

		id = stacktable_id(table, i);
		if (!id)
			continue;
		assert_non_null(stacktable_get(table, id, &len));
		refs += stacktable_refs(table, id);
		nr++;
	}
	assert_int_equal(nr, table->stacks);
	assert_int_equal(refs, 1000);
}

/*
 * A random multiset, of few or of many, of short or of the longest, of such that share their hash: in whatever order it
 * comes, the table has the distinct ones, and how often each came.
 */
static void any_multiset_is_its_distinct_stacks_with_their_counts(void **state)
{
	static struct stack s;
	static u32 id[200], times[200];

	for (unsigned int seed = 1; seed < 60; seed++) {
		u32 distinct = 1 + rand_r(&seed) % (seed % 7 ? 30 : COUNT(id)), kinds = 0;

		memset(table, 0, stacktable_bytes(BITS));
		table->bits = BITS;
		memset(times, 0, sizeof(times));
		for (u32 i = 0; i < 1500; i++) {
			u32 n = rand_r(&seed) % distinct, got;

			if (n % 3 == 0 && n < 3 * STACK_PROBES)
				make_collision(&s, n);
			else
				make(&s, n + 1000);
			if (n % 31 == 5)
				for (s.nr = 0; s.nr < (n % 2 ? MAX_DEPTH : 1); s.nr++)
					s.frame[s.nr] = n;
			assert_int_equal(put(&s, &got), 0);
			assert_true(leads_to(got, &s) && (!times[n] || id[n] == got));
			kinds += !times[n]++;
			id[n] = got;
		}
		assert_int_equal(table->stacks, kinds);
		for (u32 n = 0; n < distinct; n++)
			assert_true(!times[n] || stacktable_refs(table, id[n]) == times[n]);
		assert_int_equal(counts().raced, 0);
	}
}

static u32 id_of[THREADS][DISTINCT];
static u64 nr_puts;

/* Insert a random multiset; look at once at what the id leads to, and at whatever slots others are filling. */
static void *insert(void *arg)
{
	uintptr_t me = (uintptr_t)arg, wrong = 0;
	struct stack *s = malloc(sizeof(*s)), *seen = malloc(sizeof(*seen));
	unsigned int seed = me + 1;
	u32 id;

	for (u32 i = 0; i < PUTS; i++) {
		u32 n = rand_r(&seed) % DISTINCT, nr;
		u32 other = stacktable_id(table, rand_r(&seed) % SLOTS);
		const u64 *frame;

		make(s, n);
		fetch_add(&nr_puts, 1);
		if (stacktable_put(table, s, me, &id) || !leads_to(id, s) || (id_of[me][n] && id_of[me][n] != id))
			wrong++;
		id_of[me][n] = id;
		if (!other)
			continue;
		frame = stacktable_get(table, other, &nr);
		if (!frame || nr > 40) {
			wrong++;
			continue;
		}
		fetch_add(&nr_puts, 1);
		seen->nr = nr;
		memcpy(seen->frame, frame, nr * sizeof(*frame));
		if (stacktable_put(table, seen, me, &id) || id != other)
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
	u64 refs = 0;
	void *wrong;

	nr_puts = 0;
	memset(id_of, 0, sizeof(id_of));
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
		refs += id ? stacktable_refs(table, id) : 0;
	}
	assert_int_equal(table->stacks, distinct);
	assert_int_equal(refs, nr_puts);
	assert_int_equal(successes(), nr_puts);
}

int main(void)
{
#define fresh_test(name) cmocka_unit_test_setup_teardown(name, fresh, drop)
	const struct CMUnitTest tests[] = {
		fresh_test(a_stack_keeps_its_id),
		fresh_test(stacks_of_any_length_are_kept),
		fresh_test(stacks_that_differ_in_one_frame_or_in_length_differ),
		fresh_test(stacks_that_share_their_hash_are_told_apart_by_their_frames),
		fresh_test(stacks_that_share_their_hash_and_first_frame_are_told_apart),
		fresh_test(a_slot_with_the_same_tag_and_another_hash_is_not_taken_for_it),
		fresh_test(references_to_what_is_remembered_are_counted_to_the_last),
		fresh_test(what_is_no_id_of_the_table_is_not_referred_to),
		fresh_test(a_full_table_still_finds_what_it_has),
		fresh_test(so_does_one_whose_slots_are_taken),
		fresh_test(places_that_were_not_given_out_lead_nowhere_outside_the_table),
		fresh_test(each_request_is_a_reference),
		fresh_test(ids_of_another_epoch_are_others),
		fresh_test(a_seed_moves_the_stacks),
		fresh_test(who_goes_through_the_slots_meets_each_stack_once),
		fresh_test(any_multiset_is_its_distinct_stacks_with_their_counts),
		fresh_test(four_threads_agree_on_one_id_for_each_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
