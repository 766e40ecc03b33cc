/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cli/cmdline/remnant.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static _Atomic(const char *) remnant;

/* Remove the file, and let the signal have its default effect. Async-signal-safe. */
static void on_end(int number)
{
	const char *path = atomic_load(&remnant);

	if (path)
		unlink(path);
	signal(number, SIG_DFL);
	raise(number);
}

/* Handle signal @number, unless it is ignored or already handled. */
static void watch(int number)
{
	struct sigaction now = {.sa_handler = on_end}, old;

	if (!sigaction(number, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(number, &now, NULL);
}

int remnant_make(char *name)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t all, before;
	int fd;

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		watch(ends[i]);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	else
		atomic_store(&remnant, name);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return fd;
}

void remnant_done(void)
{
	atomic_store(&remnant, NULL);
}
