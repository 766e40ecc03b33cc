/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <dusk/dusk.h>
#include <sqlite3.h>
#include "abi/outcome.h"
#include "lib/profile/write/write.h"

static char path[] = "/tmp/dusk-query-XXXXXX";
static struct dusk_error err;

/* Three samples of one thread. */
static int begin(void **state)
{
	struct profile_writer *w;

	strcpy(path + sizeof(path) - 7, "XXXXXX");
	close(mkstemp(path));
	unlink(path);
	if (profile_create(&w, path, -1, -1, NULL))
		return -1;
	profile_thread(w, 7, 8, "comm");
	for (int i = 0; i < 3; i++) {
		struct dusk_sample s = {.time_ns = i * 1000000, .outcome = EXITING};

		profile_sample(w, &s);
	}
	return profile_close(w, true, NULL);
}

static int end(void **state)
{
	return unlink(path);
}

static int ask(struct dusk_query **q, const char *sql)
{
	err.text[0] = 0;
	return dusk_query_new(q, path, sql, &err);
}

static void refused(const char *sql, int code, const char *part)
{
	struct dusk_query *q = NULL;
	int rc = ask(&q, sql);

	if (rc != code || !strstr(err.text, part))
		fail_msg("%s: %d, '%s' does not say '%s'", sql, rc, err.text, part);
	assert_null(q);
}

/* The file as somebody may have prepared it. */
static void prepared(const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, NULL))
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	sqlite3_close(db);
}

static void rows_come_with_names_and_types(void **state)
{
	struct dusk_query *q;
	struct dusk_value v;

	assert_int_equal(ask(&q, "select comm, count(*) as n, 0.5, null, x'4100' from samples group by 1"), 0);
	assert_int_equal(dusk_query_columns(q), 5);
	assert_string_equal(dusk_query_name(q, 1), "n");
	assert_int_equal(dusk_query_next(q, &err), 1);
	dusk_query_value(q, 0, &v);
	assert_int_equal(v.kind, DUSK_VALUE_TEXT);
	assert_string_equal(v.text, "comm");
	dusk_query_value(q, 1, &v);
	assert_int_equal(v.kind, DUSK_VALUE_INTEGER);
	assert_int_equal(v.integer, 3);
	dusk_query_value(q, 2, &v);
	assert_int_equal(v.kind, DUSK_VALUE_REAL);
	assert_true(v.real == 0.5);
	dusk_query_value(q, 3, &v);
	assert_int_equal(v.kind, DUSK_VALUE_NULL);
	assert_string_equal(v.text, "");
	dusk_query_value(q, 4, &v);
	assert_int_equal(v.kind, DUSK_VALUE_BLOB);
	assert_int_equal(v.len_bytes, 2);
	assert_int_equal(dusk_query_next(q, &err), 0);
	dusk_query_free(q);
}

static void each_view_can_be_asked(void **state)
{
	static const char *const views[] = {"top_functions", "samples",	   "stacks",
					    "losses",	     "frame_name", "pragma_table_info('samples')"};

	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
		struct dusk_query *q;
		char sql[64];

		snprintf(sql, sizeof(sql), "select * from %s", views[i]);
		assert_int_equal(ask(&q, sql), 0);
		while (dusk_query_next(q, &err) > 0)
			;
		assert_string_equal(err.text, "");
		dusk_query_free(q);
	}
}

static void what_writes_is_refused_by_its_name(void **state)
{
	refused("insert into sample select * from sample", -EPERM, "INSERT is refused");
	refused(" update sample set cpu = 1", -EPERM, "UPDATE is refused");
	refused("delete from sample", -EPERM, "DELETE is refused");
	refused("replace into setting values(1, 2)", -EPERM, "REPLACE is refused");
	refused("create table x(y)", -EPERM, "CREATE is refused");
	refused("create temp table x(y)", -EPERM, "CREATE is refused");
	refused("create virtual table x using fts5(y)", -EPERM, "CREATE is refused");
	refused("drop view samples", -EPERM, "DROP is refused");
	refused("alter table sample rename to x", -EPERM, "ALTER is refused");
	refused("reindex", -EPERM, "REINDEX is refused");
	refused("analyze", -EPERM, "ANALYZE is refused");
	refused("begin", -EPERM, "BEGIN is refused");
	refused("savepoint x", -EPERM, "SAVEPOINT is refused");
	refused("with a as (select 1) delete from sample", -EPERM, "this is refused");
	refused("explain delete from sample", -EPERM, "this is refused");
}

