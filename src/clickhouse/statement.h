/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a sender says to a server. A collector (src/collect/), which stands between, understands these statements and no other. */
#pragma once
#include "clickhouse/client.h"

/* The statement that inserts into @columns of rows.h. Free it with free(). NULL: memory is short. */
char *statement_insert(const char *database, const char *columns);

/* The statement that asks whether the batch @batch of the day @day (days since 1970) is in @table, likewise. */
char *statement_arrived(const char *database, const char *table, uint32_t day, uint64_t batch);

/* Is @sql such a question, of samples? */
bool statement_is_arrived(const char *sql, const char *database, uint32_t *day, uint64_t *batch);

/* Ask it. Returns 1: it has; 0: it has not; or as client_run(). */
int statement_ask_arrived(struct client *c, const char *table, uint32_t day, uint64_t batch, struct dusk_error *err);
