/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/process/ask.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"

#define NS_A_MS 1000000ULL

static uint64_t wasted_ns;

static bool write_all(int fd, const void *data, size_t size)
{
	for (ssize_t put; size; data = (const char *)data + put, size -= put) {
		put = write(fd, data, size);
		if (put <= 0)
			return false;
	}
	return true;
}

/* Read @size bytes before @end_ns. Returns 0, -ETIMEDOUT, or -ECHILD if the writer has ended. */
static int read_all(int fd, void *ret, size_t size, uint64_t end_ns)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};

	for (ssize_t got; size; ret = (char *)ret + got, size -= got) {
		uint64_t now = now_ns();

		if (now >= end_ns)
			return -ETIMEDOUT;
		got = 0;
		if (poll(&ready, 1, (end_ns - now) / NS_A_MS + 1) <= 0)
			continue;
		got = read(fd, ret, size);
		if (got <= 0)
			return -ECHILD;
	}
	return 0;
}

/* A child that no signal ends, as in a read of a file system that does not answer, is not waited for any longer. */
static void end(pid_t child)
{
	kill(child, SIGKILL);
	for (int ms = 0; ms < ASK_MS && !waitpid(child, NULL, WNOHANG); ms++)
		usleep(1000);
}

ssize_t ask_in_child(ssize_t (*fn)(void *ctx, char *ret, size_t size), void *ctx, char *ret, size_t size)
{
	_cleanup_(closep) int in = -1, out = -1;
	uint64_t begin_ns = now_ns(), end_ns = begin_ns + ASK_MS * NS_A_MS;
	ssize_t nr = 0;
	int ends[2], err;
	pid_t child, parent = getpid();

	if (wasted_ns > ASK_WASTED_MS * NS_A_MS)
		return -EBUSY;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	in = ends[0];
	out = ends[1];
	child = fork();
	if (child < 0)
		return -errno;
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		nr = fn(ctx, ret, size);
		_exit(!write_all(out, &nr, sizeof(nr)) || (nr > 0 && !write_all(out, ret, nr)));
	}
	closep(&out);
	out = -1;
	err = read_all(in, &nr, sizeof(nr), end_ns);
	if (!err && nr > 0)
		err = (size_t)nr > size ? -ECHILD : read_all(in, ret, nr, end_ns);
	end(child);
	if (err == -ETIMEDOUT)
		wasted_ns += now_ns() - begin_ns;
	return err ?: nr;
}
