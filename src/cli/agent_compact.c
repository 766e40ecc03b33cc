/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Make one profile of those of a day that is over. See agent_compact.h. */
#include "cli/agent_compact.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cli/sent.h"
#include "base/store_name.h"

#define MERGING ".merging"
#define HOUR_S 3600
#define PRIORITY 19
#define LOOK_NS (10 * 1000000000ULL)
#define RETRY_NS (3600 * 1000000000ULL) /* after a failure */

/* What may become one. */
struct meant {
	time_t over_s;		   /* days that were over then; 0: it does not matter when a day is over */
	time_t next_s;		   /* profiles whose next one began before */
	char unsent[NAME_MAX + 1]; /* those before this one; "": all */
};

static bool is_meant(const struct agent_profiles *all, size_t i, const struct meant *meant)
{
	time_t day = all->v.v[i].start_s / DAY_S;

	if (*meant->unsent && strcmp(all->v.v[i].name, meant->unsent) >= 0)
		return false;
	if (meant->over_s)
		return (day + 1) * DAY_S <= meant->over_s;
	return i + 1 < all->v.nr && all->v.v[i + 1].start_s <= meant->next_s;
}

/*
 * The parts from @first on that are of one day, are meant, and have room together. Those from a clock that was set back, with "_" in
 * their names, stay: of what day they are their names do not tell.
 */
static size_t group(const struct agent_profiles *all, size_t first, const struct meant *meant)
{
	time_t day = all->v.v[first].start_s / DAY_S;
	uint64_t bytes = 0;
	size_t nr = 0;

	for (size_t i = first; i < all->v.nr && nr < COMPACT_MAX_PARTS && is_meant(all, i, meant); i++, nr++) {
		bytes += all->v.v[i].bytes;
		if (strchr(all->v.v[i].name, '_') || all->v.v[i].start_s / DAY_S != day || bytes > COMPACT_MAX_BYTES)
			break;
	}
	return nr;
}

/* Set the parts of the first group of several profiles. Returns 0, -ENOENT: there is none, or another negative errno. */
static int choose(struct compaction *c, const struct agent_profiles *all, const struct meant *meant)
{
	size_t first = 0, nr = 0;

	for (; first < all->v.nr; first += nr ? nr : 1) {
		nr = group(all, first, meant);
		if (nr > 1 && strcmp(all->v.v[first].name, c->failed) > 0)
			break;
	}
	c->parts.v.nr = 0;
	return nr > 1 && first < all->v.nr ? vec_append(&c->parts.v, &all->v.v[first], nr) : -ENOENT;
}

/* Is more than half of what the store may take taken? Then what is old would be removed before it is old enough to be made small. */
static bool is_tight(const struct agent_profiles *all, const struct agent_options *o)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < all->v.nr; i++)
		bytes += all->v.v[i].bytes;
	return o->keep_bytes && bytes > o->keep_bytes / 2;
}

static int find(struct compaction *c, const struct agent_options *o)
{
	_cleanup_(agent_profiles_done) struct agent_profiles all = {.v = {0}};
	time_t now_s = time(NULL), oldest_s = o->keep_ns ? now_s - (time_t)(o->keep_ns / 1000000000) : 0;
	struct meant meant = {.over_s = now_s - (time_t)(o->compact_ns / 1000000000)};
	int err = agent_list_profiles(&all, o->store);

	sent_first_open(meant.unsent, sizeof(meant.unsent), o->store, oldest_s);
	err = err ?: choose(c, &all, &meant);
	if (err != -ENOENT || !is_tight(&all, o))
		return err;
	meant.over_s = 0;
	meant.next_s = now_s - HOUR_S;
	return choose(c, &all, &meant);
}

/* Start dusk merge, in the store. Returns its pid or a negative errno. */
static pid_t start_merge(const struct compaction *c, const struct agent_options *o)
{
	const char *words[COMPACT_MAX_PARTS + 11] = {"dusk", "merge", "-q", "--set-aside", "--window"};
	char window[32], size[32];
	size_t nr = 5;

	snprintf(window, sizeof(window), "%.6fs", o->compact_window_ns / 1e9);
	words[nr++] = window;
	if (o->compact_size) {
		snprintf(size, sizeof(size), "%" PRIu64, o->compact_size);
		words[nr++] = "--size";
		words[nr++] = size;
	}
	words[nr++] = "-o";
	words[nr++] = strrchr(c->path, '/') + 1;
	for (size_t i = 0; i < c->parts.v.nr; i++)
		words[nr++] = c->parts.v.v[i].name;
	return agent_start_child(words, o->store, SIGKILL);
}

/* How much of the name of a profile says when it begins? */
static int time_bytes(const struct agent_profile *p)
{
	return strlen(p->name) - strlen(STORE_SUFFIX);
}

