/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do the records of rings come whole, in the order of time, and is what is none of them refused? */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/copied/queue.h"
#include "lib/copied/ring.h"
#include "lib/copied/source.h"
#include "lib/perfdata/record.h"
#include "test_registers.h"

#define RING_BYTES 256

static struct perf_event_mmap_page head;
static uint8_t data[RING_BYTES];
static uint64_t record[PERFDATA_RECORD_BYTES / 8 + 1];
static struct ring ring = {&head, data, RING_BYTES, record};

static struct {
	uint64_t nr, last, stop_at;
} seen;

static void put(const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		data[(head.data_head + i) % RING_BYTES] = ((const uint8_t *)bytes)[i];
	head.data_head += len;
}

/* A record of @size bytes that holds @number in each word. */
static void put_record(uint16_t size, uint64_t number)
{
	struct perf_event_header h = {.type = 100, .size = size};

	put(&h, sizeof(h));
	for (size_t i = sizeof(h); i < size; i += 8)
		put(&number, 8);
}

static int look(void *ctx, const struct perf_event_header *h)
{
	const uint64_t *word = (const uint64_t *)(h + 1);

	for (size_t i = 0; i < (h->size - sizeof(*h)) / 8; i++)
		assert_int_equal(word[i], word[0]);
	assert_int_equal(((const uint8_t *)h)[h->size], 0);
	seen.nr++;
	seen.last = *word;
	return seen.nr == seen.stop_at ? 7 : 0;
}

static int start_at(void **state)
{
	head.data_head = head.data_tail = 1000 * RING_BYTES + 200; /* the second record goes over the end */
	memset(data, 0xff, sizeof(data));
	memset(&seen, 0, sizeof(seen));
	return 0;
}

static void records_come_whole_also_over_the_end(void **state)
{
	put_record(40, 1);
	put_record(96, 2);
	put_record(16, 3);
	assert_int_equal(ring_take(&ring, look, NULL), 0);
	assert_int_equal(seen.nr, 3);
	assert_int_equal(seen.last, 3);
	assert_int_equal(head.data_tail, head.data_head);
	assert_int_equal(ring_take(&ring, look, NULL), 0);
	assert_int_equal(seen.nr, 3);
}

static void a_reader_may_stop_and_go_on(void **state)
{
	put_record(40, 1);
	put_record(40, 2);
	seen.stop_at = 1;
	assert_int_equal(ring_take(&ring, look, NULL), 7);
	assert_int_equal(head.data_tail, head.data_head - 40);
	assert_int_equal(ring_take(&ring, look, NULL), 0);
	assert_int_equal(seen.last, 2);
}

/* That is how a loss is noticed before the kernel says so. */
static void the_room_that_is_left_is_known(void **state)
{
	assert_int_equal(ring_room(&ring), RING_BYTES);
	put_record(96, 1);
	assert_int_equal(ring_room(&ring), RING_BYTES - 96);
	head.data_head = head.data_tail + RING_BYTES + 8;
	assert_int_equal(ring_room(&ring), 0);
}

static void what_is_no_record_is_refused_and_dropped(void **state)
{
	static const struct {
		uint16_t size, bytes;
	} wrong[] = {{0, 16}, {7, 16}, {24, 16}, {8, 4}, {65535, 200}};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct perf_event_header h = {.type = 1, .size = wrong[i].size};

		start_at(NULL);
		put(&h, sizeof(h));
		head.data_head = head.data_tail + wrong[i].bytes;
		assert_int_equal(ring_take(&ring, look, NULL), -EPROTO);
		assert_int_equal(head.data_tail, head.data_head);
		assert_int_equal(seen.nr, 0);
	}
	head.data_head = head.data_tail + RING_BYTES + 8;
	assert_int_equal(ring_take(&ring, look, NULL), -EPROTO);
}

static struct {
	uint32_t kinds[16];
	size_t nr;
} drained;

static int note(void *ctx, uint32_t kind, const struct perf_event_header *h)
{
	drained.kinds[drained.nr++] = kind;
	return kind == 99 ? 5 : 0;
}

static void add(struct queue *q, uint32_t kind, uint64_t time)
{
	struct perf_event_header h = {.size = sizeof(h)};

	assert_int_equal(queue_add(q, kind, time, &h), 0);
}

