/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables into which agents insert. See table.h. */
#include "fleet/collect/table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "fleet/clickhouse/rows.h"
#include "fleet/clickhouse/statement.h"

const struct table tables[NR_TABLES] = {
	[TABLE_FRAMES] = {"frames", ROWS_FRAMES, ROWS_FRAMES_TYPES, false},
	[TABLE_STACKS] = {"stacks", ROWS_STACKS, ROWS_STACKS_TYPES, false},
	[TABLE_HOSTS] = {"hosts", ROWS_HOSTS, ROWS_HOSTS_TYPES, false},
	[TABLE_COUNTS] = {"counts", ROWS_COUNTS, ROWS_COUNTS_TYPES, true},
	[TABLE_SAMPLES] = {"samples", ROWS_SAMPLES, ROWS_SAMPLES_TYPES, true},
};

#define NAMES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."

/* The length of the column's name at *@list, which is moved behind it. 0: there is none. */
static size_t next_name(const char **list, const char **name)
{
	size_t len = strspn(*list, NAMES);

	*name = *list;
	*list += len + ((*list)[len] == ',');
	return len;
}

/* The column called @name in @t, with its type; -1: it has none. */
static int column_of(const struct table *t, const char *name, size_t len, const char **type)
{
	const char *list = strchr(t->columns, '(') + 1, *own;
	size_t own_len;

	*type = t->types;
	for (int i = 0; (own_len = next_name(&list, &own)); i++, *type += row_type_len(*type))
		if (own_len == len && !memcmp(own, name, len))
			return i;
	return -1;
}

/* Read a list of columns up to its ")". Returns what is behind it; NULL: it is none. */
static const char *read_columns(struct row_layout *l, bool *same, const struct table *t, const char *list,
				const char *types)
{
	const char *name, *known;
	size_t len, nr = 0, at = 0;

	*same = true;
	while ((len = next_name(&list, &name))) {
		int to = column_of(t, name, len, &known);
		const char *type = to < 0 ? types : known;

		if (nr == ROW_COLUMNS_MAX || !row_type_is_known(type))
			return NULL;
		memcpy(&l->types[at], type, row_type_len(type));
		at += row_type_len(type);
		types += row_type_len(types);
		*same &= to == (int)nr;
		l->to[nr++] = to;
	}
	l->types[at] = 0;
	l->nr = nr;
	*same &= !strcmp(l->types, t->types);
	return nr && *list == ')' ? list + 1 : NULL;
}

/* Where rows have a batch they cannot do without it, nor without their second and their host. */
static bool has_batch(const struct row_layout *l, const struct table *t)
{
	unsigned int nr = 0, found = 0;

	for (const char *type = t->types; *type; type += row_type_len(type))
		nr++;
	for (size_t i = 0; i < l->nr; i++)
		found += l->to[i] == 0 || l->to[i] == 1 || l->to[i] == (int)nr - 1;
	return !t->has_batch || found >= 3;
}

size_t table_of_insert(struct row_layout *layout, bool *same, const char *sql, const char *database, const char *types)
{
	for (size_t i = 0; i < NR_TABLES; i++) {
		_cleanup_(freep) char *wanted = NULL;
		const char *rest;
		int len = asprintf(&wanted, "INSERT INTO %s.%s(", database, tables[i].name);

		if (len < 0)
			wanted = NULL;
		else if (!strncmp(sql, wanted, len)) {
			rest = read_columns(layout, same, &tables[i], sql + len, types);
			return rest && !strcmp(rest, STATEMENT_FORMAT) && has_batch(layout, &tables[i]) ? i : NR_TABLES;
		}
	}
	return NR_TABLES;
}
