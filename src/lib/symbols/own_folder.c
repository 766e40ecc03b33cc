/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/symbols/own_folder.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"

/* Check that what @fd (O_PATH) refers to may be followed. Returns 0 or a negative errno. */
static int check_step(int fd, struct stat *st)
{
	if (fstat(fd, st))
		return -errno;
	if (st->st_uid && st->st_uid != geteuid())
		return -EPERM;
	if (S_ISDIR(st->st_mode) && st->st_mode & S_IWOTH && !(st->st_mode & S_ISVTX))
		return -EPERM;
	return 0;
}

/* Open entry @name of @folder. It cannot be replaced after the check, as @folder was checked, too. */
static int step(int folder, const char *name, bool may_be_link)
{
	_cleanup_(closep) int fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int err;

	if (fd < 0)
		return -errno;
	err = check_step(fd, &st);
	if (!err && S_ISLNK(st.st_mode)) {
		if (!may_be_link)
			return -ELOOP;
		closep(&fd);
		fd = openat(folder, name, O_PATH | O_CLOEXEC);
		err = fd < 0 ? -errno : check_step(fd, &st);
	}
	if (!err && !S_ISDIR(st.st_mode))
		err = -ENOTDIR;
	return err ?: steal_fd(&fd);
}

static int depth(const char *path)
{
	int nr = 0;

	for (const char *at = path; *(at += strspn(at, "/")); at += strcspn(at, "/"))
		nr++;
	return nr;
}

static int open_last(int folder)
{
	_cleanup_(closep) int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))
		return -EPERM;
	return steal_fd(&fd);
}

int own_folder_open(const char *path, bool make)
{
	_cleanup_(closep) int folder = open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int left = depth(path);
	struct stat st;
	int err = folder < 0 ? -errno : check_step(folder, &st);

	for (const char *at = path; !err && *(at += strspn(at, "/")); at += strcspn(at, "/"), left--) {
		char name[NAME_MAX + 1];
		int next;

		if (strcspn(at, "/") > NAME_MAX)
			return -ENAMETOOLONG;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "/"), at);
		if (make && left <= OWN_FOLDERS && mkdirat(folder, name, 0700) && errno != EEXIST)
			return -errno;
		next = step(folder, name, left > 1);
		err = next < 0 ? next : 0;
		closep(&folder);
		folder = next;
	}
	return err ?: open_last(folder);
}
