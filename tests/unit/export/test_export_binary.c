/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Binary formats, where no real reader is asked in tests/cli: order, damage, records that only new ones know. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "export/otlp_message.h"
#include "export/samples.h"
#include "exported.h"
#include "folded_profile.h"
#include "wire.h"

#define MAX_ID 64

static const struct export_options usual;

/* Nine samples, those with the same stack not side by side; the kernel, code without a name or a stack, a build id. */
static void add_samples(struct folded *f)
{
	static struct dusk_setting settings[] = {{"start_time", "2026-01-02T03:04:05Z"}, {"hostname", "box"}};

	folded_add(f, "xz", "outermost", 2, "/bin/xz!main;/bin/xz!code");
	folded_add(f, "xz", "outermost", 3, "/bin/xz!main;/lib/libc.so.6!;[kernel]!do_syscall_64");
	folded_add(f, "cat", "no-fde", 1, "[anon]!jit");
	folded_add(f, "cat", "exiting", 1, "");
	folded_add(f, "xz", "exiting", 2, "");
	f->profile.samples[4].node = f->profile.samples[1].node;
	f->profile.samples[1].node = f->profile.samples[2].node;
	f->profile.modules[1].build_id = "0123abcd";
	f->profile.settings = settings;
	f->profile.nr_settings = 2;
}

static struct wire whole(const struct exported *e)
{
	return (struct wire){(const uint8_t *)e->v, (const uint8_t *)e->v + e->len};
}

/* How many fields @number the message has. */
static uint32_t count(struct wire w, uint32_t number)
{
	struct wire_field f;
	uint32_t nr = 0;

	while (wire_next(&w, &f))
		nr += f.number == number;
	return nr;
}

/* What the samples of one profile are, in all. */
struct otlp_sums {
	uint64_t events, values; /* events: those with a time */
};

static struct otlp_sums add_up(struct wire profile, uint32_t nr_stacks, uint32_t nr_attributes)
{
	struct otlp_sums sums = {0};
	struct wire_field f;

	while (wire_next(&profile, &f)) {
		struct wire attributes = wire_bytes(f.bytes, 2), values = wire_bytes(f.bytes, 4),
			    times = wire_bytes(f.bytes, 5);

		if (f.number != 2)
			continue;
		assert_in_range(wire_value(f.bytes, 1, 0), 1, nr_stacks - 1);
		while (attributes.at < attributes.end)
			assert_in_range(wire_varint(&attributes), 1, nr_attributes - 1);
		while (values.at < values.end)
			sums.values += wire_varint(&values);
		for (; times.at < times.end; sums.events++)
			assert_true(wire_raw64(&times) >= 1767323045000000000);
	}
	return sums;
}

/* All of @e: of each kind of profile, by the type of its values. Returns the number of resources. */
static uint64_t read_otlp(const struct exported *e, struct otlp_sums *counts, struct otlp_sums *times)
{
	struct wire tables = wire_bytes(whole(e), 2), w, scope;
	struct wire_field resource, f;
	uint64_t resources = 0;

	for (w = whole(e); wire_next(&w, &resource);) {
		if (resource.number != 1)
			continue;
		resources++;
		for (scope = wire_bytes(resource.bytes, 2); wire_next(&scope, &f);) {
			struct otlp_sums sums, *to = counts;
			struct wire strings = tables;
			struct wire_field text = {0};

			if (f.number != 2)
				continue;
			sums = add_up(f.bytes, count(tables, 7), count(tables, 6));
			for (uint64_t i = wire_value(wire_bytes(f.bytes, 1), 2, 0) + 1;
			     i && wire_next(&strings, &text);)
				i -= text.number == 5;
			if (wire_equals(text.bytes, "nanoseconds"))
				to = times;
			else
				assert_true(wire_equals(text.bytes, "count"));
			to->events += sums.events;
			to->values += sums.values;
		}
	}
	return resources;
}

