/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A process with arguments that a test chooses. It waits until the test ends it. */
#pragma once
#include <assert.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

struct titled_process {
	pid_t pid;
	int to; /* its standard input */
};

/* Start "@name -c 'read x' @last", and return when these are its arguments. With a line of input it runs @last. */
static inline struct titled_process titled_process(const char *name, const char *last)
{
	struct titled_process p = {0};
	int in[2], started[2];
	char none;

	assert(!pipe2(in, O_CLOEXEC) && !pipe2(started, O_CLOEXEC));
	p.pid = fork();
	assert(p.pid >= 0);
	if (!p.pid) {
		dup2(in[0], STDIN_FILENO);
		execl("/bin/sh", name, "-c", "read x && exec $0", last, NULL);
		_exit(1);
	}
	close(in[0]);
	close(started[1]);
	assert(!read(started[0], &none, 1)); /* execve() closes the other end */
	close(started[0]);
	p.to = in[1];
	return p;
}

static inline void titled_process_end(struct titled_process *p)
{
	close(p->to);
	waitpid(p->pid, NULL, 0);
}
