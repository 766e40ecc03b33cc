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
#define MAX_TURNS (MAX_RUNS + 1) /* the last one is for what is brief */
#define WAIT_S 20		 /* for others to end */
#define PATIENCE_S 60		 /* with one */
#define MAX_CPU_S 60
#define MAX_MEMORY (4ULL << 30)
#define PRIORITY 10

struct run {
	pid_t pid;	/* 0: it has been waited for */
	int out, said;	/* a pipe; a file in memory */
	double until_s; /* by now_s() */
	int status;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows, and of pid and status of each run */
static pthread_cond_t one_ended = PTHREAD_COND_INITIALIZER;
static struct run *turns[MAX_TURNS]; /* NULL: free */
static bool stopping;

/* Note that @r has ended, if it has. */
static void reap(struct run *r)
{
	int status = 0;

	if (!r->pid || !waitpid(r->pid, &status, WNOHANG))
		return;
	r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	r->pid = 0;
	for (int i = 0; i < MAX_TURNS; i++)
		turns[i] = turns[i] == r ? NULL : turns[i];
	pthread_cond_signal(&one_ended);
}

/* Whose answer is not being read does not see that it has ended: those that wait look for it. */
static struct run **free_turn(bool brief)
{
	for (int i = 0; i < (brief ? MAX_TURNS : MAX_RUNS); i++) {
		if (turns[i])
			reap(turns[i]);
		if (!turns[i])
			return &turns[i];
	}
	return NULL;
}

/* Wait for a turn, for which @lock is dropped. NULL: there is none for a while. */
static struct run **take_turn(bool brief)
{
	double until_s = now_s() + WAIT_S;
	struct run **turn = free_turn(brief);

	while (!turn && !stopping && now_s() < until_s) {
		struct timespec soon;

		clock_gettime(CLOCK_REALTIME, &soon);
		soon.tv_sec++;
		pthread_cond_timedwait(&one_ended, &lock, &soon);
		turn = free_turn(brief);
	}
	return stopping ? NULL : turn;
}

/* In the child of a program with threads: nothing but system calls. */
__attribute__((noreturn)) static void become(const char *dusk, const char *const *words, int out, int said)
{
	struct rlimit cpu = {MAX_CPU_S, MAX_CPU_S}, memory = {MAX_MEMORY, MAX_MEMORY}, no_core = {0, 0};
	int nothing = open("/dev/null", O_RDONLY);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	alarm(PATIENCE_S); /* also where nobody reads what it writes */
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

/* Start @r when it is its turn. */
static int start(struct run *r, const char *dusk, const char *const *words, int out, bool brief)
{
	struct run **turn;
	int err = 0;

	pthread_mutex_lock(&lock);
	turn = take_turn(brief);
	if (turn) {
		r->until_s = now_s() + PATIENCE_S;
		r->pid = fork();
		if (!r->pid)
			become(dusk, words, out, r->said);
		if (r->pid > 0)
			*turn = r;
		else
			err = -errno, r->pid = 0;
	}
	pthread_mutex_unlock(&lock);
	return turn ? err : -EBUSY;
}

static int new_run(struct run **ret, const char *dusk, const char *const *words, bool brief)
{
	struct run *r = calloc(1, sizeof(*r));
	int out[2], err;

	if (!r)
		return -ENOMEM;
	r->said = memfd_create("said", MFD_CLOEXEC);
	if (r->said < 0 || pipe2(out, O_CLOEXEC)) {
		err = -errno;
		closep(&r->said);
		free(r);
		return err;
	}
	r->out = out[0];
	err = start(r, dusk, words, out[1], brief);
	close(out[1]);
	if (err)
		run_free(r);
	else
		*ret = r;
	return err;
}

int run_new(struct run **ret, const char *dusk, const char *const *words)
{
	return new_run(ret, dusk, words, false);
}

int run_brief(struct run **ret, const char *dusk, const char *const *words)
{
	return new_run(ret, dusk, words, true);
}

static void end(struct run *r, bool by_force)
{
	siginfo_t info;
	pid_t pid;

	pthread_mutex_lock(&lock);
	pid = r->pid;
	if (pid && by_force)
		kill(pid, SIGKILL);
	pthread_mutex_unlock(&lock);
	while (pid && waitid(P_PID, pid, &info, WEXITED | WNOWAIT) && errno == EINTR)
		;
	pthread_mutex_lock(&lock);
	reap(r);
	pthread_mutex_unlock(&lock);
}

ssize_t run_read(struct run *r, void *buffer, size_t room)
{
	double left_s;

	while ((left_s = r->until_s - now_s()) > 0) {
		struct pollfd p = {.fd = r->out, .events = POLLIN};
		ssize_t n;

		if (poll(&p, 1, (int)(left_s * 1000) + 1) <= 0)
			continue;
		n = read(r->out, buffer, room);
		if (n > 0)
			return n;
		if (n < 0 && errno == EINTR)
			continue;
		end(r, false);
		return r->status == 128 + SIGALRM ? -ETIMEDOUT : r->status ? -EIO : 0;
	}
	end(r, true);
	return -ETIMEDOUT;
}

void run_stop_all(void)
{
	pthread_mutex_lock(&lock);
	stopping = true;
	for (int i = 0; i < MAX_TURNS; i++)
		if (turns[i])
			kill(turns[i]->pid, SIGKILL);
	pthread_cond_broadcast(&one_ended);
	pthread_mutex_unlock(&lock);
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
	end(r, true);
	close(r->out);
	close(r->said);
	free(r);
}
