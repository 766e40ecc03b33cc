/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An SQLite VFS for files that are open already. See fdvfs.h. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/profile/file/fdvfs.h"

#define NAME "profile" /* the file name that SQLite is given */
#define WAL_NAME NAME "-wal"
#define SECTOR_BYTES 4096

struct file {
	sqlite3_file base;
	struct fdvfs *v;
	int fd;
	bool ours; /* close it with the file */
};

static int failed(struct fdvfs *v, int code)
{
	v->error = errno;
	return errno == ENOSPC ? SQLITE_FULL : code;
}

static int file_close(sqlite3_file *file)
{
	struct file *f = (struct file *)file;

	if (f->ours)
		close(f->fd);
	return SQLITE_OK;
}

static int file_read(sqlite3_file *file, void *to, int bytes, sqlite3_int64 offset)
{
	struct file *f = (struct file *)file;
	size_t done = 0, wanted = bytes;

	while (done < wanted) {
		ssize_t n = pread(f->fd, (char *)to + done, wanted - done, offset + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return failed(f->v, SQLITE_IOERR_READ);
		if (!n)
			break;
		done += n;
	}
	memset((char *)to + done, 0, wanted - done);
	return done < wanted ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int file_write(sqlite3_file *file, const void *from, int bytes, sqlite3_int64 offset)
{
	struct file *f = (struct file *)file;
	size_t done = 0, wanted = bytes;

	if (!f->v->writable && !f->ours)
		return SQLITE_READONLY;
	while (done < wanted) {
		ssize_t n = pwrite(f->fd, (const char *)from + done, wanted - done, offset + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return failed(f->v, SQLITE_IOERR_WRITE);
		done += n;
	}
	return SQLITE_OK;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 bytes)
{
	struct file *f = (struct file *)file;

	if (!f->v->writable && !f->ours)
		return SQLITE_READONLY;
	return ftruncate(f->fd, bytes) ? failed(f->v, SQLITE_IOERR_TRUNCATE) : SQLITE_OK;
}

static int file_sync(sqlite3_file *file, int flags)
{
	struct file *f = (struct file *)file;

	return !f->ours && f->v->writable && fdatasync(f->fd) ? failed(f->v, SQLITE_IOERR_FSYNC) : SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *ret)
{
	struct file *f = (struct file *)file;
	struct stat st;

	if (fstat(f->fd, &st))
		return failed(f->v, SQLITE_IOERR_FSTAT);
	*ret = st.st_size;
	return SQLITE_OK;
}

static int file_lock(sqlite3_file *file, int level)
{
	return SQLITE_OK;
}

static int file_is_reserved(sqlite3_file *file, int *ret)
{
	*ret = 0;
	return SQLITE_OK;
}

static int file_control(sqlite3_file *file, int what, void *arg)
{
	if (what != SQLITE_FCNTL_LAST_ERRNO)
		return SQLITE_NOTFOUND;
	*(int *)arg = ((struct file *)file)->v->error;
	return SQLITE_OK;
}

static int file_sector_bytes(sqlite3_file *file)
{
	return SECTOR_BYTES;
}

static int file_characteristics(sqlite3_file *file)
{
	return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
	.iVersion = 1, /* no shared memory methods: the index of the log is on the heap */
	.xClose = file_close,
	.xRead = file_read,
	.xWrite = file_write,
	.xTruncate = file_truncate,
	.xSync = file_sync,
	.xFileSize = file_size,
	.xLock = file_lock,
	.xUnlock = file_lock,
	.xCheckReservedLock = file_is_reserved,
	.xFileControl = file_control,
	.xSectorSize = file_sector_bytes,
	.xDeviceCharacteristics = file_characteristics,
};

static struct fdvfs *of(sqlite3_vfs *vfs)
{
	return (struct fdvfs *)((char *)vfs - offsetof(struct fdvfs, vfs));
}

/* A missing log is an empty one, and journals are refused; a file without a name is a temporary one of SQLite's. */
static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *ret_flags)
{
	struct file *f = (struct file *)file;
	struct fdvfs *v = of(vfs);
	bool belongs = flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL);

	*f = (struct file){.v = v, .fd = flags & SQLITE_OPEN_MAIN_DB ? v->db : flags & SQLITE_OPEN_WAL ? v->wal : -1};
	if (f->fd < 0 && (!name || flags & SQLITE_OPEN_WAL)) {
		f->fd = memfd_create("sqlite", MFD_CLOEXEC);
		f->ours = true;
	}
	if (f->fd < 0) {
		v->error = name ? ENOENT : errno;
		return SQLITE_CANTOPEN;
	}
	if (ret_flags)
		*ret_flags = belongs && !v->writable ? (flags & ~SQLITE_OPEN_READWRITE) | SQLITE_OPEN_READONLY : flags;
	f->base.pMethods = &methods;
	return SQLITE_OK;
}

/* SQLite deletes a log after it has written it back. Nothing else is deleted. */
static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
	struct fdvfs *v = of(vfs);

	if (v->writable && v->wal >= 0 && !strcmp(name, WAL_NAME) && ftruncate(v->wal, 0))
		return failed(v, SQLITE_IOERR_DELETE);
	return SQLITE_OK;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *ret)
{
	struct fdvfs *v = of(vfs);
	struct stat st;

	*ret = !strcmp(name, NAME) || (!strcmp(name, WAL_NAME) && v->wal >= 0 && !fstat(v->wal, &st) && st.st_size);
	return SQLITE_OK;
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int room, char *ret)
{
	return snprintf(ret, room, "%s", name) < room ? SQLITE_OK : SQLITE_CANTOPEN;
}

static int vfs_last_error(sqlite3_vfs *vfs, int room, char *ret)
{
	return of(vfs)->error;
}

int fdvfs_open(struct fdvfs *v, sqlite3 **ret)
{
	sqlite3_vfs *base = sqlite3_vfs_find(NULL); /* for its clock and randomness */
	int rc;

	if (!base)
		return SQLITE_MISUSE;
	v->vfs = *base;
	v->vfs.pNext = NULL;
	v->vfs.szOsFile = sizeof(struct file);
	v->vfs.xOpen = vfs_open;
	v->vfs.xDelete = vfs_delete;
	v->vfs.xAccess = vfs_access;
	v->vfs.xFullPathname = vfs_full_path;
	v->vfs.xGetLastError = vfs_last_error;
	/* Registered only during this open, so that no other file can be opened with it, not even by ATTACH. */
	snprintf(v->name, sizeof(v->name), "dusk-%p", (void *)v);
	v->vfs.zName = v->name;
	rc = sqlite3_vfs_register(&v->vfs, 0);
	if (rc)
		return rc;
	rc = sqlite3_open_v2(
		NAME, ret, SQLITE_OPEN_NOMUTEX | (v->writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY), v->name);
	sqlite3_vfs_unregister(&v->vfs);
	return rc ?: sqlite3_exec(*ret, "pragma locking_mode=exclusive", NULL, NULL, NULL);
}