static void a_queue_gives_by_time_and_then_by_arrival(void **state)
{
	static const uint32_t wanted[] = {3, 1, 2, 5, 4};
	struct queue q = {0};

	drained.nr = 0;
	add(&q, 1, 20);
	add(&q, 2, 20);
	add(&q, 3, 10);
	add(&q, 4, 31);
	assert_int_equal(queue_drain(&q, 30, note, NULL), 0);
	assert_int_equal(drained.nr, 3);
	assert_int_equal(q.late, 0);
	add(&q, 5, 29);
	assert_int_equal(q.late, 1);
	assert_int_equal(queue_drain(&q, UINT64_MAX, note, NULL), 0);
	assert_int_equal(drained.nr, 5);
	assert_memory_equal(drained.kinds, wanted, sizeof(wanted));
	add(&q, 99, 40);
	add(&q, 6, 50);
	assert_int_equal(q.bytes, 2 * sizeof(struct perf_event_header));
	assert_int_equal(queue_drain(&q, 60, note, NULL), 5);
	assert_int_equal(q.items.nr, 1);
	assert_int_equal(q.bytes, sizeof(struct perf_event_header));
	queue_done(&q);
}

static uint64_t last_number;

static int is_next(void *ctx, uint32_t kind, const struct perf_event_header *h)
{
	uint64_t number = kind;

	assert_true(number >= last_number);
	last_number = number;
	++*(size_t *)ctx;
	return 0;
}

/* They come in portions, each about in order, and later than most of those before. */
static void many_records_in_disorder_come_by_time(void **state)
{
	struct queue q = {0};
	size_t given = 0;
	uint64_t x = 1;

	last_number = 0;
	for (uint32_t portion = 0; portion < 200; portion++) {
		for (int i = 0; i < 50; i++) {
			uint32_t time;

			x = x * 6364136223846793005 + 1442695040888963407;
			time = 1000 + portion * 100 + (x >> 33) % 300;
			add(&q, time, time);
		}
		assert_int_equal(queue_drain(&q, 1000 + portion * 100, is_next, &given), 0);
	}
	assert_int_equal(queue_drain(&q, UINT64_MAX, is_next, &given), 0);
	assert_int_equal(given, 200 * 50);
	assert_int_equal(q.late, 0);
	queue_done(&q);
}

/* What a sample of ours is made of, word by word. */
static struct {
	struct perf_event_header h;
	uint64_t word[64];
} sample;

static size_t make_sample(uint64_t abi, uint64_t room, uint64_t filled)
{
	size_t nr = 0;

	sample.h = (struct perf_event_header){.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER};
	sample.word[nr++] = 0x4711;
	sample.word[nr++] = 12 | 34ULL << 32;
	sample.word[nr++] = 1000;
	sample.word[nr++] = 3;
	sample.word[nr++] = 2; /* kernel frames, with their mark */
	sample.word[nr++] = (uint64_t)-128;
	sample.word[nr++] = 0xffffffff81000000;
	sample.word[nr++] = abi;
	for (uint64_t i = 0; abi && i < 33; i++)
		if (TEST_PERF_MASK >> i & 1)
			sample.word[nr++] = 100 + i;
	sample.word[nr++] = room;
	for (uint64_t i = 0; i < room; i += 8)
		sample.word[nr++] = 7000 + i;
	if (room)
		sample.word[nr++] = filled;
	sample.h.size = sizeof(sample.h) + 8 * nr;
	sample.word[nr] = 0;
	return nr;
}

/* The record refers to its event. */
static int decode(struct perfdata_record *ret)
{
	static struct perfdata_event e = {
		.name = "",
		.has_trailer = true,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.regs_user = TEST_PERF_MASK,
	};
	struct perfdata_layout l = {.events = {&e, 1, 1}, .id_from_start = -1, .id_from_end = -1};

	return perfdata_decode(&l, &sample.h, ret);
}

static void a_sample_has_registers_and_stack(void **state)
{
	struct perfdata_record r;

	make_sample(PERF_SAMPLE_REGS_ABI_64, 64, 40);
	assert_int_equal(decode(&r), 0);
	assert_int_equal(r.pid, 12);
	assert_int_equal(r.cpu, 3);
	assert_int_equal(r.nr_ips, 2);
	assert_int_equal(r.regs[0], 100);
	assert_int_equal(r.regs[COPIED_REGS - 1], TEST_PERF_LAST);
	assert_int_equal(r.stack_bytes, 40);
	assert_int_equal(*(const uint64_t *)r.stack, 7000);
	make_sample(PERF_SAMPLE_REGS_ABI_NONE, 0, 0);
	assert_int_equal(decode(&r), 0);
	assert_null(r.regs);
	assert_int_equal(r.stack_bytes, 0);
	make_sample(PERF_SAMPLE_REGS_ABI_64, 0, 0);
	assert_int_equal(decode(&r), 0);
	assert_non_null(r.regs);
	assert_int_equal(r.stack_bytes, 0);
}

