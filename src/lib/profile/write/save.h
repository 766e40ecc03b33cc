/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Write names into the database of a profile. */
#pragma once
#include <dusk/dusk.h>
#include <sqlite3.h>

/*
 * Write the functions and lines of @p into @db, in one transaction, which may still be open after an error.
 * Returns an SQLite code; SQLITE_MISMATCH: it is not the recording that @p was read from.
 */
int names_save(sqlite3 *db, const struct dusk_profile *p);
