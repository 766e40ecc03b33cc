/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Occurrences of events: written, read, chosen, counted and shown; and samples are what they were. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "export/export.h"
#include "profile_fixture.h"
#include "report/model/completeness.h"
#include "report/model/event_field.h"
#include "report/model/occurrences.h"

static struct occurrences_weighed weighed;

static uint32_t node_of(struct profile_writer *w, uint32_t parent, uint64_t offset)
{
	static const struct dusk_module victim = {
		.kind = DUSK_MODULE_FILE, .pid = 7, .path = "/usr/bin/victim", .build_id = ""};

	return profile_node(w, parent, profile_frame(w, profile_module(w, &victim), offset, true, DUSK_BY_CFI));
}

static void occur(struct profile_writer *w, uint32_t event, uint64_t time_ns, uint32_t node, uint8_t outcome,
		  const char *fields)
{
	struct dusk_occurrence o = {
		.sample = {.time_ns = time_ns,
			   .thread = profile_thread(w, 7, 8, "victim"),
			   .node = node,
			   .cpu = 1,
			   .outcome = outcome,
			   .source = DUSK_EVENT,
			   .count = 1},
		.event = event,
		.fields = fields,
	};

	profile_occurrence(w, &o);
}

/* @ticks samples at 1 and 3 ms, and occurrences at 4, 2, 5 ms. */
static struct dusk_profile *recorded(uint32_t ticks)
{
	struct profile_writer *w = created();
	uint32_t outer = node_of(w, 0, 0x10), inner = node_of(w, outer, 0x20);
	struct dusk_profile *p;

	profile_set(w, "period_ns", "1000000");
	profile_event(w, "sched:sched_process_exec");
	profile_event(w, "syscalls:sys_enter_openat");
	profile_event(w, "block:block_rq_issue");
	for (uint32_t i = 0; i < ticks; i++) {
		struct dusk_sample s = {.time_ns = 1000000 + 2000000 * i,
					.thread = profile_thread(w, 7, 8, "victim"),
					.node = outer,
					.outcome = UNDEFINED_RA,
					.source = DUSK_CPU,
					.count = 1};

		profile_sample(w, &s);
	}
	occur(w, 0, 4000000, 0, EXITED, "filename=/bin/true pid=12");
	occur(w, 1, 2000000, inner, UNDEFINED_RA, "");
	occur(w, 1, 5000000, outer, UNDEFINED_RA, "dfd: 0x3\033[31m");
	assert_int_equal(profile_close(w, true, NULL), 0);
	p = opened(path);
	assert_non_null(p);
	return p;
}

static void they_are_read_as_they_were_written_by_time(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = recorded(2);

	assert_int_equal(p->nr_samples, 2);
	assert_int_equal(p->nr_events, 3);
	assert_int_equal(p->nr_occurrences, 3);
	assert_string_equal(p->events[2].name, "block:block_rq_issue");
	assert_int_equal(p->occurrences[0].event, 1);
	assert_int_equal(p->occurrences[0].sample.time_ns, 2000000);
	assert_int_equal(p->occurrences[0].sample.source, DUSK_EVENT);
	assert_int_equal(p->occurrences[0].sample.count, 1);
	assert_int_equal(p->occurrences[0].sample.value_ns, 0);
	assert_string_equal(p->occurrences[0].fields, "");
	assert_string_equal(p->occurrences[1].fields, "filename=/bin/true pid=12");
	assert_int_equal(p->occurrences[1].sample.node, 0);
	assert_int_equal(p->occurrences[2].sample.node, 1);
}

static void samples_are_what_is_usual_where_there_are_any(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = recorded(2);
	_cleanup_(filtered_done) struct filtered f = {0};
	struct filter cpu = {.kind = TIME_BASE_CPU};

	assert_int_equal(time_base_of(p, TIME_BASE_USUAL), TIME_BASE_CPU);
	assert_int_equal(filtered_init(&f, p, &cpu), 0);
	assert_int_equal(f.profile.nr_samples, 2);
	assert_int_equal(f.profile.nr_occurrences, 0);
}

static void without_samples_events_are(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = recorded(0);

	assert_int_equal(time_base_of(p, TIME_BASE_USUAL), TIME_BASE_EVENT);
	assert_int_equal(occurrences_only(p), -E2BIG);
	p->nr_occurrences = 1;
	assert_int_equal(occurrences_only(p), 1);
	p->nr_occurrences = 0;
	assert_int_equal(occurrences_only(p), -ENOENT);
	assert_int_equal(time_base_of(p, TIME_BASE_USUAL), TIME_BASE_CPU);
}

