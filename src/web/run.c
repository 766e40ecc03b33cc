/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Run dusk for a request. See run.h. */
#include "web/run.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"

#define MAX_RUNS 2
#define WAIT_S 20     /* for others to end */
#define PATIENCE_S 60 /* with one */
#define MAX_CPU_S 60
#define MAX_MEMORY (4ULL << 30)
#define PRIORITY 10

struct run {
	pid_t pid;	/* 0: it has been waited for */
	int out, said;	/* a pipe; a file in memory */
	double until_s; /* by now_s() */
	int status;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t one_ended = PTHREAD_COND_INITIALIZER;
static int nr_runs;

static bool take_turn(void)
{
	struct timespec until;
	bool taken;
	int err = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += WAIT_S;
	pthread_mutex_lock(&lock);
	while (nr_runs >= MAX_RUNS && !err)
		err = pthread_cond_timedwait(&one_ended, &lock, &until);
	taken = nr_runs < MAX_RUNS;
	nr_runs += taken;
	pthread_mutex_unlock(&lock);
	return taken;
}

static void end_turn(void)
{
	pthread_mutex_lock(&lock);
	nr_runs--;
	pthread_cond_signal(&one_ended);
	pthread_mutex_unlock(&lock);
}

/* In the child of a program with threads: nothing but system calls. */
__attribute__((noreturn)) static void become(const char *dusk, const char *const *words, int out, int said)
{
	struct rlimit cpu = {MAX_CPU_S, MAX_CPU_S}, memory = {MAX_MEMORY, MAX_MEMORY}, no_core = {0, 0};
	int nothing = open("/dev/null", O_RDONLY);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpriority(PRIO_PROCESS, 0, PRIORITY);
	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_AS, &memory);
	setrlimit(RLIMIT_CORE, &no_core);
	if (nothing >= 0 && dup2(nothing, 0) == 0 && dup2(out, 1) == 1 && dup2(said, 2) == 2 &&
	    !close_range(3, UINT_MAX, 0))
		execv(dusk, (char *const *)words);
	_exit(127);
}

int run_new(struct run **ret, const char *dusk, const char *const *words)
{
	struct run *r = calloc(1, sizeof(*r));
	int out[2];

	if (!r)
		return -ENOMEM;
	r->said = memfd_create("said", MFD_CLOEXEC);
	if (r->said < 0 || pipe2(out, O_CLOEXEC)) {
		int err = -errno;

		closep(&r->said);
		free(r);
		return err;
	}
	r->out = out[0];
	if (!take_turn()) {
		close(out[1]);
		run_free(r);
		return -EBUSY;
	}
	r->until_s = now_s() + PATIENCE_S;
	r->pid = fork();
	if (!r->pid)
		become(dusk, words, out[1], r->said);
	close(out[1]);
	if (r->pid < 0) {
		int err = -errno;

		r->pid = 0;
		end_turn();
		run_free(r);
		return err;
	}
	*ret = r;
	return 0;
}

/* Wait for its end. */
static void reap(struct run *r)
{
	int status;

	while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
		;
	r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	r->pid = 0;
	end_turn();
}

static void end(struct run *r)
{
	if (!r->pid)
		return;
	kill(r->pid, SIGKILL);
	reap(r);
}

ssize_t run_read(struct run *r, void *buffer, size_t room)
{
	while (r->pid) {
		struct pollfd p = {.fd = r->out, .events = POLLIN};
		double left_s = r->until_s - now_s();
		ssize_t n;

		if (left_s <= 0) {
			end(r);
			return -ETIMEDOUT;
		}
		if (poll(&p, 1, (int)(left_s * 1000) + 1) <= 0)
			continue;
		n = read(r->out, buffer, room);
		if (n > 0)
			return n;
		if (!n || errno != EINTR)
			reap(r);
	}
	return r->status ? -EIO : 0;
}

void run_said(struct run *r, char ret[RUN_SAID_BYTES])
{
	ssize_t n = pread(r->said, ret, RUN_SAID_BYTES - 1, 0);

	ret[n < 0 ? 0 : n] = 0;
}

int run_status(const struct run *r)
{
	return r->status;
}

void run_free(struct run *r)
{
	if (!r)
		return;
	end(r);
	close(r->out);
	close(r->said);
	free(r);
}
