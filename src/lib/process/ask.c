/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/process/ask.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/descriptor.h"

#define NS_A_MS 1000000ULL
#define NS_A_S 1000000000ULL

/* By children for one question. Of each thread, as it is the time of that thread which is wasted. */
static _Thread_local struct budget single_wasted_ns;

static bool write_all(int fd, const void *data, size_t size)
{
	for (ssize_t put; size; data = (const char *)data + put, size -= put) {
		put = send(fd, data, size, MSG_NOSIGNAL);
		if (put <= 0)
			return false;
	}
	return true;
}

/* Wait until there is something to read. Returns 0, or -ETIMEDOUT: there was nothing before @end_ns. */
static int wait_readable(int fd, uint64_t end_ns)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	uint64_t now;

	do {
		now = now_ns();
		if (poll(&ready, 1, now < end_ns ? (end_ns - now) / NS_A_MS + 1 : 0) > 0)
			return 0;
	} while (now < end_ns);
	return -ETIMEDOUT;
}

/* Read @size bytes before @end_ns. Returns 0, -ETIMEDOUT, or -ECHILD if the writer has ended. */
static int read_all(int fd, void *ret, size_t size, uint64_t end_ns)
{
	for (ssize_t got; size; ret = (char *)ret + got, size -= got) {
		int err = wait_readable(fd, end_ns);

		if (err)
			return err;
		got = read(fd, ret, size);
		if (got <= 0)
			return -ECHILD;
	}
	return 0;
}

/*
 * Fork a child that is killed when this process ends. Returns its pid, 0 in the child, or a negative errno. *@channel is
 * a socket to the other process. @wasted_ns: on questions before.
 */
static pid_t begin(int *channel, struct budget *wasted_ns)
{
	pid_t child, parent = getpid();
	int ends[2], err;

	if (budget_spent(wasted_ns, ASK_WASTED_MS * NS_A_MS, ASK_REFILL_S * NS_A_S, now_ns()) >=
	    ASK_WASTED_MS * NS_A_MS)
		return -EBUSY;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	child = fork();
	err = -errno;
	close(ends[!child]);
	*channel = ends[!!child];
	if (child < 0)
		return closep(channel), err;
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
	}
	return child;
}

/* End @child. @err is what became of the question that was asked at @begin_ns; @wasted_ns is spent by the time, if it was in vain. */
static void end(pid_t child, int err, uint64_t begin_ns, struct budget *wasted_ns)
{
	bool is_over = false;

	kill(child, SIGKILL);
	/* A child that no signal ends, as in a call of a file system that does not answer, is not waited for any longer. */
	for (int us = 32; us < ASK_MS * 1000 && !(is_over = waitpid(child, NULL, WNOHANG)); us *= 2)
		usleep(us);
	if (err == -ETIMEDOUT || !is_over)
		budget_spend(wasted_ns, now_ns() - begin_ns);
}

ssize_t ask_in_child(ssize_t (*fn)(void *ctx, char *ret, size_t size), void *ctx, char *ret, size_t size)
{
	uint64_t begin_ns = now_ns(), end_ns = begin_ns + ASK_MS * NS_A_MS;
	_cleanup_(closep) int channel = -1;
	pid_t child = begin(&channel, &single_wasted_ns);
	ssize_t nr = 0;
	int err;

	if (child < 0)
		return child;
	if (!child) {
		nr = fn(ctx, ret, size);
		_exit(!write_all(channel, &nr, sizeof(nr)) || (nr > 0 && !write_all(channel, ret, nr)));
	}
	err = read_all(channel, &nr, sizeof(nr), end_ns);
	if (!err && nr > 0)
		err = (size_t)nr > size ? -ECHILD : read_all(channel, ret, nr, end_ns);
	end(child, err, begin_ns, &single_wasted_ns);
	return err ?: nr;
}

int ask_for_file(int (*fn)(void *ctx), void *ctx)
{
	uint64_t begin_ns = now_ns(), end_ns = begin_ns + ASK_MS * NS_A_MS;
	_cleanup_(closep) int channel = -1;
	pid_t child = begin(&channel, &single_wasted_ns);
	int ret;

	if (child < 0)
		return child;
	if (!child)
		_exit(descriptor_send(channel, fn(ctx)));
	ret = wait_readable(channel, end_ns);
	ret = ret ?: descriptor_receive(channel);
	end(child, ret, begin_ns, &single_wasted_ns);
	return ret == -EPIPE ? -ECHILD : ret;
}

struct reply {
	ssize_t nr;
	uint64_t used_ns; /* CPU time so far */
};

struct request {
	ssize_t (*fn)(const void *question, char *ret, size_t size);
	size_t question_bytes, size;
};

/* Answer one question. Returns whether there may be another one. */
static bool answer(int channel)
{
	_cleanup_(freep) char *question = NULL;
	_cleanup_(freep) char *ret = NULL;
	struct reply reply;
	struct request r;

	if (read_all(channel, &r, sizeof(r), UINT64_MAX))
		return false;
	question = malloc(r.question_bytes + 1);
	ret = malloc(r.size + 1);
	if (!question || !ret || read_all(channel, question, r.question_bytes, UINT64_MAX))
		return false;
	reply.nr = r.fn(question, ret, r.size);
	reply.used_ns = cpu_used_ns();
	return write_all(channel, &reply, sizeof(reply)) && (reply.nr <= 0 || write_all(channel, ret, reply.nr));
}

/* What we hold open would stay open for as long as the child lives; and signals for all of a terminal are not for it. */
static void answer_all(int channel)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (dup2(channel, STDERR_FILENO + 1) >= 0 && !close_range(STDERR_FILENO + 2, ~0U, 0))
		while (answer(STDERR_FILENO + 1))
			;
	_exit(0);
}

void ask_begin(struct ask_child *c)
{
	pid_t pid = begin(&c->channel, &c->wasted_ns);

	if (!pid)
		answer_all(c->channel);
	if (pid < 0)
		c->channel = pid; /* why there is none */
	else
		c->pid = pid;
}

ssize_t ask_again(struct ask_child *c, ssize_t (*fn)(const void *question, char *ret, size_t size),
		  const void *question, size_t bytes, char *ret, size_t size)
{
	const struct request r = {fn, bytes, size};
	uint64_t begin_ns = now_ns(), end_ns = begin_ns + ASK_MS * NS_A_MS;
	struct reply reply = {0};
	int err;

	if (!c->pid)
		ask_begin(c);
	if (!c->pid)
		return c->channel;
	err = write_all(c->channel, &r, sizeof(r)) && write_all(c->channel, question, bytes)
		      ? read_all(c->channel, &reply, sizeof(reply), end_ns)
		      : -ECHILD;
	if (!err && reply.nr > 0)
		err = (size_t)reply.nr > size ? -ECHILD : read_all(c->channel, ret, reply.nr, end_ns);
	if (!err) {
		c->used_ns = reply.used_ns;
		return reply.nr;
	}
	end(c->pid, err, begin_ns, &c->wasted_ns);
	close(c->channel);
	c->pid = 0;
	c->used_ns = 0;
	return err;
}

void ask_end(struct ask_child *c)
{
	if (!c->pid)
		return;
	end(c->pid, 0, now_ns(), &c->wasted_ns);
	close(c->channel);
	c->pid = 0;
	c->used_ns = 0;
}
