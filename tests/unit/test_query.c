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
#include "abi/outcome.h"
#include "lib/profile_write.h"

static char path[] = "/tmp/dusk-query-XXXXXX";
static struct dusk_error err;

/* Three samples of one thread. */
static int begin(void **state)
{
	struct profile_writer *w;

	strcpy(path + sizeof(path) - 7, "XXXXXX");
	close(mkstemp(path));
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
	static const char *const views[] = {"top_functions", "samples", "stacks", "losses", "frame_name",
					    "pragma_table_info('samples')"};

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_with_names_and_types),
		cmocka_unit_test(each_view_can_be_asked),
		cmocka_unit_test(what_writes_is_refused_by_its_name),
		cmocka_unit_test(what_leads_to_other_files_is_refused_by_its_name),
		cmocka_unit_test(one_statement_at_a_time),
		cmocka_unit_test(what_is_no_question_is_named),
		cmocka_unit_test(what_is_no_profile_is_refused),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
