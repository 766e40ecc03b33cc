/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which functions, modules, processes or threads took how many samples, or how much time?
 *
 * "self" are the samples whose innermost frame is the row's, "total" those with the row's frame anywhere in their
 * stack: once, however often it is there. Rows that are of tasks only have self = total. What they weigh is for the
 * measure to say.
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
	uint64_t all;		   /* what was selected, by the measure */
	struct amount selected[2]; /* the same in full, by source */
	struct groups *groups;
	struct labels *labels; /* NULL: the rows are of tasks only */
};

/* @keys: a set of enum key. *@ret is to be freed with table_free() before @p is. 0 or -ENOMEM. */
int table_new(struct table **ret, const struct dusk_profile *p, unsigned int keys, enum measure by,
	      const struct selection *s);
/* Put the rows in the order of these keys: the heaviest first, names and numbers from the smallest. */
void table_sort(struct table *t, const enum key *keys, size_t nr);
void table_free(struct table *t);

static inline void table_freep(struct table **t)
{
	table_free(*t);
}
