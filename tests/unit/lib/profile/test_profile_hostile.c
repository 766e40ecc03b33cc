/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is read from a file that is no profile, is damaged, or was made to do harm? */
#include <fcntl.h>
#include <sys/stat.h>

#include "lib/profile/file/schema.h"
#include "lib/profile/sums/window_block.h"
#include "profile_fixture.h"

/* @name is refused with @code, and the reason says something. */
static void assert_refused(const char *name, int code, const char *says)
{
	struct dusk_profile *p = (void *)0x77;
	struct dusk_error err = {0};

	assert_int_equal(dusk_profile_read(&p, name, &err), code);
	assert_ptr_equal(p, (void *)0x77);
	assert_non_null(strstr(err.text, says));
	assert_non_null(strstr(err.text, name));
}

static void a_newer_version_is_refused(void **state)
{
	(void)state;
	make_small();
	run_sql(path, "pragma user_version=2");
	assert_refused(path, -EPROTONOSUPPORT, "newer");
}

static void what_is_no_profile_is_refused(void **state)
{
	(void)state;
	assert_refused("/nowhere/p.dusk", -ENOENT, "No such file");
	assert_refused(dir, -EINVAL, "not a dusk profile");
	assert_refused("/dev/null", -EINVAL, "not a dusk profile");
	assert_refused("/proc/self/exe", -EINVAL, "not a dusk profile");
	make_small();
	copy_file(copy, path, 0);
	assert_refused(copy, -EINVAL, "not a dusk profile");
	run_sql(copy, "create table sample(a)");
	assert_refused(copy, -EINVAL, "not a dusk profile");
	run_sql(copy, "pragma application_id=1685418859; pragma user_version=1");
	assert_refused(copy, -EINVAL, "lacks tables");
}

static void a_truncated_file_is_refused(void **state)
{
	struct dusk_profile *p;
	struct dusk_error err;
	struct stat st;

	(void)state;
	make_small();
	assert_int_equal(stat(path, &st), 0);
	for (off_t len = 0; len < st.st_size; len += 512) {
		copy_file(copy, path, len);
		err.text[0] = 0;
		p = NULL;
		assert_int_equal(dusk_profile_read(&p, copy, &err), -EINVAL);
		assert_null(p);
		assert_non_null(strstr(err.text, copy));
	}
}

/* Either an error that says so, or numbers that point to what is there: all of which the sanitizers watch. */
static void flipped_bits_do_no_harm(void **state)
{
	uint32_t seed = 7;
	volatile size_t sum = 0; /* volatile: the reads must happen for the sanitizers to watch */
	int read = 0, refused = 0;

	(void)state;
	make_small();
	for (int i = 0; i < 1500; i++) {
		struct dusk_profile *p = NULL;
		struct stat st;
		char byte;
		int fd;

		copy_file(copy, path, SIZE_MAX);
		fd = open(copy, O_RDWR);
		assert_int_equal(fstat(fd, &st), 0);
		for (int k = 0; k < 3; k++) {
			seed = seed * 1664525 + 1013904223;
			assert_int_equal(pread(fd, &byte, 1, (seed >> 3) % st.st_size), 1);
			byte ^= 1 << (seed & 7);
			assert_int_equal(pwrite(fd, &byte, 1, (seed >> 3) % st.st_size), 1);
		}
		close(fd);
		if (dusk_profile_read(&p, copy, NULL)) {
			refused++;
			continue;
		}
		read++;
		for (uint64_t s = 0; s < p->nr_samples; s++) {
			assert_in_range(p->samples[s].thread, 0, p->nr_threads - 1);
			for (uint32_t n = p->samples[s].node; n; n = p->nodes[n].parent)
				sum += *p->functions[p->frames[p->nodes[n].frame].function].name;
		}
		dusk_profile_free(p);
	}
	/* Both happened, or the bits were not where it matters. */
	assert_true(read > 0 && refused > 0);
}

