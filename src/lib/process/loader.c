/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/process/loader.h"
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/path.h"
#include "lib/process/procfs.h"

/* The options of glibc's and musl's that take the next argument as their value. */
static bool takes_value(const char *option)
{
	static const char *const names[] = {
		"--library-path",	  "--inhibit-rpath",	 "--audit", "--preload", "--argv0",
		"--glibc-hwcaps-prepend", "--glibc-hwcaps-mask",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(option, names[i]))
			return true;
	return false;
}

const char *loader_argument(const char *args, size_t len)
{
	const char *end = args + len, *next;
	bool is_value = true, are_over = false; /* the first one is the name of the linker itself */

	for (const char *at = args; at < end; at = next) {
		next = memchr(at, 0, end - at);
		if (!next++)
			break;
		if (are_over || (!is_value && strncmp(at, "--", 2)))
			return *at ? at : NULL;
		are_over = !is_value && !at[2];
		is_value = !is_value && takes_value(at);
	}
	return NULL;
}

/* ld-linux-x86-64.so.2, ld-2.31.so, ld64.so.2, ld.so; of musl it is the library, too, with a link to it. */
static bool is_loader(const char *exe, const char *argument)
{
	const char *name = path_name(exe);

	if (!strcmp(name, "libc.so") || !strncmp(name, "libc.musl-", 10))
		name = path_name(argument);
	return !fnmatch("ld*.so*", name, 0);
}

static int open_of(pid_t pid, const char *what)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, what);
	fd = open(path, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int loader_open_program(pid_t pid, const char *args, size_t len, char *name, size_t size)
{
	_cleanup_(closep) int folder = -1;
	char path[32], exe[PATH_MAX];
	const char *program;
	ssize_t got;

	*name = 0;
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	got = readlink(path, exe, sizeof(exe) - 1);
	if (got < 0)
		return -errno;
	exe[got] = 0;
	program = len && memchr(args, 0, len) && is_loader(exe, args) ? loader_argument(args, len) : NULL;
	if (!program)
		return open_of(pid, "exe");
	snprintf(name, size, "%s", path_name(program));
	folder = open_of(pid, *program == '/' ? "root" : "cwd");
	return folder < 0 ? folder : procfs_look_up(folder, program);
}
