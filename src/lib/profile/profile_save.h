/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How do names get into a profile that has been recorded? */
#pragma once
#include <dusk/dusk.h>
#include <sqlite3.h>

/*
 * Write the functions and lines of @p into @db, in one transaction. SQLITE_MISMATCH: it is not the recording that @p
 * was read from; other codes of SQLite: the transaction may be open still.
 */
int names_save(sqlite3 *db, const struct dusk_profile *p);
