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
#include "base/privilege.h"
#include "base/store_name.h"
#include "cli/agent/compact.h"

#define MAX_NR 999
#define LOCK_TRIES 10 /* how often to try until the children of a recorder are gone, */
#define LOCK_US 50000 /* ... and the pause between */
#define MAX_NAME 64   /* bytes of "/", a name and STORE_RECORDING, and of what a recorder adds to it */

/* Set *@start_s and *@nr to those of @name, if that is the newer one. */
static void take_newer(const char *name, time_t *start_s, unsigned long *nr)
{
	unsigned long its_nr;
	time_t s;

	if (!store_name_parse(name, &s, &its_nr) || s < *start_s || (s == *start_s && its_nr < *nr))
		return;
	*start_s = s;
	*nr = its_nr;
}

/* The newest name in @store, of a profile or of a recording, or that of @after. */
static void newest_name(const char *store, const char *after, time_t *start_s, unsigned long *nr)
{
	DIR *dir = opendir(store);
	struct dirent *d;

	*start_s = *nr = 0;
	if (after)
		take_newer(strrchr(after, '/') + 1, start_s, nr);
	while (dir && (d = readdir(dir)))
		take_newer(d->d_name, start_s, nr);
	if (dir)
		closedir(dir);
}

void agent_profile_path(char *ret, size_t room, const char *store, time_t start_s, const char *after)
{
	unsigned long nr;
	time_t newest_s;
	char name[32];
	struct tm tm;

	newest_name(store, after, &newest_s, &nr);
	if (start_s > newest_s)
		nr = 0;
	else
		start_s = nr < MAX_NR ? newest_s : newest_s + 1;
	if (nr >= MAX_NR)
		nr = 0;
	strftime(name, sizeof(name), STORE_TIME, gmtime_r(&start_s, &tm));
	if (nr)
		snprintf(ret, room, "%s/%s_%03lu" STORE_SUFFIX, store, name, nr + 1);
	else
		snprintf(ret, room, "%s/%s" STORE_SUFFIX, store, name);
}

void agent_profiles_done(struct agent_profiles *p)
{
	vec_done(&p->v);
}

static int by_start(const void *a, const void *b)
{
	const struct agent_profile *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Add the profiles whose names end with @suffix behind STORE_SUFFIX. */
static int list(struct agent_profiles *ret, const char *store, const char *suffix)
{
	DIR *dir = opendir(store);
	struct dirent *d;
	int err = dir ? 0 : -errno;

	while (dir && !err && (d = readdir(dir))) {
		struct agent_profile p = {.start_s = 0};
		unsigned long nr;
		const char *rest = store_name_parse(d->d_name, &p.start_s, &nr);
		struct stat st;

		if (!rest || strcmp(rest, suffix) || strlen(d->d_name) >= sizeof(p.name) ||
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

int agent_list_profiles(struct agent_profiles *ret, const char *store)
{
	return list(ret, store, "");
}

/* When is profile @i over? It may be of a day (compact.h), but ends where the next one begins. */
static time_t end_s(const struct agent_profiles *p, size_t i)
{
	time_t end = p->v.v[i].start_s + DAY_S;

	return i + 1 < p->v.nr && p->v.v[i + 1].start_s < end ? p->v.v[i + 1].start_s : end;
}

void agent_clean_store(const char *store, uint64_t keep_ns, uint64_t keep_bytes)
{
	_cleanup_(closep) int folder = agent_open_store(store);
	_cleanup_(agent_profiles_done) struct agent_profiles p = {.v = {0}};
	time_t oldest_s = keep_ns ? time(NULL) - (time_t)(keep_ns / 1000000000) : 0;
	uint64_t bytes = 0;
	int err = folder < 0 ? folder : list(&p, store, "") ?: list(&p, store, STORE_BAD);

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

int agent_recover_profile(const char *path, uint64_t alive_ns, struct dusk_error *err)
{
	int failed = -EBUSY;

	for (int i = 0; failed == -EBUSY && i < LOCK_TRIES; i++) {
		if (i)
			usleep(LOCK_US);
		failed = dusk_profile_recover(path, alive_ns, err);
	}
	return failed;
}

void agent_recover_store(const char *store)
{
	DIR *dir = opendir(store);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		struct dusk_error err = {""};
		unsigned long nr;
		time_t start_s;
		const char *rest = store_name_parse(d->d_name, &start_s, &nr);
		char path[PATH_MAX];
		int failed;

		if (!rest || strcmp(rest, STORE_RECORDING) ||
		    snprintf(path, sizeof(path), "%s/%.*s", store, (int)(rest - d->d_name), d->d_name) >= PATH_MAX)
			continue;
		failed = agent_recover_profile(path, 0, &err);
		if (failed == -ENODATA || failed == -EBUSY)
			continue;
		if (failed)
			say("%s", err.text);
		else
			say("%s was not ended: it lacks its last window, and its counters", path);
	}
	if (dir)
		closedir(dir);
}

bool agent_has_store(const char *store, int taken)
{
	struct stat there, ours;

	return !stat(store, &there) && !fstat(taken, &ours) && there.st_dev == ours.st_dev &&
	       there.st_ino == ours.st_ino;
}

int agent_open_store(const char *store)
{
	_cleanup_(closep) int folder = open(store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (folder < 0 || fstat(folder, &st))
		return -errno;
	if (st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))
		return -EPERM;
	return steal_fd(&folder);
}

static int take(const char *store, int *ret)
{
	_cleanup_(closep) int folder = -1;

	if (mkdir(store, 0700) && errno != EEXIST) {
		say("cannot make the store %s: %s", store, strerror(errno));
		return STATUS_FAILED;
	}
	folder = agent_open_store(store);
	if (folder == -EPERM)
		say("%s is no store of ours: it must belong to the user of the agent, and nobody else may write to it "
		    "(chown, "
		    "chmod go-w), or they could choose what the agent removes",
		    store);
	else if (folder < 0)
		say("cannot open the store %s: %s", store, strerror(-folder));
	if (folder < 0)
		return STATUS_FAILED;
	if (flock(folder, LOCK_EX | LOCK_NB)) {
		say(errno == EWOULDBLOCK ? "another agent records into %s: give this one a store of its own"
					 : "cannot lock the store %s",
		    store);
		return STATUS_FAILED;
	}
	agent_recover_store(store);
	compact_recover(store);
	*ret = steal_fd(&folder);
	return STATUS_OK;
}

/* It is the user that names the store, so it is the user's right to it that counts. */
int agent_take_store(const char *store, int *ret)
{
	uint64_t had;
	int status;

	if (strlen(store) > PATH_MAX - MAX_NAME) {
		say("the path of the store is too long: %.100s...", store);
		return STATUS_FAILED;
	}
	if (privilege_lower(&had)) {
		say("cannot give up privileges");
		return STATUS_FAILED;
	}
	status = take(store, ret);
	privilege_raise(had);
	return status;
}
