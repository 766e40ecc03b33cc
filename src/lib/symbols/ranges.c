/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Find the address range that contains an address.
 *
 * ranges_build() sweeps over the addresses with a heap of the ranges that are open: the one added last wins up to its
 * end or to the next start. Each step passes a start or closes a range, so any n ranges give at most 2n pieces in O(n
 * log n).
 */
#include "base/cleanup.h"
#include "lib/symbols/ranges.h"

struct start {
	uint64_t address;
	uint32_t range;
};

/* A max-heap. */
struct heap {
	uint32_t *v;
	size_t nr;
};

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t t = *a;

	*a = *b;
	*b = t;
}

static void heap_push(struct heap *h, uint32_t value)
{
	size_t i = h->nr++;

	h->v[i] = value;
	for (; i && h->v[(i - 1) / 2] < h->v[i]; i = (i - 1) / 2)
		swap(&h->v[(i - 1) / 2], &h->v[i]);
}

static void heap_pop(struct heap *h)
{
	h->v[0] = h->v[--h->nr];
	for (size_t i = 0, child; (child = 2 * i + 1) < h->nr; i = child) {
		if (child + 1 < h->nr && h->v[child + 1] > h->v[child])
			child++;
		if (h->v[i] >= h->v[child])
			break;
		swap(&h->v[i], &h->v[child]);
	}
}

static int by_address(const void *a, const void *b)
{
	const struct start *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

int ranges_add(struct ranges *r, uint64_t start, uint64_t end, uint64_t value)
{
	if (r->all.nr == UINT32_MAX)
		return -ENOMEM;
	return vec_push(&r->all, ((struct range){start, end, value}));
}

static int add_piece(struct ranges *r, uint64_t start, uint64_t end, uint32_t range)
{
	struct ranges_piece *last = r->pieces.nr ? &r->pieces.v[r->pieces.nr - 1] : NULL;

	if (last && last->range == range && last->end == start) {
		last->end = end;
		return 0;
	}
	return vec_push(&r->pieces, ((struct ranges_piece){start, end, range}));
}

static int sweep(struct ranges *r, const struct start *starts, size_t nr, struct heap *open)
{
	size_t next = 0;
	uint64_t at = 0;

	while (next < nr || open->nr) {
		const struct range *top;
		uint64_t end;

		if (!open->nr)
			at = starts[next].address;
		while (next < nr && starts[next].address <= at)
			heap_push(open, starts[next++].range);
		top = &r->all.v[open->v[0]];
		if (top->end <= at) {
			heap_pop(open);
			continue;
		}
		end = next < nr && starts[next].address < top->end ? starts[next].address : top->end;
		if (add_piece(r, at, end, open->v[0]))
			return -ENOMEM;
		at = end;
	}
	return 0;
}

int ranges_build(struct ranges *r)
{
	_cleanup_(freep) struct start *starts = calloc(r->all.nr + 1, sizeof(*starts));
	_cleanup_(freep) uint32_t *room = calloc(r->all.nr + 1, sizeof(*room));
	struct heap open = {.v = room};
	size_t nr = 0;

	if (!starts || !room)
		return -ENOMEM;
	for (size_t i = 0; i < r->all.nr; i++)
		if (r->all.v[i].start < r->all.v[i].end)
			starts[nr++] = (struct start){r->all.v[i].start, i};
	qsort(starts, nr, sizeof(*starts), by_address);
	vec_done(&r->pieces);
	return sweep(r, starts, nr, &open);
}

const struct range *ranges_find(const struct ranges *r, uint64_t address)
{
	size_t low = 0, high = r->pieces.nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->pieces.v[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == r->pieces.nr || address < r->pieces.v[low].start)
		return NULL;
	return &r->all.v[r->pieces.v[low].range];
}

void ranges_done(struct ranges *r)
{
	vec_done(&r->all);
	vec_done(&r->pieces);
}
