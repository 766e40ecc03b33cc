/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples to rows of a window, and back. See windows.h. */
#include "abi/offcpu.h"
#include "lib/profile/file/schema.h"
#include "lib/profile/sums/windows.h"

#define NS_A_US 1000

bool windows_sums(const struct windows *w, const struct dusk_sample *s)
{
	return w->length_ns && (s->source == DUSK_CPU || (s->source == DUSK_OFF_CPU && s->cpu == DUSK_NO_CPU));
}

static uint64_t kind_of(const struct dusk_sample *s)
{
	if (s->source == DUSK_OFF_CPU)
		return BLOCK_OFF_CPU + s->state;
	return s->value_ns ? BLOCK_WEIGHED : BLOCK_PERIOD;
}

int windows_add(struct windows *w, const struct dusk_sample *s)
{
	const struct block_row row = {.column = {[BLOCK_KIND] = kind_of(s),
						 [BLOCK_THREAD] = s->thread,
						 [BLOCK_NODE] = s->node,
						 [BLOCK_OUTCOME] = s->outcome,
						 [BLOCK_COUNT] = s->count ?: 1, /* of a sample it may be left out */
						 [BLOCK_VALUE] = s->value_ns,
						 [BLOCK_RUNNABLE] = s->runnable_ns}};

	return vec_push(&w->rows, row);
}

bool windows_are_full(const struct windows *w)
{
	return w->rows.nr >= BLOCK_ROWS_MAX;
}

static uint64_t at_most(uint64_t value, uint64_t max)
{
	return value < max ? value : max;
}

/* Nanoseconds to microseconds, and sums that nobody will read to the largest that are read. */
static void settle(uint64_t *column)
{
	column[BLOCK_COUNT] = at_most(column[BLOCK_COUNT], UINT32_MAX);
	column[BLOCK_VALUE] = at_most(column[BLOCK_VALUE], PROFILE_MAX_NS) / NS_A_US;
	column[BLOCK_RUNNABLE] = at_most(column[BLOCK_RUNNABLE] / NS_A_US, column[BLOCK_VALUE]);
	if (column[BLOCK_KIND] == BLOCK_WEIGHED && !column[BLOCK_VALUE])
		column[BLOCK_VALUE] = 1; /* 0 would be the period */
}

int windows_encode(struct windows *w, uint8_t **ret, size_t *ret_len)
{
	w->rows.nr = block_sum(w->rows.v, w->rows.nr);
	for (size_t i = 0; i < w->rows.nr; i++)
		settle(w->rows.v[i].column);
	int err = block_encode(w->rows.v, w->rows.nr, ret, ret_len);
	w->rows.nr = 0;
	return err;
}

void windows_done(struct windows *w)
{
	vec_done(&w->rows);
}

bool window_sample(const struct block_row *row, struct dusk_sample *ret)
{
	const uint64_t *c = row->column;

	if (c[BLOCK_KIND] >= BLOCK_OFF_CPU + NR_OFFCPU_REASONS || c[BLOCK_THREAD] > UINT32_MAX ||
	    c[BLOCK_NODE] > UINT32_MAX || c[BLOCK_OUTCOME] > UINT8_MAX || !c[BLOCK_COUNT] ||
	    c[BLOCK_COUNT] > UINT32_MAX || c[BLOCK_VALUE] > PROFILE_MAX_NS / NS_A_US ||
	    c[BLOCK_RUNNABLE] > c[BLOCK_VALUE] || (c[BLOCK_KIND] == BLOCK_PERIOD && c[BLOCK_VALUE]))
		return false;
	*ret = (struct dusk_sample){
		.source = c[BLOCK_KIND] < BLOCK_OFF_CPU ? DUSK_CPU : DUSK_OFF_CPU,
		.state = c[BLOCK_KIND] < BLOCK_OFF_CPU ? 0 : c[BLOCK_KIND] - BLOCK_OFF_CPU,
		.thread = c[BLOCK_THREAD],
		.node = c[BLOCK_NODE],
		.outcome = c[BLOCK_OUTCOME],
		.count = c[BLOCK_COUNT],
		.value_ns = c[BLOCK_VALUE] * NS_A_US,
		.runnable_ns = c[BLOCK_RUNNABLE] * NS_A_US,
		.cpu = DUSK_NO_CPU,
	};
	return true;
}
