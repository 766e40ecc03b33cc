/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/process/kernel_code.h"
#include <errno.h>
#include <stdlib.h>
#include "base/rank.h"

#define TRAMPOLINE_BYTES 4096

void kernel_code_done(struct kernel_code *k)
{
	vec_done(&k->notes);
	vec_done(&k->pieces);
	vec_done(&k->gaps);
	strings_done(&k->names);
	map_done(&k->bytes);
}

static int note(struct kernel_code *k, const struct kernel_code_note *n)
{
	struct kernel_code_note noted = *n;

	noted.name = strings_intern(&k->names, n->name);
	return noted.name && !vec_push(&k->notes, noted) ? 0 : -ENOMEM;
}

int kernel_code_came(struct kernel_code *k, uint64_t start, uint64_t bytes, const char *name, uint64_t time_ns)
{
	return note(k, &(struct kernel_code_note){start, time_ns, bytes, name, false});
}

int kernel_code_went(struct kernel_code *k, uint64_t start, uint64_t bytes, const char *name, uint64_t time_ns)
{
	return note(k, &(struct kernel_code_note){start, time_ns, bytes, name, true});
}

int kernel_code_gap(struct kernel_code *k, uint64_t from_ns, uint64_t to_ns)
{
	return vec_push(&k->gaps, ((struct kernel_code_gap){to_ns, from_ns})) ? -ENOMEM : 0;
}

int kernel_code_stays(struct kernel_code *k, uint64_t start, uint64_t bytes)
{
	bool fresh;
	uint32_t *size = map_at(&k->bytes, start, &fresh);

	if (!size)
		return -ENOMEM;
	*size = bytes;
	return 0;
}

static int by_start_and_time(const void *a, const void *b)
{
	const struct kernel_code_note *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

/* If @last, the piece before, still stays where @n is, it ends: what comes there has replaced it. Returns whether @n says no more. */
static bool end_piece(struct kernel_code_piece *last, const struct kernel_code_note *n)
{
	if (last->start != n->start || last->gone_ns != CODE_STAYS)
		return false;
	last->gone_ns = n->time_ns;
	last->went = n->went && n->name == last->name;
	return n->went;
}

static int by_end(const void *a, const void *b)
{
	const struct kernel_code_gap *x = a, *y = b;

	return x->to_ns < y->to_ns ? -1 : x->to_ns > y->to_ns;
}

/* Put gaps in order of their ends, each with the earliest beginning of those that end no sooner. */
static void sort_gaps(struct kernel_code *k)
{
	if (k->gaps.nr)
		qsort(k->gaps.v, k->gaps.nr, sizeof(*k->gaps.v), by_end);
	for (size_t i = k->gaps.nr; i-- > 1;)
		if (k->gaps.v[i].from_ns < k->gaps.v[i - 1].from_ns)
			k->gaps.v[i - 1].from_ns = k->gaps.v[i].from_ns;
}

/* After a gap @p may be another one, unless it went later, or is there at the end. */
static void cut_at_gap(const struct kernel_code *k, struct kernel_code_piece *p)
{
	size_t i = rank_of(k->gaps.v, k->gaps.nr, sizeof(*k->gaps.v), p->by_ns);
	uint32_t *bytes = map_find(&k->bytes, p->start);
	uint64_t from_ns;

	if (i == k->gaps.nr || p->went || (p->gone_ns == CODE_STAYS && bytes && *bytes == p->bytes))
		return;
	from_ns = k->gaps.v[i].from_ns > p->by_ns ? k->gaps.v[i].from_ns : p->by_ns;
	if (from_ns < p->gone_ns)
		p->gone_ns = from_ns;
}

/* Make pieces of all that was noted. */
static int settle(struct kernel_code *k)
{
	if (k->notes.nr)
		qsort(k->notes.v, k->notes.nr, sizeof(*k->notes.v), by_start_and_time);
	for (size_t i = 0; i < k->notes.nr; i++) {
		const struct kernel_code_note *n = &k->notes.v[i];
		const struct kernel_code_piece came = {n->start,   n->bytes, n->time_ns, n->time_ns,
						       CODE_STAYS, n->name,  false},
					       was = {n->start, n->bytes, 0, k->begun_ns, n->time_ns, n->name, true};

		if (n->bytes > k->max_bytes)
			k->max_bytes = n->bytes;
		if (k->pieces.nr && end_piece(&k->pieces.v[k->pieces.nr - 1], n))
			continue;
		if (vec_push(&k->pieces, n->went ? was : came))
			return -ENOMEM;
	}
	vec_done(&k->notes);
	sort_gaps(k);
	for (size_t i = 0; i < k->pieces.nr; i++)
		cut_at_gap(k, &k->pieces.v[i]);
	return 0;
}

int kernel_code_loads(struct kernel_code *k, uint64_t address, struct code_loads *ret)
{
	size_t i;

	ret->nr = 0;
	if (k->notes.nr && settle(k))
		return -ENOMEM;
	i = rank_of(k->pieces.v, k->pieces.nr, sizeof(*k->pieces.v), address);
	while (i-- && address - k->pieces.v[i].start < k->max_bytes) {
		const struct kernel_code_piece *p = &k->pieces.v[i];
		const struct code_load load = {p->after_ns, p->by_ns, p->gone_ns, p->start, p->name, 0};

		if (address - p->start < p->bytes && vec_push(ret, load))
			return -ENOMEM;
	}
	return 0;
}

bool kernel_code_holds(const struct kernel_code *k, uint64_t start, uint64_t address)
{
	const uint32_t *bytes = map_find(&k->bytes, start);

	return !k->bytes.nr || address - start < (bytes ? *bytes : TRAMPOLINE_BYTES);
}
