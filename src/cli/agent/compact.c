/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Make one profile of those of a day that is over. See compact.h. */
#include "cli/agent/compact.h"
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
#include "cli/cmdline/sent.h"
#include "base/store_name.h"

#define MERGING ".merging"
#define HOUR_S 3600
#define PRIORITY 19
#define LOOK_NS (10 * 1000000000ULL)
#define PUT_OFF_NS (600 * 1000000000ULL) /* as there is not enough memory */
#define RETRY_NS (3600 * 1000000000ULL)	 /* after a failure */

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

/* Put what is complete, the file @merged, in the place of its parts, under the name @first. */
static void replace(const char *store, const char *merged, const char *first, const struct agent_profiles *parts)
{
	_cleanup_(closep) int folder = agent_open_store(store);

	for (size_t i = 0; i < parts->v.nr; i++)
		if (unlinkat(folder, parts->v.v[i].name, 0) && errno != ENOENT) {
			say("cannot remove %s/%s: %s", store, parts->v.v[i].name, strerror(errno));
			return;
		}
	if (renameat(folder, merged, folder, first))
		say("cannot rename %s/%s to %s: %s", store, merged, first, strerror(errno));
}

static void end(struct compaction *c, const struct agent_options *o, int status, uint64_t now_ns)
{
	const char *first = c->parts.v.v[0].name;

	c->pid = 0;
	if (!status && !access(c->path, F_OK)) {
		replace(o->store, strrchr(c->path, '/') + 1, first, &c->parts);
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

/*
 * Remove the folder @name, in which a profile is until it is complete, with what a recorder puts there. What lies behind a link, or
 * is another user's, is not ours.
 */
static void remove_recording(int folder, const char *name)
{
	static const char *const files[] = {"profile", "profile-wal", "profile-journal"};
	_cleanup_(closep) int recording = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (recording < 0 || fstat(recording, &st) || st.st_uid != geteuid())
		return;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlinkat(recording, files[i], 0);
	unlinkat(folder, name, AT_REMOVEDIR);
}

/* What a child that was killed has left: its recording, as every profile that is being written has one. */
static void remove_rest(const char *path)
{
	char store[PATH_MAX], recording[NAME_MAX + 1];
	const char *name = strrchr(path, '/') + 1;
	_cleanup_(closep) int folder = -1;

	snprintf(store, sizeof(store), "%.*s", (int)(name - path), path);
	snprintf(recording, sizeof(recording), "%s" STORE_RECORDING, name);
	folder = agent_open_store(store);
	if (folder < 0)
		return;
	unlinkat(folder, name, 0);
	remove_recording(folder, recording);
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

void compact_put_off(struct compaction *c, uint64_t now_ns)
{
	if (!c->pid)
		return;
	compact_stop(c);
	c->next_ns = now_ns + PUT_OFF_NS;
}

/* When the first and the last part of @name begin, as begin() writes it. Returns what is behind MERGING, or NULL: it is another name. */
static const char *parse_merging(const char *name, time_t *first_s, time_t *last_s)
{
	struct tm from = {0}, to = {0};
	const char *rest = strptime(name, STORE_TIME "-", &from);

	rest = rest ? strptime(rest, STORE_TIME MERGING, &to) : NULL;
	*first_s = timegm(&from);
	*last_s = timegm(&to);
	return rest;
}

/* The parts of the complete file @name, which are still there. Those that were written later are others. */
static int parts_of(struct agent_profiles *ret, const char *store, int folder, const char *name, time_t first_s,
		    time_t last_s)
{
	_cleanup_(agent_profiles_done) struct agent_profiles all = {.v = {0}};
	struct stat merged, part;
	int err;

	if (fstatat(folder, name, &merged, AT_SYMLINK_NOFOLLOW) || !S_ISREG(merged.st_mode))
		return -ENOENT;
	err = agent_list_profiles(&all, store);
	for (size_t i = 0; !err && i < all.v.nr; i++)
		if (!strchr(all.v.v[i].name, '_') && all.v.v[i].start_s >= first_s && all.v.v[i].start_s <= last_s &&
		    !fstatat(folder, all.v.v[i].name, &part, AT_SYMLINK_NOFOLLOW) && part.st_mtime <= merged.st_mtime)
			err = vec_push(&ret->v, all.v.v[i]);
	return err;
}

static void recover(const char *store, int folder, const char *name)
{
	_cleanup_(agent_profiles_done) struct agent_profiles parts = {.v = {0}};
	time_t first_s, last_s;
	const char *rest = parse_merging(name, &first_s, &last_s);
	char first[64];

	if (rest && !strcmp(rest, STORE_RECORDING))
		remove_recording(folder, name);
	if (!rest || *rest || parts_of(&parts, store, folder, name, first_s, last_s))
		return;
	snprintf(first, sizeof(first), "%.*s" STORE_SUFFIX, (int)strcspn(name, "-"), name);
	replace(store, name, first, &parts);
}

void compact_recover(const char *store)
{
	_cleanup_(closep) int folder = agent_open_store(store);
	DIR *dir = folder < 0 ? NULL : opendir(store);
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		recover(store, folder, d->d_name);
	if (dir)
		closedir(dir);
}