static void hostile_rows_are_refused(void **state)
{
	static const char *const attacks[] = {
		"update node set parent=id where id=3",
		"update node set parent=3 where id=2",
		"update node set parent=-1 where id=2",
		"update node set parent='x' where id=2",
		"update node set parent=null where id=2",
		"update node set parent=1.5 where id=2",
		"update node set frame=4",
		"update node set frame=4294967297",
		"delete from node where id=2",
		"insert into node values(4294967297,0,1)",
		"insert into node values(-1,0,1)",
		"insert into node values(9223372036854775807,0,1)",
		"update sample set node=4",
		"update sample set thread=2",
		"update sample set thread=-1",
		"update sample set thread=null",
		"update sample set outcome=256",
		"update sample set outcome=200",
		"update sample set cpu=65536",
		"update sample set time=-1",
		"update sample set time=9223372036854775807",
		"update sample set time='soon'",
		"update sample set time=zeroblob(100)",
		"insert into sample values(-5,0,0,0,0,0)",
		"delete from thread",
		"delete from outcome",
		"delete from module",
		"delete from thread where id=0",
		"update frame set module=3",
		"update frame set offset=null",
		"update frame set is_return=2",
		"update frame set function=1",
		"update frame set function_offset=4294967296",
		"update module set kind=6",
		"update module set pid=-1",
		"update module set path=x'00ff'",
		"update module set generation=4294967296",
		"insert into image values(1,null); insert into function values(1,null,null,1)",
		"insert into function values(1,'a','a',1)",
		"insert into function values(2,'a','a',null)",
		"update outcome set class='wonderful'",
		"update outcome set name=null",
		"insert into outcome values(256,'a','cut','b')",
		"update counter set value='many'",
		"insert into counter values(null,1,'a')",
		"update thread set comm=cast(zeroblob(20000000) as text)",
		/* A title of a thread behind the last one; lines of a frame with another's between them. */
		"create table title(thread integer primary key, text text); insert into title values(2,'title')",
		("create table source(id integer primary key, path text); create table line(id integer primary key, "
		 "frame int, function int, source int, line int); insert into line values(1,1,null,null,1), "
		 "(2,2,null,null,1), (3,1,null,null,1)"),
		"drop table sample",
		"drop table sample; create table sample(id integer primary key)",
		"drop table sample; create table sample(id integer primary key,time,thread,node,cpu,outcome) without "
		"rowid",
		("drop table sample; create view sample as with recursive r(n) as (select 1 union all select n+1 from "
		 "r) "
		 "select n id,1 time,0 thread,0 node,0 cpu,0 outcome,n rowid from r"),
		"drop table node; create virtual table node using fts5(id,parent,frame)",
	};

	(void)state;
	make_small();
	for (size_t i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++) {
		struct dusk_profile *p = NULL;
		struct dusk_error err = {0};
		int rc;

		copy_file(copy, path, SIZE_MAX);
		/* What SQLite itself refuses cannot come in a file either. */
		sqlite3 *db;

		assert_int_equal(sqlite3_open(copy, &db), SQLITE_OK);
		rc = sqlite3_exec(db, attacks[i], NULL, NULL, NULL);
		sqlite3_close(db);
		if (rc) {
			print_message("SQLite refuses: %s\n", attacks[i]);
			continue;
		}
		rc = dusk_profile_read(&p, copy, &err);
		if (rc != -EINVAL || !strstr(err.text, "damaged"))
			fail_msg("%s: %d %s", attacks[i], rc, err.text);
		assert_null(p);
	}
}

static void huge_values_are_refused(void **state)
{
	(void)state;
	make_small();
	copy_file(copy, path, SIZE_MAX);
	run_sql(copy, "alter table setting add column more; pragma writable_schema=on;"
		      "update sqlite_schema set sql=replace(sql,'value text',"
		      "'value text as (printf(''%.*c'',10000000,''x'')||printf(''%.*c'',10000000,''x''))')"
		      " where name='setting'");
	assert_refused(copy, -EINVAL, "damaged");
}

/*
 * A page of an index (SQLite file format, 1.6) with the row ('a','b') @nr times; where @child is not 0, each row stands
 * behind all that is in page @child.
 */
