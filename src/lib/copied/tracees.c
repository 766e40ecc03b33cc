/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sample by ptrace(2). See tracees.h. */
#include "lib/copied/tracees.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/procs.h"
#include "core/arch/regs.h"
#include "lib/error.h"
#include "lib/process/halt.h"

#define MAX_LOOKS 16	       /* at the threads of a process, until there is no new one */
#define LEAVE_NS 2000000000ULL /* for all threads to stop once more, at the end */
#define WAKE_NS 1000000ULL     /* between two looks, if SIGCHLD is ignored */
#define EVENT_OF(status) ((status) >> 16)

static long options(const struct tracees *ts)
{
	long threads = PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;

	return ts->only ? threads : threads | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
}

static struct tracee *find(const struct tracees *ts, pid_t tid)
{
	for (size_t i = 0; i < ts->v.nr; i++)
		if (ts->v.v[i].tid == tid && !ts->v.v[i].gone)
			return &ts->v.v[i];
	return NULL;
}

/* Read how long a thread has been on CPUs, and runnable, in ns. False: it is gone, or this kernel does not count it. */
static bool read_times(const struct tracee *t, uint64_t *ran_ns, uint64_t *waited_ns)
{
	_cleanup_(fclosep) FILE *f = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", t->pid, t->tid);
	f = fopen(path, "re");
	return f && fscanf(f, "%" SCNu64 " %" SCNu64, ran_ns, waited_ns) == 2;
}

/* @ran: it has run before it was traced, and that does not count. */
static int add(struct tracees *ts, pid_t pid, pid_t tid, bool ran)
{
	struct tracee t = {.pid = pid, .tid = tid};

	if (find(ts, tid))
		return 0;
	if (ran)
		read_times(&t, &t.ran_ns, &t.waited_ns);
	return vec_push(&ts->v, t);
}

/* Add the thread or process that the stopped thread @tid has created. Returns 0 or -ENOMEM. */
static int add_new(struct tracees *ts, pid_t tid)
{
	unsigned long number = 0;
	pid_t pid;

	if (ptrace(PTRACE_GETEVENTMSG, tid, NULL, &number))
		return 0;
	pid = procs_of_thread(number);
	return pid > 0 ? add(ts, pid, number, false) : 0;
}

/* Seize the threads of @pid that are not traced yet. Returns how many, or a negative errno. */
static int seize(struct tracees *ts, pid_t pid)
{
	struct dirent *e;
	char path[32];
	DIR *folder;
	int nr = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	folder = opendir(path);
	if (!folder)
		return -ESRCH;
	while (nr >= 0 && (e = readdir(folder))) {
		pid_t tid = atoi(e->d_name);

		if (tid <= 0 || find(ts, tid))
			continue;
		if (!ptrace(PTRACE_SEIZE, tid, NULL, (void *)options(ts)))
			nr = add(ts, pid, tid, true) ?: nr + 1;
		else if (errno != ESRCH)
			nr = -errno;
	}
	closedir(folder);
	return nr;
}

int tracees_add(struct tracees *ts, pid_t pid, struct dusk_error *err)
{
	int ret = 1;

	/* Those that a traced thread creates are traced from their birth on. */
	for (int look = 0; ret > 0 && look < MAX_LOOKS; look++)
		ret = seize(ts, pid);
	if (ret == -EPERM)
		return error_set(err, ret,
				 "cannot trace process %d: it must be your own, of this dusk's children where "
				 "kernel.yama.ptrace_scope is 1, and no debugger may have it",
				 pid);
	if (ret < 0)
		return error_set(err, ret, "cannot trace process %d: %s", pid, strerror(-ret));
	return 0;
}

/* Has it run since it was sampled last, and does it now? Then ask it to stop. */
static void ask(struct tracee *t)
{
	uint64_t now = now_ns(), ran_ns, waited_ns;
	bool kernel;

	if (!read_times(t, &ran_ns, &waited_ns) || ran_ns <= t->ran_ns || procs_state(t->pid, t->tid, &kernel) != 'R' ||
	    ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL))
		return;
	t->asked = true;
	t->asked_ns = now;
	t->sample_ns = ran_ns - t->ran_ns;
	t->ran_ns = ran_ns;
	t->waited_ns = waited_ns;
}