static void what_leads_to_other_files_is_refused_by_its_name(void **state)
{
	refused("attach '/tmp/x' as y", -EPERM, "ATTACH is refused");
	refused("detach main", -EPERM, "DETACH is refused");
	refused("vacuum into '/tmp/x'", -EPERM, "VACUUM is refused");
	refused("select load_extension('/tmp/x')", -EPERM, "load_extension() is refused");
	refused("pragma temp_store_directory = '/tmp'", -EPERM, "PRAGMA temp_store_directory is refused");
	refused("pragma query_only = 0", -EPERM, "PRAGMA query_only is refused");
	refused("pragma user_version = 2", -EPERM, "PRAGMA user_version is refused");
}

static void functions_that_are_not_known_to_be_harmless_are_refused_by_their_names(void **state)
{
	/* The first one tells an address, with two arguments it takes one: SQLite calls what is there. */
	refused("select hex(fts3_tokenizer('simple'))", -EPERM, "fts3_tokenizer() is refused");
	refused("select fts3_tokenizer('simple', x'4141414141414141')", -EPERM, "fts3_tokenizer() is refused");
	refused("select sqlite_compileoption_get(1)", -EPERM, "sqlite_compileoption_get() is refused");
	refused("select randomblob(10)", -EPERM, "randomblob() is refused");
	refused("with a as (select zeroblob(1000000000)) select * from a", -EPERM, "zeroblob() is refused");
}

static void harmless_functions_are_there(void **state)
{
	struct dusk_query *q;
	struct dusk_value v;

	assert_int_equal(ask(&q,
			     "select group_concat(upper(substr(comm, 1, 2)) || printf('%x', 10), ';'), max(time_s), "
			     "round(avg(id), 1), comm like 'CO%', comm glob 'c*', coalesce(null, 1), "
			     "strftime('%Y', 0, 'unixepoch'), json_group_array(id), row_number() over (order by 1), "
			     "lag(1) over (order by 1), current_date > '2020' from samples"),
			 0);
	assert_int_equal(dusk_query_next(q, &err), 1);
	dusk_query_value(q, 0, &v);
	assert_string_equal(v.text, "COa;COa;COa");
	dusk_query_free(q);
}

/* The one value that a query returns, or its error. */
static const char *answer(const char *sql)
{
	static char text[256];
	struct dusk_query *q;
	struct dusk_value v;
	int more;

	if (ask(&q, sql))
		return err.text;
	more = dusk_query_next(q, &err);
	if (more == 1) {
		dusk_query_value(q, 0, &v);
		if (v.kind == DUSK_VALUE_REAL)
			snprintf(text, sizeof(text), "%g", v.real);
		else if (v.kind == DUSK_VALUE_NULL)
			strcpy(text, "null");
		else
			snprintf(text, sizeof(text), "%s", v.text);
	}
	dusk_query_free(q);
	return more == 1 ? text : err.text;
}

#define FIVE "(select 10 x union all select 40 union all select 20 union all select 30 union all select 50)"

static void query__percentiles_lie_between_values(void **state)
{
	assert_string_equal(answer("select percentile(x, 0) from " FIVE), "10");
	assert_string_equal(answer("select percentile(x, 50) from " FIVE), "30");
	assert_string_equal(answer("select percentile(x, 90) from " FIVE), "46");
	assert_string_equal(answer("select percentile(x, 100) from " FIVE), "50");
	assert_string_equal(answer("select median(x) from " FIVE " where x < 25"), "15");
	assert_string_equal(answer("select percentile(x, 99) from " FIVE " where x = 20"), "20");
}

