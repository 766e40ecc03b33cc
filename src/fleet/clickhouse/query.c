/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words to SQL. See query.h. */
#include "fleet/clickhouse/query.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "abi/offcpu.h"
#include "abi/outcome.h"
#include "base/cleanup.h"
#include "fleet/clickhouse/rebuild.h"
#include "fleet/clickhouse/row_types.h"
#include "fleet/clickhouse/rows.h"
#include "lib/error.h"

#define MAX_GROUPS 4000000 /* that a server may hold in memory at a time; what is of none of them is among the others */

/* Columns in the order of rebuild_sample(). */
static const struct {
	const char *name;
	const char *none; /* what stands for it where it is not distinguished */
} columns[NR_QUERY_COLUMNS] = {
	{"host", "'' AS no_host"},	     {"service", "'' AS no_service"},	  {"version", "'' AS no_version"},
	{"unit", "'' AS no_unit"},	     {"container", "'' AS no_container"}, {"pod", "'' AS no_pod"},
	{"namespace", "'' AS no_namespace"}, {"pid", "toUInt32(0) AS no_pid"},	  {"comm", "'' AS no_comm"},
};

static const char *const kinds[] = {"", " AND kind = 'on-cpu'", " AND kind != 'on-cpu'"};

/* Text for SQL, in quotes. In a pattern of LIKE "*" is any text. */
static void put_quoted(FILE *out, const char *text, bool pattern)
{
	putc('\'', out);
	for (; *text; text++)
		if (pattern && *text == '*')
			putc('%', out);
		else if (pattern && strchr("%_\\", *text))
			fprintf(out, *text == '\\' ? "\\\\\\\\" : "\\\\%c", *text);
		else
			fprintf(out, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
	putc('\'', out);
}

static bool is_digits(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 10;
}

static int put_condition(FILE *out, const char *column, const char *text)
{
	bool pattern = strchr(text, '*');

	if (!strcmp(column, "pid")) {
		fprintf(out, "pid = %s", text);
		return is_digits(text) ? 0 : -EINVAL;
	}
	fprintf(out, "%s %s ", column, pattern ? "LIKE" : "=");
	put_quoted(out, text, pattern);
	return 0;
}

/* What is behind "@name=" in @word, or NULL. */
static const char *value_of(const char *word, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(word, name, len) && word[len] == '=' ? word + len + 1 : NULL;
}

/* The alternatives of @column. */
static int put_matches(FILE *out, const char *column, const char *const *words)
{
	bool first = true;
	int rc = 0;

	for (; !rc && *words; words++) {
		const char *value = value_of(*words, column);

		if (!value)
			continue;
		fputs(!first ? " OR " : ftell(out) ? " AND (" : "(", out);
		first = false;
		rc = put_condition(out, column, value);
	}
	if (!first)
		putc(')', out);
	return rc;
}

static bool has_word(const char *const *words, const char *name)
{
	while (*words && !value_of(*words, name))
		words++;
	return *words;
}

static int set_match(struct query *q, const char *const *words)
{
	size_t len;
	FILE *out = open_memstream(&q->match, &len);
	int rc = out ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < NR_QUERY_COLUMNS; i++)
		rc = put_matches(out, columns[i].name, words);
	rc = rc ?: put_matches(out, "kind", words);
	q->of_process = has_word(words, "pid") || has_word(words, "comm");
	if (out && fclose(out))
		rc = -ENOMEM;
	if (!rc && !len)
		free(steal(q->match));
	return rc;
}

static int set_apart(struct query *q, const char *list)
{
	q->by_time = false;
	memset(q->apart, 0, sizeof(q->apart));
	while (*list) {
		size_t len = strcspn(list, ","), i = 0;

		while (i < NR_QUERY_COLUMNS && (strlen(columns[i].name) != len || memcmp(columns[i].name, list, len)))
			i++;
		if (i < NR_QUERY_COLUMNS)
			q->apart[i] = true;
		else if (len == 4 && !memcmp(list, "time", 4))
			q->by_time = true;
		else
			return -EINVAL;
		list += len + (list[len] == ',');
	}
	return 0;
}

static int choice(const char *value, const char *const *names, size_t nr, unsigned int *ret)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(value, names[i])) {
			*ret = i;
			return 0;
		}
	return -EINVAL;
}

