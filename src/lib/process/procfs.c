/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Open files as a process sees them, and read facts about it from /proc. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "lib/process/ask.h"
#include "lib/process/procfs.h"

#define MAX_STATUS_BYTES (1 << 20)
#define MAPPING_NAME_BYTES 80
#define CONFIGFS_MAGIC 0x62656570 /* missing in linux/magic.h */
#define FUSECTL_MAGIC 0x65735543
#define MQUEUE_MAGIC 0x19800202
#ifndef RDTGROUP_MAGIC
#define RDTGROUP_MAGIC 0x7655821
#endif

/*
 * Check for a pseudo file system: the kernel generates its files when they are read, which may block forever
 * (/proc/kmsg) or have side effects. No module is on such a file system.
 */
static bool is_made_up(int path_fd)
{
	static const unsigned int kinds[] = {
		PROC_SUPER_MAGIC,    SYSFS_MAGIC,      DEBUGFS_MAGIC,	    TRACEFS_MAGIC,     CGROUP_SUPER_MAGIC,
		CGROUP2_SUPER_MAGIC, SECURITYFS_MAGIC, SELINUX_MAGIC,	    SMACK_MAGIC,       AAFS_MAGIC,
		BPF_FS_MAGIC,	     PSTOREFS_MAGIC,   EFIVARFS_MAGIC,	    BINFMTFS_MAGIC,    RDTGROUP_MAGIC,
		DEVPTS_SUPER_MAGIC,  NSFS_MAGIC,       ANON_INODE_FS_MAGIC, XENFS_SUPER_MAGIC, CONFIGFS_MAGIC,
		FUSECTL_MAGIC,	     MQUEUE_MAGIC,
	};
	struct statfs s;

	if (fstatfs(path_fd, &s))
		return true;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if ((unsigned int)s.f_type == kinds[i])
			return true;
	return false;
}

uint64_t procfs_copies_bytes(void)
{
	_cleanup_(closedirp) DIR *fds = opendir("/proc/self/fd");
	static const char copy[] = "/memfd:" PROCFS_COPY_NAME " ";
	char name[sizeof(copy) - 1];
	uint64_t bytes = 0;
	struct stat st;

	for (struct dirent *e; fds && (e = readdir(fds));)
		if (readlinkat(dirfd(fds), e->d_name, name, sizeof(name)) == sizeof(name) &&
		    !memcmp(name, copy, sizeof(name)) && !fstatat(dirfd(fds), e->d_name, &st, 0))
			bytes += st.st_size;
	return bytes;
}

/*
 * Copy @file to memory, with what its readers check of it: owner and time. A server that answers when a file is opened may let them
 * wait for its bytes, or when they close it, which not even SIGKILL ends (fuse_flush(), linux 6.18 fs/fuse/file.c).
 */
static int copy_file(int file, const struct stat *st)
{
	const struct timespec times[] = {st->st_atim, st->st_mtim};
	_cleanup_(closep) int copy = -1;
	static char bytes[1 << 16];
	ssize_t got;

	if (st->st_size > (off_t)PROCFS_COPIES_BYTES - (off_t)procfs_copies_bytes())
		return -EFBIG;
	copy = memfd_create(PROCFS_COPY_NAME, MFD_CLOEXEC);
	if (copy < 0)
		return -errno;
	for (off_t at = 0; at < st->st_size; at += got) {
		got = pread(file, bytes, sizeof(bytes), at);
		if (got <= 0 || write(copy, bytes, got) != got)
			return -EIO;
	}
	if (futimens(copy, times) || (st->st_uid != geteuid() && fchown(copy, st->st_uid, -1)))
		return -errno;
	return steal_fd(&copy);
}

static bool is_of_fuse(int path_fd)
{
	struct statfs s;

	return fstatfs(path_fd, &s) || (unsigned int)s.f_type == FUSE_SUPER_MAGIC;
}