static void query__percentiles_are_of_numbers_only(void **state)
{
	assert_string_equal(answer("select percentile(x, 50) from " FIVE " where x < 0"), "null");
	assert_string_equal(answer("select median(x) from (select null x union all select 'a' union all select 7)"),
			    "7");
	assert_non_null(strstr(answer("select percentile(x, 101) from " FIVE), "a number from 0 to 100"));
	assert_non_null(strstr(answer("select percentile(x, -1) from " FIVE), "a number from 0 to 100"));
	assert_non_null(strstr(answer("select percentile(x, x) from " FIVE), "the same for all rows"));
}

/* Two nodes, of which the outer one has no name; the circle is what a damaged file may have. */
static void query__stack_names_what_is_above_a_node(void **state)
{
	prepared("insert into image(id,name) values(1,'m'); insert into function(id,image,name) values(1,1,'inner');"
		 "insert into module(id,path) values(1,'/bin/m'); insert into frame(id,module,offset) values(1,1,16);"
		 "insert into frame(id,module,offset,function) values(2,1,32,1);"
		 "insert into node(id,parent,frame) values(1,0,1),(2,1,2),(3,4,2),(4,3,2)");
	assert_string_equal(answer("select stack(2)"), "m+0x10;inner");
	assert_string_equal(answer("select stack(1)"), "m+0x10");
	assert_string_equal(answer("select stack(0)"), "null");
	assert_string_equal(answer("select stack(99)"), "null");
	assert_string_equal(answer("select stack(null)"), "null");
	assert_string_equal(answer("select format('%d', length(stack(3)) between 4096 and 65536)"), "1");
}

static void query__views_in_the_file_have_no_stacks(void **state)
{
	prepared("drop view samples; create view samples as select stack(1) x");
	refused("select * from samples", -EBADMSG, "unsafe use of stack()");
}

static void a_view_in_the_file_may_do_no_more_than_a_question(void **state)
{
	prepared("drop view samples; create view samples as select fts3_tokenizer('simple') x");
	refused("select * from samples", -EBADMSG, "unsafe use of fts3_tokenizer()");
	prepared("drop view samples; create view samples as select randomblob(8) x");
	refused("select * from samples", -EPERM, "randomblob() is refused");
	prepared("drop view samples; create view samples as select * from pragma_journal_mode");
	refused("select * from samples", -EBADMSG, "unsafe use of virtual table");
}

static void tables_that_are_made_by_code_are_refused(void **state)
{
	struct dusk_query *q = NULL;
	static const char *const modules[] = {"json_each('[1]')", "json_tree('[1]')",	    "dbstat",
					      "sqlite_dbpage",	  "fts3tokenize('simple')", "bytecode('select 1')"};

	for (size_t i = 0; i < sizeof(modules) / sizeof(*modules); i++) {
		char sql[64];

		snprintf(sql, sizeof(sql), "select * from %s", modules[i]);
		refused(sql, -EBADMSG, "no such table");
	}
	prepared("create virtual table t using fts3(x)");
	assert_int_equal(ask(&q, "select 1"), -EINVAL);
	assert_non_null(strstr(err.text, "it has virtual tables"));
	assert_null(q);
}

static void one_statement_at_a_time(void **state)
{
	struct dusk_query *q;

	assert_int_equal(ask(&q, "select 1; -- that is all"), 0);
	dusk_query_free(q);
	refused("select 1; select 2", -EPERM, "a second statement is refused");
	refused("select 1; drop table sample", -EPERM, "a second statement is refused");
	refused("select 1; rubbish", -EPERM, "a second statement is refused");
	refused(" -- nothing", -EBADMSG, "nothing in the query");
}

static void what_is_no_question_is_named(void **state)
{
	refused("selct 1", -EBADMSG, "syntax error");
	refused("select foo from samples", -EBADMSG, "no such column: foo");
}