static void make_page(unsigned char page[PROFILE_PAGE_BYTES], int nr, uint32_t child)
{
	int header = child ? 12 : 8, cell_bytes = child ? 10 : 6;
	const unsigned char pointer[] = {child >> 24, child >> 16, child >> 8, child}, row[] = {5, 3, 15, 15, 'a', 'b'};
	int at = PROFILE_PAGE_BYTES;

	memset(page, 0, PROFILE_PAGE_BYTES);
	page[0] = child ? 2 : 10;
	page[4] = nr;
	if (child)
		memcpy(page + 8, pointer, 4);
	for (int i = 0; i < nr; i++) {
		at -= cell_bytes;
		if (child)
			memcpy(page + at, pointer, 4);
		memcpy(page + at + cell_bytes - sizeof(row), row, sizeof(row));
		page[header + 2 * i] = at >> 8;
		page[header + 2 * i + 1] = at;
	}
	page[5] = at >> 8;
	page[6] = at;
}

/* Twelve pages that lead to one another, 31 times each: 31^11 rows in a file of 30 KB. */
static void a_tree_of_pages_without_end_is_broken_off(void **state)
{
	enum { LEVELS = 12, ROWS = 30 };
	unsigned char page[PROFILE_PAGE_BYTES];
	uint32_t root, last;
	struct stat st;
	int fd;

	(void)state;
	make_small();
	run_sql(path, "create table filler(x); insert into filler values(zeroblob(20000))");
	root = atoi(queried("select rootpage from sqlite_schema where name='setting'"));
	assert_int_equal(stat(path, &st), 0);
	last = st.st_size / PROFILE_PAGE_BYTES;
	fd = open(path, O_WRONLY);
	for (int i = 0; i < LEVELS; i++) {
		uint32_t number = i < LEVELS - 1 ? last - i : root;

		make_page(page, ROWS, i ? last - i + 1 : 0);
		assert_int_equal(pwrite(fd, page, sizeof(page), (number - 1L) * sizeof(page)), sizeof(page));
	}
	close(fd);
	assert_refused(path, -EINVAL, "too long");
}

struct packed_row {
	uint64_t id, parent, frame;
};

/* Nodes in a block, in place of those in the table. */
static void write_nodes_of(const struct packed_row *rows, uint32_t nr, uint32_t columns)
{
	_cleanup_(pack_done) struct pack c = {.nr = columns};
	char sql[2048], hex[512];
	uint8_t *block;
	size_t len;

	for (uint32_t i = 0; i < nr; i++) {
		const uint64_t values[] = {rows[i].id, rows[i].parent, rows[i].frame};

		for (uint32_t column = 0; column < columns; column++)
			assert_int_equal(pack_number(&c, column, values[column]), 0);
		pack_end_row(&c);
	}
	assert_int_equal(pack_encode(&c, &block, &len), 0);
	for (size_t i = 0; i < len; i++)
		snprintf(hex + 2 * i, 3, "%02x", block[i]);
	free(block);
	make_small();
	snprintf(sql, sizeof(sql), "%s delete from node; insert into packed values(1,'node',3,x'%s')",
		 PROFILE_WINDOW_TABLES, hex);
	run_sql(path, sql);
}

static void packed_rows_that_make_no_sense_are_damage(void **state)
{
	const struct packed_row good[] = {{1, 0, 1}, {2, 1, 2}, {3, 2, 3}};
	const struct packed_row bad[] = {{2, 1, 2}, {4, 1, 2}, {0, 1, 2}, {3, 3, 2}, {3, 1ULL << 32, 2}, {3, 2, 4}};
	struct dusk_query *q;
	struct dusk_profile *p;

	(void)state;
	write_nodes_of(good, 3, 3);
	p = opened(path);
	assert_int_equal(p->nr_nodes, 4);
	assert_int_equal(p->nodes[3].frame, 3);
	dusk_profile_free(p);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct packed_row rows[] = {good[0], good[1], bad[i]};

		write_nodes_of(rows, 3, 3);
		assert_refused(path, -EINVAL, "table node");
	}
	write_nodes_of(good, 3, 2);
	assert_refused(path, -EINVAL, "table node");
	write_nodes_of(good, 2, 3); /* samples have a third */
	assert_refused(path, -EINVAL, "table sample");
	write_nodes_of(good, 3, 3);
	run_sql(path, "insert into node values(2,1,2)"); /* it is in the block */
	assert_refused(path, -EINVAL, "table node");
	run_sql(path, "delete from node; update packed set rows='text'");
	assert_refused(path, -EINVAL, "table node");
	assert_int_equal(dusk_query_new(&q, path, "select 1", NULL), -EINVAL);
	run_sql(path, "update packed set rows=null");
	assert_refused(path, -EINVAL, "table node");
	run_sql(path, "drop table packed");
	assert_refused(path, -EINVAL, "table sample");
}

