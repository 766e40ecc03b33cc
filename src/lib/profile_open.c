/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How is the file of a profile opened that may come from anywhere? See profile_open.h. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "profile_open.h"

#define BUSY_MS 5000
#define MAX_TEXT_BYTES (16 << 20)
#define STEPS_PER_CALL 100000
#define STEPS_PER_BYTE 8	/* a row has at least 8 bytes and takes about 20 steps */

int profile_file_failed(const struct profile_file *f, int rc)
{
	switch (rc & 0xff) {
	case SQLITE_NOTADB:
		return error_set(f->err, -EINVAL, "%s is not a dusk profile", f->path);
	case SQLITE_INTERRUPT:
		return error_set(f->err, -EINVAL, "%s is damaged: it takes too long to read", f->path);
	case SQLITE_CORRUPT:
	case SQLITE_ERROR:
	case SQLITE_FORMAT:
	case SQLITE_TOOBIG:
		return error_set(f->err, -EINVAL, "%s is damaged: %s", f->path, sqlite3_errmsg(f->db));
	default:
		return db_error(f->db, rc, f->err, "cannot read", f->path);
	}
}

static int out_of_steps(void *ctx)
{
	struct profile_file *f = ctx;

	return --f->calls_left < 0;
}

/* SQLite's own defences against hostile files, and a bound for its work. */
static void harden(struct profile_file *f, uint64_t file_bytes)
{
	sqlite3_db_config(f->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(f->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(f->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(f->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_limit(f->db, SQLITE_LIMIT_LENGTH, MAX_TEXT_BYTES);
	sqlite3_busy_timeout(f->db, BUSY_MS);
	f->calls_left = 100 + file_bytes / STEPS_PER_CALL * STEPS_PER_BYTE;
	sqlite3_progress_handler(f->db, STEPS_PER_CALL, out_of_steps, f);
}

static uint64_t size_of(const char *path, const char *suffix)
{
	char name[PATH_MAX];
	struct stat st;
	int len = snprintf(name, sizeof(name), "%s%s", path, suffix);

	return len < (int)sizeof(name) && !stat(name, &st) ? st.st_size : 0;
}

/* "file:" and the path with what means something in a URI escaped; to be freed with free(). */
static char *immutable_uri(const char *path)
{
	static const char tail[] = "?immutable=1";
	char *uri = malloc(strlen("file:") + strlen(path) * 3 + sizeof(tail)), *p = uri;

	if (!uri)
		return NULL;
	p += sprintf(p, "file:");
	for (; *path; path++)
		p += sprintf(p, strchr("%?#", *path) ? "%%%02x" : "%c", *path);
	strcpy(p, tail);
	return uri;
}

/*
 * Three ways in. Read-only suffices for a finished file, and for one that is being written. A file in WAL mode without
 * a log in a folder that we may not write to can be read as if it never changed; and where there is a log, but no place
 * for the index that readers share (a full disk), it takes the file for ourselves.
 */
enum way { READ_ONLY, IMMUTABLE, EXCLUSIVE, NR_WAYS };

static int try_way(struct profile_file *f, enum way way)
{
	_cleanup_(freep) char *uri = way == IMMUTABLE ? immutable_uri(f->path) : NULL;
	uint64_t wal_bytes = size_of(f->path, "-wal");
	sqlite3_int64 objects;
	int rc;

	if (way == IMMUTABLE && (wal_bytes || !uri))
		return SQLITE_CANTOPEN;
	rc = sqlite3_open_v2(uri ? uri : f->path, &f->db, SQLITE_OPEN_NOMUTEX | (uri ? SQLITE_OPEN_URI : 0) |
			     (way == EXCLUSIVE ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY), NULL);
	if (rc)
		return rc;
	harden(f, size_of(f->path, "") + wal_bytes);
	rc = db_exec(f->db, way == EXCLUSIVE ? "pragma cell_size_check=on; pragma locking_mode=exclusive; begin" :
					       "pragma cell_size_check=on; begin");
	return rc ?: db_integer(f->db, "select count(*) from sqlite_schema", &objects);
}

int profile_file_open(struct profile_file *f)
{
	struct stat st;
	int rc = 0;

	if (stat(f->path, &st))
		return error_set(f->err, -errno, "cannot read %s: %s", f->path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return error_set(f->err, -EINVAL, "%s is not a dusk profile: it is not a file", f->path);
	if (access(f->path, R_OK))
		return error_set(f->err, -errno, "cannot read %s: %s", f->path, strerror(errno));
	for (int way = READ_ONLY; way < NR_WAYS; way++) {
		sqlite3_close(f->db);
		f->db = NULL;
		rc = try_way(f, way);
		if ((rc & 0xff) != SQLITE_CANTOPEN && (rc & 0xff) != SQLITE_READONLY && (rc & 0xff) != SQLITE_IOERR)
			break;
	}
	return rc ? profile_file_failed(f, rc) : 0;
}
