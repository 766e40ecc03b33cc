/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Open the file of a profile, which may come from an untrusted source. See open.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/profile/file/open.h"
#include "lib/profile/file/place.h"

#define MAX_TEXT_BYTES (16 << 20)
#define STEPS_PER_CALL 100000
#define STEPS_PER_BYTE 8  /* a row has at least 8 bytes and takes about 20 steps */
#define VERSION_OFFSET 18 /* SQLite's fileformat.html: a value of 2 is WAL mode */

int profile_file_failed(const struct profile_file *f, int rc)
{
	switch (rc & 0xff) {
	case SQLITE_NOTADB: return error_set(f->err, -EINVAL, "%s is not a dusk profile", f->path);
	case SQLITE_INTERRUPT: return error_set(f->err, -EINVAL, "%s is damaged: it takes too long to read", f->path);
	case SQLITE_CORRUPT:
	case SQLITE_ERROR:
	case SQLITE_FORMAT:
	case SQLITE_TOOBIG: return error_set(f->err, -EINVAL, "%s is damaged: %s", f->path, sqlite3_errmsg(f->db));
	default: return db_error(f->db, rc, f->err, "cannot read", f->path);
	}
}

static int out_of_steps(void *ctx)
{
	struct profile_file *f = ctx;

	return --f->calls_left < 0;
}

static uint64_t bytes_of(int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) ? st.st_size : 0;
}

uint64_t profile_file_bytes(const struct profile_file *f)
{
	return bytes_of(f->vfs.db) + bytes_of(f->vfs.wal);
}

/* Bound the work of reading the whole file once. A query may take longer: query.c removes the bound. */
static void bound_work(struct profile_file *f)
{
	f->calls_left = 100 + profile_file_bytes(f) / STEPS_PER_CALL * STEPS_PER_BYTE;
	sqlite3_progress_handler(f->db, STEPS_PER_CALL, out_of_steps, f);
}

/* Connect to the open files, @recording or not, with SQLite's own defences against hostile files. */
static int connect_to(struct profile_file *f, bool recording)
{
	sqlite3_int64 objects;
	int rc = fdvfs_open(&f->vfs, &f->db);

	if (!rc) {
		db_distrust(f->db);
		sqlite3_limit(f->db, SQLITE_LIMIT_LENGTH, MAX_TEXT_BYTES);
		sqlite3_limit(f->db, SQLITE_LIMIT_ATTACHED, 0);
		bound_work(f);
		rc = db_exec(f->db, "pragma cell_size_check=on; begin");
	}
	rc = rc ?: db_integer(f->db, "select count(*) from sqlite_schema", &objects);
	if (!rc && !objects && recording)
		return error_set(f->err, -ENODATA,
				 "there is nothing in %s yet: its recorder has not begun, or never did", f->path);
	return rc ? profile_file_failed(f, rc) : 0;
}

static int cannot_read(const struct profile_file *f, int rc)
{
	if (rc == -EBUSY)
		return error_set(f->err, rc,
				 "cannot read %s: the recording is being made a profile just now; try again", f->path);
	return error_set(f->err, rc, "cannot read %s: %s", f->path, strerror(-rc));
}

int profile_file_open_at(struct profile_file *f, int folder)
{
	int rc = place_read(folder, &f->vfs.db, &f->vfs.wal, &f->live);

	return rc ? cannot_read(f, rc) : connect_to(f, true);
}

/*
 * A file in WAL mode may have content in a log: it is a recording's database without its folder, or another program has
 * changed its mode. The log is not trusted, as any user may have put it there.
 */
static int check_whole(const struct profile_file *f)
{
	char log[PATH_MAX], version = 0;
	struct stat st;

	if (pread(f->vfs.db, &version, 1, VERSION_OFFSET) != 1 || version != 2 ||
	    snprintf(log, sizeof(log), "%s-wal", f->path) >= (int)sizeof(log) || lstat(log, &st) || !st.st_size)
		return 0;
	return error_set(f->err, -EINVAL,
			 "%s is not whole: a part of it is in %s, which is not read, as it may be anybody's. "
			 "If it is yours: sqlite3 %s 'pragma journal_mode=delete'",
			 f->path, log, f->path);
}

/* Open @path if it is a regular file or a folder. Other files are opened with O_PATH only. */
static int look(const char *path, struct stat *st)
{
	_cleanup_(closep) int fd = open(path, O_PATH | O_CLOEXEC);
	char self[64];
	int file;

	if (fd < 0 || fstat(fd, st))
		return -errno;
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		return -EINVAL;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	file = open(self, O_RDONLY | O_CLOEXEC);
	return file < 0 ? -errno : file;
}

/* A recording that is running, or was killed, has no file yet. */
static int open_recording(const struct profile_file *f)
{
	char folder[PATH_MAX];
	int fd;

	if (snprintf(folder, sizeof(folder), "%s" PLACE_SUFFIX, f->path) >= (int)sizeof(folder))
		return -ENOENT;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? (errno == EACCES ? -EACCES : -ENOENT) : fd;
}

int profile_file_open(struct profile_file *f)
{
	_cleanup_(closep) int fd = -1;
	struct stat st = {0};
	int rc;

	fd = look(f->path, &st);
	if (fd == -ENOENT) {
		fd = open_recording(f);
		st.st_mode = S_IFDIR;
	}
	if (fd < 0 && fd != -EINVAL)
		return cannot_read(f, fd);
	if (fd >= 0 && S_ISREG(st.st_mode)) {
		f->vfs.db = steal_fd(&fd);
		rc = check_whole(f);
		return rc ? rc : connect_to(f, false);
	}
	rc = fd < 0 ? -ENOENT : place_read(fd, &f->vfs.db, &f->vfs.wal, &f->live);
	if (rc == -ENOENT)
		return error_set(f->err, -EINVAL, "%s is not a dusk profile: it is not a file", f->path);
	return rc ? cannot_read(f, rc) : connect_to(f, true);
}

void profile_file_close(struct profile_file *f)
{
	sqlite3_close(f->db);
	closep(&f->vfs.db);
	closep(&f->vfs.wal);
	f->db = NULL;
	f->vfs.db = f->vfs.wal = -1;
}
