/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is it known what was lost: by the kernel, in a ring that has room again or has none, for want of memory? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <cmocka.h>
#include "lib/copied/source.c"
#include "lib/perfdata/record.h"

#define RING_BYTES 4096
#define TID 12

static struct perf_event_mmap_page head;
static uint8_t data[RING_BYTES];
static uint64_t record[PERFDATA_RECORD_BYTES / 8 + 1];
static struct cpu_ring ring = {.fd = -1, .ring = {&head, data, RING_BYTES, record}};
static struct perf_source source = {.choice = {.o = {.switches = true}}};
static struct queue queue;

/* A record of @nr words, and which thread, when and on which CPU it was. */
static void put(uint32_t type, uint16_t misc, const uint64_t *words, size_t nr, uint64_t time_ns)
{
	const uint64_t trailer[] = {TID | (uint64_t)TID << 32, time_ns, 0};
	struct perf_event_header h = {type, misc, sizeof(h) + 8 * nr + sizeof(trailer)};

	memcpy(data + head.data_head, &h, sizeof(h));
	if (nr)
		memcpy(data + head.data_head + sizeof(h), words, 8 * nr);
	memcpy(data + head.data_head + h.size - sizeof(trailer), trailer, sizeof(trailer));
	head.data_head += h.size;
}

static void put_switch(bool out, uint64_t time_ns)
{
	put(PERF_RECORD_SWITCH, out ? PERF_RECORD_MISC_SWITCH_OUT : 0, NULL, 0, time_ns);
}

static struct {
	uint32_t kind, misc;
} came[2 + RING_BYTES / sizeof(struct perf_event_header)];
static size_t nr_came;

static int note(void *ctx, uint32_t kind, const struct perf_event_header *h)
{
	came[nr_came].kind = kind;
	came[nr_came++].misc = h->misc;
	return 0;
}

static void expect(size_t i, uint32_t kind, uint32_t misc)
{
	assert_true(i < nr_came);
	assert_int_equal(came[i].kind, kind);
	assert_int_equal(came[i].misc, misc);
}

static int begin(void **state)
{
	memset(&head, 0, sizeof(head));
	queue = (struct queue){0};
	nr_came = 0;
	ring.last_ns = 0;
	source.queue = &queue;
	return describe(&source);
}

static int end(void **state)
{
	queue_done(&queue);
	for (int i = 0; i < NR_SOURCE_RINGS; i++)
		vec_done(&source.layouts[i].events);
	return 0;
}

/* The reader was held up within the ring, which got full behind its back: by the next look it has room. */
static void what_the_kernel_lost_is_a_loss_from_the_last_record_on(void **state)
{
	put_switch(true, 1000);
	put(PERF_RECORD_LOST, 0, (const uint64_t[]){77, 5}, 2, 9000);
	put_switch(false, 9000);
	assert_int_equal(take_ring(&source, &ring, SOURCE_SWITCHES), 0);
	assert_int_equal(queue_drain(&queue, 8000, note, NULL), 0);
	assert_int_equal(nr_came, 2);
	expect(0, SOURCE_SWITCHES, PERF_RECORD_MISC_SWITCH_OUT);
	expect(1, SOURCE_LOSS, 1);
	assert_int_equal(queue_drain(&queue, 9000, note, NULL), 0);
	assert_int_equal(nr_came, 5);
	expect(2, SOURCE_LOSS, 0);
	expect(3, SOURCE_SWITCHES, 0);
	expect(4, SOURCE_SWITCHES, 0);
	assert_int_equal(queue.late, 0);
}

/* Nothing else says it until there is room again. */
static void a_ring_without_room_is_a_loss_until_now(void **state)
{
	size_t nr = 0;

	for (; ring_room(&ring.ring) >= FULL_BYTES; nr++)
		put_switch(false, 1000);
	assert_int_equal(take_ring(&source, &ring, SOURCE_SWITCHES), 0);
	assert_int_equal(queue_drain(&queue, UINT64_MAX, note, NULL), 0);
	assert_int_equal(nr_came, nr + 2);
	expect(nr, SOURCE_LOSS, 1);
	expect(nr + 1, SOURCE_LOSS, 0);
}

static void samples_for_which_there_is_no_memory_are_counted(void **state)
{
	const uint64_t words[8] = {0};

	queue.bytes = QUEUE_BYTES + 1;
	put(PERF_RECORD_SAMPLE, 0, words, 8, 1000);
	put(PERF_RECORD_SAMPLE, 0, words, 8, 1000);
	put_switch(false, 1000);
	assert_int_equal(take_ring(&source, &ring, SOURCE_SAMPLES), 0);
	assert_int_equal(source_dropped(&source, SOURCE_SAMPLES), 2);
	assert_int_equal(source_dropped(&source, SOURCE_STACKS), 0);
	assert_int_equal(queue.items.nr, 1);
}

static void what_a_cpu_left_when_it_went_offline_is_taken(void **state)
{
	size_t page = sysconf(_SC_PAGESIZE);
	uint8_t *memory = mmap(NULL, page + RING_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct cpu_rings c = {.rings = {[0 ... NR_SOURCE_RINGS - 1] = {.fd = -1}}};

	assert_true(memory != MAP_FAILED);
	put_switch(true, 1000);
	memcpy(memory, &head, sizeof(head));
	memcpy(memory + page, data, RING_BYTES);
	c.rings[SOURCE_SWITCHES].ring =
		(struct ring){(void *)memory, memory + page, RING_BYTES, calloc(1, sizeof(record))};
	assert_int_equal(close_cpu(&source, &c), 0);
	assert_null(c.rings[SOURCE_SWITCHES].ring.head);
	assert_int_equal(queue_drain(&queue, 1000, note, NULL), 0);
	assert_int_equal(nr_came, 1);
	expect(0, SOURCE_SWITCHES, PERF_RECORD_MISC_SWITCH_OUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_the_kernel_lost_is_a_loss_from_the_last_record_on, begin, end),
		cmocka_unit_test_setup_teardown(a_ring_without_room_is_a_loss_until_now, begin, end),
		cmocka_unit_test_setup_teardown(samples_for_which_there_is_no_memory_are_counted, begin, end),
		cmocka_unit_test_setup_teardown(what_a_cpu_left_when_it_went_offline_is_taken, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
