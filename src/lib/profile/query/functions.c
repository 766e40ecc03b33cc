/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/profile/query/functions.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

#define FLAGS (SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY)
#define MAX_VALUES (1U << 24) /* of a percentile: 128 MiB */
#define MAX_STEPS 4096	      /* from a leaf to its root; a damaged file may have circles */
#define MAX_STACK (1U << 16)  /* bytes of text */

/* What an aggregate has seen so far. */
struct values {
	struct vec(double) of;
	double percent;
	const char *error;
};

static const char *add_value(struct values *v, sqlite3_value *value, sqlite3_value *percent)
{
	double p = percent ? sqlite3_value_double(percent) : 50;

	if (!(p >= 0 && p <= 100))
		return "the second argument of percentile() is a number from 0 to 100";
	if (v->of.nr && p != v->percent)
		return "the second argument of percentile() is the same for all rows";
	v->percent = p;
	if (sqlite3_value_numeric_type(value) != SQLITE_INTEGER && sqlite3_value_numeric_type(value) != SQLITE_FLOAT)
		return NULL;
	if (v->of.nr == MAX_VALUES)
		return "percentile() takes 16,777,216 values at most";
	return vec_push(&v->of, sqlite3_value_double(value)) ? "out of memory" : NULL;
}

static void percentile_step(sqlite3_context *ctx, int nr, sqlite3_value **args)
{
	struct values *v = sqlite3_aggregate_context(ctx, sizeof(*v));

	if (!v)
		sqlite3_result_error_nomem(ctx);
	else if (!v->error)
		v->error = add_value(v, args[0], nr > 1 ? args[1] : NULL);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double between(const struct values *v)
{
	double at = v->percent / 100 * (double)(v->of.nr - 1);
	size_t low = at, high = low + 1 < v->of.nr ? low + 1 : low;

	return v->of.v[low] + (v->of.v[high] - v->of.v[low]) * (at - (double)low);
}

static void percentile_end(sqlite3_context *ctx)
{
	struct values *v = sqlite3_aggregate_context(ctx, 0);

	if (!v)
		return; /* no rows: NULL */
	if (v->error) {
		sqlite3_result_error(ctx, v->error, -1);
	} else if (v->of.nr) {
		qsort(v->of.v, v->of.nr, sizeof(*v->of.v), by_value);
		sqlite3_result_double(ctx, between(v));
	}
	vec_done(&v->of);
}

/* A text that grows at its beginning, in a buffer that is full from @start on. */
struct backwards {
	char text[MAX_STACK];
	size_t start;
};

/* False: there is no more room. */
static bool put_before(struct backwards *b, const char *name)
{
	size_t len = strlen(name), join = b->start < sizeof(b->text) - 1;

	if (len + join > b->start)
		return false;
	if (join)
		b->text[--b->start] = ';';
	b->start -= len;
	memcpy(b->text + b->start, name, len);
	return true;
}

/* Add the function of @node, and set *@node to its parent. False: there is no such node, or no room. */
static bool climb(sqlite3_stmt *up, struct backwards *b, sqlite3_int64 *node)
{
	bool is;

	sqlite3_bind_int64(up, 1, *node);
	is = sqlite3_step(up) == SQLITE_ROW && put_before(b, (const char *)sqlite3_column_text(up, 1) ?: "[unknown]");
	if (is)
		*node = sqlite3_column_int64(up, 0);
	sqlite3_reset(up);
	return is;
}

static void stack_of(sqlite3_context *ctx, int nr, sqlite3_value **args)
{
	/* A join with the view would make a table of all frames at each step. */
	static const char sql[] =
		"select n.parent,(select f.function from frame_name f where f.id=n.frame) from node n where n.id=?";
	struct query_functions *f = sqlite3_user_data(ctx);
	sqlite3_int64 node = sqlite3_value_int64(args[0]);
	struct backwards *b;

	if (!f->up && sqlite3_prepare_v3(f->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &f->up, NULL)) {
		sqlite3_result_error(ctx, "stack(): the profile has no stacks", -1);
		return;
	}
	b = malloc(sizeof(*b));
	if (!b) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	b->start = sizeof(b->text) - 1;
	b->text[b->start] = 0;
	for (int i = 0; node > 0 && i < MAX_STEPS && climb(f->up, b, &node); i++)
		;
	if (b->text[b->start])
		sqlite3_result_text(ctx, b->text + b->start, -1, SQLITE_TRANSIENT);
	free(b);
}

int query_functions_add(struct query_functions *f, sqlite3 *db)
{
	int rc;

	*f = (struct query_functions){.db = db};
	rc = sqlite3_create_function_v2(db, "percentile", 2, FLAGS, NULL, NULL, percentile_step, percentile_end, NULL);
	rc = rc
		     ?: sqlite3_create_function_v2(db, "median", 1, FLAGS, NULL, NULL, percentile_step, percentile_end,
						   NULL);
	return rc ?: sqlite3_create_function_v2(db, "stack", 1, FLAGS, f, stack_of, NULL, NULL, NULL);
}

void query_functions_done(struct query_functions *f)
{
	sqlite3_finalize(f->up);
	f->up = NULL;
}
