/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cli/view/fetch_symbols.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Take the lock for fetching, until we exit. False: another process has it. */
static bool is_first(const char *cache)
{
	char path[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof(path), "%s/fetching", cache) >= (int)sizeof(path))
		return false;
	mkdir(cache, 0700);
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB);
}

static void fetch(const char *path, bool lines)
{
	struct dusk_symbol_options o = {.sz = sizeof(o), .no_lines = !lines};
	struct dusk_profile *p;
	char cache[PATH_MAX];

	if (dusk_cache_folder(cache, sizeof(cache)) || dusk_profile_read(&p, path, NULL))
		return;
	o.cache = cache;
	if (is_first(cache))
		dusk_profile_symbolize(p, &o, NULL);
	dusk_profile_free(p);
}

/* Leave the terminal and our caller's pipes, so that readers of our output do not wait for this process. */
static void leave(void)
{
	int null = open("/dev/null", O_RDWR);

	setsid();
	for (int fd = 0; fd <= 2 && null >= 0; fd++)
		dup2(null, fd);
}

void fetch_names(const char *path, bool lines)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid > 0)
		waitpid(pid, NULL, 0);
	if (pid)
		return;
	leave();
	if (!fork()) /* a second fork, so that the command need not wait for it */
		fetch(path, lines);
	_exit(0);
}
