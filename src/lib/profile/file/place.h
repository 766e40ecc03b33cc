/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The place of a profile until it is complete.
 *
 * It is a folder beside the profile, PATH.recording, which only its owner may enter, with the database and its log. So
 * a user that may create files beside the profile can neither read what is recorded nor plant files that SQLite would
 * take for its own. All access is by descriptors; names are looked up once. If the recorder is killed, the folder
 * stays, and the next recorder on the same path, or dusk_profile_recover(), makes a profile of it.
 *
 * The recorder holds the lock that SQLite uses for exclusive access, so that sqlite3 cannot open a running recording
 * either. Readers do not take that lock. They keep the log from being written back by flock(), and the recorder writes
 * it back only while there are no readers.
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

#include "lib/error.h"

#define PLACE_SUFFIX ".recording"

struct place {
	char *path;	    /* of the future profile */
	const char *name;   /* last component of @path */
	char *folder_name;  /* in the same folder */
	int parent, folder; /* -1: it has no name */
	int db, wal;	    /* locked, open for reading and writing */
};

#define PLACE_NONE {.parent = -1, .folder = -1, .db = -1, .wal = -1}

/*
 * Take the place of @path. If it does not exist and @make is set, create it for @uid and @gid (-1: those of the
 * process). Its files may hold a recording that was killed, or be empty: the caller decides. Initialize @p with
 * PLACE_NONE, and free it with place_done(), also on failure.
 * Returns 0, -EBUSY (a recorder holds it), -ENOENT, -EPERM (it belongs to another user), or an error of the file
 * system.
 */
int place_take(struct place *p, const char *path, bool make, uid_t uid, gid_t gid, struct dusk_error *err);

/*
 * Take the open file @db, which is empty and has no name, for a profile that nobody else is to see; its log is in memory.
 * A process that is killed leaves nothing of it. Otherwise as place_take().
 */
int place_take_unnamed(struct place *p, int db, struct dusk_error *err);

/* Check that a profile may be created at this path: what exists there, if anything, must be a file or a link. */
int place_check(const struct place *p, struct dusk_error *err);

/*
 * Make the database the profile, and remove the folder. An existing file becomes PATH.old; an existing link is removed.
 * One without a name is there already.
 */
int place_publish(struct place *p, struct dusk_error *err);

/* Remove the folder with its content. */
void place_discard(struct place *p);

void place_done(struct place *p);

/* Lock readers out while the log is written back. @patient: wait for present ones. Returns 0 or -EBUSY. */
int place_lock(const struct place *p, bool patient);
void place_unlock(const struct place *p);

/*
 * For readers: open the files in @folder for reading, and keep the log from being written back. *@wal -1: there is no
 * log. *@live: the recorder is still running.
 * Returns 0, -ENOENT (no recording there), -EBUSY, ...
 */
int place_read(int folder, int *db, int *wal, bool *live);
