/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How is an ELF file read without trusting it? The parent: a child, and what comes out of it. See elfread.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "elfread.h"

#define PATIENCE_MS 100		/* between two calls of stop() */
#define MAX_CPU_S 120		/* of a child: more is no file that makes sense */
#define READ_BYTES (1 << 18)
#define MAX_CHUNK_BYTES (1ULL << 30)

/* The child: no handler, no message and no core dump of ours, and it goes when we go. */
static void be_child(const struct symfile *known, const struct elfread *e, int out, pid_t parent)
{
	static const int fatal[] = {SIGBUS, SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGPIPE, SIGTERM};
	struct rlimit none = {0, 0}, cpu = {MAX_CPU_S, MAX_CPU_S};
	sigset_t unblocked;

	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		signal(fatal[i], SIG_DFL);
	sigemptyset(&unblocked);
	sigprocmask(SIG_SETMASK, &unblocked, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_CPU, &cpu);
	_exit(elfread_write(known, e, out) ? 1 : 0);
}

struct received {
	struct vec(char) bytes;
};

static int make_room(struct received *r)
{
	while (r->bytes.room - r->bytes.nr < READ_BYTES)
		if (r->bytes.room > MAX_CHUNK_BYTES ||
		    vec_grow((void **)&r->bytes.v, &r->bytes.room, sizeof(*r->bytes.v)))
			return -ENOMEM;
	return 0;
}

/* 1: there is more to come; 0: the end; or a negative errno. */
static int receive_some(struct symfile *s, struct received *r, int fd)
{
	ssize_t got = make_room(r), taken;

	if (got)
		return got;
	got = read(fd, r->bytes.v + r->bytes.nr, READ_BYTES);
	if (got <= 0)
		return got < 0 && errno == EINTR ? 1 : 0;
	r->bytes.nr += got;
	taken = symfile_take(s, r->bytes.v, r->bytes.nr);
	if (taken < 0)
		return taken == -EBADMSG ? 0 : taken;
	memmove(r->bytes.v, r->bytes.v + taken, r->bytes.nr - taken);
	r->bytes.nr -= taken;
	return 1;
}

static int receive(struct symfile *s, const struct elfread *e, int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	struct received r = {0};
	int more = 1;

	while (more > 0) {
		int ready = poll(&poll_fd, 1, PATIENCE_MS);

		if (e->stop && ready <= 0 && e->stop(e->ctx))
			more = -ECANCELED;
		else if (ready > 0)
			more = receive_some(s, &r, fd);
	}
	vec_done(&r.bytes);
	return more;
}

int elfread(struct symfile *s, const struct elfread *e)
{
	_cleanup_(closep) int in = -1, out = -1;
	pid_t self = getpid(), child;
	int pipe_fds[2], err;

	if (pipe2(pipe_fds, O_CLOEXEC))
		return -errno;
	in = pipe_fds[0];
	out = pipe_fds[1];
	child = fork();
	if (child < 0)
		return -errno;
	if (!child)
		be_child(s, e, out, self);
	closep(&out);
	out = -1;
	err = receive(s, e, in);
	/* It has said all that we wanted to hear. */
	kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return err;
}
