/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Find and run programs of dusk. See helper.h. */
#include "cli/cmdline/helper.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/cmdline/command.h"

int helper_self(char ret[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", ret, PATH_MAX - 1);

	if (n < 0)
		return -errno;
	ret[n] = 0;
	return 0;
}

/* Is nobody but root, our user, and the owner and the group of this program, @self, able to change what is at @path? */
static bool is_trusted(const char *path, const struct stat *self)
{
	struct stat st;

	if (stat(path, &st) || (st.st_uid && st.st_uid != geteuid() && st.st_uid != self->st_uid))
		return false;
	if (st.st_mode & S_IWGRP && st.st_gid != getegid() && st.st_gid != self->st_gid)
		return false;
	return !(st.st_mode & S_IWOTH) || (S_ISDIR(st.st_mode) && st.st_mode & S_ISVTX);
}

/* Whoever may write a program, or put another one in its place, would have it run as us. */
static bool may_run(const char *path)
{
	char folder[PATH_MAX];
	struct stat self;

	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
	return !stat("/proc/self/exe", &self) && is_trusted(path, &self) && is_trusted(folder, &self);
}

int helper_find(char ret[PATH_MAX], const char *name)
{
	static const char *const places[] = {"", "../libexec/dusk/"};
	char self[PATH_MAX], path[PATH_MAX];
	int err = helper_self(self), folder;

	if (err)
		return err;
	folder = strrchr(self, '/') - self;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (snprintf(path, PATH_MAX, "%.*s/%s%s", folder, self, places[i], name) >= PATH_MAX ||
		    access(path, X_OK))
			continue;
		memcpy(ret, path, PATH_MAX);
		return may_run(path) ? 0 : -EPERM;
	}
	return -ENOENT;
}

/* What a build, and a user of packages, has to install. */
static const struct {
	const char *name, *needs, *group;
} helpers[] = {
	{HELPER_WEB, "libmicrohttpd-dev", "web"},
	{HELPER_CLICKHOUSE, "libcurl4-openssl-dev", "clickhouse"},
	{HELPER_OTLP, "libcurl4-openssl-dev", "otlp"},
	{HELPER_COLLECT, "libcurl4-openssl-dev and libmicrohttpd-dev", "web clickhouse"},
};

const char *helper_that_sends(const char *url)
{
	static const struct {
		const char *scheme, *name;
	} senders[] = {
		{"clickhouse", HELPER_CLICKHOUSE},
		{"clickhouses", HELPER_CLICKHOUSE},
		{"otlp", HELPER_OTLP},
		{"otlps", HELPER_OTLP},
		{"otlp+grpc", HELPER_OTLP},
		{"otlps+grpc", HELPER_OTLP},
	};
	size_t len = strcspn(url, ":");

	for (size_t i = 0; url[len] && i < sizeof(senders) / sizeof(senders[0]); i++)
		if (strlen(senders[i].scheme) == len && !strncmp(senders[i].scheme, url, len))
			return senders[i].name;
	return NULL;
}

static void say_missing(const char *name)
{
	const char *needs = "more", *group = "build";

	for (size_t i = 0; i < sizeof(helpers) / sizeof(helpers[0]); i++)
		if (!strcmp(helpers[i].name, name)) {
			needs = helpers[i].needs;
			group = helpers[i].group;
		}
	say("this dusk has no %s: a build has it with %s (tools/setup %s), and a package of its name", name, needs,
	    group);
}

int helper_become(const char *const *words)
{
	char path[PATH_MAX];
	int err = helper_find(path, words[0]);

	if (!err) {
		execv(path, (char *const *)words);
		err = -errno;
	}
	if (err == -ENOENT)
		say_missing(words[0]);
	else if (err == -EPERM)
		say("cannot start %s: it, or its folder, belongs to another user, or others may write to it", path);
	else
		say("cannot start %s: %s", words[0], strerror(-err));
	return STATUS_FAILED;
}

int helper_run(const char *const *words)
{
	pid_t self = getpid(), pid = fork();
	int status;

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		_exit(getppid() == self ? helper_become(words) : STATUS_FAILED);
	}
	if (pid < 0) {
		say("cannot start %s: %s", words[0], strerror(errno));
		return STATUS_FAILED;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return STATUS_FAILED;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	say("%s was killed by signal %d", words[0], WTERMSIG(status));
	return STATUS_FAILED;
}
