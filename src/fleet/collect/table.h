/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables into which agents insert. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "fleet/clickhouse/row_types.h"

struct table {
	const char *name;
	const char *columns; /* as in the statement: "samples(ts,...)" */
	const char *types;   /* src/fleet/clickhouse/row_types.h */
	bool has_batch; /* each row once, on the shard of its host; otherwise rows collapse, and each shard has them */
};

enum { TABLE_FRAMES, TABLE_STACKS, TABLE_HOSTS, TABLE_COUNTS, TABLE_SAMPLES, NR_TABLES };

/* The numbers are in the spool. */
extern const struct table tables[NR_TABLES];

/*
 * The table into which the statement @sql inserts, in RowBinary; NR_TABLES: it is no such statement. *@same: the rows have the table's columns
 * in their order; otherwise *@layout says where theirs go. A dusk of another version has columns that are not known here, whose types
 * are in @types ("": they are not said), or lacks some.
 */
size_t table_of_insert(struct row_layout *layout, bool *same, const char *sql, const char *database, const char *types);
