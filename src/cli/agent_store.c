/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The folder in which dusk agent keeps profiles. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cli/agent_compact.h"

#define NAME AGENT_TIME AGENT_SUFFIX
#define RECORDING ".recording"
#define MAX_NAME 64 /* bytes of "/" NAME RECORDING, and of what a recorder adds to it */

void agent_profile_path(char *ret, size_t room, const char *store, time_t start_s)
{
	char name[32], recording[PATH_MAX];
	struct tm tm;

	/* A clock that was set back, or a second agent in the same second, must not replace a profile. */
	do {
		strftime(name, sizeof(name), NAME, gmtime_r(&start_s, &tm));
		snprintf(ret, room, "%s/%s", store, name);
		snprintf(recording, sizeof(recording), "%s" RECORDING, ret);
		start_s++;
	} while (!access(ret, F_OK) || !access(recording, F_OK));
}

void agent_profiles_done(struct agent_profiles *p)
{
	vec_done(&p->v);
}

static int by_start(const void *a, const void *b)
{
	const struct agent_profile *x = a, *y = b;

	return x->start_s < y->start_s ? -1 : x->start_s > y->start_s;
}

int agent_list_profiles(struct agent_profiles *ret, const char *store)
{
	DIR *dir = opendir(store);
	struct dirent *d;
	int err = dir ? 0 : -errno;

	while (dir && !err && (d = readdir(dir))) {
		struct tm tm = {0};
		const char *rest = strptime(d->d_name, NAME, &tm);
		struct agent_profile p = {.start_s = rest ? timegm(&tm) : 0};
		struct stat st;

		if (!rest || *rest || strlen(d->d_name) >= sizeof(p.name) ||
		    fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		strcpy(p.name, d->d_name);
		p.bytes = st.st_size;
		err = vec_push(&ret->v, p);
	}
	if (dir)
		closedir(dir);
	if (ret->v.nr)
		qsort(ret->v.v, ret->v.nr, sizeof(*ret->v.v), by_start);
	return err;
}

/* When is profile @i over? It may be of a day (agent_compact.h), but ends where the next one begins. */
static time_t end_s(const struct agent_profiles *p, size_t i)
{
	time_t end = p->v.v[i].start_s + DAY_S;

	return i + 1 < p->v.nr && p->v.v[i + 1].start_s < end ? p->v.v[i + 1].start_s : end;
}

void agent_clean_store(const char *store, uint64_t keep_ns, uint64_t keep_bytes)
{
	_cleanup_(closep) int folder = open(store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_(agent_profiles_done) struct agent_profiles p = {.v = {0}};
	time_t oldest_s = keep_ns ? time(NULL) - (time_t)(keep_ns / 1000000000) : 0;
	uint64_t bytes = 0;
	int err = folder < 0 ? -errno : agent_list_profiles(&p, store);

	if (err) {
		say("cannot look for old profiles in %s: %s", store, strerror(-err));
		return;
	}
	for (size_t i = 0; i < p.v.nr; i++)
		bytes += p.v.v[i].bytes;
	for (size_t i = 0; i < p.v.nr; i++) {
		const struct agent_profile *old = &p.v.v[i];

		if (end_s(&p, i) >= oldest_s && (!keep_bytes || bytes <= keep_bytes))
			break;
		if (unlinkat(folder, old->name, 0))
			say("cannot remove %s/%s: %s", store, old->name, strerror(errno));
		else
			bytes -= old->bytes;
	}
}

/* What was being recorded when an agent, or its machine, was stopped. */
static void recover(const char *store)
{
	DIR *dir = opendir(store);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		struct dusk_error err = {""};
		struct tm tm = {0};
		const char *rest = strptime(d->d_name, NAME, &tm);
		char path[PATH_MAX];
		int failed;

		if (!rest || strcmp(rest, RECORDING) ||
		    snprintf(path, sizeof(path), "%s/%.*s", store, (int)(rest - d->d_name), d->d_name) >= PATH_MAX)
			continue;
		failed = dusk_profile_recover(path, &err);
		if (failed == -ENODATA)
			continue;
		if (failed)
			say("%s", err.text);
		else
			say("%s was not ended: it lacks its last window, and its counters", path);
	}
	if (dir)
		closedir(dir);
}

int agent_take_store(const char *store, int *ret)
{
	_cleanup_(closep) int folder = -1;

	if (strlen(store) > PATH_MAX - MAX_NAME) {
		say("the path of the store is too long: %.100s...", store);
		return STATUS_FAILED;
	}
	if (mkdir(store, 0700) && errno != EEXIST) {
		say("cannot make the store %s: %s", store, strerror(errno));
		return STATUS_FAILED;
	}
	folder = open(store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0) {
		say("cannot open the store %s: %s", store, strerror(errno));
		return STATUS_FAILED;
	}
	if (flock(folder, LOCK_EX | LOCK_NB)) {
		say(errno == EWOULDBLOCK ? "another agent records into %s: give this one a store of its own"
					 : "cannot lock the store %s",
		    store);
		return STATUS_FAILED;
	}
	recover(store);
	compact_recover(store);
	*ret = steal_fd(&folder);
	return STATUS_OK;
}
