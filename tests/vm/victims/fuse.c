/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fuse.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define ROOT 1 /* the folder's inode, by protocol */
#define FILE_INODE 2

static int device;
static const struct served *served;

static void reply(const struct fuse_in_header *request, int error, const void *data, size_t size)
{
	struct fuse_out_header head = {.len = sizeof(head) + size, .error = error, .unique = request->unique};
	struct iovec parts[] = {{&head, sizeof(head)}, {(void *)data, size}};

	if (writev(device, parts, size ? 2 : 1) < 0 && errno != ENOENT) /* ENOENT: the request was given up */
		exit(1);
}

static struct fuse_attr attributes(uint64_t inode)
{
	return (struct fuse_attr){
		.ino = inode,
		.size = inode == FILE_INODE ? served->size : 0,
		.mode = inode == FILE_INODE ? S_IFREG | 0755 : S_IFDIR | 0755,
		.mtime = time(NULL),
		.nlink = 1,
		.blksize = 4096,
	};
}

static void look_up(const struct fuse_in_header *request, const char *name)
{
	struct fuse_entry_out entry = {.nodeid = FILE_INODE, .entry_valid = 1000, .attr_valid = 1000};

	entry.attr = attributes(FILE_INODE);
	if (strcmp(name, "file"))
		reply(request, -ENOENT, NULL, 0);
	else
		reply(request, 0, &entry, sizeof(entry));
}

static void read_file(const struct fuse_in_header *request, const struct fuse_read_in *wanted)
{
	static char data[1 << 17];
	off_t from = wanted->offset, to = from + wanted->size;
	ssize_t got;

	if (from < served->to && to > served->from)
		return;
	got = pread(served->fd, data, wanted->size < sizeof(data) ? wanted->size : sizeof(data), from);
	if (got > 0)
		reply(request, 0, data, got);
}

static void answer(const struct fuse_in_header *request, const void *arg)
{
	/* One page a read: what is ahead of what is read must not be asked for. */
	struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096, .max_readahead = 0};
	struct fuse_attr_out attr = {.attr_valid = 1000};
	struct fuse_statfs_out system = {.st = {.bsize = 4096, .namelen = 255}};
	struct fuse_open_out file = {.open_flags = FOPEN_KEEP_CACHE};

	switch (request->opcode) {
	case FUSE_INIT: reply(request, 0, &init, sizeof(init)); break;
	case FUSE_LOOKUP: look_up(request, arg); break;
	case FUSE_GETATTR:
		attr.attr = attributes(request->nodeid);
		reply(request, 0, &attr, sizeof(attr));
		break;
	case FUSE_WRITE: break; /* never */
	case FUSE_OPEN:
		if (served->unopened)
			break;
		if (((const struct fuse_open_in *)arg)->flags & O_APPEND)
			file.open_flags = FOPEN_DIRECT_IO;
		reply(request, 0, &file, sizeof(file));
		break;
	case FUSE_STATFS: reply(request, 0, &system, sizeof(system)); break;
	case FUSE_OPENDIR: reply(request, 0, &file, sizeof(file)); break;
	case FUSE_READ: read_file(request, arg); break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT: break;
	default: reply(request, -ENOSYS, NULL, 0);
	}
}

static void serve(void)
{
	static char buffer[FUSE_MIN_READ_BUFFER + (1 << 17)] __attribute__((aligned(8)));

	for (;;) {
		ssize_t got = read(device, buffer, sizeof(buffer));

		if (got < 0 && errno == ENODEV)
			exit(0);
		if (got >= (ssize_t)sizeof(struct fuse_in_header))
			answer((void *)buffer, buffer + sizeof(struct fuse_in_header));
	}
}

int fuse_serve(const char *folder, const struct served *file)
{
	struct stat st;
	char options[100];
	pid_t pid;

	served = file;
	device = open("/dev/fuse", O_RDWR);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
	if (device < 0 || mount("unserved", folder, "fuse", MS_NOSUID | MS_NODEV, options))
		return -1;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve();
	}
	close(device);
	snprintf(options, sizeof(options), "%s/file", folder);
	return pid < 0 ? -1 : stat(options, &st);
}
