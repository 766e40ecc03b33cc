/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records in the order of time. See queue.h. */
#include "lib/copied/queue.h"
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

int queue_add(struct queue *q, uint32_t kind, uint64_t time_ns, const struct perf_event_header *h)
{
	struct queue_item item = {.time_ns = time_ns, .number = q->number, .kind = kind};

	item.record = malloc(h->size + sizeof(uint64_t));
	if (!item.record)
		return -ENOMEM;
	memcpy(item.record, h, h->size);
	memset((char *)item.record + h->size, 0, sizeof(uint64_t));
	if (vec_push(&q->items, item)) {
		free(item.record);
		return -ENOMEM;
	}
	q->number++;
	q->bytes += h->size;
	q->late += time_ns < q->past_ns;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct queue_item *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/*
 * Sort: the first q->sorted items are in order, and those that have come since are mostly later than they. Returns 0 or
 * -ENOMEM.
 */
static int sort(struct queue *q)
{
	struct queue_item *v = q->items.v, *late;
	size_t nr = q->items.nr, from = q->sorted, left = q->sorted, new = nr - from, at = nr;

	if (!new)
		return 0;
	qsort(v + from, new, sizeof(*v), by_time);
	late = malloc(new * sizeof(*v));
	if (!late)
		return -ENOMEM;
	memcpy(late, v + from, new * sizeof(*v));
	while (new) { /* merge from the end: it ends where the rest is in order */
		bool old = left && by_time(&v[left - 1], &late[new - 1]) > 0;

		v[--at] = old ? v[--left] : late[--new];
	}
	free(late);
	q->sorted = nr;
	return 0;
}

int queue_drain(struct queue *q, uint64_t until_ns, queue_fn fn, void *ctx)
{
	size_t nr = 0;
	int ret = sort(q);

	while (!ret && nr < q->items.nr && q->items.v[nr].time_ns <= until_ns) {
		q->past_ns = q->items.v[nr].time_ns > q->past_ns ? q->items.v[nr].time_ns : q->past_ns;
		ret = fn(ctx, q->items.v[nr].kind, q->items.v[nr].record);
		q->bytes -= q->items.v[nr].record->size;
		free(steal(q->items.v[nr].record));
		nr++;
	}
	q->items.nr -= nr;
	if (nr && q->items.nr)
		memmove(q->items.v, q->items.v + nr, q->items.nr * sizeof(*q->items.v));
	q->sorted = q->items.nr;
	if (!ret && until_ns > q->past_ns)
		q->past_ns = until_ns;
	return ret;
}

bool queue_any(const struct queue *q, bool (*is)(void *ctx, uint32_t kind, const struct perf_event_header *h),
	       void *ctx)
{
	for (size_t i = 0; i < q->items.nr; i++)
		if (q->items.v[i].record && is(ctx, q->items.v[i].kind, q->items.v[i].record))
			return true;
	return false;
}

void queue_done(struct queue *q)
{
	for (size_t i = 0; i < q->items.nr; i++)
		free(q->items.v[i].record);
	vec_done(&q->items);
}