/* The sums of a window have no time of their own. */
static void otlp_writes_the_values_of_sums(void **state)
{
	struct otlp_sums counts = {0}, times = {0};
	struct folded *p = *state;
	struct exported e;

	add_samples(p);
	for (uint64_t i = 0; i < p->profile.nr_samples; i++) {
		p->profile.samples[i].cpu = DUSK_NO_CPU;
		p->profile.samples[i].count = 3;
		p->profile.samples[i].value_ns = 3 * p->profile.period_ns;
	}
	e = exported_as("otlp", &p->profile, usual);
	read_otlp(&e, &counts, &times);
	assert_int_equal(counts.events + times.events, 0);
	assert_int_equal(counts.values, 27);
	assert_int_equal(times.values, 27 * p->profile.period_ns);
	free(e.v);
}

/* The id of the first profile in a message of @nr samples. */
static void read_id(uint8_t ret[16], struct otlp *o, const uint64_t *samples, uint64_t nr, uint64_t id)
{
	const struct otlp_part part = {samples, nr, 1767323045000000000, 1000000000, id, 0};
	_cleanup_(pb_done) struct pb b = {.nr = 0};
	struct wire found;

	assert_int_equal(otlp_message(o, &b, &part), 0);
	found = (struct wire){b.v, b.v + b.nr};
	found = wire_bytes(wire_bytes(wire_bytes(wire_bytes(found, 1), 2), 2), 7);
	assert_int_equal(found.end - found.at, 16);
	memcpy(ret, found.at, 16);
}

static void otlp_profiles_have_an_id_of_their_samples(void **state)
{
	_cleanup_(freep) uint64_t *order = NULL;
	_cleanup_(otlp_done) struct otlp o;
	struct folded *p = *state;
	uint8_t all[16], other[16];

	add_samples(p);
	assert_int_equal(otlp_init(&o, &p->profile), 0);
	assert_int_equal(samples_sort(&order, &p->profile, true), 0);
	read_id(all, &o, order, 9, 7);
	read_id(other, &o, order, 9, 7);
	assert_memory_equal(all, other, 16);
	read_id(other, &o, order, 9, 8); /* another window */
	assert_memory_not_equal(all, other, 16);
	read_id(other, &o, order, 1, 7); /* a part of it */
	assert_memory_not_equal(all, other, 16);
}

struct perfetto {
	bool stack[MAX_ID], frame[MAX_ID], function[MAX_ID], mapping[MAX_ID];
	uint64_t samples, threads;
};

static void read_interned(struct perfetto *t, struct wire w)
{
	struct wire_field f, frame;

	while (wire_next(&w, &f)) {
		uint64_t id = wire_value(f.bytes, 1, 0);

		assert_in_range(id, 1, MAX_ID - 1);
		if (f.number == 5)
			t->function[id] = true;
		if (f.number == 19)
			t->mapping[id] = true;
		if (f.number == 6) {
			t->frame[id] = true;
			id = wire_value(f.bytes, 2, 0);
			assert_true(!id || t->function[id]);
			id = wire_value(f.bytes, 3, 0);
			assert_true(!id || t->mapping[id]);
		}
		if (f.number != 7)
			continue;
		t->stack[id] = true;
		while (wire_next(&f.bytes, &frame))
			assert_true(frame.number != 2 || t->frame[frame.value]);
	}
}

static void perfetto_adds_up_and_tells_before_it_refers(void **state)
{
	struct folded *p = *state;
	struct perfetto t = {0};
	struct wire_field packet;
	struct exported e;
	struct wire w;

	add_samples(p);
	e = exported_as("perfetto", &p->profile, usual);
	for (w = whole(&e); wire_next(&w, &packet);) {
		struct wire sample = wire_bytes(packet.bytes, 66), interned = wire_bytes(packet.bytes, 12);

		assert_int_equal(packet.number, 1);
		read_interned(&t, interned);
		t.threads += count(packet.bytes, 2);
		if (!sample.at)
			continue;
		t.samples++;
		assert_true(t.stack[wire_value(sample, 4, 0)]);
	}
	assert_int_equal(t.samples, 9);
	assert_int_equal(t.threads, 2);
	free(e.v);
}

struct mappings {
	uint64_t nr;
	uint64_t start[MAX_ID], limit[MAX_ID];
};

