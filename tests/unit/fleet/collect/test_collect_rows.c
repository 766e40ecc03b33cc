/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a collector take the rows that a sender writes, and no others? */
#include "../../profile_fixture.h"
#include "base/gzip.h"
#include "fleet/clickhouse/row_types.h"
#include "fleet/clickhouse/rows.h"
#include "fleet/clickhouse/statement.h"
#include "fleet/collect/table.h"

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

#define PIECE 65536	     /* so much is unpacked at once */
#define PIECE_LENGTH_BYTES 3 /* of a text that nearly fills one */

/* The row @b behind so much text that a piece ends @at bytes in it. */
static int check_cut(size_t table, const struct buffer *b, size_t at)
{
	_cleanup_(freep) char *text = calloc(1, PIECE);
	struct buffer row = {0};
	struct row_facts facts;
	struct packed p;
	char types[64];
	int rc;

	memset(text, 'x', PIECE - PIECE_LENGTH_BYTES - at);
	buffer_text(&row, text);
	assert_int_equal(row.bytes.nr + at, PIECE);
	buffer_bytes(&row, b->bytes.v, b->bytes.nr);
	snprintf(types, sizeof(types), "t%s", tables[table].types);
	p = pack(row.bytes.v, row.bytes.nr);
	rc = row_types_check(&facts, types, false, p.bytes, p.len, MANY);
	assert_true(rc || facts.nr_rows == 1);
	free(p.bytes);
	buffer_done(&row);
	return rc;
}

/* A frame at which @nr_names functions were inlined, with so many lines. */
static void put_frame(struct buffer *b, uint64_t nr_names, uint64_t nr_lines)
{
	static const uint8_t fixed[9] = {0x10};

	buffer_number(b, uint64_t, 77);
	buffer_number(b, uint32_t, 1);
	buffer_text(b, "8a6e");
	buffer_text(b, "/usr/bin/shop");
	buffer_bytes(b, fixed, sizeof(fixed));
	buffer_text(b, "pay");
	buffer_text(b, "shop");
	buffer_number(b, uint32_t, 16);
	buffer_text(b, "shop.c");
	buffer_number(b, uint32_t, 42);
	for (int file = 0; file < 2; file++) {
		buffer_varint(b, nr_names);
		for (uint64_t i = 0; i < nr_names; i++)
			buffer_text(b, file ? "money.h" : "add");
	}
	buffer_varint(b, nr_lines);
	for (uint64_t i = 0; i < nr_lines; i++)
		buffer_number(b, uint32_t, 7);
}

static void put_sample(struct buffer *b, const char *unit, const char *outcome, uint64_t n, uint64_t ns)
{
	const char *labels[] = {"web-1", "shop", "8a6e", unit, "", "", ""};

	buffer_number(b, uint32_t, 1000);
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		buffer_text(b, labels[i]);
	buffer_number(b, uint32_t, 7);
	buffer_text(b, "shop");
	buffer_text(b, "on-cpu");
	buffer_text(b, outcome);
	buffer_number(b, uint64_t, 1);
	buffer_number(b, uint64_t, 2);
	buffer_number(b, uint64_t, n);
	buffer_number(b, uint64_t, ns);
	buffer_number(b, uint64_t, 0);
	buffer_number(b, uint64_t, 9);
}

static void put_row(struct buffer *b, size_t table)
{
	static const uint64_t stack[] = {1, 2, 3};

	switch (table) {
	case TABLE_FRAMES: put_frame(b, 2, 2); break;
	case TABLE_COUNTS: put_count(b, 5, "web-1", 9); break;
	case TABLE_SAMPLES: put_sample(b, "shop.service", "outermost", 1, 50000000); break;
	case TABLE_STACKS:
		buffer_number(b, uint64_t, 4);
		buffer_number(b, uint32_t, 1000);
		buffer_varint(b, 3);
		buffer_bytes(b, stack, sizeof(stack));
		break;
	case TABLE_HOSTS:
		buffer_text(b, "web-1");
		buffer_number(b, uint32_t, 1000);
		buffer_text(b, "6.18");
		buffer_text(b, "x86_64");
		buffer_number(b, uint32_t, 2);
		buffer_text(b, "1.0");
	}
}

static void a_row_may_be_unpacked_in_any_two_pieces(void **state)
{
	(void)state;
	for (size_t table = 0; table < NR_TABLES; table++) {
		struct buffer b = {0};

		put_row(&b, table);
		for (size_t at = 0; at <= b.bytes.nr; at++)
			assert_int_equal(check_cut(table, &b, at), 0);
		buffer_done(&b);
	}
}