static int read_word(struct query *q, const char *word)
{
	static const char *const stacks[] = {"all", "cpu", "off-cpu", "usual", "none"}, *const rests[] = {"none",
													  "sums",
													  "usual"};
	const char *value;
	unsigned int which = 0;
	int rc;

	if ((value = value_of(word, "by")))
		return set_apart(q, value);
	if ((value = value_of(word, "rows"))) {
		q->max_rows = is_digits(value) ? strtoull(value, NULL, 10) : 0;
		return q->max_rows ? 0 : -EINVAL;
	}
	if ((value = value_of(word, "stacks"))) {
		rc = choice(value, stacks, sizeof(stacks) / sizeof(stacks[0]), &which);
		q->stacks = which;
		return rc;
	}
	if ((value = value_of(word, "others"))) {
		q->one_of_others = !strcmp(value, "one");
		return q->one_of_others ? 0 : -EINVAL;
	}
	if ((value = value_of(word, "rest"))) {
		rc = choice(value, rests, sizeof(rests) / sizeof(rests[0]), &which);
		q->rest = which;
		return rc;
	}
	for (size_t i = 0; i < NR_QUERY_COLUMNS; i++)
		if (value_of(word, columns[i].name))
			return 0;
	return value_of(word, "kind") ? 0 : -EINVAL;
}

int query_read(struct query *q, const char *const *words, struct dusk_error *err)
{
	int rc = 0;

	q->by_time = true;
	q->max_rows = QUERY_ROWS;
	memset(q->apart, true, sizeof(q->apart));
	for (size_t i = 0; !rc && words[i]; i++) {
		rc = read_word(q, words[i]);
		if (rc)
			return error_set(err, rc, "a server cannot be asked for %s", words[i]);
	}
	rc = set_match(q, words);
	if (rc == -EINVAL)
		return error_set(err, rc, "a server cannot look for this: a PID is a number");
	if (!rc && asprintf(&q->time, "ts >= toDateTime(%" PRIu64 ") AND ts < toDateTime(%" PRIu64 ")", q->from_s,
			    q->to_s) < 0) {
		q->time = NULL;
		rc = -ENOMEM;
	}
	return rc;
}

void query_done(struct query *q)
{
	free(q->time);
	free(q->match);
}

__attribute__((format(printf, 1, 2))) static char *print(const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	return len < 0 ? NULL : text;
}

