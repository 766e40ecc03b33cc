/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How is the file of a profile opened that may come from anywhere? */
#pragma once
#include <stdint.h>

#include "db.h"

struct profile_file {
	const char *path;
	struct dusk_error *err;
	sqlite3 *db;
	int64_t calls_left;	/* of STEPS_PER_CALL steps */
};

/*
 * Open @f->path within a transaction, to @f->db, which is to be closed in any case. The work that SQLite may do there
 * is bounded by the size of the file, and counted in @f, which stays where it is until then. A negative errno, and
 * @f->err says why.
 */
int profile_file_open(struct profile_file *f);

/* What SQLite's code @rc says of the file: a negative errno, to @f->err, too. */
int profile_file_failed(const struct profile_file *f, int rc);
