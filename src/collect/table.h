/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables into which agents insert. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct table {
	const char *name;
	const char *columns; /* as in the statement: "samples(ts,...)" */
	const char *types;   /* src/clickhouse/row_types.h */
	bool has_batch; /* each row once, on the shard of its host; otherwise rows collapse, and each shard has them */
};

enum { TABLE_FRAMES, TABLE_STACKS, TABLE_HOSTS, TABLE_COUNTS, TABLE_SAMPLES, NR_TABLES };

/* The numbers are in the spool. */
extern const struct table tables[NR_TABLES];

/* The table into which the statement @sql inserts, in RowBinary; NR_TABLES: it is no such statement. */
size_t table_of_insert(const char *sql, const char *database);
