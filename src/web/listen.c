/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Listen at a path. See listen.h. */
#include "web/listen.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/cleanup.h"

#define WAITING 64

/* Does a server answer at @a? */
static bool is_alive(const struct sockaddr_un *a)
{
	_cleanup_(closep) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd >= 0 && !connect(fd, (const struct sockaddr *)a, sizeof(*a));
}

/* Remove what a server of ours has left that was killed. */
static int make_room(const struct sockaddr_un *a)
{
	struct stat st;

	if (lstat(a->sun_path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode) || st.st_uid != geteuid())
		return -EEXIST;
	if (is_alive(a))
		return -EADDRINUSE;
	return unlink(a->sun_path) ? -errno : 0;
}

int listen_at_path(const char *path)
{
	_cleanup_(closep) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int err;

	if (fd < 0)
		return -errno;
	if (snprintf(a.sun_path, sizeof(a.sun_path), "%s", path) >= (int)sizeof(a.sun_path))
		return -ENAMETOOLONG;
	err = make_room(&a);
	if (err)
		return err;
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) || chmod(path, 0666) || listen(fd, WAITING))
		return -errno;
	return steal_fd(&fd);
}
