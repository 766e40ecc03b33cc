/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables into which agents insert. See table.h. */
#include "collect/table.h"
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "clickhouse/rows.h"
#include "clickhouse/statement.h"

const struct table tables[NR_TABLES] = {
	[TABLE_FRAMES] = {"frames", ROWS_FRAMES, ROWS_FRAMES_TYPES, false},
	[TABLE_STACKS] = {"stacks", ROWS_STACKS, ROWS_STACKS_TYPES, false},
	[TABLE_HOSTS] = {"hosts", ROWS_HOSTS, ROWS_HOSTS_TYPES, false},
	[TABLE_COUNTS] = {"counts", ROWS_COUNTS, ROWS_COUNTS_TYPES, true},
	[TABLE_SAMPLES] = {"samples", ROWS_SAMPLES, ROWS_SAMPLES_TYPES, true},
};

size_t table_of_insert(const char *sql, const char *database)
{
	size_t table = 0;

	for (; table < NR_TABLES; table++) {
		_cleanup_(freep) char *wanted = statement_insert(database, tables[table].columns);

		if (wanted && !strcmp(sql, wanted))
			break;
	}
	return table;
}