static void assert_refused(size_t table, struct buffer *b)
{
	for (size_t at = 0; at <= b->bytes.nr && at < 1000; at++)
		assert_int_equal(check_cut(table, b, at), -EBADMSG);
	b->bytes.nr = 0;
}

static void what_no_view_can_read_is_refused_wherever_it_is_cut(void **state)
{
	_cleanup_(freep) char *text = calloc(1, ROW_LABEL_BYTES + 2);
	struct buffer b = {0};

	(void)state;
	put_frame(&b, 2, 1);
	assert_refused(TABLE_FRAMES, &b);
	put_frame(&b, 0, 1);
	assert_refused(TABLE_FRAMES, &b);
	put_sample(&b, "", "outermost", 0, 1);
	assert_refused(TABLE_SAMPLES, &b);
	put_sample(&b, "", "outermost", ROW_N_MAX + 1, 1);
	assert_refused(TABLE_SAMPLES, &b);
	put_sample(&b, "", "outermost", 1, ROW_NS_MAX + 1);
	assert_refused(TABLE_SAMPLES, &b);
	put_sample(&b, "", "out\x1b[", 1, 1);
	assert_refused(TABLE_SAMPLES, &b);
	put_sample(&b, "", "", 1, 1);
	assert_refused(TABLE_SAMPLES, &b);
	memset(text, 'x', ROW_LABEL_BYTES);
	put_sample(&b, text, "of-a-newer-dusk", ROW_N_MAX, ROW_NS_MAX);
	assert_int_equal(check_cut(TABLE_SAMPLES, &b, 0), 0);
	b.bytes.nr = 0;
	text[ROW_LABEL_BYTES] = 'x';
	put_sample(&b, text, "outermost", 1, 1);
	assert_refused(TABLE_SAMPLES, &b);
	buffer_done(&b);
}

