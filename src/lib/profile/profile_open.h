/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How is the file of a profile opened that may come from anywhere? */
#pragma once
#include <stdint.h>

#include "lib/profile/db.h"
#include "lib/profile/fdvfs.h"

struct profile_file {
	const char *path;
	struct dusk_error *err;
	sqlite3 *db;
	struct fdvfs vfs;
	int64_t calls_left; /* of STEPS_PER_CALL steps */
	bool live;	    /* it is a recording that goes on */
};

#define PROFILE_FILE(path_, err_) {.path = path_, .err = err_, .vfs = {.db = -1, .wal = -1}}

/*
 * Open @f->path within a transaction, to @f->db: a profile, or what is recorded into @f->path.recording, if there is no
 * file of that name, or if it is a recording's folder itself. Nothing is written, and nothing that lies beside a
 * profile is looked into. The work that SQLite may do there is bounded by the size of the file, and counted in @f,
 * which stays where it is and is to be freed with profile_file_close() in any case. A negative errno, and @f->err says
 * why.
 */
int profile_file_open(struct profile_file *f);

/* The same for the recording in @folder, whatever its name is by now. */
int profile_file_open_at(struct profile_file *f, int folder);

/* Of what is open: the file, or a recording's database and log. */
uint64_t profile_file_bytes(const struct profile_file *f);

/* Close it, but for the error. */
void profile_file_close(struct profile_file *f);

/* What SQLite's code @rc says of the file: a negative errno, to @f->err, too. */
int profile_file_failed(const struct profile_file *f, int rc);