static void read_mappings(struct mappings *m, const struct exported *e)
{
	const uint64_t *header = (const uint64_t *)e->v;

	for (uint64_t at = header[5]; at < header[5] + header[6];) {
		const struct perf_event_header *h = (const struct perf_event_header *)(e->v + at);
		const uint64_t *v = (const uint64_t *)(h + 1);

		if (h->type == PERF_RECORD_MMAP2) {
			assert_true(m->nr < MAX_ID);
			m->start[m->nr] = v[1];
			m->limit[m->nr++] = v[1] + v[2];
		}
		at += h->size;
	}
}

/* JIT code keeps its address, in the process that made it; files lie above all of it. */
static void files_are_not_in_the_way_of_jit_code(void **state)
{
	struct folded *p = *state;
	struct mappings m = {0};
	struct exported e;

	folded_add(p, "node", "outermost", 1, "/bin/node!main;[anon]!jit");
	p->profile.frames[1].offset = 1ULL << 63; /* a damaged profile */
	p->profile.frames[2].offset = 0x7ffffffff123;
	e = exported_as("perf", &p->profile, usual);
	read_mappings(&m, &e);
	assert_int_equal(m.nr, 2);
	assert_true(m.start[0] == 0x7ffffffff000 || m.start[1] == 0x7ffffffff000);
	assert_true(m.limit[0] <= m.start[1] || m.limit[1] <= m.start[0]);
	free(e.v);
}

/* @e has one sample, whose address and @nr callers, itself included, are from @start to before @limit. */
static void check_only_sample(const struct exported *e, uint64_t start, uint64_t limit, uint64_t nr)
{
	const uint64_t *header = (const uint64_t *)e->v;
	uint32_t samples = 0;

	for (uint64_t at = header[5]; at < header[5] + header[6];) {
		const struct perf_event_header *h = (const struct perf_event_header *)(e->v + at);
		const uint64_t *v = (const uint64_t *)(h + 1), *chain = v + 5;

		at += h->size;
		if (h->type != PERF_RECORD_SAMPLE)
			continue;
		samples++;
		assert_in_range(v[0], start, limit - 1);
		assert_int_equal(chain[0], nr + 1); /* with the mark of user code */
		for (uint64_t i = 2; i <= nr + 1; i++)
			assert_in_range(chain[i], start, limit - 1);
	}
	assert_int_equal(samples, 1);
}

/* It has no place for code of Python: the sample is of the nearest caller that has an address. */
static void perf_leaves_code_of_python_out(void **state)
{
	struct folded *p = *state;
	struct mappings m = {0};
	struct exported e;

	folded_add(p, "py", "outermost", 1, "/bin/python3!main;/bin/python3!eval;/srv/app.py!load;/srv/app.py!decode");
	p->profile.frames[3].offset = 0xffffffffff;
	e = exported_as("perf", &p->profile, usual);
	read_mappings(&m, &e);
	assert_int_equal(m.nr, 1);
	check_only_sample(&e, m.start[0], m.limit[0], 2);
	free(e.v);
}

#define DEFERRED 22 /* PERF_RECORD_CALLCHAIN_DEFERRED of Linux 6.19 */
#define USER_DEFERRED ((uint64_t)-640)
#define MAX_STACKS 16
#define HURRIED 3 /* the sample after which its thread has another one at the same time */

/* What the samples of a perf.data come to: by sample its time, thread and addresses, without marks. */
struct perf_stacks {
	uint64_t nr, v[MAX_STACKS][32];
	uint64_t cookie[MAX_STACKS], tid[MAX_STACKS], time[MAX_STACKS], joined[MAX_STACKS];
	uint64_t records;
};

static void add_addresses(uint64_t *to, const uint64_t *v, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++)
		if (v[i] < PERF_CONTEXT_MAX)
			to[++to[0]] = v[i];
}

static void take_sample(struct perf_stacks *s, const uint64_t *v, const uint64_t *chain)
{
	uint64_t nr = chain[0], at = s->nr++;

	assert_true(at < MAX_STACKS);
	s->tid[at] = v[1] >> 32;
	s->time[at] = v[2];
	for (uint64_t i = 0; i < at; i++) /* readers sort by time */
		assert_true(s->tid[i] != s->tid[at] || s->joined[i] <= s->time[at]);
	if (nr >= 2 && chain[nr - 1] == USER_DEFERRED) {
		s->cookie[at] = chain[nr];
		assert_true(chain[nr]);
		nr -= 2;
	}
	for (uint64_t i = 1; i <= nr; i++)
		assert_true(chain[i] != USER_DEFERRED);
	add_addresses(s->v[at], chain + 1, nr);
}