int procfs_reopen(int path_fd)
{
	char name[32];
	struct stat st;
	int fd;

	if (fstat(path_fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || is_made_up(path_fd))
		return -EINVAL;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", path_fd);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	/* It is not closed: this process, a child, would wait for that before it has answered. */
	return is_of_fuse(path_fd) ? copy_file(fd, &st) : fd;
}

/* A file by its @path in the folder @root. */
struct place {
	const char *path;
	int root;
};

/* Returns an O_PATH descriptor or a negative errno. @resolve: more of openat2(2). */
static int look_up(const struct place *p, uint64_t resolve)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = resolve};
	int fd;

	if (p->root != AT_FDCWD)
		how.resolve |= RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
	fd = syscall(SYS_openat2, p->root, p->path, &how, sizeof(how));
	return fd < 0 ? -errno : fd;
}

static int open_place(void *place)
{
	_cleanup_(closep) int path_fd = look_up(place, 0);

	return path_fd < 0 ? path_fd : procfs_reopen(path_fd);
}

/*
 * Check that no server is asked to open @path_fd: it is on a disk. Disks have numbers as devices; other file systems, in
 * memory, of a network, or in user space, have major number 0 (get_anon_bdev(), linux 6.18 fs/super.c).
 */
static bool is_on_disk(int path_fd)
{
	struct statx st;

	return !statx(path_fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &st) && st.stx_dev_major;
}

/* Look up and open in a child, unless the kernel has it all in its cache, and the file is on a disk. */
static int open_without_waiting(struct place *p)
{
	_cleanup_(closep) int path_fd = look_up(p, RESOLVE_CACHED);

	if (path_fd >= 0 && is_on_disk(path_fd))
		return procfs_reopen(path_fd);
	if (path_fd == -ENOENT)
		return path_fd;
	return ask_for_file(open_place, p);
}

int procfs_open_file(const char *path)
{
	return open_without_waiting(&(struct place){path, AT_FDCWD});
}

int procfs_open_in_root(pid_t pid, const char *path)
{
	_cleanup_(closep) int root = -1;
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d/root", pid);
	root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return root < 0 ? -errno : open_without_waiting(&(struct place){path, root});
}

int procfs_look_up(int root, const char *path)
{
	return look_up(&(struct place){path, root}, 0);
}

/* Opening the link waits for the lock of the mappings. */
static int open_link(void *name)
{
	_cleanup_(closep) int path_fd = open(name, O_PATH | O_CLOEXEC);

	return path_fd < 0 ? -errno : procfs_reopen(path_fd);
}

/* Of a process that is gone no child has to be asked. */
static bool is_there(pid_t pid)
{
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d", pid);
	return !access(name, F_OK);
}

static void name_mapping(char ret[static MAPPING_NAME_BYTES], pid_t pid, uint64_t start, uint64_t end)
{
	snprintf(ret, MAPPING_NAME_BYTES, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, start, end);
}

int procfs_open_mapped(pid_t pid, uint64_t start, uint64_t end)
{
	char name[MAPPING_NAME_BYTES];

	name_mapping(name, pid, start, end);
	return is_there(pid) ? ask_for_file(open_link, name) : -ESRCH;
}

int procfs_open_program(pid_t pid)
{
	char name[MAPPING_NAME_BYTES];

	snprintf(name, sizeof(name), "/proc/%d/exe", pid);
	return is_there(pid) ? ask_for_file(open_link, name) : -ESRCH;
}

static ssize_t read_link(void *name, char *ret, size_t size)
{
	ssize_t len = readlink(name, ret, size);

	return len < 0 ? -errno : len;
}

int procfs_mapped_path(pid_t pid, uint64_t start, uint64_t end, char *ret, size_t size)
{
	char name[MAPPING_NAME_BYTES], path[PATH_MAX];
	ssize_t len;

	name_mapping(name, pid, start, end);
	len = is_there(pid) ? ask_in_child(read_link, name, path, sizeof(path)) : -ESRCH;
	if (len < 0)
		return len;
	if (len >= (ssize_t)sizeof(path) || len >= (ssize_t)size)
		return -ENAMETOOLONG;
	memcpy(ret, path, len);
	ret[len] = 0;
	return 0;
}

struct memory {
	int fd;
	uint64_t start;
};

static ssize_t read_memory(void *ctx, char *ret, size_t size)
{
	const struct memory *m = ctx;

	return pread(m->fd, ret, size, (off_t)m->start);
}

