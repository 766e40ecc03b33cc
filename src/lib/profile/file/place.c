/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The place of a profile until it is complete. See place.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/profile/file/place.h"

#define DATABASE "profile"
#define LOG "profile-wal"
#define TRIES 20		     /* while other processes take or release it */
#define PATIENCE_TRIES 100	     /* how often to try until readers are gone, */
#define PATIENCE_US 50000	     /* ... and the pause between */
#define SQLITE_LOCK_START 0x40000000 /* SQLite's fileformat.html: the bytes that it locks */
#define SQLITE_LOCK_BYTES 512

static bool same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Check that @name in @folder is still the file @fd. */
static bool leads_to(int folder, const char *name, int fd)
{
	struct stat ours, there;

	return !fstat(fd, &ours) && !fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) && same(&ours, &there);
}

/* Split @path, and open its folder. */
static int find(struct place *p, const char *path, struct dusk_error *err)
{
	_cleanup_(freep) char *folder = strdup(path);
	char *slash = folder ? strrchr(folder, '/') : NULL;

	p->path = strdup(path);
	if (!folder || !p->path)
		return error_set(err, -ENOMEM, "cannot create %s: out of memory", path);
	p->name = slash ? p->path + (slash - folder) + 1 : p->path;
	if (strlen(p->name) + sizeof(PLACE_SUFFIX) > NAME_MAX)
		return error_set(err, -ENAMETOOLONG, "cannot create %s: %s", path, strerror(ENAMETOOLONG));
	if (asprintf(&p->folder_name, "%s" PLACE_SUFFIX, p->name) < 0) {
		p->folder_name = NULL;
		return error_set(err, -ENOMEM, "cannot create %s: out of memory", path);
	}
	if (slash)
		slash[slash == folder] = 0;
	p->parent = open(slash ? folder : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (p->parent < 0)
		return error_set(err, -errno, "cannot create %s: %s", path, strerror(errno));
	return 0;
}

/* Open a file in the folder. It must be a regular file of the folder's owner or of our user. */
static int open_part(const struct place *p, const char *name, bool make, const struct stat *folder, struct stat *ret)
{
	_cleanup_(closep) int fd =
		openat(p->folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (make ? O_CREAT : 0), 0600);

	if (fd < 0 || fstat(fd, ret))
		return -errno;
	if (!S_ISREG(ret->st_mode) || (ret->st_uid != folder->st_uid && ret->st_uid != geteuid()))
		return -EPERM;
	return steal_fd(&fd);
}

/*
 * Take the lock of recorders and of SQLite. It belongs to the open file: closing another descriptor does not drop it.
 */
static bool lock(int fd)
{
	struct flock l = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = SQLITE_LOCK_START, .l_len = SQLITE_LOCK_BYTES};

	return !fcntl(fd, F_OFD_SETLK, &l);
}

static void leave(struct place *p)
{
	int *fds[] = {&p->folder, &p->db, &p->wal};

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++) {
		closep(fds[i]);
		*fds[i] = -1;
	}
}

