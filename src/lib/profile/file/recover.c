/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Make a profile of a recording after its recorder was killed.
 *
 * What was committed is in the place's database and log (place.h). The log is written back, and the database
 * becomes the profile. Nothing can be lost: the place stays until the profile has its name.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "lib/profile/file/db.h"
#include "lib/profile/file/fdvfs.h"
#include "lib/profile/file/recover.h"
#include "lib/profile/file/schema.h"

#define NR_OF(table) "select count(*) from sqlite_schema where name='" table "' and type='table'"
#define HAS_WINDOWS NR_OF("counted")
/* They were not counted before, when the profile could not be completed, or get its name. */
#define LOSES_WINDOWS                                                        \
	"select not exists(select 1 from setting where key='finished') and " \
	"not exists(select 1 from counted where name='lost-windows')"
#define NUMBER_OF(key) "select coalesce((select cast(value as integer) from setting where key='" key "'),0)"
#define TRIES 10 /* while other processes do the same */

/*
 * Count the windows from the end of the last one that is there to when the recorder was last seen alive: the one that was
 * open, and more if it was just writing one, or had come to a standstill. A window may be longer than it says, if the
 * recorder was held up.
 */
static int count_lost_windows(sqlite3 *db, uint64_t alive_ns)
{
	sqlite3_int64 has, loses = 0, length_ns, start_ns, end_ns;
	uint64_t lost = 1, dead_ns;
	int rc = db_integer(db, HAS_WINDOWS, &has);
	char *sql;

	if (!rc && has)
		rc = db_integer(db, LOSES_WINDOWS, &loses);
	if (rc || !loses)
		return rc;
	rc = db_integer(db, NUMBER_OF("window_ns"), &length_ns);
	rc = rc ?: db_integer(db, NUMBER_OF("start_monotonic_ns"), &start_ns);
	rc = rc ?: db_integer(db, NUMBER_OF("duration_ns"), &end_ns); /* written with each window */
	if (rc)
		return rc;
	dead_ns = alive_ns - start_ns;
	/* Before the first window it may not have begun. */
	if (alive_ns > (uint64_t)start_ns && end_ns > 0 && length_ns > 0 && dead_ns > (uint64_t)end_ns)
		lost = (dead_ns - end_ns - 1) / length_ns + 1;
	sql = sqlite3_mprintf(PROFILE_LOST_WINDOWS, lost, end_ns / 1000, lost);
	rc = sql ? db_exec(db, sql) : SQLITE_NOMEM;
	sqlite3_free(sql);
	return rc;
}

/* Write the log back. *@empty: there is nothing in it. */
static int make_whole(const struct place *p, uint64_t alive_ns, bool *empty, struct dusk_error *err)
{
	struct fdvfs v = {.db = p->db, .wal = p->wal, .writable = true};
	sqlite3_int64 application = 0, objects = 0;
	_cleanup_(db_closep) sqlite3 *db = NULL;
	struct stat st;
	int rc;

	if (fstat(p->db, &st))
		return error_set(err, -errno, "%s", strerror(errno));
	*empty = !st.st_size;
	if (*empty)
		return 0;
	if (place_lock(p, true))
		return error_set(err, -EBUSY, "somebody reads it just now");
	rc = fdvfs_open(&v, &db);
	if (!rc)
		db_distrust(db);
	rc = rc ?: db_integer(db, "pragma application_id", &application);
	rc = rc ?: db_integer(db, "select count(*) from sqlite_schema", &objects);
	if (!rc && objects && application != PROFILE_APPLICATION_ID)
		rc = SQLITE_NOTADB;
	*empty = !rc && !objects;
	rc = rc || *empty ? rc : count_lost_windows(db, alive_ns);
	rc = rc || *empty ? rc : db_leave_wal(db);
	if (!rc)
		return 0;
	place_unlock(p);
	return error_set(err, db_errno(db, rc), "%s",
			 rc == SQLITE_NOTADB	       ? "it is no recording"
			 : db_errno(db, rc) == -ENOSPC ? strerror(ENOSPC)
						       : sqlite3_errmsg(db));
}

/* Returns -ENODATA if there was nothing in the place, which is removed then. */
static int recover(struct place *p, uint64_t alive_ns, struct dusk_error *err)
{
	struct dusk_error why = {""};
	bool empty = false;
	int rc = make_whole(p, alive_ns, &empty, &why);

	if (rc)
		return error_set(err, rc, "cannot make %s of %s" PLACE_SUFFIX ", where a recording was killed: %s",
				 p->path, p->path, why.text);
	if (!empty)
		return place_publish(p, err);
	place_discard(p);
	return -ENODATA;
}

int profile_take_fresh(struct place *p, const char *path, uid_t uid, gid_t gid, struct dusk_error *err)
{
	struct stat st;
	int rc;

	for (int i = 0; i < TRIES; i++) {
		rc = place_take(p, path, true, uid, gid, err);
		if (!rc && !fstat(p->db, &st) && !st.st_size && !ftruncate(p->wal, 0))
			return 0;
		rc = rc ?: recover(p, 0, err);
		place_done(p);
		if (rc && rc != -ENODATA)
			return rc;
	}
	return error_set(err, -EBUSY, "cannot create %s: others are at it, too", path);
}

int dusk_profile_recover(const char *path, uint64_t alive_ns, struct dusk_error *err)
{
	_cleanup_(place_done) struct place p = PLACE_NONE;
	int rc = place_take(&p, path, false, -1, -1, err);

	if (rc == -ENOENT)
		return error_set(err, rc, "there is nothing to recover: no %s" PLACE_SUFFIX, path);
	if (rc == -EBUSY)
		return error_set(err, rc, "there is nothing to recover: the recording in %s" PLACE_SUFFIX " goes on",
				 path);
	if (rc)
		return rc;
	rc = recover(&p, alive_ns, err);
	if (rc == -ENODATA)
		return error_set(err, rc, "there is nothing to recover: the recording was killed before it had begun");
	return rc;
}