/* The table of sums of samples by labels, if that is @enough and is there; otherwise that of samples. */
static const char *table(const struct query *q, bool enough)
{
	return enough && q->has_sums && !q->of_process ? "sums" : "samples";
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/*
 * Rows that a collector would refuse, and one that is as old as agents are did not. They would spoil the sum of those with the same
 * labels. So much text has no row of an agent's.
 */
#define IS_GOOD                                                                                         \
	"(n BETWEEN 1 AND " TEXT(ROW_N_MAX) " AND value <= " TEXT(ROW_NS_MAX) " AND runnable <= " TEXT( \
		ROW_NS_MAX) " AND length(host) + length(service) + length(version) + length(unit) + "   \
			    "length(container) + length(pod) + "                                        \
			    "length(namespace) <= 4000)"
#define FROM_TABLE " FROM %s.%s%s WHERE %s%s%s%s AND " IS_GOOD
#define TABLE_OF(q, name, kind) \
	(q)->database, name, (q)->suffix, (q)->time, (q)->match ? " AND " : "", (q)->match ?: "", kinds[kind]

char *query_hosts(const struct query *q, enum query_kind kind)
{
	return print("SELECT uniqExact(host), any(host)" FROM_TABLE " FORMAT TabSeparatedRaw",
		     TABLE_OF(q, table(q, true), kind));
}

char *query_any(const struct query *q, enum query_kind kind)
{
	return print("SELECT count() FROM (SELECT ts FROM %s.samples%s WHERE %s%s LIMIT 1) AS one", q->database,
		     q->suffix, q->time, kinds[kind]);
}

/* The columns that are distinguished, as they are selected, or as they are grouped by. */
static void put_columns(FILE *out, const struct query *q, bool group)
{
	if (!q->by_time)
		fprintf(out, group ? "kind" : "toUInt32(%" PRIu64 ") AS no_t", q->from_s);
	else if (group)
		fputs("t, kind", out);
	else
		fprintf(out,
			"toUInt32(%" PRIu64 " + intDiv(toUInt32(ts) - %" PRIu64 ", %" PRIu64 ") * %" PRIu64 ") AS t",
			q->from_s, q->from_s, q->step_s, q->step_s);
	for (size_t i = 0; i < NR_QUERY_COLUMNS; i++)
		if (q->apart[i])
			fprintf(out, ", %s", columns[i].name);
		else if (!group)
			fprintf(out, ", %s", columns[i].none);
	fputs(group ? ", outcome" : ", kind, outcome", out);
}

static char *select_sums(const struct query *q, enum query_kind kind, bool stacks, bool limit)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fputs("SELECT ", out);
	put_columns(out, q, false);
	fputs(stacks ? ", ustack, kstack" : ", toUInt64(0) AS no_ustack, toUInt64(0) AS no_kstack", out);
	fprintf(out, ", sum(n), sum(value) AS weight, sum(runnable)" FROM_TABLE " GROUP BY ",
		TABLE_OF(q, table(q, !stacks && !q->apart[COLUMN_PID] && !q->apart[COLUMN_COMM]), kind));
	put_columns(out, q, true);
	if (stacks)
		fputs(", ustack, kstack", out);
	if (limit)
		fprintf(out,
			" ORDER BY weight DESC LIMIT %" PRIu64
			" SETTINGS max_rows_to_group_by = %d, group_by_overflow_mode = 'any'",
			q->max_rows, MAX_GROUPS);
	fputs(" FORMAT RowBinary", out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

char *query_samples(const struct query *q, enum query_kind kind, bool stacks)
{
	return select_sums(q, kind, stacks, stacks);
}

char *query_others(const struct query *q, enum query_kind kind)
{
	return select_sums(q, kind, false, false);
}

#define OTHERS                                                                                                   \
	"'[others]' AS host_, '' AS service_, '' AS version_, '' AS unit_, '' AS container_, '' AS pod_, '' AS " \
	"namespace_, "

/* What fits @match, or does not fit it if @inverse: one sample if @one, otherwise its sums by kind and outcome. */
static char *without_labels(const struct query *q, bool inverse, enum query_kind kind, bool one)
{
	return print("SELECT toUInt32(%" PRIu64 ") AS t, " OTHERS
		     "toUInt32(0) AS pid_, '[others]' AS comm_, kind, outcome, toUInt64(0) AS ustack_, toUInt64(0) AS "
		     "kstack_, "
		     "%s FROM %s.%s%s WHERE %s%s%s%s%s AND " IS_GOOD "%s FORMAT RowBinary",
		     q->from_s, one ? "n, value, runnable" : "sum(n), sum(value), sum(runnable)", q->database,
		     table(q, true), q->suffix, q->time,
		     !q->match ? ""
		     : inverse ? " AND NOT ("
			       : " AND (",
		     q->match ?: "", q->match ? ")" : "", kinds[kind], one ? " LIMIT 1" : " GROUP BY kind, outcome");
}

char *query_one(const struct query *q, enum query_kind kind)
{
	return without_labels(q, false, kind, true);
}

char *query_rest(const struct query *q)
{
	bool one = q->rest == REST_USUAL;

	return without_labels(q, true, one ? QUERY_ON_CPU : QUERY_ANY, one);
}

/* "SELECT @selected FROM @table WHERE @key IN (...)@rest". An array is one value, where each item of a list is an expression: three times as fast. */
static char *by_ids(const struct query *q, const char *selected, const char *table, const char *key,
		    const uint64_t *ids, size_t nr, const char *rest)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fprintf(out, "SELECT %s FROM %s.%s%s WHERE %s IN (SELECT arrayJoin([", selected, q->database, table, q->suffix,
		key);
	for (size_t i = 0; i < nr; i++)
		fprintf(out, i ? ",%" PRIu64 : "%" PRIu64, ids[i]);
	fprintf(out, "]))%s FORMAT RowBinary", rest);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

char *query_stacks(const struct query *q, const uint64_t *ids, size_t nr)
{
	return by_ids(q, REBUILD_STACKS, "stacks", "stack", ids, nr, " AND length(frames) <= 4096 LIMIT 1 BY stack");
}

char *query_frames(const struct query *q, const uint64_t *ids, size_t nr)
{
	return by_ids(q, REBUILD_FRAMES, "frames", "frame", ids, nr, " ORDER BY rev DESC LIMIT 1 BY frame");
}

#define NAME_OF(code, name, ...) "'" name "', "
#define ARE_KNOWN " AND kind IN (" OFFCPU_REASONS(NAME_OF) "'on-cpu') AND outcome IN (" OUTCOMES(NAME_OF) "'outermost')"

char *query_bad(const struct query *q, enum query_kind kind, bool words)
{
	return print("SELECT substring(host, 1, 64) AS h, count() FROM %s.samples%s WHERE %s%s%s%s AND NOT (" IS_GOOD
		     "%s) GROUP BY h ORDER BY h LIMIT 100 FORMAT RowBinary",
		     q->database, q->suffix, q->time, q->match ? " AND " : "", q->match ?: "", kinds[kind],
		     words ? ARE_KNOWN : "");
}

/* A batch of counts that came twice is there twice until the server has merged its parts. */
char *query_counts(const struct query *q)
{
	return print("SELECT name, sum(value) FROM %s.counts%s FINAL WHERE %s AND name NOT LIKE '" ROWS_BATCH
		     "%%' GROUP BY name FORMAT RowBinary",
		     q->database, q->suffix, q->time);
}
