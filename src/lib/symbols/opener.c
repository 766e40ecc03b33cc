/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Decide which files a process that reads an untrusted binary may open, and open them. See opener.h. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lib/symbols/opener.h"
#include "lib/process/identity.h"
#include "lib/process/procfs.h"
#include "lib/symbols/servers.h"

#define DEBUG_FILES "/usr/lib/debug"

/*
 * Read the path at @address of process @pid to @ret of PATH_MAX bytes. Page by page: the page after the path may not be
 * mapped.
 */
static int read_path(char *ret, pid_t pid, uint64_t address)
{
	size_t have = 0;

	while (have < PATH_MAX) {
		size_t piece = 4096 - (address + have) % 4096;
		struct iovec to = {ret + have, piece < PATH_MAX - have ? piece : PATH_MAX - have};
		struct iovec from = {(void *)(uintptr_t)(address + have), to.iov_len};

		if (process_vm_readv(pid, &to, 1, &from, 1, 0) != (ssize_t)to.iov_len)
			return -EFAULT;
		if (memchr(to.iov_base, 0, to.iov_len))
			return 0;
		have += to.iov_len;
	}
	return -ENAMETOOLONG;
}

/* Where the names that the reader gives are looked up: in the folder @root, and @beside the binary if it is there. */
struct where {
	int root; /* as procfs_look_up() takes it */
	bool beside;
};

/* Read the kernel's name of what @fd refers to. */
static bool name_of(int fd, char ret[static PATH_MAX])
{
	char link[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, ret, PATH_MAX - 1);
	if (len <= 0)
		return false;
	ret[len] = 0;
	return true;
}

/* Check whether @path is below @folder after links are resolved. The root does not count, as every path is below it. */
static bool is_below(const char *path, int root, const char *folder)
{
	_cleanup_(closep) int fd = procfs_look_up(root, folder);
	char real[PATH_MAX];
	size_t len;

	if (fd < 0 || !name_of(fd, real))
		return false;
	len = strlen(real);
	return len > 1 && !strncmp(path, real, len) && path[len] == '/';
}

static bool is_beside(const char *path, int root, const char *binary)
{
	const char *slash = strrchr(binary, '/');
	_cleanup_(freep) char *folder = slash ? strndup(binary, slash - binary) : NULL;

	return folder && is_below(path, root, folder);
}

static bool is_split(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && (!strcmp(dot, ".dwo") || !strcmp(dot, ".dwp"));
}

/* Check whether what @file says may be taken for what @o's binary says, and whether it is a secret that the binary is not. */
static bool is_fit(const struct opener *o, int file_fd)
{
	int64_t owner = identity_owner(o->fd);
	struct stat file, binary;

	if (fstat(file_fd, &file) || fstat(o->fd, &binary) || !S_ISREG(file.st_mode))
		return false;
	if (!(file.st_mode & S_IROTH) && (binary.st_mode & S_IROTH || file.st_uid != binary.st_uid))
		return false;
	return identity_owner(file_fd) == IDENTITY_OURS || (owner != IDENTITY_OURS && file.st_uid == binary.st_uid);
}

/*
 * Check whether the O_PATH descriptor @place may be read. Its path is read from the kernel, not taken from the request.
 */
static bool may_open(const struct opener *o, const struct where *w, int place)
{
	char path[PATH_MAX];

	return is_fit(o, place) && name_of(place, path) &&
	       (is_below(path, w->root, DEBUG_FILES) || (w->beside && is_beside(path, w->root, o->path)) ||
		is_split(path));
}

/* Open the ELF file at @path. Returns a descriptor or a negative errno. */
static int open_there(const struct opener *o, const struct where *w, const char *path)
{
	_cleanup_(closep) int place = procfs_look_up(w->root, path), fd = -1;
	char magic[SELFMAG];

	if (place < 0)
		return place;
	if (!may_open(o, w, place))
		return -EACCES;
	fd = procfs_reopen(place);
	if (fd < 0)
		return fd == -EINVAL ? -EACCES : fd;
	if (pread(fd, magic, SELFMAG, 0) != SELFMAG || memcmp(magic, ELFMAG, SELFMAG))
		return -EACCES;
	return steal_fd(&fd);
}