static void those_of_one_event_are_samples_of_their_own(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = recorded(2);
	_cleanup_(filtered_done) struct filtered f = {0};
	_cleanup_(completeness_done) struct completeness l = {0};

	assert_int_equal(occurrences_find(p, "sched:sched"), -ENOENT);
	assert_int_equal(occurrences_find(p, "syscalls:sys_enter_openat"), 1);
	assert_int_equal(occurrences_init(&f, p, 1, NULL, &weighed), 0);
	assert_int_equal(f.profile.nr_samples, 2);
	assert_int_equal(f.profile.nr_occurrences, 2);
	assert_int_equal(f.profile.nr_events, 1);
	assert_string_equal(f.profile.events[0].name, "syscalls:sys_enter_openat");
	assert_int_equal(f.profile.occurrences[1].event, 0);
	assert_int_equal(f.profile.samples[1].time_ns, 5000000);
	assert_int_equal(time_base_of(&f.profile, TIME_BASE_USUAL), TIME_BASE_EVENT);
	assert_int_equal(completeness_of(&l, &f.profile, DUSK_EVENT), 0);
	assert_int_equal(l.samples, 2);
	assert_int_equal(l.complete, 2);
	assert_int_equal(l.stacks, 2);
}

static void a_focus_is_one_for_samples_and_events(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = recorded(2);
	_cleanup_(filtered_done) struct filtered f = {0};
	struct filter focus = {.kind = TIME_BASE_WALL, .focus = "0x20"}; /* the inner one's */

	assert_int_equal(filtered_init(&f, p, &focus), 0);
	assert_int_equal(f.profile.nr_samples, 0);
	assert_int_equal(f.profile.nr_occurrences, 1);
	assert_int_equal(f.profile.occurrences[0].sample.time_ns, 2000000);
}

static char *written(int (*write)(FILE *, const struct dusk_profile *, const struct export_options *),
		     const struct dusk_profile *p)
{
	struct export_options how = {.by = BY_COUNT};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(write(out, p, &how), 0);
	fclose(out);
	return text;
}

static void a_script_has_all_of_it_in_the_order_of_time(void **state)
{
	static const char *const lines[] = {
		"0.001000:    1000000 cpu-clock: \n",
		"0.002000: syscalls:sys_enter_openat: \n\t",
		"0.003000:    1000000 cpu-clock: \n",
		"0.004000: sched:sched_process_exec: filename=/bin/true pid=12\n\t               0 [no stack: exited]",
		"0.005000: syscalls:sys_enter_openat: dfd: 0x3\\x1b[31m\n\t",
	};
	_cleanup_(profile_freep) struct dusk_profile *p = recorded(2);
	_cleanup_(freep) char *text = written(script_write, p);
	const char *at = text;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		at = strstr(at, lines[i]);
		if (!at)
			print_error("%s\nlacks in this order: %s\n", text, lines[i]);
		assert_non_null(at);
	}
}

static void a_script_of_an_event_has_it_once(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = recorded(2);
	_cleanup_(filtered_done) struct filtered f = {0};
	_cleanup_(freep) char *text = NULL;

	assert_int_equal(occurrences_init(&f, p, 0, NULL, &weighed), 0);
	text = written(script_write, &f.profile);
	assert_non_null(strstr(text, "filename="));
	assert_null(strstr(strstr(text, "filename=") + 1, "filename="));
	assert_null(strstr(text, "cpu-clock"));
}

static void folded_stacks_of_an_event_are_counted(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = recorded(2);
	_cleanup_(filtered_done) struct filtered f = {0};
	_cleanup_(freep) char *text = NULL;

	assert_int_equal(occurrences_init(&f, p, 1, NULL, &weighed), 0);
	text = written(folded_write, &f.profile);
	assert_string_equal(text, "victim;victim+0x10 1\nvictim;victim+0x10;victim+0x20 1\n");
}

#define NONE INT64_MIN

static void field__is_a_number_by_its_name(void **state)
{
	static const struct {
		const char *fields, *name;
		int64_t is;
	} cases[] = {
		{"bytes_req=64 bytes_alloc=96 node=-1", "bytes_req", 64},
		{"bytes_req=64 bytes_alloc=96 node=-1", "bytes_alloc", 96},
		{"bytes_req=64 bytes_alloc=96 node=-1", "bytes", NONE},
		{"bytes_req=64 bytes_alloc=96 node=-1", "alloc", NONE},
		{"bytes_req=64 bytes_alloc=96 node=-1", "req", NONE},
		{"bytes_req=64 bytes_alloc=96 node=-1", "node", NONE},
		{"fd: 0x00000003, count: 0x00001000", "count", 4096},
		{"fd: 0x00000003, count: 0x00001000", "fd", 3},
		{"fd: 0x00000003, count: 0x00001000", "ret", NONE},
		{"mm_id=1 type=MM_FILEPAGES size=110592B", "size", 110592},
		{"mm_id=1 type=MM_FILEPAGES size=110592B", "type", NONE},
		{"(7f6f402ca930) size=4096", "size", 4096},
		{"(7f6f402ca930 <- 7f6f402ca000) size=4096 arg1=0xff", "arg1", 255},
		{"call_site=12ab size=1", "call_site", NONE},
		{"path=/a/size=9 size=1", "size", 1},
		{"ratio=1.5", "ratio", NONE},
		{"size=", "size", NONE},
		{"size=0x", "size", NONE},
		{"size=0xg", "size", NONE},
		{"size=99999999999999999999", "size", NONE},
		{"size", "size", NONE},
		{"0x40", "ret", 64},
		{"64", "ret", 64},
		{"64 of 65", "ret", NONE},
		{"-2", "ret", NONE},
		{"", "ret", NONE},
		{"", "", NONE},
		{"=1", "", 1},
		{"0xfffffffffffffffe", "ret", -2}, /* of a call that failed */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t is = 0;
		bool found = event_field_number(cases[i].fields, cases[i].name, &is);

		if (found != (cases[i].is != NONE) || (found && is != (uint64_t)cases[i].is))
			fail_msg("%s in \"%s\" is %d, %lu", cases[i].name, cases[i].fields, found, (unsigned long)is);
	}
}

