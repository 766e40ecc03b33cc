/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is a perf.data read as perf has written it, and refused if it is something else? */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "lib/perfdata/perfdata.h"
#include <fcntl.h>
#include <lzma.h>
#include <zlib.h>
#include "perf_file.h"

#define USUAL (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID)
#define DEFERRED 22
#define MAX_TOLD 32

static struct perf_file file;

/* Decoded records, with copies of what goes. */
static struct decoded {
	struct perfdata_record r[MAX_TOLD];
	uint64_t ips[MAX_TOLD][8];
	char text[MAX_TOLD][64];
	size_t nr;
} decoded;

static int note(void *ctx, const struct perfdata_record *r)
{
	size_t at = decoded.nr++;

	(void)ctx;
	assert_true(at < MAX_TOLD && r->nr_ips <= 8);
	decoded.r[at] = *r;
	if (r->nr_ips)
		memcpy(decoded.ips[at], r->ips, r->nr_ips * sizeof(*r->ips));
	if (r->text)
		snprintf(decoded.text[at], sizeof(decoded.text[at]), "%s", r->text);
	return 0;
}

/* The first @len bytes of the file. */
static int read_part(struct perfdata **ret, size_t len, struct dusk_error *err)
{
	_cleanup_(closep) int fd = perf_file_open(&file, len);
	int rc = perfdata_open(ret, fd, "perf.data", err);

	decoded.nr = 0;
	return rc ?: perfdata_read(*ret, note, NULL);
}

static struct perfdata *read_file(void)
{
	struct perfdata *d = NULL;
	struct dusk_error err = {""};

	if (read_part(&d, file.len, &err))
		fail_msg("%s", err.text);
	return d;
}

static void refused(int expected, const char *why)
{
	struct perfdata *d = NULL;
	struct dusk_error err = {""};

	assert_int_equal(read_part(&d, file.len, &err), expected);
	assert_null(d);
	if (!strstr(err.text, why))
		fail_msg("%s", err.text);
}

static void begin(uint64_t sample_type)
{
	file = (struct perf_file){0};
	perf_event(&file, PERF_COUNT_SW_CPU_CLOCK, sample_type);
	perf_begin(&file);
}

static void put_name(uint32_t pid, uint32_t tid, const char *name, uint16_t misc, uint64_t time)
{
	perf_record(&file, PERF_RECORD_COMM, misc);
	perf_put32(&file, pid, tid);
	perf_put_text(&file, name);
	perf_trailer(&file, pid, tid, time, 101);
}

