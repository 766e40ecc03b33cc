/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/process/identity.h"
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "lib/buildid.h"

/* Return whether a file system with the number @dev is mounted where init or we are: there root mounts, and nobody else. */
static bool is_mounted(dev_t dev, const char *mountinfo)
{
	_cleanup_(fclosep) FILE *f = fopen(mountinfo, "re");
	unsigned int major_nr, minor_nr;
	bool found = false;
	char line[4096];

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*u %*u %u:%u ", &major_nr, &minor_nr) == 2 && makedev(major_nr, minor_nr) == dev;
	return found;
}

/*
 * Whoever mounts a FUSE file system says who owns its files. So does, of what it has from below, an overlayfs that was
 * mounted in a user namespace: there it can be upon FUSE. No other file system can be mounted without root, and has other
 * owners than the user.
 */
static bool owner_is_true(int fd, dev_t dev)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) || (unsigned int)fs.f_type == FUSE_SUPER_MAGIC)
		return false;
	return (unsigned int)fs.f_type != OVERLAYFS_SUPER_MAGIC || is_mounted(dev, "/proc/1/mountinfo") ||
	       is_mounted(dev, "/proc/self/mountinfo");
}

int64_t identity_owner(int fd)
{
	struct stat st;

	if (fstat(fd, &st) || st.st_mode & (S_IWGRP | S_IWOTH) || !owner_is_true(fd, st.st_dev))
		return IDENTITY_ANYBODY;
	return st.st_uid == geteuid() ? IDENTITY_OURS : (int64_t)st.st_uid;
}

static bool has_build_id(const struct dusk_module *m, int fd)
{
	char build_id[BUILDID_TEXT_BYTES];

	return !buildid_read(build_id, sizeof(build_id), fd) && !strcmp(build_id, m->build_id);
}

bool identity_recorded(const struct dusk_module *m, int fd)
{
	struct stat st;

	if (*m->build_id && !has_build_id(m, fd))
		return false;
	if (m->ino && !fstat(fd, &st) && st.st_dev == m->dev && st.st_ino == m->ino)
		return true;
	/* Without an inode (perf.data, the vDSO) frames are of the build id, whoever's file it is. */
	return *m->build_id && (!m->ino || identity_owner(fd) == IDENTITY_OURS);
}

bool identity_mapped(struct dusk_module *m, const struct event_module *e, int fd)
{
	struct stat st;

	if (fstat(fd, &st) || (*m->build_id && !has_build_id(m, fd)))
		return false;
	if ((st.st_dev != m->dev || st.st_ino != m->ino) &&
	    (st.st_uid != e->owner || (u64)st.st_size != e->size || !owner_is_true(fd, st.st_dev)))
		return false;
	m->dev = st.st_dev;
	m->ino = st.st_ino;
	return true;
}
