/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a collector take the rows that a sender writes, and no others? */
#include "../profile_fixture.h"
#include "base/gzip.h"
#include "clickhouse/row_types.h"
#include "clickhouse/rows.h"
#include "clickhouse/statement.h"
#include "collect/table.h"

#define MANY 1000

struct packed {
	char *bytes;
	size_t len;
};

static struct packed pack(const void *data, size_t len)
{
	struct packed p = {NULL};
	struct gzip *g;
	FILE *out = open_memstream(&p.bytes, &p.len);

	assert_int_equal(gzip_new(&g, out), 0);
	gzip_write(g, data, len);
	gzip_free(g);
	fclose(out);
	return p;
}

static int check(struct row_facts *ret, size_t table, const struct buffer *b, size_t len)
{
	struct packed p = pack(b->bytes.v, len);
	int rc = row_types_check(ret, tables[table].types, tables[table].has_batch, p.bytes, p.len, MANY);

	free(p.bytes);
	return rc;
}

/* A row of counts. */
static void put_count(struct buffer *b, uint32_t ts, const char *host, uint64_t batch)
{
	buffer_number(b, uint32_t, ts);
	buffer_text(b, host);
	buffer_text(b, "samples");
	buffer_number(b, uint64_t, 1);
	buffer_number(b, uint64_t, batch);
}

static struct dusk_profile *recorded(void)
{
	struct profile_writer *w = created();
	uint32_t node = profile_node(w, 0, profile_frame(w, profile_module(w, &libc), 0x1000, true, DUSK_BY_CFI));

	profile_set(w, "hostname", "web-1");
	profile_set_u64(w, "start_realtime_ns", 86400ULL * 1000000000);
	profile_thread(w, 7, 7, "work");
	profile_sample(w, &(struct dusk_sample){.time_ns = 5, .node = node, .outcome = UNDEFINED_RA});
	profile_sample(w, &(struct dusk_sample){.time_ns = 20000000000, .node = node, .outcome = UNDEFINED_RA});
	close_finished(w);
	return opened(path);
}

static void the_rows_of_a_sender_are_taken(void **state)
{
	_cleanup_(profile_freep) struct dusk_profile *p = recorded();
	_cleanup_(rows_done) struct rows r;
	struct buffer b[NR_TABLES] = {0};
	struct map frames = {0}, stacks = {0};
	struct row_facts facts;

	(void)state;
	assert_int_equal(rows_init(&r, p), 0);
	rows_frames(&b[TABLE_FRAMES], &r, &frames);
	rows_stacks(&b[TABLE_STACKS], &r, &stacks);
	rows_host(&b[TABLE_HOSTS], &r);
	put_count(&b[TABLE_COUNTS], 5, "web-1", 9);
	b[TABLE_COUNTS].nr_rows = 1;
	rows_samples(&b[TABLE_SAMPLES], &r, 1, 77);
	for (size_t i = 0; i < NR_TABLES; i++) {
		assert_false(b[i].failed);
		assert_int_equal(check(&facts, i, &b[i], b[i].bytes.nr), 0);
		assert_int_equal(facts.nr_rows, b[i].nr_rows);
		assert_int_equal(check(&facts, i, &b[i], b[i].bytes.nr - 1), -EBADMSG);
		buffer_done(&b[i]);
	}
	assert_int_equal(facts.batch, 77);
	assert_int_equal(facts.day, 1);
	map_done(&frames);
	map_done(&stacks);
}

static void a_batch_is_of_one_day(void **state)
{
	struct buffer b = {0};
	struct row_facts facts, other;

	(void)state;
	put_count(&b, 86400, "web-1", 5);
	put_count(&b, 2 * 86400 - 1, "web-1", 5);
	assert_int_equal(check(&facts, TABLE_COUNTS, &b, b.bytes.nr), 0);
	assert_true(facts.nr_rows == 2 && facts.batch == 5 && facts.day == 1);
	put_count(&b, 2 * 86400, "web-1", 5);
	assert_int_equal(check(&other, TABLE_COUNTS, &b, b.bytes.nr), -EBADMSG);
	b.bytes.nr = 0;
	put_count(&b, 86400, "web-1", 5);
	put_count(&b, 86400, "web-1", 6);
	assert_int_equal(check(&other, TABLE_COUNTS, &b, b.bytes.nr), -EBADMSG);
	b.bytes.nr = 0;
	put_count(&b, 86400, "web-1", 0);
	assert_int_equal(check(&other, TABLE_COUNTS, &b, b.bytes.nr), -EBADMSG);
	b.bytes.nr = 0;
	put_count(&b, 0, "web-1", 1);
	assert_int_equal(check(&other, TABLE_COUNTS, &b, b.bytes.nr), 0);
	assert_int_equal(other.host, facts.host); /* the shard is that of the host */
	b.bytes.nr = 0;
	put_count(&b, 0, "web-2", 1);
	assert_int_equal(check(&other, TABLE_COUNTS, &b, b.bytes.nr), 0);
	assert_int_not_equal(other.host, facts.host);
	buffer_done(&b);
}

