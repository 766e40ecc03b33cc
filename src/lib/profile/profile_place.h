/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where is a profile until it is whole?
 *
 * In a folder beside its place, PATH.recording, which only its owner may enter: the database and its log. Whoever may
 * create files beside the profile can so neither read what is recorded nor put anything there that SQLite would take
 * for its own. All is done by descriptors; names are looked up once. A recorder that is killed leaves the folder, and
 * the next one on the same path, or dusk_profile_recover(), makes a profile of it.
 *
 * The lock of the recorder is the one that SQLite takes for exclusive use, so that sqlite3 stays away from a recording
 * that goes on, too. Readers come without it: they hold the log in place, by flock(), and the recorder writes it back
 * only when nobody does.
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

#include "lib/error.h"

#define PLACE_SUFFIX ".recording"

struct place {
	char *path;	   /* of the profile to be */
	const char *name;  /* the last part of it */
	char *folder_name; /* beside it */
	int parent, folder;
	int db, wal; /* locked, read and write */
};

#define PLACE_NONE {.parent = -1, .folder = -1, .db = -1, .wal = -1}

/*
 * Take the place of @path, made for @uid and @gid, -1 being who we are, if it is not there and @make says so. What is
 * in its files is the caller's business: a recording that was killed, or nothing. @p is PLACE_NONE, and is to be freed
 * with place_done() in any case. -EBUSY: a recorder has it; -ENOENT; -EPERM: it is somebody else's; others from the
 * file system.
 */
int place_take(struct place *p, const char *path, bool make, uid_t uid, gid_t gid, struct dusk_error *err);

/* May a profile come to this path? What is there, if anything, must be a file or a link. */
int place_check(const struct place *p, struct dusk_error *err);

/* The database is whole, and is the profile now. What was there is PATH.old, but links, which go. The folder goes. */
int place_publish(struct place *p, struct dusk_error *err);

/* Nothing came of it: the folder goes. */
void place_discard(struct place *p);

void place_done(struct place *p);

/* Keep readers away for as long as the log is written back. @patient: wait for them. -EBUSY */
int place_lock(const struct place *p, bool patient);
void place_unlock(const struct place *p);

/*
 * For readers: the files in @folder, open for reading, and the log held in place; *@wal -1: there is none. *@live:
 * their recorder lives. -ENOENT: there is no recording; -EBUSY, ...
 */
int place_read(int folder, int *db, int *wal, bool *live);
