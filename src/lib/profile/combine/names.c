/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Add names to a profile that was recorded elsewhere or earlier.
 *
 * The names are written to a copy, which replaces the file when it is complete. The file itself is never open for
 * writing, so neither other files beside it nor a kill can damage it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "lib/profile/file/db.h"
#include "lib/error.h"
#include "lib/profile/file/fdvfs.h"
#include "lib/profile/write/save.h"

#define CHUNK_BYTES (1 << 30)

static int cannot_write(const char *path, int rc, struct dusk_error *err)
{
	return error_set(err, rc, "cannot write symbols to %s: %s", path, strerror(-rc));
}

/* Copy the content, the owner and the mode. */
static int copy(int to, int from)
{
	struct stat st;
	ssize_t n;

	do
		n = sendfile(to, from, NULL, CHUNK_BYTES);
	while (n > 0);
	if (n < 0 || fstat(from, &st) || fchown(to, st.st_uid, st.st_gid) || fchmod(to, st.st_mode & 0777))
		return -errno;
	return 0;
}

static int write_names(int file, const struct dusk_profile *p, const char *path, struct dusk_error *err)
{
	struct fdvfs v = {.db = file, .wal = -1, .writable = true};
	_cleanup_(db_closep) sqlite3 *db = NULL;
	int rc = fdvfs_open(&v, &db);

	if (!rc) {
		db_distrust(db);
		rc = db_exec(db, "pragma journal_mode=memory; pragma temp_store=memory");
	}
	rc = rc ?: names_save(db, p);
	if (rc == SQLITE_MISMATCH)
		return error_set(err, -ESTALE, "cannot write symbols to %s: it is not the recording that was read",
				 path);
	return rc ? db_error(db, rc, err, "cannot write symbols to", path) : 0;
}

int dusk_profile_save_symbols(const struct dusk_profile *p, const char *path, struct dusk_error *err)
{
	char real[PATH_MAX], fresh[PATH_MAX + 16];
	_cleanup_(closep) int from = -1, to = -1;
	struct stat st;
	int rc;

	if (!realpath(path, real))
		return cannot_write(path, -errno, err);
	from = open(real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (from < 0 || fstat(from, &st))
		return cannot_write(path, -errno, err);
	if (!S_ISREG(st.st_mode))
		return error_set(err, -EINVAL, "cannot write symbols to %s: it is not a file", path);
	snprintf(fresh, sizeof(fresh), "%s.XXXXXX", real);
	to = mkostemp(fresh, O_CLOEXEC);
	if (to < 0)
		return cannot_write(path, -errno, err);
	rc = copy(to, from);
	rc = rc ? cannot_write(path, rc, err) : write_names(to, p, path, err);
	if (!rc && rename(fresh, real))
		rc = cannot_write(path, -errno, err);
	if (rc)
		unlink(fresh);
	return rc;
}
