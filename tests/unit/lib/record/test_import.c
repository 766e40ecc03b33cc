/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a perf.data become the profile of what it tells? */
#include "profile_fixture.h"
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "lib/arch/kernel_head.h"
#include "lib/buildid.h"
#include "lib/unwinder/probe.h"
#include "perf_file.h"

#define USUAL                                                                                                          \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
	 PERF_SAMPLE_CALLCHAIN)
#define RECORD_DEFERRED 22
#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER ((uint64_t)PERF_CONTEXT_USER)
#define DEFERRED ((uint64_t)-640)
#define SUM (~0ULL << 32)
#define TEXT "[kernel.kallsyms]_text"
#define STEXT "[kernel.kallsyms]_stext"

static struct perf_file file;

static void begin(uint32_t nr_events)
{
	static const uint64_t configs[] = {PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CPU_CLOCK};

	file = (struct perf_file){0};
	for (uint32_t i = 0; i < nr_events; i++)
		perf_event(&file, configs[i], USUAL);
	perf_begin(&file);
}

/* As perf_trailer() of an event whose samples say their CPU, too. */
static void end_record(uint32_t pid, uint32_t tid, uint64_t time)
{
	perf_put32(&file, pid, tid);
	perf_put64(&file, time);
	perf_put64(&file, 101);
	perf_put32(&file, 0, 0);
	perf_record_end(&file);
}

