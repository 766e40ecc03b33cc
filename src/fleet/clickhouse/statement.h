/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a sender says to a server. A collector (src/fleet/collect/), which stands between, understands these statements and no other. */
#pragma once
#include <limits.h>
#include "fleet/clickhouse/client.h"
#include "lib/profile/read/read.h"

/* What a collector says to rows that it will not take whenever they come. */
#define STATEMENT_BAD_ROWS "the rows are not what the table has"
#define STATEMENT_MANY_ROWS "there are more rows than one block of a server has"
#define STATEMENT_LARGE "the post is too large"

#define STATEMENT_FORMAT " FORMAT RowBinary"

/* The statement that inserts into @columns of rows.h. Free it with free(). NULL: memory is short. */
char *statement_insert(const char *database, const char *columns);

/* The statement that asks whether the batch @batch of the day @day (days since 1970) is in @table, likewise. */
char *statement_arrived(const char *database, const char *table, uint32_t day, uint64_t batch);

/* The statement that asks where a batch of @host ends, likewise. */
char *statement_end(const char *database, const char *table, const char *host, uint32_t day, uint64_t batch);

/* Is @sql such a question, of samples? */
bool statement_is_arrived(const char *sql, const char *database, uint32_t *day, uint64_t *batch);

/* Is @sql the question where a batch of @host ends? */
bool statement_is_end(const char *sql, const char *database, char host[HOST_NAME_MAX + 1], uint32_t *day,
		      uint64_t *batch);

/* Ask it. Returns 1: it has; 0: it has not; or as client_run(). */
int statement_ask_arrived(struct client *c, const char *table, uint32_t day, uint64_t batch, struct dusk_error *err);

/* Ask where a batch ends: @to. Returns 1: there it does; 0: there is no such batch; or as client_run(). */
int statement_ask_end(struct client *c, const char *table, const char *host, uint32_t day, uint64_t batch,
		      struct profile_cursor *to, struct dusk_error *err);

/* The answer to that, as a server writes it. Returns what was written, as snprintf(). */
int statement_write_end(char *ret, size_t room, const struct profile_cursor *to);