/* They count as much as their field says: also more than one sample can, and nothing that is no number. */
static void occurrences__weigh_what_their_field_says(void **state)
{
	struct profile_writer *w = created();
	uint32_t outer = node_of(w, 0, 0x10), inner = node_of(w, outer, 0x20);
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	_cleanup_(filtered_done) struct filtered f = {0};
	_cleanup_(freep) char *text = NULL;

	profile_event(w, "kmem:kmalloc");
	occur(w, 0, 1, outer, UNDEFINED_RA, "bytes=100");
	occur(w, 0, 2, outer, UNDEFINED_RA, "bytes=28");
	occur(w, 0, 3, inner, UNDEFINED_RA, "bytes=0x200000001");
	occur(w, 0, 4, inner, UNDEFINED_RA, "bytes=0");
	occur(w, 0, 5, inner, UNDEFINED_RA, "bytes=-1");
	occur(w, 0, 6, inner, UNDEFINED_RA, "bytes=1099511627777");
	assert_int_equal(profile_close(w, true, NULL), 0);
	p = opened(path);
	assert_int_equal(occurrences_init(&f, p, 0, "bytes", &weighed), 0);
	assert_int_equal(weighed.nr, 6);
	assert_int_equal(weighed.left_out, 2);
	assert_int_equal(f.profile.nr_occurrences, 4);
	assert_string_equal(f.profile.events[0].name, "kmem:kmalloc by bytes");
	text = written(folded_write, &f.profile);
	assert_string_equal(text, "victim;victim+0x10 128\nvictim;victim+0x10;victim+0x20 8589934593\n");
}

/* As older profiles are. */
static void a_profile_without_the_tables_has_none(void **state)
{
	struct dusk_profile *p = recorded(2);
	sqlite3 *db;

	dusk_profile_free(p);
	assert_int_equal(sqlite3_open(path, &db), 0);
	assert_int_equal(
		sqlite3_exec(db, "drop view events; drop table occurrence; drop table event", NULL, NULL, NULL), 0);
	sqlite3_close(db);
	p = opened(path);
	assert_int_equal(p->nr_samples, 2);
	assert_int_equal(p->nr_events, 0);
	assert_int_equal(p->nr_occurrences, 0);
	dusk_profile_free(p);
}

static void what_points_nowhere_is_damage(void **state)
{
	static const char *const changes[] = {
		"update occurrence set event=3",
		"update occurrence set node=9",
		"update occurrence set thread=null",
		"update occurrence set fields=x'05'",
		"update event set name=null",
		"update occurrence set outcome=254",
		"delete from event",
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct dusk_profile *p = recorded(2);
		struct dusk_error err;
		sqlite3 *db;

		dusk_profile_free(p);
		assert_int_equal(sqlite3_open(path, &db), 0);
		assert_int_equal(sqlite3_exec(db, changes[i], NULL, NULL, NULL), 0);
		sqlite3_close(db);
		if (dusk_profile_read(&p, path, &err) != -EINVAL)
			fail_msg("%s is no damage", changes[i]);
		assert_non_null(strstr(err.text, "damaged"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_are_read_as_they_were_written_by_time),
		cmocka_unit_test(samples_are_what_is_usual_where_there_are_any),
		cmocka_unit_test(without_samples_events_are),
		cmocka_unit_test(those_of_one_event_are_samples_of_their_own),
		cmocka_unit_test(a_focus_is_one_for_samples_and_events),
		cmocka_unit_test(a_script_has_all_of_it_in_the_order_of_time),
		cmocka_unit_test(a_script_of_an_event_has_it_once),
		cmocka_unit_test(folded_stacks_of_an_event_are_counted),
		cmocka_unit_test(field__is_a_number_by_its_name),
		cmocka_unit_test(occurrences__weigh_what_their_field_says),
		cmocka_unit_test(a_profile_without_the_tables_has_none),
		cmocka_unit_test(what_points_nowhere_is_damage),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
