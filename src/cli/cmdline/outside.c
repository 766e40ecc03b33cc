/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cli/cmdline/outside.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/sandbox.h"
#include "cli/cmdline/command.h"

#define MAX_COPY_BYTES (1LL << 30)

/*
 * Get the file for a process that runs as user nobody: the file itself if all may read it or we are not root, else a
 * copy in memory. Returns a descriptor to be closed by the caller, or a negative errno.
 */
static int for_nobody(int fd)
{
	_cleanup_(closep) int copy = -1;
	struct stat st;
	off_t done = 0;

	if (fstat(fd, &st))
		return -errno;
	if (geteuid() || st.st_mode & S_IROTH)
		return fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (st.st_size > MAX_COPY_BYTES)
		return -EFBIG;
	copy = memfd_create("binary", MFD_CLOEXEC);
	while (copy >= 0 && done < st.st_size)
		if (sendfile(copy, fd, &done, st.st_size - done) <= 0)
			return -EIO;
	return copy < 0 ? -errno : steal_fd(&copy);
}

/* Is it in $PATH? Checked before confinement, where a missing program looks like an inaccessible one. */
static bool have(const char *program)
{
	_cleanup_(freep) char *path = strdup(getenv("PATH") ?: "");
	char *rest = path, *folder;

	while (path && (folder = strsep(&rest, ":"))) {
		_cleanup_(freep) char *file = NULL;

		if (asprintf(&file, "%s/%s", *folder ? folder : ".", program) >= 0 && !access(file, X_OK))
			return true;
	}
	return false;
}

/*
 * Detach from the terminal, so that the file's content can neither be printed in messages nor be injected as input
 * (TIOCSTI), and die with the parent.
 */
static int leave_terminal(void)
{
	int none = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (none < 0 || dup2(none, STDIN_FILENO) < 0 || dup2(none, STDERR_FILENO) < 0)
		return -errno;
	setsid(); /* fails only if we lead a process group already, which is then ours alone */
	return prctl(PR_SET_PDEATHSIG, SIGKILL) ? -errno : 0;
}

void outside_confine(const char *program, int out, int fd, char ret[OUTSIDE_PATH_BYTES])
{
	int err;

	if (!have(program))
		_exit(STATUS_NOT_FOUND);
	fd = for_nobody(fd);
	if (fd < 0 || dup2(out, STDOUT_FILENO) < 0 || leave_terminal())
		_exit(STATUS_NOT_EXECUTABLE);
	err = sandbox_before_exec(fd);
	if (err || fcntl(fd, F_SETFD, 0))
		_exit(STATUS_NOT_EXECUTABLE);
	snprintf(ret, OUTSIDE_PATH_BYTES, "/proc/self/fd/%d", fd);
}