/* As perf does it: it is of all samples of its thread that wait, and no other of the thread may wait by then. */
static void take_deferred(struct perf_stacks *s, const struct perf_event_header *h, uint64_t trailer)
{
	const uint64_t *v = (const uint64_t *)(h + 1), *end = v + 2 + v[1];
	uint64_t joined = 0;

	assert_int_equal(h->size, sizeof(*h) + 8 * (2 + v[1] + trailer));
	for (uint64_t i = 0; i < s->nr; i++) {
		if (s->tid[i] != end[0] >> 32 || !s->cookie[i])
			continue;
		assert_int_equal(s->cookie[i], v[0]);
		assert_true(end[1] > s->time[i] || (i == HURRIED && end[1] == s->time[i]));
		add_addresses(s->v[i], v + 2, v[1]);
		s->cookie[i] = 0;
		s->joined[i] = end[1];
		joined++;
	}
	assert_true(joined);
	s->records++;
}

static uint64_t perf_flags(const struct exported *e, uint64_t nr)
{
	const uint64_t *header = (const uint64_t *)e->v;

	return *(const uint64_t *)(e->v + header[3] + nr * header[2] + 40);
}

static void read_stacks(struct perf_stacks *s, const struct exported *e)
{
	const uint64_t *header = (const uint64_t *)e->v;
	bool two = header[4] == 2 * header[2];

	for (uint64_t at = header[5]; at < header[5] + header[6];) {
		const struct perf_event_header *h = (const struct perf_event_header *)(e->v + at);
		const uint64_t *v = (const uint64_t *)(h + 1) + two;

		if (h->type == PERF_RECORD_SAMPLE)
			take_sample(s, v, v + 5);
		else if (h->type == DEFERRED)
			take_deferred(s, h, 3 + two);
		at += h->size;
	}
	for (uint64_t i = 0; i < s->nr; i++)
		assert_int_equal(s->cookie[i], 0);
}

static void deferred_stacks_of_perf_are_the_same_once_joined(void **state)
{
	struct folded *p = *state;
	struct perf_stacks apart = {0}, whole = {0};
	struct exported e;

	add_samples(p);
	p->profile.samples[4].time_ns = p->profile.samples[HURRIED].time_ns; /* two stacks of a thread at a time */
	folded_interval(p, "xz", (struct dusk_sample){.value_ns = 7, .count = 9}, "/bin/xz!main;[kernel]!read");
	folded_interval(p, "xz", (struct dusk_sample){.value_ns = 7, .count = 9}, "[kernel]!work");
	e = exported_as("perf", &p->profile, usual);
	assert_int_equal(perf_flags(&e, 0) >> 38, 0);
	read_stacks(&whole, &e);
	assert_int_equal(whole.records, 0);
	free(e.v);
	e = exported_as("perf", &p->profile, (struct export_options){.deferred = true});
	assert_int_equal(perf_flags(&e, 0) >> 38, 3);
	assert_int_equal(perf_flags(&e, 1) >> 38, 1);
	read_stacks(&apart, &e);
	free(e.v);
	assert_int_equal(apart.nr, whole.nr);
	assert_memory_equal(apart.v, whole.v, sizeof(apart.v));
	assert_memory_equal(apart.time, whole.time, sizeof(apart.time));
	assert_int_equal(apart.records, 5); /* of seven samples that have a user stack */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folded_begin, folded_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(otlp_writes_the_values_of_sums),
		TEST(otlp_profiles_have_an_id_of_their_samples),
		TEST(perfetto_adds_up_and_tells_before_it_refers),
		TEST(files_are_not_in_the_way_of_jit_code),
		TEST(perf_leaves_code_of_python_out),
		TEST(deferred_stacks_of_perf_are_the_same_once_joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