/* Check whether libdw searches the .dwp of a file under the name that it has for its descriptor (base/sandbox.c). */
static bool is_package_of_descriptor(const char *path)
{
	static const char folder[] = "/proc/self/fd/";
	const char *number = path + strlen(folder);

	return !strncmp(path, folder, strlen(folder)) && !strcmp(number + strspn(number, "0123456789"), ".dwp");
}

/* Return whether the binary is in the folder @root by its name. */
static bool is_there(const struct opener *o, int root)
{
	_cleanup_(closep) int fd = procfs_look_up(root, o->path);
	struct stat there, binary;

	return fd >= 0 && !fstat(fd, &there) && !fstat(o->fd, &binary) && there.st_dev == binary.st_dev &&
	       there.st_ino == binary.st_ino;
}

/* Find where the binary is by its name. If it is nowhere any more, nothing is beside it. */
static struct where find_binary(const struct opener *o)
{
	char name[32];
	int root;

	if (is_there(o, AT_FDCWD))
		return (struct where){AT_FDCWD, true};
	snprintf(name, sizeof(name), "/proc/%d/root", o->pid);
	root = o->pid ? open(name, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	if (root >= 0 && is_there(o, root))
		return (struct where){root, true};
	closep(&root);
	return (struct where){AT_FDCWD, false};
}

/* Open the file that the reader calls @path. Returns a descriptor or a negative errno. */
static int open_debug_file(const struct opener *o, const struct where *w, const char *path)
{
	static const struct where here = {AT_FDCWD, false};
	char package[PATH_MAX + 8];
	int fd;

	if (!strncmp(path, SERVERS_FILE, strlen(SERVERS_FILE)))
		return o->servers ? servers_fetch(path + strlen(SERVERS_FILE), o->talk) : -ENOENT;
	if (*path != '/')
		return -ENOENT;
	if (is_package_of_descriptor(path)) {
		snprintf(package, sizeof(package), "%s.dwp", o->path);
		path = package;
	}
	fd = open_there(o, w, path);
	return fd < 0 && w->root != AT_FDCWD ? open_there(o, &here, path) : fd;
}

/* Answer the system call in @q. Returns a descriptor, which the caller closes, or a negative errno. */
static int open_for(const struct opener *o, const struct where *w, const struct seccomp_notif *q)
{
	bool at = q->data.nr == SYS_openat;
	char path[PATH_MAX];
	int err;

	if (q->data.args[at + 1] & (O_ACCMODE | O_CREAT | O_TRUNC | O_DIRECTORY))
		return -EACCES;
	err = read_path(path, q->pid, q->data.args[at]);
	/* Another process may have that number by now. */
	if (!err && seccomp_notify_id_valid(o->notify, q->id))
		err = -ENOENT;
	return err ?: open_debug_file(o, w, path);
}

/* Install @fd in the other process and let its call return it. Returns false if that fails. */
static bool give(const struct opener *o, const struct seccomp_notif *q, int fd)
{
	struct seccomp_notif_addfd add = {
		.id = q->id,
		.flags = SECCOMP_ADDFD_FLAG_SEND,
		.srcfd = fd,
		.newfd_flags = O_CLOEXEC,
	};

	return ioctl(o->notify, SECCOMP_IOCTL_NOTIF_ADDFD, &add) >= 0;
}

void opener_run(const struct opener *o)
{
	struct pollfd ready = {.fd = o->notify, .events = POLLIN};
	struct where w = find_binary(o);
	struct seccomp_notif_resp *r;
	struct seccomp_notif *q;

	if (seccomp_notify_alloc(&q, &r))
		return;
	while (poll(&ready, 1, -1) > 0 && ready.revents & POLLIN) {
		_cleanup_(closep) int fd = -1;

		memset(q, 0, sizeof(*q));
		if (seccomp_notify_receive(o->notify, q))
			continue;
		fd = open_for(o, &w, q);
		if (fd >= 0 && give(o, q, fd))
			continue;
		memset(r, 0, sizeof(*r));
		r->id = q->id;
		r->error = fd < 0 ? fd : -EACCES;
		seccomp_notify_respond(o->notify, r);
	}
	seccomp_notify_free(q, r);
}
