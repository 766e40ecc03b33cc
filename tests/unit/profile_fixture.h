/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For tests of the profile's file: a folder, a small profile in it, and other eyes than the library's to look at it. */
#pragma once
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sqlite3.h>
#include <string.h>

#include "abi/outcome.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "lib/profile/write/write.h"

static char dir[] = "/tmp/dusk-profile-XXXXXX";
static char path[64], copy[64];

static inline int make_dir(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "%s/p.dusk", mkdtemp(dir));
	snprintf(copy, sizeof(copy), "%s/copy.dusk", dir);
	return 0;
}

static inline int remove_dir(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static inline void profile_freep(struct dusk_profile **p)
{
	dusk_profile_free(*p);
}

static inline struct profile_writer *created(void)
{
	struct profile_writer *w = NULL;
	struct dusk_error err = {0};

	if (profile_create(&w, path, -1, -1, &err))
		print_error("%s\n", err.text);
	assert_non_null(w);
	return w;
}

static inline struct dusk_profile *opened(const char *name)
{
	struct dusk_profile *p = NULL;
	struct dusk_error err = {0};

	if (dusk_profile_read(&p, name, &err))
		print_error("%s\n", err.text);
	assert_non_null(p);
	return p;
}

static inline void run_sql(const char *name, const char *sql)
{
	sqlite3 *db;
	char *why = NULL;

	assert_int_equal(sqlite3_open(name, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &why))
		print_error("%s: %s\n", sql, why);
	assert_null(why);
	sqlite3_close(db);
}

/* What @sql gives, all columns and rows in one line. */
static inline const char *queried(const char *sql)
{
	static char text[4096];
	sqlite3_stmt *stmt;
	sqlite3 *db;

	text[0] = 0;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(stmt); i++) {
			const char *value = (const char *)sqlite3_column_text(stmt, i);

			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
				 !*text ? ""
				 : i	? "|"
					: " / ",
				 value ? value : "NULL");
		}
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return text;
}

static inline void copy_file(const char *to, const char *from, size_t max_bytes)
{
	_cleanup_(freep) char *text = NULL;
	_cleanup_(fclosep) FILE *f = NULL;
	size_t len;

	assert_int_equal(file_read(&text, &len, from, 1 << 30), 0);
	f = fopen(to, "w");
	assert_int_equal(fwrite(text, 1, len < max_bytes ? len : max_bytes, f), len < max_bytes ? len : max_bytes);
}

static const struct dusk_module libc = {
	.kind = DUSK_MODULE_FILE,
	.pid = 4711,
	.path = "/usr/lib/libc.so.6",
	.build_id = "0123abcd",
	.dev = 0xfd00,
	.ino = UINT64_MAX,
	.generation = 3000000000,
};
static const struct dusk_module kernel = {.kind = DUSK_MODULE_KERNEL, .path = "[kernel]"};

/* main calls work, which calls into the kernel; two threads. */
static inline void write_small(struct profile_writer *w)
{
	uint32_t file = profile_module(w, &libc), k = profile_module(w, &kernel);
	uint32_t outer = profile_node(w, 0, profile_frame(w, file, 0x1000, true, DUSK_BY_CFI));
	uint32_t inner = profile_node(w, outer, profile_frame(w, file, 0x2000, false, DUSK_BY_CFI));
	uint32_t deep = profile_node(w, inner, profile_frame(w, k, 0xffffffff81000100, false, DUSK_BY_NOTHING));
	uint32_t one = profile_thread(w, 100, 100, "one"), two = profile_thread(w, 100, 101, "two");
	const struct dusk_sample samples[] = {
		{.time_ns = 3000000000, .thread = two, .node = deep, .cpu = 65535, .outcome = ENTRY_POINT},
		{.time_ns = 1000000, .thread = one, .node = inner, .cpu = 0, .outcome = UNDEFINED_RA},
		{.time_ns = 2000000, .thread = one, .node = inner, .cpu = 1, .outcome = STACK_UNREADABLE},
		{.time_ns = 2000000, .thread = one, .node = 0, .cpu = 2, .outcome = RING_LOST},
	};

	profile_set(w, "period_ns", "10101010");
	profile_set(w, "command", "dusk record -a");
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		profile_sample(w, &samples[i]);
	profile_counter(w, "lost-samples", "sample events lost", 5);
	profile_counter(w, "lost-samples", "sample events lost", UINT64_MAX);
	profile_counter(w, "walks", "stacks walked", 7);
}

static inline void close_finished(struct profile_writer *w)
{
	struct dusk_error err = {0};

	if (profile_close(w, true, &err))
		fail_msg("%s", err.text);
}

static inline void make_small(void)
{
	struct profile_writer *w = created();

	write_small(w);
	close_finished(w);
}
