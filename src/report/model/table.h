/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sum up samples or time by function, module, process or thread.
 *
 * "self" counts the samples whose innermost frame is the row's, and "total" those with the row's frame anywhere in
 * their stack, each sample once. Rows of tasks without frames have self = total. The measure says whether samples or
 * times are added up.
 */
#pragma once
#include "report/model/group.h"
#include "report/model/label.h"
#include "report/model/aggregate.h"

struct table_row {
	uint32_t group, label;
	uint64_t self, total; /* by the table's measure */
	struct amount of_self, of_total;
};

struct table {
	struct table_row *rows; /* most self first, then most total, then by name */
	size_t nr;
	enum measure by;
	uint64_t all;		   /* the sum of all, by the measure */
	struct amount selected[2]; /* all sums of the same, by source */
	struct groups *groups;
	struct labels *labels; /* NULL: the rows are of tasks only */
};

/* Make the table of @p. @keys: a set of enum key. Free *@ret with table_free() before @p. Returns 0 or -ENOMEM. */
int table_new(struct table **ret, const struct dusk_profile *p, unsigned int keys, enum measure by);
/* Sort the rows by @keys of weight, from the largest, and of time, from the earliest. */
void table_sort(struct table *t, const enum key *keys, size_t nr);
void table_free(struct table *t);

static inline void table_freep(struct table **t)
{
	table_free(*t);
}
