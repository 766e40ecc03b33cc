/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/unwinder/lock.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "lib/error.h"

#define LOOK_US 5000

int lock_take(int fd, unsigned int wait_ms, const volatile int *stops, int before)
{
	uint64_t end_ns = now_ns() + wait_ms * 1000000ULL;

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (stops && *stops != before)
			return -EINTR;
		if (now_ns() >= end_ns)
			return -EBUSY;
		usleep(LOOK_US);
	}
	return 0;
}

void lock_release(int fd)
{
	flock(fd, LOCK_UN);
}

/* Find the holder in /proc/locks. Returns 0 if no process that we can see has the lock. */
static pid_t holder_of(int fd)
{
	_cleanup_(fclosep) FILE *locks = fopen("/proc/locks", "re");
	unsigned int major_nr, minor_nr;
	char line[256], kind[16];
	uint64_t inode;
	struct stat st;
	int pid;

	if (!locks || fstat(fd, &st))
		return 0;
	while (fgets(line, sizeof(line), locks))
		if (sscanf(line, "%*d: %15s %*s %*s %d %x:%x:%" SCNu64, kind, &pid, &major_nr, &minor_nr, &inode) ==
			    5 &&
		    !strcmp(kind, "FLOCK") && major_nr == major(st.st_dev) && minor_nr == minor(st.st_dev) &&
		    inode == st.st_ino)
			return pid > 0 ? pid : 0;
	return 0;
}

/* Fill @name with the name of process @pid. Returns its state; 0: it is gone. */
static char look_at(pid_t pid, char name[16])
{
	_cleanup_(fclosep) FILE *f = NULL;
	char path[32], line[128], *from, *to;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f || !fgets(line, sizeof(line), f))
		return 0;
	from = strchr(line, '(');
	to = strrchr(line, ')'); /* a name may have parentheses; what follows it on this line has none */
	if (!from || !to || to < from || to[1] != ' ')
		return 0;
	snprintf(name, 16, "%.*s", (int)(to - from - 1), from + 1);
	return to[2];
}

int lock_whose(int fd, const char *path, struct dusk_error *err)
{
	pid_t pid = holder_of(fd);
	char name[16] = "", state = pid ? look_at(pid, name) : 0;

	if (!state)
		return error_set(err, -EBUSY, "a process that cannot be seen from here holds the lock of %s", path);
	for (char *c = name; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	if (state == 'T' || state == 't')
		return error_set(err, -EBUSY,
				 "process %d (%s) is stopped, and holds the lock of %s: kill -CONT %d lets it go on, "
				 "kill -KILL %d ends it",
				 pid, name, path, pid, pid);
	return error_set(err, -EBUSY,
			 "process %d (%s) holds the lock of %s and does not give it back: kill -KILL %d ends it", pid,
			 name, path, pid);
}