static void put_sample(uint64_t ip, uint32_t pid, uint32_t tid, uint64_t time, uint64_t id)
{
	perf_record(&file, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	perf_put64(&file, ip);
	perf_put32(&file, pid, tid);
	perf_put64(&file, time);
	perf_put64(&file, id);
	perf_record_end(&file);
}

static void names_forks_and_losses(void **state)
{
	struct perfdata *d;

	begin(USUAL);
	put_name(100, 101, "worker", 0, 10);
	put_name(100, 100, "program", PERF_RECORD_MISC_COMM_EXEC, 20);
	perf_record(&file, PERF_RECORD_FORK, 0);
	perf_put32(&file, 200, 100);
	perf_put32(&file, 201, 101);
	perf_put64(&file, 30);
	perf_trailer(&file, 100, 101, 30, 101);
	perf_record(&file, PERF_RECORD_LOST, 0);
	perf_put64(&file, 101);
	perf_put64(&file, 7);
	perf_trailer(&file, 100, 101, 40, 101);
	perf_record(&file, PERF_RECORD_LOST_SAMPLES, 0);
	perf_put64(&file, 8);
	perf_trailer(&file, 100, 101, 50, 0);
	perf_record(&file, PERF_RECORD_LOST_SAMPLES, 1 << 15);
	perf_put64(&file, 9);
	perf_trailer(&file, 100, 101, 60, 101);
	perf_end(&file, 0);
	d = read_file();
	assert_int_equal(decoded.nr, 6);
	assert_int_equal(decoded.r[0].kind, PERFDATA_NAME);
	assert_string_equal(decoded.text[0], "worker");
	assert_true(decoded.r[0].pid == 100 && decoded.r[0].tid == 101 && decoded.r[0].time_ns == 10 &&
		    !decoded.r[0].exec);
	assert_true(decoded.r[1].exec);
	assert_int_equal(decoded.r[2].kind, PERFDATA_FORK);
	assert_true(decoded.r[2].pid == 200 && decoded.r[2].ppid == 100 && decoded.r[2].tid == 201 &&
		    decoded.r[2].ptid == 101);
	assert_true(decoded.r[3].lost == 7 && decoded.r[4].lost == 8 && decoded.r[5].lost == 0);
	assert_int_equal(d->malformed + d->unknown, 0);
	perfdata_free(d);
}

static void put_map2(uint16_t misc, const void *id, const char *path, uint64_t time)
{
	perf_record(&file, PERF_RECORD_MMAP2, misc);
	perf_put32(&file, 100, 100);
	perf_put64(&file, 0x1000);
	perf_put64(&file, 0x2000);
	perf_put64(&file, 0x3000);
	perf_put(&file, id, 24);
	perf_put32(&file, 5, 2);
	perf_put_text(&file, path);
	perf_trailer(&file, 100, 100, time, 101);
}

static void maps_by_inode_and_by_build_id(void **state)
{
	const uint32_t inode[] = {8, 1, 4711, 0, 3, 0};
	const uint8_t build_id[24] = {20, 0, 0, 0, 0xab, [23] = 0xcd}, too_long[24] = {200, 0, 0, 0, 0xab};
	struct perfdata *d;

	begin(USUAL);
	perf_record(&file, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	perf_put32(&file, 100, 100);
	perf_put64(&file, 1);
	perf_put64(&file, 2);
	perf_put64(&file, 3);
	perf_put_text(&file, "/bin/old");
	perf_trailer(&file, 100, 100, 10, 101);
	put_map2(PERF_RECORD_MISC_USER, inode, "/bin/a", 20);
	put_map2(PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID, build_id, "/bin/b", 30);
	put_map2(PERF_RECORD_MISC_KERNEL | PERF_RECORD_MISC_MMAP_BUILD_ID, too_long, "[kernel.kallsyms]_text", 40);
	perf_end(&file, 0);
	d = read_file();
	assert_int_equal(decoded.nr, 4);
	assert_string_equal(decoded.text[0], "/bin/old");
	assert_true(decoded.r[0].start == 1 && decoded.r[0].bytes == 2 && decoded.r[0].offset == 3);
	assert_string_equal(decoded.text[1], "/bin/a");
	assert_true(decoded.r[1].dev == makedev(8, 1) && decoded.r[1].ino == 4711 && decoded.r[1].generation == 3);
	assert_true(decoded.r[1].start == 0x1000 && decoded.r[1].bytes == 0x2000 && decoded.r[1].offset == 0x3000);
	assert_string_equal(decoded.r[1].build_id, "");
	assert_string_equal(decoded.r[2].build_id, "ab000000000000000000000000000000000000cd");
	assert_int_equal(decoded.r[2].ino, 0);
	assert_int_equal(strlen(decoded.r[3].build_id), 40);
	assert_true(!decoded.r[3].exec && !decoded.r[3].ppid && !decoded.r[3].lost);
	assert_int_equal(decoded.r[3].mode, PERFDATA_KERNEL);
	assert_string_equal(d->landmark, "_text");
	assert_int_equal(d->landmark_address, 0x3000);
	assert_string_equal(d->kernel_build_id, decoded.r[3].build_id);
	perfdata_free(d);
}

/* All that may stand before the stack, and something behind it. */
static void what_is_not_wanted_of_a_sample_is_skipped(void **state)
{
	static const uint64_t formats[] = {0, 0x1f, 0x17, 0xf, 8};
	static const uint64_t words[] = {1, 3 + 2 * 3, 5, 3 + 2 * 2, 1 + 2};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct perfdata *d;

		file = (struct perf_file){0};
		perf_event(&file, PERF_COUNT_SW_CPU_CLOCK,
			   USUAL | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ADDR | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
				   PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
				   PERF_SAMPLE_WEIGHT);
		file.attrs[0].read_format = formats[i];
		perf_begin(&file);
		perf_record(&file, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
		perf_put64(&file, 101);
		perf_put64(&file, 0xabc);
		perf_put32(&file, 100, 102);
		perf_put64(&file, 77);
		perf_put64(&file, 0xadd);
		perf_put64(&file, 101);
		perf_put64(&file, 1);
		perf_put32(&file, 3, 0);
		perf_put64(&file, 4242);
		perf_put64(&file, 2); /* of a group: its members */
		for (uint64_t k = 1; k < words[i]; k++)
			perf_put64(&file, 1000 + k);
		perf_put64(&file, 2);
		perf_put64(&file, 0x10);
		perf_put64(&file, 0x20);
		perf_put64(&file, 0);
		perf_record_end(&file);
		perf_end(&file, 0);
		d = read_file();
		assert_int_equal(decoded.nr, 1);
		assert_int_equal(d->malformed, 0);
		assert_true(decoded.r[0].address == 0xabc && decoded.r[0].pid == 100 && decoded.r[0].tid == 102);
		assert_true(decoded.r[0].time_ns == 77 && decoded.r[0].cpu == 3 && decoded.r[0].period == 4242);
		assert_int_equal(decoded.r[0].nr_ips, 2);
		assert_true(decoded.ips[0][0] == 0x10 && decoded.ips[0][1] == 0x20);
		perfdata_free(d);
	}
}

static void records_come_by_time_and_as_they_stand(void **state)
{
	struct perfdata *d;

	begin(USUAL);
	put_sample(1, 100, 100, 50, 101);
	put_sample(2, 100, 100, 20, 101);
	put_sample(3, 100, 100, 20, 101);
	put_name(100, 100, "first", 0, 0);
	perf_record(&file, DEFERRED, PERF_RECORD_MISC_USER);
	perf_put64(&file, 0xc00c1e);
	perf_put64(&file, 1);
	perf_put64(&file, 0x99);
	perf_trailer(&file, 100, 103, 30, 101);
	perf_end(&file, 0);
	d = read_file();
	assert_int_equal(decoded.nr, 5);
	assert_int_equal(decoded.r[0].kind, PERFDATA_NAME);
	assert_true(decoded.r[1].address == 2 && decoded.r[2].address == 3 && decoded.r[4].address == 1);
	assert_int_equal(decoded.r[3].kind, PERFDATA_DEFERRED);
	assert_true(decoded.r[3].cookie == 0xc00c1e && decoded.r[3].tid == 103 && decoded.r[3].nr_ips == 1 &&
		    decoded.ips[3][0] == 0x99);
	assert_true(d->first_ns == 20 && d->last_ns == 50);
	assert_int_equal(d->events[0].samples, 3);
	perfdata_free(d);
}

static void samples_are_of_the_event_whose_number_they_have(void **state)
{
	struct perfdata *d;

	file = (struct perf_file){0};
	perf_event(&file, PERF_COUNT_SW_CPU_CLOCK, USUAL);
	perf_event(&file, PERF_COUNT_SW_PAGE_FAULTS, USUAL | PERF_SAMPLE_PERIOD); /* behind the number */
	perf_begin(&file);
	put_sample(1, 100, 100, 1, 102);
	perf_record(&file, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	perf_put64(&file, 2);
	perf_put32(&file, 100, 100);
	perf_put64(&file, 2);
	perf_put64(&file, 102);
	perf_put64(&file, 555);
	perf_record_end(&file);
	put_sample(3, 100, 100, 3, 101);
	put_sample(4, 100, 100, 4, 999);
	perf_end(&file, 0);
	d = read_file();
	/* The first lacks its period, and the last its event. */
	assert_int_equal(decoded.nr, 2);
	assert_int_equal(d->malformed, 1);
	assert_int_equal(d->unnamed, 1);
	assert_ptr_equal(decoded.r[0].event, &d->events[1]);
	assert_int_equal(decoded.r[0].period, 555);
	assert_ptr_equal(decoded.r[1].event, &d->events[0]);
	assert_int_equal(decoded.r[1].period, 1000);
	perfdata_free(d);
}

static void events_that_cannot_be_distinguished_are_refused(void **state)
{
	static const uint64_t types[] = {
		USUAL | PERF_SAMPLE_ADDR, USUAL | PERF_SAMPLE_IDENTIFIER,
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		USUAL | PERF_SAMPLE_CPU, /* in the trailer behind the number */
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		file = (struct perf_file){0};
		perf_event(&file, PERF_COUNT_SW_CPU_CLOCK, USUAL);
		perf_event(&file, PERF_COUNT_SW_PAGE_FAULTS, types[i]);
		perf_begin(&file);
		put_sample(1, 100, 100, 1, 102);
		perf_end(&file, 0);
		refused(-EOPNOTSUPP, "event 2, unnamed, has records that cannot be distinguished");
	}
	begin(USUAL & ~PERF_SAMPLE_TID);
	put_sample(1, 100, 100, 1, 101);
	perf_end(&file, 0);
	refused(-EOPNOTSUPP, "event 1, cpu-clock, does not say which thread");
	file = (struct perf_file){0};
	perf_event(&file, PERF_COUNT_SW_CPU_CLOCK, USUAL | PERF_SAMPLE_READ);
	file.attrs[0].read_format = 1 << 5;
	perf_begin(&file);
	put_sample(1, 100, 100, 1, 102);
	perf_end(&file, 0);
	refused(-EOPNOTSUPP, "reads counters in a form");
}

/* @bytes: of the raw data, as it says. */
static void make_interval(uint32_t bytes)
{
	static const char name[] = "offcpu-time";
	struct perf_file_section facts;

	file = (struct perf_file){0};
	perf_event(&file, PERF_COUNT_SW_BPF_OUTPUT, USUAL | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW);
	perf_begin(&file);
	perf_record(&file, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	perf_put64(&file, 0);
	perf_put32(&file, 1, 1);
	perf_put64(&file, 5000);
	perf_put64(&file, 101);
	perf_put64(&file, 1);
	perf_put32(&file, bytes, 300);	/* and the process */
	perf_put32(&file, 301, 123456); /* the thread; time off CPU */
	perf_put32(&file, 0, 2);	/* its upper half; two addresses */
	perf_put32(&file, 0, 0xfffffe00);
	perf_put32(&file, 0xffffffff, 0x77);
	perf_put32(&file, 0, 0);
	perf_record_end(&file);
	perf_end(&file, 1 << 12);
	facts = (struct perf_file_section){file.len + 16, 8 + sizeof(struct perf_event_attr) + 8 + sizeof(name)};
	perf_put(&file, &facts, sizeof(facts));
	perf_put32(&file, 1, sizeof(struct perf_event_attr));
	perf_put(&file, &file.attrs[0], sizeof(file.attrs[0]));
	perf_put32(&file, 0, sizeof(name));
	perf_put(&file, name, sizeof(name));
}

/* As perf of Linux 6.16 and later has off-CPU intervals: all in the raw data. */
static void intervals_are_what_their_raw_data_says(void **state)
{
	static const uint32_t wrong[] = {0, 23, 5 * 8 - 1, 5 * 8 + 5, UINT32_MAX};
	struct perfdata *d;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		make_interval(wrong[i]);
		d = read_file();
		assert_int_equal(d->malformed, 1);
		perfdata_free(d);
	}
	make_interval(5 * 8 + 4);
	d = read_file();
	assert_string_equal(d->events[0].name, "offcpu-time");
	assert_int_equal(d->malformed, 0);
	assert_true(decoded.r[0].pid == 300 && decoded.r[0].tid == 301 && decoded.r[0].period == 123456 &&
		    decoded.r[0].time_ns == 5000);
	assert_int_equal(decoded.r[0].nr_ips, 2);
	assert_true(decoded.ips[0][0] == (uint64_t)PERF_CONTEXT_USER && decoded.ips[0][1] == 0x77);
	perfdata_free(d);
}

static void put_fact(struct perf_file_section *s, const void *data, size_t bytes)
{
	*s = (struct perf_file_section){file.len, bytes};
	perf_put(&file, data, bytes);
}

static void facts_of_the_machine_are_read(void **state)
{
	static const struct {
		uint32_t len;
		char text[8];
	} host = {8, "box"}, kernel = {8, "6.1"}, broken = {800, "x"};
	static const struct {
		uint32_t nr;
		struct {
			uint32_t len;
			char text[8];
		} words[2];
	} command = {2, {{8, "perf"}, {8, "record"}}};
	static const struct {
		struct perf_event_header h;
		int32_t pid;
		uint8_t id[24];
		char path[20];
	} ids[] = {
		{{0, PERF_RECORD_MISC_USER | 1 << 15, 56}, -1, {1, 2, [20] = 2}, "/bin/a"},
		{{0, PERF_RECORD_MISC_KERNEL, 56}, -1, {9, [19] = 8}, "[kernel.kallsyms]"},
		{{0, PERF_RECORD_MISC_USER, 200}, -1, {1}, "/bin/cut"},
	};
	struct perf_file_section *table;
	struct perfdata *d;
	size_t at;

	begin(USUAL);
	put_sample(1, 100, 100, 1, 101);
	perf_end(&file, 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 11);
	at = file.len;
	file.len += 6 * sizeof(*table);
	table = (struct perf_file_section *)(file.v + at);
	put_fact(&table[0], ids, sizeof(ids));
	put_fact(&table[1], &host, sizeof(host));
	put_fact(&table[2], &kernel, sizeof(kernel));
	put_fact(&table[3], &broken, sizeof(broken));
	put_fact(&table[4], &(uint32_t[]){4, 4}, 8);
	put_fact(&table[5], &command, sizeof(command));
	d = read_file();
	assert_string_equal(d->hostname, "box");
	assert_string_equal(d->kernel, "6.1");
	assert_string_equal(d->version, "");
	assert_string_equal(d->command, "perf record");
	assert_int_equal(d->nr_cpus, 4);
	assert_int_equal(d->nr_build_ids, 2);
	assert_string_equal(d->build_ids[0].path, "/bin/a");
	assert_string_equal(d->build_ids[0].text, "0102");
	assert_string_equal(d->kernel_build_id, "0900000000000000000000000000000000000008");
	perfdata_free(d);
}

/* Its records are in files of a folder, of which the header says the version. */
static void make_in_pieces(uint64_t version)
{
	struct perf_file_section *table;

	begin(USUAL);
	put_sample(1, 100, 100, 1, 101);
	perf_end(&file, 1 << 24);
	table = (struct perf_file_section *)(file.v + file.len);
	file.len += sizeof(*table);
	put_fact(table, &version, sizeof(version));
}

static void other_forms_are_refused_by_name(void **state)
{
	make_in_pieces(1);
	refused(-EOPNOTSUPP, "in other files");
	make_in_pieces(0); /* of a folder with one file */
	perfdata_free(read_file());
	assert_int_equal(decoded.nr, 1);
	begin(USUAL);
	put_sample(1, 100, 100, 1, 101);
	perf_end(&file, 0);
	memcpy(file.v, "2ELIFREP", 8);
	refused(-EOPNOTSUPP, "byte order");
	memcpy(file.v, "PERFFILE", 8);
	refused(-EOPNOTSUPP, "before Linux 3.1");
	memcpy(file.v, "SQLite f", 8);
	refused(-EINVAL, "is no perf.data");
}

/* Records of all kinds, to be damaged. */
static void make_whole(void)
{
	const uint8_t build_id[24] = {20, 0, 0, 0, 0xab};

	begin(USUAL | PERF_SAMPLE_CALLCHAIN);
	put_name(100, 100, "a", 0, 1);
	put_map2(PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID, build_id, "/bin/b", 2);
	perf_record(&file, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	perf_put64(&file, 0x1100);
	perf_put32(&file, 100, 100);
	perf_put64(&file, 3);
	perf_put64(&file, 101);
	perf_put64(&file, 3);
	perf_put64(&file, 0x1100);
	perf_put64(&file, (uint64_t)-640);
	perf_put64(&file, 5);
	perf_record_end(&file);
	perf_record(&file, DEFERRED, PERF_RECORD_MISC_USER);
	perf_put64(&file, 5);
	perf_put64(&file, 1);
	perf_put64(&file, 0x1200);
	perf_trailer(&file, 100, 100, 4, 101);
	perf_record(&file, 71, 0); /* with bytes behind it */
	perf_put64(&file, 16);
	perf_record_end(&file);
	perf_put64(&file, 0x1111);
	perf_put64(&file, 0x1111);
	perf_record(&file, 40, 0); /* of a newer kernel */
	perf_record_end(&file);
	perf_end(&file, 0);
}

/* The end of the records that are whole in the first @len bytes, and in *@nr how many of them are passed on. */
static size_t whole_of(size_t len, size_t *nr)
{
	size_t at = file.data, bytes;
	struct perf_event_header h;

	for (*nr = 0; at + sizeof(h) <= len; at += bytes) {
		memcpy(&h, file.v + at, sizeof(h));
		bytes = h.size + (h.type == 71 ? 16 : 0);
		if (at + bytes > len)
			break;
		*nr += h.type < 40;
	}
	return at;
}

static void of_one_that_is_cut_short_all_is_read_that_is_whole(void **state)
{
	uint64_t none = 0;
	struct perfdata *d;
	size_t nr, end;

	make_whole();
	d = read_file();
	assert_int_equal(decoded.nr, 4);
	assert_int_equal(d->unknown, 1);
	assert_true(!d->cut_bytes && !d->unfinished);
	perfdata_free(d);
	for (size_t len = 0; len < file.len; len++) {
		struct dusk_error err = {""};

		d = NULL;
		end = whole_of(len, &nr);
		assert_int_equal(read_part(&d, len, &err), nr ? 0 : -EINVAL);
		assert_true(!d == !nr && !*err.text == !!nr);
		assert_true(!d || (decoded.nr == nr && d->cut_bytes == file.len - end));
		perfdata_free(d);
	}
	memcpy(file.v + 48, &none, 8); /* perf was killed */
	d = read_file();
	assert_int_equal(decoded.nr, 4);
	assert_true(!d->cut_bytes && d->unfinished);
	perfdata_free(d);
}

static void the_files_of_a_folder_are_one(void **state)
{
	char dir[] = "/tmp/dusk-perfdata-XXXXXX", name[64];
	struct dusk_error err = {""};
	struct perfdata *d = NULL;
	int folder;

	assert_non_null(mkdtemp(dir));
	folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(perfdata_open(&d, folder, dir, &err), -ENOENT);
	for (int i = -1; i < 3; i++) {
		size_t from = 0;
		FILE *f;

		snprintf(name, sizeof(name), i < 0 ? "%s/data" : "%s/data.%d", dir, i);
		make_in_pieces(1);
		if (i >= 0) { /* records alone; of the last file, half of one */
			begin(USUAL);
			put_sample(1, 100, 100, 10 - i, 101);
			from = file.data;
		}
		f = fopen(name, "we");
		fwrite(file.v + from, 1, i == 2 ? (file.len - from) / 2 : file.len - from, f);
		fclose(f);
	}
	decoded.nr = 0;
	if (perfdata_open(&d, folder, dir, &err) || perfdata_read(d, note, NULL))
		fail_msg("%s", err.text);
	assert_int_equal(decoded.nr, 3);
	assert_true(decoded.r[1].time_ns == 9 && decoded.r[2].time_ns == 10);
	assert_int_equal(d->cut_bytes, (file.len - file.data) / 2);
	perfdata_free(d);
	for (int i = -1; i < 3; i++) {
		snprintf(name, sizeof(name), i < 0 ? "%s/data" : "%s/data.%d", dir, i);
		unlink(name);
	}
	close(folder);
	assert_int_equal(rmdir(dir), 0);
}

static size_t gzip_to(uint8_t *to, size_t room, const void *from, size_t bytes)
{
	z_stream z = {.next_in = (void *)from, .avail_in = bytes, .next_out = to, .avail_out = room};

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

static size_t xz_to(uint8_t *to, size_t room, const void *from, size_t bytes)
{
	size_t at = 0;

	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, from, bytes, to, &at, room), LZMA_OK);
	return at;
}

static size_t zstd_to(uint8_t *to, size_t room, const void *from, size_t bytes)
{
	return ZSTD_compress(to, room, from, bytes, 3);
}

static void one_that_was_compressed_as_a_whole_is_unpacked(void **state)
{
	static size_t (*const to[])(uint8_t *to, size_t room, const void *from, size_t bytes) = {gzip_to, xz_to,
												 zstd_to};
	static uint8_t plain[sizeof(file.v)], zeros[32 << 20];
	struct perfdata *d;
	size_t len;

	for (size_t i = 0; i < sizeof(to) / sizeof(*to); i++) {
		make_whole();
		len = file.len;
		memcpy(plain, file.v, len);
		file.len = to[i](file.v, sizeof(file.v), plain, len / 2); /* two, one behind the other */
		file.len += to[i](file.v + file.len, sizeof(file.v) - file.len, plain + len / 2, len - len / 2);
		d = read_file();
		assert_int_equal(decoded.nr, 4);
		assert_int_equal(d->cut_bytes, 0);
		perfdata_free(d);
		for (size_t part = 0; part < file.len; part++) {
			d = NULL;
			assert_true(!read_part(&d, part, NULL) || !d);
			assert_true(!d || d->cut_bytes || part > file.len - 30); /* of the trailer nothing is needed */
			perfdata_free(d);
		}
		file.len = to[i](file.v, sizeof(file.v), zeros, sizeof(zeros));
		if (file.len < sizeof(zeros) / 1000)
			refused(-EFBIG, "cannot unpack");
	}
}

/* Also a length that is too long for what holds it, anywhere. */
static void no_byte_of_it_is_trusted(void **state)
{
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};

	make_whole();
	for (size_t at = 0; at < file.len; at++)
		for (size_t i = 0; i < sizeof(values); i++) {
			uint8_t was = file.v[at];
			struct perfdata *d = NULL;
			int rc;

			file.v[at] = values[i];
			rc = read_part(&d, file.len, NULL);
			assert_true(rc == 0 || rc == -EINVAL || rc == -EOPNOTSUPP);
			perfdata_free(d);
			file.v[at] = was;
		}
}

static void a_count_beyond_its_record_is_no_record(void **state)
{
	uint64_t many = UINT64_MAX / 8 + 2;
	struct perfdata *d;

	make_whole();
	for (size_t at = file.data; at + 8 <= file.len; at += 8)
		if (*(uint64_t *)(file.v + at) == 3 && *(uint64_t *)(file.v + at + 8) == 0x1100)
			memcpy(file.v + at, &many, sizeof(many));
	d = read_file();
	assert_int_equal(d->malformed, 1);
	assert_int_equal(decoded.nr, 3);
	perfdata_free(d);
}

static void what_does_not_end_within_its_record_is_none(void **state)
{
	uint64_t far = 1ULL << 40;
	struct perfdata *d;
	uint16_t size = 16;

	begin(USUAL);
	perf_record(&file, PERF_RECORD_COMM, 0);
	perf_put32(&file, 100, 100);
	perf_put64(&file, 0x6161616161616161); /* a name without an end */
	perf_trailer(&file, 100, 0x61616161, UINT64_MAX, 101);
	put_name(100, 100, "whole", 0, 1);
	perf_end(&file, 0);
	d = read_file();
	assert_int_equal(d->malformed, 1);
	assert_int_equal(decoded.nr, 1);
	perfdata_free(d);
	/* A record that goes on behind all of them, */
	make_whole();
	memcpy(file.v + file.len - 2, &size, sizeof(size));
	perf_put64(&file, 0);
	d = read_file();
	assert_true(decoded.nr == 4 && d->cut_bytes == 8);
	perfdata_free(d);
	/* and what follows one. */
	make_whole();
	memcpy(file.v + file.len - 32, &far, sizeof(far));
	d = read_file();
	assert_true(decoded.nr == 4 && d->cut_bytes == 40);
	perfdata_free(d);
}

static void it_may_change_meanwhile(void **state)
{
	_cleanup_(closep) int fd = -1;
	struct perfdata *d;

	make_whole();
	fd = perf_file_open(&file, file.len);
	assert_int_equal(perfdata_open(&d, fd, "perf.data", NULL), 0);
	assert_int_equal(ftruncate(fd, file.data + 60), 0);
	decoded.nr = 0;
	assert_int_equal(perfdata_read(d, note, NULL), -EINVAL);
	perfdata_free(d);
}

/* Names, some of which stand between parts of what is compressed. */
static void make_packed(uint32_t type, size_t part)
{
	size_t from;

	begin(USUAL);
	put_name(1, 1, "before", 0, 10);
	from = file.len;
	for (int i = 0; i < 8; i++)
		put_name(1, 1, "first", 0, 20 + i);
	perf_pack(&file, from, type, part);
	put_name(1, 1, "behind", 0, 40);
	perf_end(&file, 1 << 27);
}

static void compressed_records_are_read_wherever_their_stream_is_parted(void **state)
{
	for (uint32_t type = 81; type <= 83; type += 2)
		for (size_t part = 1; part < 300; part += part < 80 ? 1 : 40) {
			struct perfdata *d;

			make_packed(type, part);
			d = read_file();
			assert_int_equal(d->malformed + d->unknown, 0);
			assert_int_equal(decoded.nr, 10);
			assert_string_equal(decoded.text[0], "before");
			for (int i = 1; i < 9; i++) {
				assert_string_equal(decoded.text[i], "first");
				assert_int_equal(decoded.r[i].time_ns, 19 + i);
			}
			assert_string_equal(decoded.text[9], "behind");
			perfdata_free(d);
		}
}

/* Two streams, one behind the other, with records between them; what follows a record is not there. */
static void records_between_compressed_ones_keep_their_place(void **state)
{
	struct perfdata *d;
	size_t from;

	begin(USUAL);
	for (int i = 0; i < 3; i++) {
		from = file.len;
		put_name(1, 1, "packed", 0, 0);
		perf_pack(&file, from, 81, 10);
		perf_record(&file, 71, 0);
		perf_put64(&file, 16);
		perf_record_end(&file);
		perf_put64(&file, 0x1111);
		perf_put64(&file, 0x1111);
		put_name(1, 1, "plain", 0, 0);
	}
	perf_end(&file, 1 << 27);
	d = read_file();
	assert_int_equal(decoded.nr, 6);
	for (int i = 0; i < 6; i++)
		assert_string_equal(decoded.text[i], i % 2 ? "plain" : "packed");
	perfdata_free(d);
}

static void compressed_records_that_are_none_are_refused_or_counted(void **state)
{
	static const uint8_t garbage[16] = {1, 2, 3, 4, 5, 6, 7, 8};
	struct perfdata *d;
	size_t from;

	begin(USUAL); /* the stream is none, */
	perf_record(&file, 81, 0);
	perf_put(&file, garbage, sizeof(garbage));
	perf_record_end(&file);
	perf_end(&file, 1 << 27);
	refused(-EINVAL, "no record of perf's is at byte");
	begin(USUAL); /* its length is that of more than the record, */
	perf_record(&file, 83, 0);
	perf_put64(&file, 9);
	perf_put64(&file, 0);
	perf_record_end(&file);
	perf_end(&file, 1 << 27);
	refused(-EINVAL, "no record of perf's is at byte");
	begin(USUAL); /* what is in it is no record, */
	from = file.len;
	perf_put64(&file, 0);
	perf_pack(&file, from, 81, 8);
	perf_end(&file, 1 << 27);
	refused(-EINVAL, "no record of perf's is at byte");
	begin(USUAL); /* half of one, */
	from = file.len;
	put_name(1, 1, "whole", 0, 1);
	put_name(1, 1, "cut", 0, 2);
	file.len -= 5;
	perf_pack(&file, from, 81, 1000);
	perf_end(&file, 1 << 27);
	d = read_file();
	assert_int_equal(d->malformed, 1);
	assert_int_equal(decoded.nr, 1);
	perfdata_free(d);
	make_packed(81, 100); /* one that is compressed again; */
	perf_pack(&file, file.data, 83, 1000);
	perf_end(&file, 1 << 27);
	d = read_file();
	assert_true(d->malformed > 0);
	assert_int_equal(decoded.nr, 2);
	perfdata_free(d);
	make_packed(81, 1000); /* and the header does not say that there are any. */
	perf_end(&file, 0);
	d = read_file();
	assert_int_equal(d->malformed, 1);
	perfdata_free(d);
}

/* A thousand times as much as is in the file. */
static void what_grows_without_measure_is_refused(void **state)
{
	ZSTD_CStream *stream = ZSTD_createCStream();
	static uint8_t plain[65528], packed[1 << 17];
	struct perf_event_header h = {.type = 40, .size = sizeof(plain)};

	memcpy(plain, &h, sizeof(h));
	begin(USUAL);
	for (int i = 0; i < 2000; i++) {
		ZSTD_inBuffer in = {plain, sizeof(plain), 0};
		ZSTD_outBuffer out = {packed, sizeof(packed), 0};

		ZSTD_compressStream(stream, &out, &in);
		ZSTD_flushStream(stream, &out);
		perf_record(&file, 81, 0);
		perf_put(&file, packed, out.pos);
		perf_record_end(&file);
	}
	ZSTD_freeCStream(stream);
	perf_end(&file, 1 << 27);
	refused(-EFBIG, "too large");
}

/* As perf writes to a pipe. Returns where the samples begin. */
static size_t make_pipe(void)
{
	static const struct {
		uint32_t len;
		char text[12];
	} host = {12, "box"};
	size_t samples;

	file = (struct perf_file){0};
	perf_event(&file, PERF_COUNT_SW_CPU_CLOCK, USUAL);
	perf_event(&file, PERF_COUNT_SW_PAGE_FAULTS, USUAL);
	perf_begin_pipe(&file);
	perf_record(&file, 80, 0); /* a fact */
	perf_put64(&file, 3);
	perf_put(&file, &host, sizeof(host));
	perf_record_end(&file);
	perf_record(&file, 66, 0); /* of tracefs: what follows is not in it, and it is not of whole words */
	perf_put(&file, &(uint32_t){16}, 4);
	perf_record_end(&file);
	perf_put64(&file, 0x1111);
	perf_put64(&file, 0x1111);
	perf_record(&file, 78, 0); /* an event's name */
	perf_put64(&file, 2);
	perf_put64(&file, 102);
	perf_put(&file, "faults\0", 8);
	perf_record_end(&file);
	perf_record(&file, 67, PERF_RECORD_MISC_USER);
	perf_put(&file, &(int32_t){-1}, 4);
	perf_put(&file, (const uint8_t[24]){0xab, [19] = 0xcd}, 24);
	perf_put(&file, "/bin/a\0\0\0\0\0", 12);
	perf_record_end(&file);
	samples = file.len;
	put_sample(1, 100, 100, 30, 101);
	put_name(100, 100, "program", 0, 10);
	put_sample(2, 100, 100, 20, 102);
	return samples;
}

static void expect_pipe(void)
{
	struct perfdata *d = read_file();

	assert_int_equal(d->malformed + d->unknown + d->unnamed, 0);
	assert_int_equal(d->nr_events, 2);
	assert_string_equal(d->events[0].name, "cpu-clock");
	assert_string_equal(d->events[1].name, "faults");
	assert_string_equal(d->hostname, "box");
	assert_int_equal(d->nr_build_ids, 1);
	assert_string_equal(d->build_ids[0].path, "/bin/a");
	assert_string_equal(d->build_ids[0].text, "ab000000000000000000000000000000000000cd");
	assert_int_equal(decoded.nr, 3);
	assert_string_equal(decoded.text[0], "program");
	assert_ptr_equal(decoded.r[1].event, &d->events[1]);
	assert_ptr_equal(decoded.r[2].event, &d->events[0]);
	perfdata_free(d);
}

static void what_went_to_a_pipe_is_read(void **state)
{
	size_t samples = make_pipe();

	expect_pipe();
	perf_pack(&file, samples, 81, 25);
	expect_pipe();
}

static void what_went_to_a_pipe_needs_its_events(void **state)
{
	uint32_t most = UINT32_MAX;

	file = (struct perf_file){0};
	perf_begin_pipe(&file);
	refused(-EINVAL, "has no events");
	perf_event(&file, PERF_COUNT_SW_CPU_CLOCK, USUAL);
	perf_begin_pipe(&file);
	memcpy(file.v + 16 + 8 + 4, &most, sizeof(most)); /* the length of its attributes */
	refused(-EINVAL, "no record of perf's is at byte");
}

/* Each byte that a record leads to is there. */
static int touch(void *ctx, const struct perfdata_record *r)
{
	uint64_t *sum = ctx;

	for (uint64_t i = 0; i < r->nr_ips; i++)
		*sum += r->ips[i];
	*sum += r->text ? strlen(r->text) : 0;
	return 0;
}

static int read_any(size_t len)
{
	_cleanup_(closep) int fd = perf_file_open(&file, len);
	struct perfdata *d = NULL;
	uint64_t sum = 0;
	int rc = perfdata_open(&d, fd, "perf.data", NULL);

	rc = rc ?: perfdata_read(d, touch, &sum);
	perfdata_free(d);
	return rc;
}

/* Cut short, it is refused or has less; whatever its bytes are. */
static void no_byte_of_what_was_packed_or_piped_is_trusted(void **state)
{
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};

	for (int piped = 0; piped < 2; piped++) {
		if (piped)
			make_pipe();
		else
			make_packed(83, 100);
		for (size_t at = 0; at < file.len; at++)
			for (size_t i = 0; i <= sizeof(values); i++) {
				uint8_t was = file.v[at];
				int rc;

				file.v[at] = i < sizeof(values) ? values[i] : was;
				rc = read_any(i < sizeof(values) ? file.len : at);
				assert_true(rc == 0 || rc == -EINVAL || rc == -EOPNOTSUPP || rc == -EFBIG);
				file.v[at] = was;
			}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_forks_and_losses),
		cmocka_unit_test(maps_by_inode_and_by_build_id),
		cmocka_unit_test(what_is_not_wanted_of_a_sample_is_skipped),
		cmocka_unit_test(records_come_by_time_and_as_they_stand),
		cmocka_unit_test(samples_are_of_the_event_whose_number_they_have),
		cmocka_unit_test(events_that_cannot_be_distinguished_are_refused),
		cmocka_unit_test(intervals_are_what_their_raw_data_says),
		cmocka_unit_test(facts_of_the_machine_are_read),
		cmocka_unit_test(other_forms_are_refused_by_name),
		cmocka_unit_test(of_one_that_is_cut_short_all_is_read_that_is_whole),
		cmocka_unit_test(the_files_of_a_folder_are_one),
		cmocka_unit_test(one_that_was_compressed_as_a_whole_is_unpacked),
		cmocka_unit_test(no_byte_of_it_is_trusted),
		cmocka_unit_test(a_count_beyond_its_record_is_no_record),
		cmocka_unit_test(what_does_not_end_within_its_record_is_none),
		cmocka_unit_test(it_may_change_meanwhile),
		cmocka_unit_test(compressed_records_are_read_wherever_their_stream_is_parted),
		cmocka_unit_test(records_between_compressed_ones_keep_their_place),
		cmocka_unit_test(compressed_records_that_are_none_are_refused_or_counted),
		cmocka_unit_test(what_grows_without_measure_is_refused),
		cmocka_unit_test(what_went_to_a_pipe_is_read),
		cmocka_unit_test(what_went_to_a_pipe_needs_its_events),
		cmocka_unit_test(no_byte_of_what_was_packed_or_piped_is_trusted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