void tracees_ask(struct tracees *ts)
{
	for (size_t i = 0; i < ts->v.nr; i++)
		if (!ts->v.v[i].asked && !ts->v.v[i].listening)
			ask(&ts->v.v[i]);
}

size_t tracees_asked(const struct tracees *ts, uint64_t since_ns)
{
	size_t nr = 0;

	for (size_t i = 0; i < ts->v.nr; i++)
		nr += ts->v.v[i].asked && ts->v.v[i].asked_ns > since_ns;
	return nr;
}

bool tracees_is_alone(const struct tracees *ts, pid_t pid)
{
	int nr = 0;

	for (size_t i = 0; i < ts->v.nr; i++)
		nr += ts->v.v[i].pid == pid && !ts->v.v[i].gone;
	return nr == 1;
}

static void go_on(struct tracee *t, int signal)
{
	ptrace(PTRACE_CONT, t->tid, NULL, (void *)(long)signal);
}

/*
 * Count for how long it was stopped: the time since it was asked in which it neither ran nor waited for a CPU. These do
 * not count up while it is stopped.
 */
static void count_stop(struct tracees *ts, const struct tracee *t)
{
	uint64_t ran_ns = t->ran_ns, waited_ns = t->waited_ns, took_ns = now_ns() - t->asked_ns, not_stopped_ns;

	read_times(t, &ran_ns, &waited_ns);
	not_stopped_ns = ran_ns - t->ran_ns + waited_ns - t->waited_ns;
	took_ns = took_ns > not_stopped_ns ? took_ns - not_stopped_ns : 0;
	ts->stops++;
	ts->stopped_ns += took_ns;
	if (took_ns > ts->longest_ns)
		ts->longest_ns = took_ns;
}

/*
 * It has stopped for another reason than that it was asked to, and may not stop once more for that: any stop takes the place of one
 * that is pending (linux kernel/signal.c, ptrace_stop()). So it will be asked again, for the same time.
 */
static void forget_asked(struct tracee *t)
{
	if (t->asked)
		t->ran_ns -= t->sample_ns;
	t->asked = false;
}

/* It has stopped, perhaps as it was asked to: then its stack is read. It goes on. */
static void take_sample(struct tracees *ts, struct tracee *t)
{
	struct user_regs_struct r;
	u64 regs[INPUT_REGS];

	if (t->asked && !halt_read(t->tid, &r)) {
		halt_registers(regs, &r);
		ts->sample(ts->ctx, t, regs);
		count_stop(ts, t);
	}
	t->asked = false;
	go_on(t, 0);
}

/* A stop that is none of a signal: ours, the first one of a new thread, or a group-stop, which lasts until SIGCONT. */
static void take_stop(struct tracees *ts, struct tracee *t, int signal)
{
	bool group = signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;

	t->listening = group;
	if (!group) {
		take_sample(ts, t);
		return;
	}
	forget_asked(t);
	ptrace(PTRACE_LISTEN, t->tid, NULL, NULL);
}

/* After execve() there is one thread, with the number of the process; the others are not found any more. */
static void take_exec(struct tracees *ts, pid_t pid)
{
	struct tracee *t = find(ts, pid);

	if (t) /* its time so far may be that of another thread */
		read_times(t, &t->ran_ns, &t->waited_ns);
	ts->exec(ts->ctx, pid);
}

/* Returns 0 or -ENOMEM. Adding a thread moves the others: @t is not valid any more. */
static int take_status(struct tracees *ts, struct tracee *t, int status)
{
	int signal = WSTOPSIG(status), ret = 0;
	struct tracee old = *t;

	if (EVENT_OF(status) != PTRACE_EVENT_STOP)
		forget_asked(t);
	switch (EVENT_OF(status)) {
	case 0: /* a signal that is meant for it; it may be stopped by us next */ go_on(t, signal); return 0;
	case PTRACE_EVENT_STOP: take_stop(ts, t, signal); return 0;
	case PTRACE_EVENT_CLONE:
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK: ret = add_new(ts, old.tid); break;
	case PTRACE_EVENT_EXEC: take_exec(ts, old.tid); break;
	}
	go_on(&old, 0);
	return ret;
}

