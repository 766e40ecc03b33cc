/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Open the file of a profile, which may come from an untrusted source. */
#pragma once
#include <stdint.h>

#include "lib/profile/file/db.h"
#include "lib/profile/file/fdvfs.h"

struct profile_file {
	const char *path;
	struct dusk_error *err;
	sqlite3 *db;
	struct fdvfs vfs;
	int64_t calls_left; /* of STEPS_PER_CALL steps each */
	bool live;	    /* a recording that is running */
};

#define PROFILE_FILE(path_, err_) {.path = path_, .err = err_, .vfs = {.db = -1, .wal = -1}}

/*
 * Open the profile @f->path in a transaction, as @f->db. If there is no such file, open the recording in
 * @f->path.recording; @f->path may also be the folder of a recording. Nothing is written, and no other file beside a
 * profile is opened. SQLite's work is bounded by the size of the file, and counted in @f, which must stay in place.
 * Free @f with profile_file_close(), also on failure.
 * Returns 0; -ENODATA: nothing was committed to the recording yet; or another negative errno, with the reason in @f->err.
 */
int profile_file_open(struct profile_file *f);

/* Like profile_file_open(), for the recording in @folder, whatever its name is now. */
int profile_file_open_at(struct profile_file *f, int folder);

/* Return the size in bytes of the open file, or of a recording's database and log. */
uint64_t profile_file_bytes(const struct profile_file *f);

/* Close everything except the error. */
void profile_file_close(struct profile_file *f);

/* Translate SQLite's code @rc. Returns a negative errno, with the reason in @f->err. */
int profile_file_failed(const struct profile_file *f, int rc);