/* A window whose block has the one row @row. */
static void write_window_of(struct block_row row)
{
	char sql[1024], hex[256];
	uint8_t *block;
	size_t len;

	assert_int_equal(block_encode(&row, 1, &block, &len), 0);
	for (size_t i = 0; i < len; i++)
		snprintf(hex + 2 * i, 3, "%02x", block[i]);
	free(block);
	make_small();
	snprintf(sql, sizeof(sql), "%s insert into window values(1,0,1000,x'%s')", PROFILE_WINDOW_TABLES, hex);
	run_sql(path, sql);
}

static void a_count_of_a_window_that_makes_no_sense_is_damage(void **state)
{
	static const char good[] = PROFILE_WINDOW_TABLES "insert into counter values('samples',3,'');"
							 "insert into counted values(1,'samples');"
							 "insert into window_count values(1,1000,1,2),(2,2000,1,1)";
	static const char *const bad[] = {
		"update window_count set counted=2",
		"update window_count set counted=0",
		"update window_count set counted='x'",
		"update window_count set value=-1 where id=1",
		"update window_count set value=null",
		"update window_count set start=-1",
		"update window_count set start=2001 where id=1",
		"update counted set name='unknown'",
		"update counted set name=null",
		"update counted set id=2",
	};
	struct dusk_profile *p;

	(void)state;
	make_small();
	run_sql(path, good);
	p = opened(path);
	assert_int_equal(p->nr_window_counts, 2);
	assert_int_equal(p->window_counts[1].time_ns, 2000000);
	assert_string_equal(p->counters[p->window_counts[1].counter].name, "samples");
	dusk_profile_free(p);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		make_small();
		run_sql(path, good);
		run_sql(path, bad[i]);
		assert_refused(path, -EINVAL, "count");
	}
}

static void a_window_that_points_nowhere_is_damage(void **state)
{
	const struct block_row good = {.column = {[BLOCK_THREAD] = 1, [BLOCK_NODE] = 3, [BLOCK_COUNT] = 1}};
	const struct {
		enum block_column column;
		uint64_t value;
	} bad[] = {
		{BLOCK_THREAD, 2},	    {BLOCK_NODE, 4},	   {BLOCK_OUTCOME, NR_OUTCOMES},
		{BLOCK_OUTCOME, 256},	    {BLOCK_KIND, 1 << 20}, {BLOCK_COUNT, 0},
		{BLOCK_COUNT, 1ULL << 32},  {BLOCK_VALUE, 1},	   {BLOCK_RUNNABLE, 1},
		{BLOCK_THREAD, 1ULL << 32},
	};
	struct dusk_profile *p;

	(void)state;
	write_window_of(good);
	p = opened(path);
	assert_int_equal(p->nr_samples, 5);
	dusk_profile_free(p);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct block_row row = good;

		row.column[bad[i].column] = bad[i].value;
		write_window_of(row);
		assert_refused(path, -EINVAL, "table window");
	}
	run_sql(path, "update window set rows='text'");
	assert_refused(path, -EINVAL, "table window");
	run_sql(path, "update window set rows=null");
	assert_refused(path, -EINVAL, "table window");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_newer_version_is_refused),
		cmocka_unit_test(what_is_no_profile_is_refused),
		cmocka_unit_test(a_truncated_file_is_refused),
		cmocka_unit_test(flipped_bits_do_no_harm),
		cmocka_unit_test(hostile_rows_are_refused),
		cmocka_unit_test(huge_values_are_refused),
		cmocka_unit_test(a_tree_of_pages_without_end_is_broken_off),
		cmocka_unit_test(packed_rows_that_make_no_sense_are_damage),
		cmocka_unit_test(a_window_that_points_nowhere_is_damage),
		cmocka_unit_test(a_count_of_a_window_that_makes_no_sense_is_damage),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