static void begin(struct compaction *c, const struct agent_options *o, uint64_t now_ns)
{
	const struct agent_profile *first, *last;
	pid_t pid;

	c->next_ns = now_ns + LOOK_NS;
	if (find(c, o)) {
		if (*c->failed)
			c->next_ns = now_ns + RETRY_NS;
		*c->failed = 0;
		return;
	}
	first = c->parts.v.v;
	last = first + c->parts.v.nr - 1;
	snprintf(c->path, sizeof(c->path), "%s/%.*s-%.*s" MERGING, o->store, time_bytes(first), first->name,
		 time_bytes(last), last->name);
	pid = start_merge(c, o);
	if (pid < 0) {
		c->next_ns = now_ns + RETRY_NS;
		return;
	}
	c->pid = pid;
	setpriority(PRIO_PROCESS, pid, PRIORITY);
}

/* Put what is complete, @merged, in the place of its parts, under the name @first. */
static void replace(const char *store, const char *merged, const char *first, const struct agent_profiles *parts)
{
	_cleanup_(closep) int folder = open(store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; i < parts->v.nr; i++)
		if (unlinkat(folder, parts->v.v[i].name, 0) && errno != ENOENT) {
			say("cannot remove %s/%s: %s", store, parts->v.v[i].name, strerror(errno));
			return;
		}
	if (renameat(AT_FDCWD, merged, folder, first))
		say("cannot rename %s to %s: %s", merged, first, strerror(errno));
}

static void end(struct compaction *c, const struct agent_options *o, int status, uint64_t now_ns)
{
	const char *first = c->parts.v.v[0].name;

	c->pid = 0;
	if (!status && !access(c->path, F_OK)) {
		replace(o->store, c->path, first, &c->parts);
		return;
	}
	strcpy(c->failed, first);
	say("the profiles from %s on stay as they are: merging them has failed", first);
}

void compact_follow(struct compaction *c, const struct agent_options *o, uint64_t now_ns)
{
	int status;

	if (c->pid && waitpid(c->pid, &status, WNOHANG) == c->pid)
		end(c, o, status, now_ns);
	else if (!c->pid && o->compact_ns && now_ns >= c->next_ns)
		begin(c, o, now_ns);
}

/* The folder in which a profile is until it is complete has files only. */
static void remove_folder(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		unlinkat(dirfd(dir), d->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(path);
}

/* What a child that was killed has left: its recording, as every profile that is being written has one. */
static void remove_rest(const char *path)
{
	char recording[PATH_MAX + 16];

	unlink(path);
	snprintf(recording, sizeof(recording), "%s.recording", path);
	remove_folder(recording);
}

void compact_stop(struct compaction *c)
{
	if (c->pid) {
		kill(c->pid, SIGKILL);
		while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
			;
		c->pid = 0;
		remove_rest(c->path);
	}
	agent_profiles_done(&c->parts);
}

/* The parts of the complete file @name, which are still there. Those that were written later are others. */
static int parts_of(struct agent_profiles *ret, const char *store, const char *name)
{
	_cleanup_(agent_profiles_done) struct agent_profiles all = {.v = {0}};
	char path[PATH_MAX];
	struct tm from = {0}, to = {0};
	const char *rest = strptime(name, STORE_TIME "-", &from);
	struct stat merged, part;
	time_t first_s, last_s;
	int err;

	rest = rest ? strptime(rest, STORE_TIME MERGING, &to) : NULL;
	if (!rest || *rest || snprintf(path, sizeof(path), "%s/%s", store, name) >= PATH_MAX || stat(path, &merged) ||
	    !S_ISREG(merged.st_mode))
		return -ENOENT;
	first_s = timegm(&from);
	last_s = timegm(&to);
	err = agent_list_profiles(&all, store);
	for (size_t i = 0; !err && i < all.v.nr; i++)
		if (!strchr(all.v.v[i].name, '_') && all.v.v[i].start_s >= first_s && all.v.v[i].start_s <= last_s &&
		    snprintf(path, sizeof(path), "%s/%s", store, all.v.v[i].name) < PATH_MAX && !stat(path, &part) &&
		    part.st_mtime <= merged.st_mtime)
			err = vec_push(&ret->v, all.v.v[i]);
	return err;
}

static void recover(const char *store, const char *name)
{
	_cleanup_(agent_profiles_done) struct agent_profiles parts = {.v = {0}};
	char path[PATH_MAX], first[64];

	if (parts_of(&parts, store, name) || snprintf(path, sizeof(path), "%s/%s", store, name) >= PATH_MAX)
		return;
	snprintf(first, sizeof(first), "%.*s" STORE_SUFFIX, (int)strcspn(name, "-"), name);
	replace(store, path, first, &parts);
}

void compact_recover(const char *store)
{
	DIR *dir = opendir(store);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		const char *end = strstr(d->d_name, MERGING);
		char path[PATH_MAX];

		if (end && !strcmp(end, MERGING ".recording") &&
		    snprintf(path, sizeof(path), "%s/%s", store, d->d_name) < PATH_MAX)
			remove_folder(path);
		else if (end && !end[strlen(MERGING)])
			recover(store, d->d_name);
	}
	if (dir)
		closedir(dir);
}
