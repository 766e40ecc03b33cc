/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A cache of what earlier look-ups found in files. See cache.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <dusk/dusk.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/vec.h"
#include "lib/process/identity.h"
#include "lib/symbols/cache.h"
#include "lib/symbols/own_folder.h"

#define LEFT_BEHIND_S 3600 /* an unfinished file that is older is a leftover */

int dusk_cache_folder(char *ret, size_t room)
{
	const char *xdg = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
	_cleanup_(closep) int fd = -1;
	int len;

	if (xdg && *xdg == '/')
		len = snprintf(ret, room, "%s/dusk", xdg);
	else if (home && *home == '/')
		len = snprintf(ret, room, "%s/.cache/dusk", home);
	else
		return -ENOENT;
	if (len < 0 || (size_t)len >= room)
		return -ENAMETOOLONG;
	fd = own_folder_open(ret, false);
	return fd >= 0 || fd == -ENOENT ? 0 : fd;
}

/* An entry that another user owns (except root), or may write to, is not trusted. */
static int open_entry(int dir, const char *key)
{
	_cleanup_(closep) int fd = openat(dir, key, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if ((st.st_uid && st.st_uid != geteuid()) || st.st_mode & (S_IWGRP | S_IWOTH))
		return -EPERM;
	return steal_fd(&fd);
}

static bool good_name(const char *build_id)
{
	size_t len = strlen(build_id);

	return len >= 8 && len <= 128 && strspn(build_id, "0123456789abcdef") == len;
}

#define KEY_BYTES 160

/* Which of the files with its build id an entry is of: a stripped copy has the same, and one that was altered. */
struct head {
	char magic[8];
	uint64_t bytes;	 /* of the file */
	int64_t changed; /* in seconds */
};

/* Write the name of the entry of the file @fd to @ret. Returns 0, -EINVAL, or -EPERM: it may be anybody's word. */
static int name_entry(char ret[static KEY_BYTES], const char *build_id, int fd)
{
	int64_t owner = fd < 0 ? IDENTITY_OURS : identity_owner(fd);

	if (!good_name(build_id))
		return -EINVAL;
	if (owner == IDENTITY_ANYBODY)
		return -EPERM;
	if (owner == IDENTITY_OURS)
		strcpy(ret, build_id);
	else
		snprintf(ret, KEY_BYTES, "%s.%" PRId64, build_id, owner);
	return 0;
}

static struct head head_of(int fd)
{
	struct head h = {.magic = "dusksym"};
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st)) {
		h.bytes = st.st_size;
		h.changed = st.st_mtime;
	}
	return h;
}

/* Check the head of an entry for the file @fd. */
static int check_head(const char *bytes, size_t len, int fd)
{
	struct head is, wanted = head_of(fd);

	if (len < sizeof(is))
		return -EBADMSG;
	memcpy(&is, bytes, sizeof(is));
	if (memcmp(is.magic, wanted.magic, sizeof(is.magic)))
		return -EBADMSG;
	return fd < 0 || (is.bytes == wanted.bytes && is.changed == wanted.changed) ? 0 : -ESTALE;
}

int cache_load(struct symfile *s, const char *folder, const char *build_id, int fd)
{
	_cleanup_(closep) int dir = own_folder_open(folder, false), entry = -1;
	_cleanup_(freep) char *bytes = NULL;
	char name[KEY_BYTES];
	ssize_t taken;
	size_t len;
	int err = dir < 0 ? dir : name_entry(name, build_id, fd);

	if (err)
		return err;
	entry = open_entry(dir, name);
	if (entry < 0)
		return entry;
	err = file_read_fd(&bytes, &len, entry, CACHE_MAX_BYTES);
	err = err ?: check_head(bytes, len, fd);
	if (err)
		return err;
	taken = symfile_take(s, bytes + sizeof(struct head), len - sizeof(struct head));
	futimens(entry, NULL); /* mark it as used */
	return taken < 0 ? taken : 0;
}

struct entry {
	char name[NAME_MAX + 1];
	struct timespec used;
	uint64_t bytes;
};

static int by_use(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

/* Remove the least recently used files until the rest has at most @max_bytes. */
static int evict(int dir, uint64_t max_bytes)
{
	struct vec(struct entry) entries = {0};
	int own = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
	DIR *d = own < 0 ? NULL : fdopendir(own);
	uint64_t all = 0;
	struct dirent *de;

	if (!d) {
		closep(&own);
		return -errno;
	}
	while (!err && (de = readdir(d))) {
		struct entry *e;
		struct stat st;

		if (fstatat(dir, de->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		if (*de->d_name == '.') {
			if (st.st_mtime < time(NULL) - LEFT_BEHIND_S)
				unlinkat(dir, de->d_name, 0);
			continue;
		}
		e = vec_add(&entries);
		if (!e) {
			err = -ENOMEM;
			break;
		}
		strcpy(e->name, de->d_name);
		e->used = st.st_mtim;
		e->bytes = st.st_size;
		all += e->bytes;
	}
	if (entries.nr)
		qsort(entries.v, entries.nr, sizeof(*entries.v), by_use);
	for (size_t i = 0; i < entries.nr && all > max_bytes; i++) {
		unlinkat(dir, entries.v[i].name, 0);
		all -= entries.v[i].bytes;
	}
	vec_done(&entries);
	closedir(d);
	return err;
}

int cache_store(const struct symfile *s, const char *folder, const char *build_id, int fd, uint64_t max_bytes)
{
	char temporary[64], name[KEY_BYTES];
	_cleanup_(closep) int dir = -1, entry = -1;
	struct head head = head_of(fd);
	uint64_t random;
	int err = name_entry(name, build_id, fd);

	if (err)
		return err;
	dir = own_folder_open(folder, true);
	if (dir < 0)
		return dir;
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return -EAGAIN;
	snprintf(temporary, sizeof(temporary), ".%016" PRIx64, random);
	entry = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (entry < 0)
		return -errno;
	err = file_write_fd(entry, &head, sizeof(head));
	err = err ?: symfile_write(s, entry);
	if (!err && renameat(dir, temporary, dir, name))
		err = -errno;
	if (err)
		unlinkat(dir, temporary, 0);
	return err ?: evict(dir, max_bytes);
}
