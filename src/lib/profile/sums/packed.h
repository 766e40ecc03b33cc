/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rows of a profile's tables as blocks (pack.h), in a table of their own, "packed": a tenth of the bytes. Profiles with
 * windows have what they refer to there. The first column of a table is its integer primary key.
 */
#pragma once
#include <sqlite3.h>
#include <stdbool.h>
#include "lib/profile/sums/pack.h"

/* Rows and bytes of text at which a block is full. */
#define PACKED_ROWS 32768
#define PACKED_TEXT_BYTES (1 << 20)

/* Has the profile in @db such a table? */
bool packed_is_there(sqlite3 *db);

/* Add a block of rows of @table, and remove them from @c. Nothing is done without rows. Returns an SQLite code. */
int packed_add(sqlite3 *db, const char *table, struct pack *c);

/* Move what is in @table to blocks, in a transaction of the caller. A table that is not there has nothing. Returns an SQLite code. */
int packed_take(sqlite3 *db, const char *table);

/* Set @ret to how many rows @table has, in blocks and outside of them. Returns an SQLite code. */
int packed_count(sqlite3 *db, const char *table, sqlite3_int64 *ret);

/* The blocks of @table, in order: the one column of the result. Returns an SQLite code. */
int packed_blocks(sqlite3_stmt **ret, sqlite3 *db, const char *table);