int procfs_copy_memory(pid_t pid, uint64_t start, uint64_t end)
{
	_cleanup_(closep) int mem = -1, copy = -1;
	_cleanup_(freep) char *bytes = NULL;
	struct memory m = {.start = start};
	size_t len = end - start;
	char name[32];

	if (end < start || len > PROCFS_COPY_BYTES)
		return -EFBIG;
	snprintf(name, sizeof(name), "/proc/%d/mem", pid);
	m.fd = mem = open(name, O_RDONLY | O_CLOEXEC);
	copy = mem < 0 ? -1 : memfd_create("memory", MFD_CLOEXEC);
	if (copy < 0)
		return -errno;
	bytes = malloc(len);
	if (!bytes)
		return -ENOMEM;
	if (ask_in_child(read_memory, &m, bytes, len) != (ssize_t)len || write(copy, bytes, len) != (ssize_t)len)
		return -EIO;
	return steal_fd(&copy);
}

/*
 * Return the last number in the line that begins with @key, or the @nth (from 1) if @nth is not 0; -1 if there is none.
 */
static long number_of_line(const char *status, const char *key, int nth)
{
	const char *p = strstr(status, key);
	long value = -1;

	if (!p)
		return -1;
	p += strlen(key);
	for (int i = 0; !nth || i < nth; i++) {
		char *end;

		p += strspn(p, " \t");
		if (*p < '0' || *p > '9')
			break;
		value = strtol(p, &end, 10);
		p = end;
	}
	return value;
}

int procfs_identity(pid_t pid, pid_t *inner, uid_t *owner)
{
	_cleanup_(freep) char *status = NULL;
	long nspid, uid;
	char name[32];
	size_t len;

	snprintf(name, sizeof(name), "/proc/%d/status", pid);
	if (file_read(&status, &len, name, MAX_STATUS_BYTES))
		return -ESRCH;
	/* A process cannot forge these lines: its name comes first, but line breaks in it are escaped. */
	nspid = number_of_line(status, "\nNSpid:", 0);
	uid = number_of_line(status, "\nUid:", 2);
	if (nspid < 0 || uid < 0)
		return -ESRCH;
	*inner = nspid;
	*owner = uid;
	return 0;
}

/* The number in field @field, from 3 on, of /proc/PID/stat; 0: there is none. */
static uint64_t stat_field(const char *stat, int field)
{
	const char *p = strrchr(stat, ')'); /* the process's name may contain anything */

	for (int i = 2; p && i < field; i++)
		p = strchr(p + 1, ' ');
	return p ? strtoull(p, NULL, 10) : 0;
}

static int read_stat(pid_t pid, char **ret)
{
	char name[32];
	size_t len;

	snprintf(name, sizeof(name), "/proc/%d/stat", pid);
	return file_read(ret, &len, name, MAX_STATUS_BYTES) ? -ESRCH : 0;
}

/* When the process of @stat began, in nanoseconds since the boot, and how far @clock is ahead of that. */
static int64_t started_by(const char *stat, clockid_t clock)
{
	return (int64_t)(clock_ns(clock) - clock_ns(CLOCK_BOOTTIME)) +
	       (int64_t)(stat_field(stat, 22) * (1000000000LL / sysconf(_SC_CLK_TCK)));
}

int procfs_started(pid_t pid, int64_t *ret)
{
	_cleanup_(freep) char *stat = NULL;

	if (read_stat(pid, &stat))
		return -ESRCH;
	*ret = started_by(stat, CLOCK_REALTIME);
	return 0;
}

int procfs_origin(pid_t pid, struct procfs_origin *ret)
{
	static const int fields[] = {26, 27, 28, 45, 47}; /* start_code, end_code, start_stack, start_data, start_brk */
	_cleanup_(freep) char *stat = NULL;
	int64_t started_ns;

	if (read_stat(pid, &stat))
		return -ESRCH;
	if (stat_field(stat, 28) < 4096)
		return -EPERM;
	started_ns = started_by(stat, CLOCK_MONOTONIC);
	ret->parent = stat_field(stat, 4);
	ret->started_ns = started_ns > 0 ? started_ns : 0;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		ret->layout[i] = stat_field(stat, fields[i]);
	return 0;
}