static void registers_are_told_by_their_bits(void **state)
{
	static const uint64_t wanted[] = {TEST_PERF_REGS};
	struct perfdata_record r;
	uint64_t regs[COPIED_REGS];
	uint32_t missing;

	make_sample(PERF_SAMPLE_REGS_ABI_64, 8, 8);
	assert_int_equal(decode(&r), 0);
	assert_true(source_registers(&r, regs, &missing));
	assert_int_equal(missing, 0);
	assert_memory_equal(regs, wanted, sizeof(wanted));
	make_sample(PERF_SAMPLE_REGS_ABI_NONE, 0, 0);
	assert_int_equal(decode(&r), 0);
	assert_false(source_registers(&r, regs, &missing));
}

static int decode_switch(struct perfdata_record *ret, uint32_t type, uint16_t misc, size_t words)
{
	struct perfdata_event e = {
		.name = "",
		.has_trailer = true,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
	};
	struct perfdata_layout l = {.events = {&e, 1, 1}, .id_from_start = -1, .id_from_end = -1};
	static const uint64_t of_a_cpu[] = {77 | 78ULL << 32, 12 | 34ULL << 32, 1000, 3};

	memcpy(sample.word, of_a_cpu + 4 - words, words * sizeof(*of_a_cpu));
	sample.h = (struct perf_event_header){type, misc, sizeof(sample.h) + 8 * words};
	return perfdata_decode(&l, &sample.h, ret);
}

/* In records of a CPU's events the other thread comes first, and is not taken for the one that they are about. */
static void a_switch_has_thread_time_cpu_and_direction(void **state)
{
	static const struct {
		uint32_t type;
		uint16_t misc;
		size_t words;
		bool out, preempted;
	} cases[] = {
		{PERF_RECORD_SWITCH, 0, 3, false, false},
		{PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT, 3, true, false},
		{PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, 3, true, true},
		{PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, 3, false, false},
		{PERF_RECORD_SWITCH_CPU_WIDE, 0, 4, false, false},
		{PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_MISC_SWITCH_OUT, 4, true, false},
	};
	struct perfdata_record r;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(decode_switch(&r, cases[i].type, cases[i].misc, cases[i].words), 0);
		assert_int_equal(r.kind, PERFDATA_SWITCH);
		assert_int_equal(r.pid, 12);
		assert_int_equal(r.tid, 34);
		assert_int_equal(r.time_ns, 1000);
		assert_int_equal(r.cpu, 3);
		assert_int_equal(r.out, cases[i].out);
		assert_int_equal(r.preempted, cases[i].preempted);
		for (size_t words = 0; words < cases[i].words; words++)
			assert_int_equal(decode_switch(&r, cases[i].type, cases[i].misc, words), -EBADMSG);
	}
}

static void no_word_of_a_sample_is_trusted(void **state)
{
	static const uint64_t values[] = {0, 1, 2, 7, 8, 63, 64, 4096, 1ULL << 32, INT64_MAX, UINT64_MAX};
	struct perfdata_record r;
	size_t nr = make_sample(PERF_SAMPLE_REGS_ABI_64, 64, 40);
	const uint8_t *end;

	for (size_t at = 0; at < nr; at++)
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			make_sample(PERF_SAMPLE_REGS_ABI_64, 64, 40);
			sample.word[at] = values[i];
			end = (const uint8_t *)(sample.word + nr);
			if (decode(&r))
				continue;
			assert_true(!r.stack_bytes || (const uint8_t *)r.stack + r.stack_bytes <= end);
			assert_true(!r.regs || (const uint8_t *)(r.regs + COPIED_REGS) <= end);
		}
	for (size_t len = 0; len < nr; len++) {
		make_sample(PERF_SAMPLE_REGS_ABI_64, 64, 40);
		sample.h.size = sizeof(sample.h) + 8 * len;
		assert_int_equal(decode(&r), -EBADMSG);
	}
	make_sample(PERF_SAMPLE_REGS_ABI_64, 64, 65);
	assert_int_equal(decode(&r), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(records_come_whole_also_over_the_end, start_at),
		cmocka_unit_test_setup(a_reader_may_stop_and_go_on, start_at),
		cmocka_unit_test_setup(the_room_that_is_left_is_known, start_at),
		cmocka_unit_test_setup(what_is_no_record_is_refused_and_dropped, start_at),
		cmocka_unit_test(a_queue_gives_by_time_and_then_by_arrival),
		cmocka_unit_test(many_records_in_disorder_come_by_time),
		cmocka_unit_test(a_sample_has_registers_and_stack),
		cmocka_unit_test(registers_are_told_by_their_bits),
		cmocka_unit_test(a_switch_has_thread_time_cpu_and_direction),
		cmocka_unit_test(no_word_of_a_sample_is_trusted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