/* A thread has ended, or somebody else has waited for it. Our own child is left to who started it. */
static void take_end(struct tracees *ts, struct tracee *t, bool is_there)
{
	t->gone = true;
	if (t->tid == ts->own_child)
		ts->child_ended = true;
	else if (is_there)
		waitpid(t->tid, NULL, __WALL | WNOHANG);
}

/* Returns 1: it had stopped or ended; 0; or -ENOMEM. */
static int serve(struct tracees *ts, struct tracee *t)
{
	siginfo_t info = {0};
	int status, ret = waitid(P_PID, t->tid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL);

	if (!ret && !info.si_pid)
		return 0;
	if (ret || (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED)) {
		take_end(ts, t, !ret);
		return 1;
	}
	if (waitpid(t->tid, &status, __WALL | WNOHANG) != t->tid || !WIFSTOPPED(status))
		return 0;
	return take_status(ts, t, status) ?: 1;
}

/* Forget those that have ended. */
static void sweep(struct tracees *ts)
{
	size_t nr = 0;

	for (size_t i = 0; i < ts->v.nr; i++)
		if (!ts->v.v[i].gone)
			ts->v.v[nr++] = ts->v.v[i];
	ts->v.nr = nr;
}

int tracees_serve(struct tracees *ts)
{
	int nr = 0, ret = 0;

	for (size_t i = 0; ret >= 0 && i < ts->v.nr; i++) {
		ret = ts->v.v[i].gone ? 0 : serve(ts, &ts->v.v[i]);
		nr += ret > 0;
	}
	sweep(ts);
	return ret < 0 ? ret : nr;
}

int tracees_wait(uint64_t until_ns)
{
	uint64_t now = now_ns(), ns = until_ns > now ? until_ns - now : 0;
	struct timespec time;
	sigset_t child, before;
	int ret;

	if (ns > WAKE_NS)
		ns = WAKE_NS;
	time = (struct timespec){0, ns};
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &child, &before);
	ret = sigtimedwait(&child, NULL, &time) < 0 && errno == EINTR ? -EINTR : 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret;
}

/* Let a thread go that has stopped. A signal that has stopped it is passed on, and what it has created is let go next. */
static void leave(struct tracees *ts, struct tracee *t, int status)
{
	int event = EVENT_OF(status), signal = event ? 0 : WSTOPSIG(status);
	pid_t tid = t->tid;

	t->gone = true;
	if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK)
		add_new(ts, tid);
	ptrace(PTRACE_DETACH, tid, NULL, (void *)(long)signal);
}

/* Returns whether none is left. */
static bool leave_those_that_stopped(struct tracees *ts)
{
	for (size_t i = 0; i < ts->v.nr; i++) {
		struct tracee *t = &ts->v.v[i];
		siginfo_t info = {0};
		int status, ret;

		if (t->gone)
			continue;
		ret = waitid(P_PID, t->tid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL);
		if (ret || (info.si_pid && info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED))
			take_end(ts, t, !ret);
		else if (info.si_pid && waitpid(t->tid, &status, __WALL | WNOHANG) == t->tid && WIFSTOPPED(status))
			leave(ts, t, status);
	}
	sweep(ts);
	return !ts->v.nr;
}

void tracees_leave(struct tracees *ts)
{
	uint64_t end_ns = now_ns() + LEAVE_NS;

	for (size_t i = 0; i < ts->v.nr; i++)
		ptrace(PTRACE_INTERRUPT, ts->v.v[i].tid, NULL, NULL);
	while (!leave_those_that_stopped(ts) && now_ns() < end_ns)
		tracees_wait(end_ns);
	ts->left = ts->v.nr;
}

void tracees_done(struct tracees *ts)
{
	tracees_leave(ts);
	vec_done(&ts->v);
}
