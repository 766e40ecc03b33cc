/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/process/code_lives.h"
#include <string.h>
#include "base/rank.h"

static bool is_exact(const struct code_load *l)
{
	return l->after_ns == l->by_ns;
}

/* Exact loads come first of those by the same time: an inexact one may be the same. */
static int by_time(const void *a, const void *b)
{
	const struct code_load *x = a, *y = b;

	if (x->by_ns != y->by_ns)
		return x->by_ns < y->by_ns ? -1 : 1;
	if (is_exact(x) != is_exact(y))
		return is_exact(x) ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void sort(struct code_loads *loads)
{
	for (size_t i = 0; i < loads->nr; i++)
		loads->v[i].order = i;
	if (loads->nr)
		qsort(loads->v, loads->nr, sizeof(*loads->v), by_time);
}

/* Leave out inexact loads that may be one of the exact ones, which are before them. */
static void leave_out_doubles(struct code_loads *loads)
{
	const struct code_load *exact = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < loads->nr; i++) {
		const struct code_load l = loads->v[i];

		if (!is_exact(&l) && exact && exact->by_ns >= l.after_ns)
			continue;
		loads->v[kept] = l;
		if (is_exact(&l))
			exact = &loads->v[kept];
		kept++;
	}
	loads->nr = kept;
}

static bool is_same(const struct code_load *a, const struct code_load *b)
{
	return a->start == b->start && !strcmp(a->name, b->name);
}

int code_lives_find(struct code_lives *ret, struct code_loads *loads)
{
	const struct code_load *v;
	size_t nr;

	ret->nr = 0;
	sort(loads);
	leave_out_doubles(loads);
	v = loads->v;
	nr = loads->nr;
	for (size_t i = 0, last; i < nr; i = last + 1) {
		struct code_life l = {.start = v[i].start, .name = v[i].name, .is_first = !i};

		/* The same function once more, as JITs say that it was compiled better, or all that they have again. */
		for (last = i; last + 1 < nr && is_same(&v[i], &v[last + 1]) && v[last].gone_ns >= v[last + 1].by_ns;)
			last++;
		l.from_ns = !i && !is_exact(&v[i]) ? 0 : v[i].by_ns;
		l.to_ns = last + 1 < nr && v[last + 1].after_ns < v[last].gone_ns ? v[last + 1].after_ns
										  : v[last].gone_ns;
		if (l.from_ns < l.to_ns && vec_push(ret, l))
			return -ENOMEM;
	}
	return 0;
}

const struct code_life *code_lives_at(const struct code_lives *l, uint64_t from_ns, uint64_t to_ns)
{
	size_t begun = rank_of(l->v, l->nr, sizeof(*l->v), to_ns);
	const struct code_life *life = begun ? &l->v[begun - 1] : NULL;

	return life && to_ns < life->to_ns && (life->from_ns <= from_ns || life->is_first) ? life : NULL;
}
