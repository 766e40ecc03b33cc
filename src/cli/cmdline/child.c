/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Start and wait for the command to be recorded. See child.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cli/cmdline/child.h"
#include "cli/cmdline/command.h"
#include "cli/cmdline/stop.h"

/* In the child: wait for a byte, then exec the command. If the parent dies first, no byte comes, and nothing starts. */
static void become(int go, int failed, char *const *argv)
{
	char byte;
	int err;

	if (read(go, &byte, 1) != 1)
		_exit(STATUS_FAILED);
	execvp(argv[0], argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(STATUS_NOT_EXECUTABLE);
	_exit(STATUS_NOT_FOUND);
}

int child_fork(struct child *c, char *const *argv)
{
	int go[2], failed[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(failed, O_CLOEXEC)) {
		int err = -errno;

		close(go[0]);
		close(go[1]);
		return err;
	}
	pid = fork();
	if (!pid) {
		close(go[1]);
		become(go[0], failed[1], argv);
	}
	close(go[0]);
	close(failed[1]);
	if (pid < 0) {
		int err = -errno;

		close(go[1]);
		close(failed[0]);
		return err;
	}
	*c = (struct child){.pid = pid, .go = go[1], .failed = failed[0]};
	return 0;
}

int child_start(struct child *c)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	int err = 0;
	ssize_t n;

	sigaction(SIGPIPE, &ignore, &before); /* it may have been killed meanwhile: nobody would read the byte */
	if (write(c->go, "", 1) != 1)
		err = -errno;
	sigaction(SIGPIPE, &before, NULL);
	close(steal_fd(&c->go));
	while (err && !child_ended(c, true))
		;
	if (err)
		return err;
	do
		n = read(c->failed, &err, sizeof(err));
	while (n < 0 && errno == EINTR && !stop_count);
	close(steal_fd(&c->failed));
	if (n != sizeof(err))
		return 0;
	while (!child_ended(c, true))
		;
	return -err;
}

/* The recording may have stopped it by ptrace(2), which waitpid() would tell us, and not the recording. */
static bool is_stopped(pid_t pid)
{
	siginfo_t info = {0};

	return !waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_code == CLD_TRAPPED;
}

bool child_ended(struct child *c, bool wait)
{
	int status;
	pid_t pid = c->pid && !is_stopped(c->pid) ? waitpid(c->pid, &status, wait ? 0 : WNOHANG) : 0;

	if (pid > 0) {
		c->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		c->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		c->pid = 0;
	} else if (pid < 0 && errno != EINTR) {
		c->pid = 0;
	}
	return !c->pid;
}

void child_done(struct child *c)
{
	if (c->pid && c->go >= 0) { /* never started: it exits when the pipe is closed */
		close(steal_fd(&c->go));
		while (!child_ended(c, true))
			;
	}
	closep(&c->failed);
	c->failed = -1;
}

int child_refused(const char *name, int err)
{
	if (err == -ENOENT || err == -ENOTDIR) {
		if (strchr(name, '/'))
			say("cannot run %s: %s", name, strerror(-err));
		else
			say("cannot run %s: no such command in PATH", name);
		return STATUS_NOT_FOUND;
	}
	say("cannot run %s: %s", name, err == -EPIPE ? "it was killed before it could start" : strerror(-err));
	return STATUS_NOT_EXECUTABLE;
}
