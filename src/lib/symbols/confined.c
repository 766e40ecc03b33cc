/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read an untrusted file. See confined.h. There are two children: the reader, and one that opens debug files for it,
 * which a file system that does not answer may block forever. Both end when this process ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "base/sandbox.h"
#include "base/vec.h"
#include "lib/symbols/confined.h"
#include "lib/symbols/opener.h"

#define TICK_MS 100 /* between calls of stop() */
#define READ_BYTES (1 << 18)
#define MAX_WAITING_BYTES (512ULL << 20) /* as much memory as the reader has */
#define MAX_END_US 1000000
#define NOT_CONFINED 3 /* exit status of a reader that could not enter the sandbox */

struct run {
	struct confined *c;
	struct opener_talk *talk; /* shared by all three processes */
	struct vec(char) bytes;	  /* not yet consumed by take() */
	pid_t reader, opener;
	int out; /* output of the reader */
};

/* In a child: restore the default signal handlers, and be killed when the parent ends. */
static void be_child(pid_t parent)
{
	static const int fatal[] = {SIGBUS, SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGPIPE, SIGTERM};
	sigset_t unblocked;

	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		signal(fatal[i], SIG_DFL);
	sigemptyset(&unblocked);
	sigprocmask(SIG_SETMASK, &unblocked, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
}

static void be_reader(const struct confined *c, int out, int channel)
{
	const int keep[] = {c->fd, out};

	unsetenv("DEBUGINFOD_URLS"); /* libdw would try to load libdebuginfod, which it may not */
	if (sandbox_enter(keep, sizeof(keep) / sizeof(keep[0]), channel))
		_exit(NOT_CONFINED);
	_exit(c->read(c->arg, out) ? 1 : 0);
}

static void be_opener(const struct run *r, int channel)
{
	struct opener o = {
		.notify = descriptor_receive(channel),
		.fd = r->c->fd,
		.path = r->c->path,
		.pid = r->c->pid,
		.servers = r->c->servers,
		.talk = r->talk,
	};

	close(channel);
	if (o.notify >= 0)
		opener_run(&o);
	_exit(0);
}

static int start(struct run *r)
{
	_cleanup_(closep) int in = -1, out = -1, ours = -1, theirs = -1;
	pid_t self = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	in = ends[0];
	out = ends[1];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	ours = ends[0];
	theirs = ends[1];
	r->reader = fork();
	if (!r->reader) {
		be_child(self);
		be_reader(r->c, out, theirs);
	}
	if (r->reader < 0)
		return -errno;
	closep(&out);
	closep(&theirs);
	out = theirs = -1;
	r->opener = fork();
	if (!r->opener) {
		be_child(self);
		close(in);
		be_opener(r, ours);
	}
	if (r->opener < 0)
		return -errno;
	r->out = steal_fd(&in);
	return 0;
}

static int make_room(struct run *r)
{
	while (r->bytes.room - r->bytes.nr < READ_BYTES)
		if (r->bytes.room > MAX_WAITING_BYTES ||
		    vec_grow((void **)&r->bytes.v, &r->bytes.room, sizeof(*r->bytes.v)))
			return -ENOMEM;
	return 0;
}

/* Returns 1 (more may come), 0 (the end), or a negative errno. */
static int receive_some(struct run *r)
{
	ssize_t got = make_room(r), taken;

	if (got)
		return got;
	got = read(r->out, r->bytes.v + r->bytes.nr, READ_BYTES);
	if (got <= 0)
		return got < 0 && errno == EINTR ? 1 : 0;
	r->bytes.nr += got;
	taken = r->c->take(r->c->arg, r->bytes.v, r->bytes.nr);
	if (taken < 0)
		return taken;
	if (taken) /* what waits for its end is not moved each time */
		memmove(r->bytes.v, r->bytes.v + taken, r->bytes.nr - taken);
	r->bytes.nr -= taken;
	return 1;
}

static int receive(struct run *r)
{
	struct pollfd ready = {.fd = r->out, .events = POLLIN};
	int64_t left_ns = CONFINED_PATIENCE_S * 1000000000LL;
	uint64_t last = now_ns();
	int more = 1;

	while (more > 0) {
		int nr = poll(&ready, 1, TICK_MS);
		uint64_t now = now_ns();

		if (!__atomic_load_n(&r->talk->asking, __ATOMIC_RELAXED))
			left_ns -= now - last;
		last = now;
		if (nr <= 0 && r->c->stop && r->c->stop(r->c->ctx))
			return -ECANCELED;
		if (nr > 0)
			more = receive_some(r);
		if (left_ns < 0) {
			r->c->late = true;
			return 0;
		}
	}
	return more;
}

/* Kill child @pid, and return its wait status. */
static int end(pid_t pid)
{
	int status = 0;

	if (pid <= 0)
		return 0;
	kill(pid, SIGKILL);
	/* What no signal ends, as in a call of a file system that does not answer, is not waited for any longer. */
	for (int us = 32; us < MAX_END_US && !waitpid(pid, &status, WNOHANG); us *= 2)
		usleep(us);
	return status;
}

/* Wait up to 100 ms for the reader to exit by itself, as its exit status is of interest. */
static int end_reader(struct run *r)
{
	int status = 0;
	pid_t pid = 0;

	for (int i = 0; i < TICK_MS && r->reader > 0 && !pid; i++) {
		pid = waitpid(r->reader, &status, WNOHANG);
		if (!pid)
			usleep(1000);
	}
	return pid == r->reader ? status : end(r->reader);
}

int confined_run(struct confined *c)
{
	struct run r = {.c = c, .out = -1, .reader = -1, .opener = -1};
	int err, status;

	c->silent = c->late = false;
	r.talk = mmap(NULL, sizeof(*r.talk), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r.talk == MAP_FAILED)
		return -ENOMEM;
	err = start(&r);
	err = err ?: receive(&r);
	status = err || c->late ? end(r.reader) : end_reader(&r);
	end(r.opener);
	closep(&r.out);
	vec_done(&r.bytes);
	c->silent = r.talk->silent;
	munmap(r.talk, sizeof(*r.talk));
	return err ?: WIFEXITED(status) && WEXITSTATUS(status) == NOT_CONFINED ? -EOPNOTSUPP : 0;
}
