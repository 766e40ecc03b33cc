/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Children that all have the same number, one after the other: "alpha" in alpha, "beta" in beta; each is soon killed.
 */
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "victim.h"

volatile unsigned long sink;
static char buffer[1 << 18];
static int fd;

#define CHILD(name)                                               \
	KNOWN void name(void)                                     \
	{                                                         \
		prctl(PR_SET_NAME, #name);                        \
		for (;;) {                                        \
			sink += read(fd, buffer, sizeof(buffer)); \
			BURN(50000);                              \
		}                                                 \
	}
CHILD(alpha)
CHILD(beta)

/* A child that gets number @wanted, or any if that is 0. */
static pid_t child(pid_t wanted, void (*run)(void))
{
	struct clone_args args = {.exit_signal = SIGCHLD};
	pid_t parent = getpid(), pid;

	if (wanted) {
		args.set_tid = (unsigned long)&wanted;
		args.set_tid_size = 1;
	}
	pid = syscall(SYS_clone3, &args, sizeof(args));
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == parent)
			run();
		_exit(0);
	}
	return pid;
}

static void bury(pid_t pid)
{
	usleep(3000);
	kill(pid, SIGKILL);
	if (waitpid(pid, NULL, 0) != pid)
		exit(1);
}

int main(void)
{
	pid_t number, pid;

	fd = open("/dev/urandom", O_RDONLY);
	number = child(0, alpha);
	if (fd < 0 || number < 0)
		return 1;
	bury(number);
	say_ready();
	for (int turn = 0;; turn++) {
		pid = child(number, turn & 1 ? alpha : beta);
		if (pid > 0)
			bury(pid);
		else
			usleep(1000); /* somebody else has it */
	}
}
