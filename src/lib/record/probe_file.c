/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/probe_file.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "lib/error.h"

#define PATH_ROOM 4096

static bool is_elf(const char *path)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char magic[SELFMAG];
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && pread(fd, magic, SELFMAG, 0) == SELFMAG &&
	       !memcmp(magic, ELFMAG, SELFMAG);
}

/* Take the first of the files that match: libc.so is a text for the linker, libc.so.6 the library. */
static int take_first(char **ret, const char *pattern)
{
	glob_t found;
	int err = -ENOENT;

	if (!glob(pattern, 0, NULL, &found))
		for (size_t i = 0; err == -ENOENT && i < found.gl_pathc; i++)
			if (is_elf(found.gl_pathv[i]))
				err = (*ret = realpath(found.gl_pathv[i], NULL)) ? 0 : -errno;
	globfree(&found);
	return err;
}

static int find_library(char **ret, const char *name)
{
	static const char *const folders[] = {
		"/lib/*-linux-gnu*", "/usr/lib/*-linux-gnu*", "/lib64", "/usr/lib64", "/lib",
		"/usr/lib",	     "/usr/local/lib"};
	static const char *const forms[] = {"%s/%s", "%s/%s.so", "%s/%s.so.[0-9]*"};
	char pattern[PATH_ROOM];

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		for (size_t k = 0; k < sizeof(forms) / sizeof(forms[0]); k++) {
			if (snprintf(pattern, sizeof(pattern), forms[k], folders[i], name) >= (int)sizeof(pattern))
				return -ENAMETOOLONG;
			if (!take_first(ret, pattern))
				return 0;
		}
	return -ENOENT;
}

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/* Take the one that a shell would start, or none. */
static int take_elf(char **ret, const char *path)
{
	if (!is_elf(path))
		return -ENOEXEC;
	*ret = realpath(path, NULL);
	return *ret ? 0 : -errno;
}

static int find_program(char **ret, const char *name)
{
	const char *folders = getenv("PATH") ?: "/usr/local/bin:/usr/bin:/bin";
	char path[PATH_ROOM];

	while (*folders) {
		size_t len = strcspn(folders, ":");

		if (*folders == '/' && len + strlen(name) + 2 <= sizeof(path)) {
			snprintf(path, sizeof(path), "%.*s/%s", (int)len, folders, name);
			if (is_program(path))
				return take_elf(ret, path);
		}
		folders += len + !!folders[len];
	}
	return -ENOENT;
}

static int find_elf(char **ret, const char *name)
{
	int err;

	if (strchr(name, '/') && access(name, F_OK))
		return -errno;
	if (strchr(name, '/'))
		return take_elf(ret, name);
	if (strpbrk(name, "*?["))
		return -ENOENT;
	err = find_program(ret, name);
	return err == -ENOENT ? find_library(ret, name) : err;
}

int probe_file_find(char **ret, const char *name, struct dusk_error *err)
{
	int e = find_elf(ret, name);

	switch (e) {
	case 0: return 0;
	case -ENOENT:
		return error_set(err, e, "there is no file %s%s", name,
				 strchr(name, '/') ? "" : ", no program of that name in PATH, and no library");
	case -ENOEXEC: return error_set(err, e, "%s is a script or another file, no program or library (ELF)", name);
	default: return error_set(err, e, "%s: %s", name, strerror(-e));
	}
}