static void what_is_no_profile_is_refused(void **state)
{
	struct dusk_query *q = NULL;

	assert_int_equal(dusk_query_new(&q, "/tmp/no-such-file", "select 1", &err), -ENOENT);
	assert_int_equal(dusk_query_new(&q, "/proc/self/exe", "select 1", &err), -EINVAL);
	assert_non_null(strstr(err.text, "is not a dusk profile"));
	assert_int_equal(dusk_query_new(&q, "/tmp", "select 1", &err), -EINVAL);
	assert_int_equal(dusk_query_new(&q, "/dev/null", "select 1", &err), -EINVAL);
	assert_null(q);
}

/* The sums of a window of three samples of one thread, and of off-CPU intervals of another. */
static void rows_of_windows_are_a_view(void **state)
{
	struct dusk_value v[5];
	struct profile_writer *w;
	struct dusk_query *q;

	unlink(path);
	assert_int_equal(profile_create(&w, path, -1, -1, NULL), 0);
	profile_thread(w, 7, 8, "comm");
	profile_set(w, "period_ns", "10000000");
	profile_sum_windows(w, 1000000000);
	for (int i = 0; i < 3; i++)
		profile_sample(w, &(struct dusk_sample){.time_ns = i * 1000000, .outcome = EXITING});
	profile_sample(w, &(struct dusk_sample){.source = DUSK_OFF_CPU,
						.cpu = DUSK_NO_CPU,
						.state = 1,
						.count = 5,
						.value_ns = 9000000,
						.runnable_ns = 1000000});
	assert_int_equal(profile_close(w, true, NULL), 0);
	assert_int_equal(ask(&q, "select state, nr, ms, runnable_ms, comm from sums order by nr"), 0);
	for (int row = 0; row < 2; row++) {
		assert_int_equal(dusk_query_next(q, &err), 1);
		for (int i = 0; i < 5; i++)
			dusk_query_value(q, i, &v[i]);
		assert_string_equal(v[0].text, row ? dusk_state_name(1) : "on-cpu");
		assert_int_equal(v[1].integer, row ? 5 : 3);
		assert_true(v[2].real == (row ? 9 : 30));
		assert_true(v[3].real == row);
		assert_string_equal(v[4].text, "comm");
	}
	assert_int_equal(dusk_query_next(q, &err), 0);
	dusk_query_free(q);
	prepared("update window set rows=x'0102'");
	refused("select 1", -EINVAL, "a wrong value in table window");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rows_of_windows_are_a_view, begin, end),
		cmocka_unit_test_setup_teardown(rows_come_with_names_and_types, begin, end),
		cmocka_unit_test_setup_teardown(each_view_can_be_asked, begin, end),
		cmocka_unit_test_setup_teardown(what_writes_is_refused_by_its_name, begin, end),
		cmocka_unit_test_setup_teardown(what_leads_to_other_files_is_refused_by_its_name, begin, end),
		cmocka_unit_test_setup_teardown(functions_that_are_not_known_to_be_harmless_are_refused_by_their_names,
						begin, end),
		cmocka_unit_test_setup_teardown(harmless_functions_are_there, begin, end),
		cmocka_unit_test_setup_teardown(query__percentiles_lie_between_values, begin, end),
		cmocka_unit_test_setup_teardown(query__percentiles_are_of_numbers_only, begin, end),
		cmocka_unit_test_setup_teardown(query__stack_names_what_is_above_a_node, begin, end),
		cmocka_unit_test_setup_teardown(query__views_in_the_file_have_no_stacks, begin, end),
		cmocka_unit_test_setup_teardown(a_view_in_the_file_may_do_no_more_than_a_question, begin, end),
		cmocka_unit_test_setup_teardown(tables_that_are_made_by_code_are_refused, begin, end),
		cmocka_unit_test_setup_teardown(one_statement_at_a_time, begin, end),
		cmocka_unit_test_setup_teardown(what_is_no_question_is_named, begin, end),
		cmocka_unit_test_setup_teardown(what_is_no_profile_is_refused, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