static void a_bomb_is_refused_before_it_is_unpacked(void **state)
{
	_cleanup_(freep) char *zeros = calloc(1, 64 << 20);
	struct packed p = pack(zeros, 64 << 20);
	struct row_facts facts;

	(void)state;
	/* Rows of one byte, of which as many may come: what ends it is how well they are packed. */
	assert_int_equal(row_types_check(&facts, "1", false, p.bytes, p.len, UINT64_MAX), -EBADMSG);
	free(p.bytes);
	p = pack(zeros, 1 << 20);
	assert_int_equal(row_types_check(&facts, "1", false, p.bytes, p.len, UINT64_MAX), 0);
	free(p.bytes);
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

/* A frame with a name. */
static void put_name(struct buffer *b, const char *name)
{
	static const uint8_t before[8 + 4 + 1 + 1 + 8 + 1], behind[1 + 4 + 1 + 4 + 3];

	buffer_bytes(b, before, sizeof(before));
	buffer_text(b, name);
	buffer_bytes(b, behind, sizeof(behind));
}

static void rows_of_any_length_are_counted_up_to_a_limit(void **state)
{
	_cleanup_(freep) char *text = calloc(1, ROW_BYTES_MAX);
	struct buffer b = {0};
	struct row_facts facts;

	(void)state;
	for (size_t i = 0; i < ROW_BYTES_MAX - 64; i++)
		text[i] = 'a' + hash64(i) % 26; /* which is not packed too well */
	put_name(&b, text);			/* longer than what is unpacked at once */
	for (int i = 1; i < MANY; i++)
		put_name(&b, "main");
	assert_int_equal(check(&facts, TABLE_FRAMES, &b, b.bytes.nr), 0);
	assert_int_equal(facts.nr_rows, MANY);
	put_name(&b, "main");
	assert_int_equal(check(&facts, TABLE_FRAMES, &b, b.bytes.nr), -E2BIG);
	memset(text, 'x', ROW_BYTES_MAX - 1);
	b.bytes.nr = 0;
	put_name(&b, text);
	assert_int_equal(check(&facts, TABLE_FRAMES, &b, b.bytes.nr), -EBADMSG);
	buffer_done(&b);
}

static void statements_are_those_of_a_sender(void **state)
{
	_cleanup_(freep) char *insert = statement_insert("dusk", ROWS_SAMPLES),
			      *arrived = statement_arrived("dusk", "samples", 20000, UINT64_MAX),
			      *counts = statement_arrived("dusk", "counts", 20000, 1), *more = NULL;
	struct row_layout l;
	uint64_t batch;
	uint32_t day;
	bool same;

	(void)state;
	assert_int_equal(table_of_insert(&l, &same, insert, "dusk", ""), TABLE_SAMPLES);
	assert_true(same);
	assert_int_equal(table_of_insert(&l, &same, insert, "other", ""), NR_TABLES);
	assert_int_equal(table_of_insert(&l, &same, arrived, "dusk", ""), NR_TABLES);
	assert_true(statement_is_arrived(arrived, "dusk", &day, &batch));
	assert_true(day == 20000 && batch == UINT64_MAX);
	assert_false(statement_is_arrived(arrived, "other", &day, &batch));
	assert_false(statement_is_arrived(counts, "dusk", &day, &batch));
	assert_false(statement_is_arrived(insert, "dusk", &day, &batch));
	assert_true(asprintf(&more, "%s OR 1", arrived) > 0);
	assert_false(statement_is_arrived(more, "dusk", &day, &batch));
}

/* What the columns of a post become. */
static struct packed converted(const char *columns, const char *types, const void *data, size_t len)
{
	_cleanup_(freep) char *insert = statement_insert("dusk", columns);
	struct packed p = pack(data, len), ret = {NULL};
	struct row_layout l;
	bool same;
	FILE *out = open_memstream(&ret.bytes, &ret.len);

	assert_int_equal(table_of_insert(&l, &same, insert, "dusk", types), TABLE_STACKS);
	assert_false(same);
	assert_int_equal(row_types_convert(out, &l, ROWS_STACKS_TYPES, p.bytes, p.len), 0);
	fclose(out);
	free(p.bytes);
	return ret;
}

static void assert_packed(struct packed p, const void *data, size_t len)
{
	struct packed wanted = pack(data, len);

	assert_int_equal(p.len, wanted.len);
	assert_memory_equal(p.bytes, wanted.bytes, p.len);
	free(p.bytes);
	free(wanted.bytes);
}

static void columns_of_another_version_are_left_out_or_empty(void **state)
{
	static const uint8_t plain[] = {1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 1, 9, 0, 0, 0, 0, 0, 0, 0},
			     more[] = {1, 0, 0, 0, 0, 0, 0, 0, 2, 'n', 'o', 5, 0,
				       0, 0, 1, 9, 0, 0, 0, 0, 0, 0,   0,   1, 7},
			     less[] = {5, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0},
			     filled[] = {1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0};
	struct row_layout l;
	bool same;

	(void)state;
	assert_packed(converted("stacks(stack,colour,seen,frames,tags)", "8t4[8[1", more, sizeof(more)), plain,
		      sizeof(plain));
	assert_packed(converted("stacks(seen,stack)", "", less, sizeof(less)), filled, sizeof(filled));
	/* What cannot be distinguished is not taken. */
	assert_int_equal(
		table_of_insert(&l, &same, "INSERT INTO dusk.stacks(stack,colour) FORMAT RowBinary", "dusk", "8"),
		NR_TABLES);
	assert_int_equal(
		table_of_insert(&l, &same, "INSERT INTO dusk.stacks(stack,colour) FORMAT RowBinary", "dusk", "8?"),
		NR_TABLES);
	assert_int_equal(
		table_of_insert(&l, &same, "INSERT INTO dusk.stacks(stack,seen FORMAT RowBinary", "dusk", "84"),
		NR_TABLES);
	assert_int_equal(table_of_insert(&l, &same, "INSERT INTO dusk.stacks() FORMAT RowBinary", "dusk", "84"),
			 NR_TABLES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rows_of_a_sender_are_taken),
		cmocka_unit_test(a_row_may_be_unpacked_in_any_two_pieces),
		cmocka_unit_test(what_no_view_can_read_is_refused_wherever_it_is_cut),
		cmocka_unit_test(a_bomb_is_refused_before_it_is_unpacked),
		cmocka_unit_test(a_batch_is_of_one_day),
		cmocka_unit_test(nested_arrays_have_as_many_elements),
		cmocka_unit_test(what_is_packed_is_one_stream_to_its_end),
		cmocka_unit_test(rows_of_any_length_are_counted_up_to_a_limit),
		cmocka_unit_test(statements_are_those_of_a_sender),
		cmocka_unit_test(columns_of_another_version_are_left_out_or_empty),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