static int take_folder(struct place *p, bool make, uid_t uid, gid_t gid, struct stat *st)
{
	bool made = make && !mkdirat(p->parent, p->folder_name, 0700);

	if (make && !made && errno != EEXIST)
		return -errno;
	p->folder = openat(p->parent, p->folder_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (p->folder < 0 || fstat(p->folder, st))
		return errno == ELOOP || errno == ENOTDIR ? -EPERM : -errno;
	if ((st->st_uid != geteuid() && st->st_uid != uid) || st->st_mode & 077)
		return -EPERM;
	if (made && (fchmod(p->folder, 0700) || fchown(p->folder, uid, gid)))
		return -errno;
	return fstat(p->folder, st) ? -errno : 0;
}

/*
 * Open and lock the files. Another process may remove the place at any moment, so check that they still have their
 * names. Returns -EAGAIN if not.
 */
static int take_files(struct place *p, bool make, uid_t uid, gid_t gid, const struct stat *folder)
{
	struct stat st, there;

	p->db = open_part(p, DATABASE, make, folder, &st);
	if (p->db == -ENOENT && make)
		return -EAGAIN;
	if (p->db < 0)
		return p->db;
	if (!lock(p->db))
		return errno == EAGAIN || errno == EACCES ? -EBUSY : -errno;
	if (!leads_to(p->parent, p->folder_name, p->folder) || !leads_to(p->folder, DATABASE, p->db))
		return -EAGAIN;
	/* Another recorder was killed after it had linked the profile and before it had removed the folder. */
	if (fstat(p->db, &st) ||
	    (st.st_nlink > 1 && !fstatat(p->parent, p->name, &there, AT_SYMLINK_NOFOLLOW) && same(&st, &there))) {
		place_discard(p);
		return -EAGAIN;
	}
	if (st.st_nlink != 1)
		return -EPERM;
	p->wal = open_part(p, LOG, true, folder, &st);
	if (p->wal < 0)
		return p->wal;
	if (st.st_nlink != 1)
		return -EPERM;
	if (fchmod(p->db, 0600) || fchmod(p->wal, 0600) || fchown(p->db, uid, gid) || fchown(p->wal, uid, gid))
		return -errno;
	return 0;
}

int place_take(struct place *p, const char *path, bool make, uid_t uid, gid_t gid, struct dusk_error *err)
{
	struct stat st;
	int rc = find(p, path, err);

	if (rc)
		return rc;
	if (make)
		rc = place_check(p, err);
	if (rc)
		return rc;
	for (int i = 0; i < TRIES; i++) {
		rc = take_folder(p, make, uid, gid, &st);
		if (!rc)
			rc = take_files(p, make, uid, gid, &st);
		if (rc != -EAGAIN && (rc != -ENOENT || !make))
			break;
		leave(p);
	}
	if (!rc)
		return 0;
	leave(p);
	if (rc == -EBUSY || rc == -EAGAIN)
		return error_set(err, -EBUSY,
				 "cannot create %s: another recording is writing it; choose another file with -o",
				 path);
	if (rc == -EPERM)
		return error_set(err, rc,
				 "cannot create %s: what is at %s" PLACE_SUFFIX
				 " is not ours; choose another file with -o",
				 path, path);
	return error_set(err, rc, "cannot create %s: %s", path, strerror(-rc));
}

int place_take_unnamed(struct place *p, int db, struct dusk_error *err)
{
	p->path = strdup("a file without a name");
	p->db = fcntl(db, F_DUPFD_CLOEXEC, 0);
	p->wal = memfd_create(LOG, MFD_CLOEXEC);
	if (!p->path || p->db < 0 || p->wal < 0)
		return error_set(err, -errno, "cannot write a profile: %s", strerror(errno));
	return 0;
}

int place_check(const struct place *p, struct dusk_error *err)
{
	struct stat st, parent;

	if (!*p->name)
		return error_set(err, -EISDIR, "cannot create %s: it is a folder", p->path);
	if (fstatat(p->parent, p->name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : error_set(err, -errno, "cannot create %s: %s", p->path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return error_set(err, -EISDIR, "cannot create %s: it is a folder", p->path);
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return error_set(err, -EINVAL, "cannot create %s: something that is not a file is there", p->path);
	if (geteuid() && !fstat(p->parent, &parent) && parent.st_mode & S_ISVTX && st.st_uid != geteuid() &&
	    parent.st_uid != geteuid())
		return error_set(err, -EPERM,
				 "cannot create %s: somebody else's file is there; choose another one with -o",
				 p->path);
	return 0;
}

/* Rename an existing file to NAME.old, and remove an existing link. */
static int move_older(const struct place *p)
{
	_cleanup_(freep) char *old = NULL;
	struct stat st;

	if (fstatat(p->parent, p->name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	if (S_ISLNK(st.st_mode))
		return unlinkat(p->parent, p->name, 0) ? -errno : 0;
	if (!S_ISREG(st.st_mode))
		return -EEXIST;
	if (asprintf(&old, "%s.old", p->name) < 0) {
		old = NULL;
		return -ENOMEM;
	}
	return renameat(p->parent, p->name, p->parent, old) ? -errno : 0;
}

/* Link the open file to its final name, whatever became of its old name. An existing file is not replaced. */
static int give_name(const struct place *p)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", p->db);
	if (!linkat(AT_FDCWD, self, p->parent, p->name, AT_SYMLINK_FOLLOW))
		return 0;
	/* The file system has no hard links, or /proc is not mounted. */
	if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOENT && errno != EXDEV)
		return -errno;
	return renameat2(p->folder, DATABASE, p->parent, p->name, RENAME_NOREPLACE) ? -errno : 0;
}

int place_publish(struct place *p, struct dusk_error *err)
{
	int rc;

	if (p->folder < 0) {
		place_unlock(p); /* the lock is the open file's, which others have, too */
		return 0;
	}
	for (int i = 0; i < TRIES; i++) {
		rc = move_older(p);
		if (!rc)
			rc = give_name(p);
		if (rc != -EEXIST)
			break;
	}
	if (rc)
		return error_set(err, rc, "cannot create %s: %s; the recording is whole in %s" PLACE_SUFFIX, p->path,
				 strerror(-rc), p->path);
	place_discard(p);
	return 0;
}

void place_discard(struct place *p)
{
	if (p->folder < 0)
		return;
	unlinkat(p->folder, LOG, 0);
	unlinkat(p->folder, DATABASE, 0);
	if (leads_to(p->parent, p->folder_name, p->folder))
		unlinkat(p->parent, p->folder_name, AT_REMOVEDIR);
	leave(p);
}

void place_done(struct place *p)
{
	leave(p);
	closep(&p->parent);
	free(p->path);
	free(p->folder_name);
	*p = (struct place)PLACE_NONE;
}

static int hold(int fd, int how, bool patient)
{
	for (int i = 0; flock(fd, how | LOCK_NB); i++) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return 0; /* the file system has no locks */
		if (!patient || i == PATIENCE_TRIES)
			return -EBUSY;
		usleep(PATIENCE_US);
	}
	return 0;
}

int place_lock(const struct place *p, bool patient)
{
	return hold(p->db, LOCK_EX, patient);
}

void place_unlock(const struct place *p)
{
	flock(p->db, LOCK_UN);
}

static int open_read(int folder, const char *name)
{
	_cleanup_(closep) int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	return S_ISREG(st.st_mode) ? steal_fd(&fd) : -EINVAL;
}

int place_read(int folder, int *db, int *wal, bool *live)
{
	struct flock l = {
		.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = SQLITE_LOCK_START, .l_len = SQLITE_LOCK_BYTES};
	_cleanup_(closep) int file = open_read(folder, DATABASE), log = -1;
	int rc = file < 0 ? file : hold(file, LOCK_SH, true);

	if (rc)
		return rc;
	log = open_read(folder, LOG);
	if (log < 0 && log != -ENOENT)
		return log;
	*live = !fcntl(file, F_OFD_GETLK, &l) && l.l_type != F_UNLCK;
	*db = steal_fd(&file);
	*wal = log < 0 ? -1 : steal_fd(&log);
	return 0;
}