static void put_map(uint32_t pid, uint64_t start, uint64_t bytes, const char *name, uint64_t time)
{
	perf_record(&file, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	perf_put32(&file, pid, pid);
	perf_put64(&file, start);
	perf_put64(&file, bytes);
	perf_put64(&file, 0x1000);
	perf_put_text(&file, name);
	end_record(pid, pid, time);
}

static void put_name(uint32_t pid, uint32_t tid, const char *name, bool exec, uint64_t time)
{
	perf_record(&file, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	perf_put32(&file, pid, tid);
	perf_put_text(&file, name);
	end_record(pid, tid, time);
}

struct put {
	uint32_t pid, tid, cpu;
	uint64_t time, event, period;
	uint64_t ips[8]; /* up to a 0 */
};

static void put_sample(struct put s)
{
	uint64_t nr = 0;

	while (s.ips[nr])
		nr++;
	perf_record(&file, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	perf_put64(&file, 0x1234);
	perf_put32(&file, s.pid, s.tid ?: s.pid);
	perf_put64(&file, s.time);
	perf_put64(&file, s.event ?: 101);
	perf_put32(&file, s.cpu, 0);
	perf_put64(&file, s.period ?: 1000);
	perf_put64(&file, nr);
	perf_put(&file, s.ips, nr * sizeof(*s.ips));
	perf_record_end(&file);
}

static void put_stack(uint32_t pid, uint32_t tid, uint64_t cookie, uint64_t ip, uint64_t time)
{
	perf_record(&file, RECORD_DEFERRED, PERF_RECORD_MISC_USER);
	perf_put64(&file, cookie);
	perf_put64(&file, 1);
	perf_put64(&file, ip);
	end_record(pid, tid, time);
}

/* As it stands. */
static int import_file(const char *event, struct dusk_error *err)
{
	struct dusk_import_options o = {.sz = sizeof(o), .event = event, .owner_uid = -1, .owner_gid = -1};
	_cleanup_(fclosep) FILE *f = fopen(copy, "w");

	assert_int_equal(fwrite(file.v, 1, file.len, f), file.len);
	assert_int_equal(fflush(f), 0);
	unlink(path);
	return dusk_import_perf(copy, path, &o, err);
}

static int import(const char *event, struct dusk_error *err)
{
	perf_end(&file, 0);
	return import_file(event, err);
}

static void imported(void)
{
	struct dusk_error err = {""};

	if (import(NULL, &err))
		fail_msg("%s", err.text);
}

#define FRAMES \
	"(with recursive up(node,text) as (select s.node,'' union all select n.parent, printf('%s+%x',	\
	substr(m.path, 1 + length(rtrim(m.path, replace(m.path, '/', '')))),f.offset)||case f.is_return when 1 then 'r' else ''	\
	end||case text when '' then '' else ';' end||text from up join node n on n.id=up.node join frame f on f.id=n.frame	\
	join module m on m.id=f.module) select text from up where node=0)"

static void asked(const char *sql, const char *wanted)
{
	assert_string_equal(queried(sql), wanted);
}

static void a_stack_is_where_files_were_mapped_at_that_time(void **state)
{
	begin(1);
	put_name(100, 100, "sh", false, 1);
	put_map(100, 0x10000, 0x1000, "/bin/sh", 2);
	put_sample((struct put){100, .time = 10, .ips = {USER, 0x10010, 0x11000, 0x5}});
	put_name(100, 100, "ls", true, 20);
	put_map(100, 0x10000, 0x1000, "/bin/ls", 21);
	put_map(100, 0x30000, 0x1000, "//anon", 22);
	put_sample((struct put){100, .time = 30, .cpu = 3,
				.ips = {KERNEL, (uint64_t)-0x1000000, (uint64_t)-0x2000000, USER, 0x10010, 0x30010}});
	put_sample((struct put){200, .time = 1030, .ips = {KERNEL, (uint64_t)-0x1000000}});
	put_sample((struct put){100, .time = 1040, .ips = {KERNEL, (uint64_t)-0x1000000}});
	imported();
	asked("select time, comm, cpu, " FRAMES
	      ", o.name from sample s join thread t on t.id=thread join outcome o on o.id=outcome",
	      "0|sh|0|[anon]+5r;sh+2000r;sh+1010|not-reported / "
	      "0|ls|3|[anon]+30010r;ls+1010;[kernel]+fffffffffe000000r;[kernel]+ffffffffff000000|not-reported / "
	      "1|:200|0|[kernel]+ffffffffff000000|kernel-thread / 1|ls|0|[kernel]+ffffffffff000000|not-given");
	asked("select value from counter where name='unmapped-frames'", "1");
	asked("select group_concat(key||'='||value) from setting where key in "
	      "('event','period_ns','weights','duration_ns','finished',"
	      "'recorded_by') order by key",
	      "duration_ns=1030,event=cpu-clock,finished=1,period_ns=1000,recorded_by=perf ,"
	      "weights=nanoseconds");
}

static void put_files(void)
{
	perf_record(&file, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	perf_put32(&file, 100, 100);
	perf_put64(&file, 0x10000);
	perf_put64(&file, 0x1000);
	perf_put64(&file, 0);
	perf_put32(&file, 8, 1);
	perf_put64(&file, 4711);
	perf_put64(&file, 3);
	perf_put32(&file, 5, 2);
	perf_put_text(&file, "/bin/a");
	end_record(100, 100, 1);
	put_map(100, 0x30000, 0x1000, "//anon", 2);
	put_sample((struct put){100, .time = 10, .ips = {USER, 0x10010, 0x30010}});
}

/* @flags: of mmap(2). */
static void put_memfd(uint64_t start, uint32_t flags)
{
	perf_record(&file, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	perf_put32(&file, 100, 100);
	perf_put64(&file, start);
	perf_put64(&file, 0x1000);
	perf_put64(&file, 0);
	perf_put32(&file, 0, 1);
	perf_put64(&file, start);
	perf_put64(&file, 0);
	perf_put32(&file, 5, flags);
	perf_put_text(&file, "/memfd:code (deleted)");
	end_record(100, 100, 1);
}

/* Only programs are mapped privately. */
static void import__shared_memory_with_a_name_is_anonymous(void **state)
{
	begin(1);
	put_memfd(0x10000, 2);
	put_memfd(0x30000, 1);
	put_sample((struct put){100, .time = 10, .ips = {USER, 0x10010, 0x30010}});
	imported();
	asked("select " FRAMES " from sample s", "[anon]+30010r;memfd:code (deleted)+10");
}

/* A branch stack of @nr entries of three words each, the latest first, of an event with USUAL and that. */
static void put_branches(uint64_t hw_idx, const uint64_t *ips, uint64_t nr_ips, const uint64_t *words, uint64_t nr,
			 bool counters)
{
	perf_record(&file, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	perf_put64(&file, 0x10010);
	perf_put32(&file, 100, 100);
	perf_put64(&file, 10);
	perf_put64(&file, 101);
	perf_put32(&file, 0, 0);
	perf_put64(&file, 1000);
	perf_put64(&file, nr_ips);
	perf_put(&file, ips, nr_ips * sizeof(*ips));
	perf_put32(&file, 12, 0); /* PERF_SAMPLE_RAW, 12 bytes */
	perf_put64(&file, 0);
	perf_put64(&file, nr);
	if (hw_idx)
		perf_put64(&file, hw_idx);
	perf_put(&file, words, nr * 24);
	for (uint64_t i = 0; counters && i < nr; i++)
		perf_put64(&file, 7);
	perf_record_end(&file);
}

#define RAW_AND_BRANCHES (PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK)

/* The CPU's stack of calls, on what the kernel knows; other branches are no stack. */
static void a_call_stack_of_the_cpu_is_a_stack(void **state)
{
	static const uint64_t words[] = {0x10100, 0x10000, 0, 0x10200, 0x10100, 0},
			      ips[] = {KERNEL, (uint64_t)-0x1000000, USER, 0x10010, 0x77};
	static const struct {
		uint64_t type;
		const char *stack;
	} cases[] = {
		{PERF_SAMPLE_BRANCH_CALL_STACK, "a+200;a+100;a+10;[kernel]+ffffffffff000000"},
		{PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_HW_INDEX,
		 "a+200;a+100;a+10;[kernel]+ffffffffff000000"},
		{PERF_SAMPLE_BRANCH_CALL_STACK | 1 << 19, "a+200;a+100;a+10;[kernel]+ffffffffff000000"},
		{PERF_SAMPLE_BRANCH_ANY, "[anon]+77r;a+10;[kernel]+ffffffffff000000"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		file = (struct perf_file){0};
		perf_event(&file, PERF_COUNT_SW_CPU_CLOCK, USUAL | RAW_AND_BRANCHES);
		file.attrs[0].branch_sample_type = cases[i].type;
		perf_begin(&file);
		put_files();
		file.len = file.record; /* without the sample */
		put_branches(cases[i].type & PERF_SAMPLE_BRANCH_HW_INDEX, ips, 5, words, 2, cases[i].type >> 19 & 1);
		imported();
		asked("select " FRAMES " from sample s", cases[i].stack);
	}
	begin(1);
	file.attrs[0].sample_type |= RAW_AND_BRANCHES;
	perf_begin(&file);
	put_branches(0, ips, 5, words, 2, false);
	file.v[file.len - 56] = 3; /* of which one is not there */
	imported();
	asked("select value from counter where name = 'refused-records'", "1");
}

static void put_kernel(const char *build_id, uint64_t text, const char *landmark)
{
	uint8_t id[24] = {20};

	for (int i = 0; i < 20; i++)
		sscanf(build_id + 2 * i, "%2hhx", &id[4 + i]);
	perf_record(&file, PERF_RECORD_MMAP2, PERF_RECORD_MISC_KERNEL | PERF_RECORD_MISC_MMAP_BUILD_ID);
	perf_put32(&file, UINT32_MAX, 0);
	perf_put64(&file, text);
	perf_put64(&file, 1 << 20);
	perf_put64(&file, text);
	perf_put(&file, id, sizeof(id));
	perf_put32(&file, 5, 2);
	perf_put_text(&file, landmark);
	end_record(0, 0, 0);
}

/* Whose memory and file is it? 1 if addresses are those of this boot. */
static void are_of_this_boot(bool expected)
{
	put_files();
	imported();
	asked("select dev != 0, ino, generation from module where kind = 1", expected ? "1|4711|3" : "0|0|0");
	asked("select pid from module where kind = 3", expected ? "100" : "0");
	asked("select count(*) from setting where key = 'boot_id'", expected ? "1" : "0");
}

static void numbers_of_files_count_in_the_same_boot_only(void **state)
{
	char build_id[BUILDID_TEXT_BYTES], other[BUILDID_TEXT_BYTES], where[32];
	uint64_t text;
	int hidden = probe_kernel_text(&text);

	if (hidden || !text) /* from users */
		text = 0xffffffff81000000;
	begin(1);
	are_of_this_boot(false);
	probe_kernel_build_id(build_id, sizeof(build_id));
	if (strlen(build_id) != 40)
		return;
	snprintf(other, sizeof(other), "%s", build_id);
	other[39] = other[39] == '0' ? '1' : '0';
	begin(1);
	put_kernel(build_id, text + 4096, TEXT);
	are_of_this_boot(false);
	begin(1);
	put_kernel(other, text, TEXT);
	are_of_this_boot(false);
	asked("select count(*) from setting where key = 'kernel_text'", "1");
	begin(1);
	put_kernel(build_id, text, TEXT);
	are_of_this_boot(!hidden);
	begin(1);
	put_kernel(other, text + KERNEL_HEAD_BYTES, STEXT);
	are_of_this_boot(false);
	snprintf(where, sizeof(where), "0x%llx", (unsigned long long)text);
	asked("select value from setting where key = 'kernel_text'", where);
	begin(1);
	put_kernel(build_id, text + KERNEL_HEAD_BYTES, STEXT);
	are_of_this_boot(!hidden);
}

struct machine {
	const char *name, *release;
	int64_t first_s, last_s, written_s; /* samples since the start of this machine; the file, before now */
};

/* A sample of /bin/a at each of both times, and what perf writes of the machine, without build ids. */
static bool is_of_this_boot(const struct machine *m)
{
	struct dusk_import_options o = {.sz = sizeof(o), .owner_uid = -1, .owner_gid = -1};
	const char *facts[] = {m->name, m->release};
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
	struct dusk_error err = {""};
	uint64_t text = 0, at;
	FILE *f;

	probe_kernel_text(&text);
	begin(1);
	put_map(100, 0x10000, 0x1000, "/bin/a", 1);
	perf_record(&file, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	perf_put32(&file, UINT32_MAX, 0);
	perf_put64(&file, text);
	perf_put64(&file, 1 << 20);
	perf_put64(&file, text);
	perf_put_text(&file, TEXT);
	end_record(0, 0, 0);
	put_sample((struct put){100, .time = m->first_s * 1000000000, .ips = {USER, 0x10010}});
	put_sample((struct put){100, .time = m->last_s * 1000000000, .ips = {USER, 0x10010}});
	perf_end(&file, 1 << 3 | 1 << 4);
	at = file.len;
	file.len += 2 * sizeof(struct perf_file_section);
	for (int i = 0; i < 2; i++) {
		uint32_t bytes = strlen(facts[i]) + 1;

		memcpy(file.v + at + i * 16, &(struct perf_file_section){file.len, sizeof(bytes) + bytes}, 16);
		perf_put(&file, &bytes, sizeof(bytes));
		perf_put(&file, facts[i], bytes);
	}
	f = fopen(copy, "w");
	fwrite(file.v, 1, file.len, f);
	fflush(f);
	clock_gettime(CLOCK_REALTIME, &times[1]);
	times[1].tv_sec -= m->written_s;
	futimens(fileno(f), times);
	fclose(f);
	unlink(path);
	if (dusk_import_perf(copy, path, &o, &err))
		fail_msg("%s", err.text);
	return *queried("select value from setting where key = 'boot_id'");
}

static void without_build_ids_machine_and_times_tell_the_boot(void **state)
{
	struct utsname here;
	struct timespec up;
	uint64_t text;

	uname(&here);
	clock_gettime(CLOCK_BOOTTIME, &up);
	if (probe_kernel_text(&text) || !text || up.tv_sec < 100)
		return; /* addresses are hidden from this user */
	assert_true(
		is_of_this_boot(&(struct machine){here.nodename, here.release, up.tv_sec - 50, up.tv_sec - 40, 30}));
	assert_true(is_of_this_boot(&(struct machine){here.nodename, here.release, up.tv_sec - 50, up.tv_sec - 40, 0}));
	assert_false(is_of_this_boot(&(struct machine){"another", here.release, up.tv_sec - 50, up.tv_sec - 40, 30}));
	assert_false(is_of_this_boot(&(struct machine){here.nodename, "6.1", up.tv_sec - 50, up.tv_sec - 40, 30}));
	/* It was written before the last sample, before the start, or has samples of the future. */
	assert_false(is_of_this_boot(
		&(struct machine){here.nodename, here.release, 10, up.tv_sec - 5, 1000 + up.tv_sec / 500}));
	assert_false(is_of_this_boot(&(struct machine){here.nodename, here.release, 1, 2, 2 * up.tv_sec}));
	assert_false(is_of_this_boot(&(struct machine){here.nodename, here.release, 10, 2 * up.tv_sec + 1000, 0}));
}

static void deferred_stacks_come_to_their_thread_and_cookie(void **state)
{
	begin(1);
	put_map(100, 0x10000, 0x1000, "/bin/a", 1);
	put_sample((struct put){100, 101, .time = 10, .ips = {KERNEL, 0x99, DEFERRED, 7}});
	put_sample((struct put){100, 101, .time = 11, .ips = {DEFERRED, 7}});
	put_sample((struct put){100, 102, .time = 12, .ips = {DEFERRED, 7}});
	put_sample((struct put){100, 101, .time = 13, .ips = {DEFERRED, 8}});
	put_stack(100, 102, 7, 0x10002, 14);
	put_stack(100, 101, 8, 0x10008, 15);
	put_stack(100, 101, 7, 0x10007, 16);
	put_stack(100, 101, 7, 0x10006, 17); /* nobody waits */
	put_sample((struct put){100, 101, .time = 18, .ips = {KERNEL, 0x98, DEFERRED, 9}});
	put_stack(100, 103, 9, 0x10009, 19); /* of another thread */
	imported();
	asked("select tid, " FRAMES
	      ", o.name from sample s join thread t on t.id=thread join outcome o on o.id=outcome order by 1, 2",
	      "101|[kernel]+98|pending / 101|a+1007|not-reported / 101|a+1007;[kernel]+99|not-reported / "
	      "101|a+1008|not-reported / "
	      "102|a+1002|not-reported");
	asked("select value from counter where name='lost-deferred'", "1");
}

static void periods_are_weights(void **state)
{
	begin(1);
	put_sample((struct put){100, .time = 0, .period = 1000, .ips = {USER, 5}});
	put_sample((struct put){100, .time = 2000, .period = 3000, .ips = {USER, 5}});
	imported();
	asked("select time, value from sample", "0|NULL / 2|3000");
	/* Of something that no clock counts: as much time as there were samples, in proportion. */
	file.attrs[0].config = PERF_COUNT_SW_PAGE_FAULTS;
	file.attrs[0].sample_freq = 1000;
	file.attrs[0].freq = 1;
	perf_begin(&file);
	put_sample((struct put){100, .time = 1, .period = 10, .ips = {USER, 5}});
	put_sample((struct put){100, .time = 2, .period = 30, .ips = {USER, 5}});
	imported();
	asked("select value from sample", "500000 / 1500000");
	asked("select value from setting where key in ('frequency_hz', 'period_ns', 'weights') order by key",
	      "1000 / 1000000 / scaled");
	file.attrs[0].freq = 0;
	perf_begin(&file);
	put_sample((struct put){100, .time = 1, .period = 10, .ips = {USER, 5}});
	imported();
	asked("select s.value, t.value from sample s, setting t where key='weights'", "10|counts");
}

static void samples_of_other_events_are_counted_only(void **state)
{
	struct dusk_error err = {""};

	for (int i = 0; i < 4; i++) {
		begin(3);
		put_sample((struct put){100, .time = 1, .event = i == 3 ? 102 : 101, .ips = {USER, 5}});
		put_sample((struct put){100, .time = 2, .event = 102, .ips = {USER, 5}});
		put_sample((struct put){100, .time = 3, .event = 102, .ips = {USER, 5}});
		put_sample((struct put){100, .time = 4, .event = 103, .ips = {USER, 5}}); /* as 101, of other CPUs */
		assert_int_equal(import(i == 1 ? "unnamed" : i == 2 ? "no such" : NULL, &err), i == 2 ? -ENOENT : 0);
		if (i != 2)
			asked("select (select count(*) from sample), value from counter where name='other-events'",
			      i == 0   ? "2|2"
			      : i == 1 ? "2|2"
				       : "3|1");
	}
	assert_string_equal(queried("select value from setting where key='event'"), "unnamed");
}

/* Names of events, behind the records. */
static void put_event_names(const char *first, const char *second)
{
	const char *names[] = {first, second};
	size_t at = file.len;
	struct perf_file_section s = {at + sizeof(s), 0};

	perf_put(&file, &s, sizeof(s));
	perf_put32(&file, 2, sizeof(file.attrs[0]));
	for (uint32_t i = 0; i < 2; i++) {
		perf_put(&file, &file.attrs[i], sizeof(file.attrs[i]));
		perf_put32(&file, 1, 16);
		perf_put(&file, names[i], strlen(names[i]) + 1);
		while ((file.len - s.offset) % 8)
			perf_put(&file, "", 1);
		for (size_t len = strlen(names[i]) / 8 * 8 + 8; len < 16; len += 8)
			perf_put64(&file, 0);
		perf_put64(&file, 101 + i);
	}
	s.bytes = file.len - s.offset;
	memcpy(file.v + at, &s, sizeof(s));
}

static void intervals_are_intervals_and_sums_have_no_time(void **state)
{
	begin(2);
	put_sample((struct put){100, .time = 1000, .ips = {USER, 5}});
	put_sample((struct put){100, .time = 3000, .cpu = 2, .event = 102, .period = 777, .ips = {USER, 5}});
	put_sample((struct put){100, .time = SUM + 1, .event = 102, .period = 888, .ips = {USER, 5}});
	put_sample((struct put){100, .time = 9000, .ips = {USER, 5}});
	perf_end(&file, 1 << 12);
	put_event_names("cpu-clock", "offcpu-time");
	assert_int_equal(import_file(NULL, NULL), 0);
	asked("select time, cpu, value, nr, t.name from offcpu a join state t on t.id=a.state order by a.id",
	      "2|2|777|1|not-reported / 8|NULL|888|1|not-reported");
	asked("select time from sample", "0 / 8");
}

static void kinds_of_cpus_are_together_but_by_name(void **state)
{
	begin(2);
	file.attrs[1].config = file.attrs[0].config;
	perf_begin(&file);
	put_sample((struct put){100, .time = 1, .event = 101, .ips = {USER, 5}});
	put_sample((struct put){100, .time = 2, .event = 102, .ips = {USER, 5}});
	perf_end(&file, 1 << 12);
	put_event_names("large/clock/", "small/clock/");
	assert_int_equal(import_file(NULL, NULL), 0);
	asked("select count(*) from sample", "2");
	assert_int_equal(import_file("small/clock/", NULL), 0);
	asked("select time, (select value from setting where key='event') from sample", "0|small/clock/");
	asked("select count(*) from sample", "1");
}

static int stop(void *ctx, uint32_t done, uint32_t total)
{
	return -1;
}

static void what_is_stopped_or_no_perf_data_leaves_nothing(void **state)
{
	struct dusk_import_options o = {.sz = sizeof(o), .owner_uid = -1, .owner_gid = -1, .progress = stop};
	struct dusk_error err = {""};
	char place[80];

	begin(1);
	for (int i = 0; i < 500; i++)
		put_sample((struct put){100, .time = 1 + i, .ips = {USER, 5}});
	imported();
	for (int i = 0; i < 2; i++) {
		_cleanup_(fclosep) FILE *f = fopen(copy, "w");

		if (i)
			memcpy(file.v, "no perf", 7);
		/* So many that it is asked. */
		if (!i) {
			struct perf_file_section data = {file.data, file.len - file.data};
			uint64_t all = data.bytes * 10;

			memcpy(file.v + 48, &all, sizeof(all));
			fwrite(file.v, 1, file.len, f);
			for (int k = 1; k < 10; k++)
				fwrite(file.v + file.data, 1, data.bytes, f);
		} else {
			fwrite(file.v, 1, file.len, f);
		}
		fflush(f);
		unlink(path);
		assert_int_equal(dusk_import_perf(copy, path, &o, &err), i ? -EINVAL : -ECANCELED);
		snprintf(place, sizeof(place), "%s.recording", path);
		assert_int_equal(access(path, F_OK), -1);
		assert_int_equal(access(place, F_OK), -1);
	}
	assert_int_equal(dusk_import_perf("/dev/null", path, &o, &err), -EINVAL);
	assert_int_equal(dusk_import_perf("/no/such", path, &o, &err), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_is_where_files_were_mapped_at_that_time),
		cmocka_unit_test(import__shared_memory_with_a_name_is_anonymous),
		cmocka_unit_test(a_call_stack_of_the_cpu_is_a_stack),
		cmocka_unit_test(without_build_ids_machine_and_times_tell_the_boot),
		cmocka_unit_test(numbers_of_files_count_in_the_same_boot_only),
		cmocka_unit_test(deferred_stacks_come_to_their_thread_and_cookie),
		cmocka_unit_test(periods_are_weights),
		cmocka_unit_test(samples_of_other_events_are_counted_only),
		cmocka_unit_test(kinds_of_cpus_are_together_but_by_name),
		cmocka_unit_test(intervals_are_intervals_and_sums_have_no_time),
		cmocka_unit_test(what_is_stopped_or_no_perf_data_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