static void nested_arrays_have_as_many_elements(void **state)
{
	static const uint8_t good[] = {2, 1, 'a', 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0},
			     bad[] = {2, 1, 'a', 0, 1, 0, 0, 0, 0};
	struct packed a = pack(good, sizeof(good) - 1), b = pack(bad, sizeof(bad));
	struct row_facts facts;

	(void)state;
	assert_int_equal(row_types_check(&facts, "[t=4", false, a.bytes, a.len, MANY), 0);
	assert_int_equal(row_types_check(&facts, "[t=4", false, b.bytes, b.len, MANY), -EBADMSG);
	assert_int_equal(row_types_check(&facts, "[t[4", false, b.bytes, b.len, MANY), 0);
	free(a.bytes);
	free(b.bytes);
}

static void what_is_packed_is_one_stream_to_its_end(void **state)
{
	struct buffer b = {0};
	struct row_facts facts;
	struct packed p;

	(void)state;
	put_count(&b, 0, "web-1", 1);
	p = pack(b.bytes.v, b.bytes.nr);
	assert_int_equal(row_types_check(&facts, ROWS_COUNTS_TYPES, true, p.bytes, p.len, MANY), 0);
	for (size_t len = 0; len < p.len; len++)
		assert_int_equal(row_types_check(&facts, ROWS_COUNTS_TYPES, true, p.bytes, len, MANY), -EBADMSG);
	p.bytes = realloc(p.bytes, 2 * p.len);
	memcpy(p.bytes + p.len, p.bytes, p.len);
	assert_int_equal(row_types_check(&facts, ROWS_COUNTS_TYPES, true, p.bytes, 2 * p.len, MANY), -EBADMSG);
	assert_int_equal(row_types_check(&facts, ROWS_COUNTS_TYPES, true, p.bytes, p.len + 1, MANY), -EBADMSG);
	free(p.bytes);
	buffer_done(&b);
}

static void rows_of_any_length_are_counted_up_to_a_limit(void **state)
{
	_cleanup_(freep) char *text = calloc(1, ROW_BYTES_MAX);
	struct buffer b = {0};
	struct row_facts facts;

	(void)state;
	memset(text, 'x', ROW_BYTES_MAX - 64);
	put_count(&b, 0, text, 1); /* longer than what is unpacked at once */
	for (int i = 1; i < MANY; i++)
		put_count(&b, 0, "web-1", 1);
	assert_int_equal(check(&facts, TABLE_COUNTS, &b, b.bytes.nr), 0);
	assert_int_equal(facts.nr_rows, MANY);
	put_count(&b, 0, "web-1", 1);
	assert_int_equal(check(&facts, TABLE_COUNTS, &b, b.bytes.nr), -E2BIG);
	memset(text, 'x', ROW_BYTES_MAX - 1);
	b.bytes.nr = 0;
	put_count(&b, 0, text, 1);
	assert_int_equal(check(&facts, TABLE_COUNTS, &b, b.bytes.nr), -EBADMSG);
	buffer_done(&b);
}

static void statements_are_those_of_a_sender(void **state)
{
	_cleanup_(freep) char *insert = statement_insert("dusk", ROWS_SAMPLES),
			      *arrived = statement_arrived("dusk", "samples", 20000, UINT64_MAX),
			      *counts = statement_arrived("dusk", "counts", 20000, 1), *more = NULL;
	uint64_t batch;
	uint32_t day;

	(void)state;
	assert_int_equal(table_of_insert(insert, "dusk"), TABLE_SAMPLES);
	assert_int_equal(table_of_insert(insert, "other"), NR_TABLES);
	assert_int_equal(table_of_insert(arrived, "dusk"), NR_TABLES);
	assert_true(statement_is_arrived(arrived, "dusk", &day, &batch));
	assert_true(day == 20000 && batch == UINT64_MAX);
	assert_false(statement_is_arrived(arrived, "other", &day, &batch));
	assert_false(statement_is_arrived(counts, "dusk", &day, &batch));
	assert_false(statement_is_arrived(insert, "dusk", &day, &batch));
	assert_true(asprintf(&more, "%s OR 1", arrived) > 0);
	assert_false(statement_is_arrived(more, "dusk", &day, &batch));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rows_of_a_sender_are_taken),
		cmocka_unit_test(a_batch_is_of_one_day),
		cmocka_unit_test(nested_arrays_have_as_many_elements),
		cmocka_unit_test(what_is_packed_is_one_stream_to_its_end),
		cmocka_unit_test(rows_of_any_length_are_counted_up_to_a_limit),
		cmocka_unit_test(statements_are_those_of_a_sender),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
