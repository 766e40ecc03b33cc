/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a store to a target. See send.h. */
#include "fleet/send/send.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/store_name.h"
#include "lib/error.h"
#include "fleet/send/position.h"

struct sender {
	struct target *target;
	const char *store;
	struct position at;
	char unreadable[NAME_MAX + 1]; /* a profile that was complained of */
};

void sender_free(struct sender *s)
{
	if (!s)
		return;
	position_close(&s->at);
	free(s);
}

int sender_new(struct sender **ret, struct target *t, const char *store, struct dusk_error *err)
{
	struct sender *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return error_complete(err, -ENOMEM, "cannot send");
	s->target = t;
	s->store = store;
	rc = position_open(&s->at, store, t->place, t->recall, err);
	if (rc)
		sender_free(s);
	else
		*ret = s;
	return rc;
}

/*
 * Set @ret to the first name of a profile, or of a recording that becomes one, that is not less than @least, or is greater if
 * @behind. Other files are not sent: their names do not tell what was recorded after them. Returns 0, -ENODATA: there is none, or
 * another negative errno.
 */
static int next_profile(char ret[NAME_MAX + 1], const char *store, const char *least, bool behind)
{
	DIR *dir = opendir(store);
	char found[NAME_MAX + 1] = "";
	unsigned long nr;
	struct dirent *d;
	time_t start_s;

	if (!dir)
		return -errno;
	while ((d = readdir(dir))) {
		const char *rest = store_name_parse(d->d_name, &start_s, &nr);

		if (!rest || (*rest && strcmp(rest, STORE_RECORDING)))
			continue;
		d->d_name[rest - d->d_name] = 0;
		if (strcmp(d->d_name, least) < (behind ? 1 : 0) || (*found && strcmp(d->d_name, found) >= 0))
			continue;
		strcpy(found, d->d_name);
	}
	closedir(dir);
	strcpy(ret, found);
	return *found ? 0 : -ENODATA;
}

static bool same(const struct profile_cursor *a, const struct profile_cursor *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static void profile_freep(struct dusk_profile **p)
{
	dusk_profile_free(*p);
}

/* How far the next batch goes, at most: a @part of what the target takes. */
static struct profile_cursor limit(const struct sender *s, uint32_t part)
{
	const struct profile_cursor *from = &s->at.from, *most = &s->target->most;

	return (struct profile_cursor){from->sample + most->sample / part, from->window + most->window / part,
				       from->offcpu + most->offcpu / part,
				       from->window_count + most->window_count / part};
}

/*
 * Read the next batch, with its end @reached: a smaller part of what the target takes, if that has too many samples, as each
 * window has thousands. Returns as profile_read_rows().
 */
static int read_batch(struct dusk_profile **ret, const struct sender *s, const char *path,
		      struct profile_cursor *reached, struct dusk_error *err)
{
	const struct target *t = s->target;

	for (uint32_t part = 1;; part *= 2) {
		_cleanup_(profile_freep) struct dusk_profile *p = NULL;
		struct profile_cursor to = limit(s, part);
		int rc = profile_read_rows(&p, path, &s->at.from, &to, reached, err);

		if (rc || !t->most_samples || p->nr_samples <= t->most_samples || part * 2 > t->most.window) {
			*ret = steal(p);
			return rc;
		}
	}
}

/* Send the rows of @p, which are those behind at.from up to at.to. */
static int send_batch(struct sender *s, struct dusk_profile *p, bool maybe, struct sent *sent, struct dusk_error *err)
{
	const struct batch batch = {p, s->at.from, s->at.to, maybe};
	struct sent now = {.nr = 0};
	int rc = s->target->send(s->target, &batch, &now, err);

	sent->nr += now.nr;
	sent->refused += now.refused;
	s->at.sent.nr += now.nr;
	s->at.sent.refused += now.refused;
	if (rc)
		return error_complete(err, rc, "cannot send");
	s->at.from = s->at.to;
	return position_write(&s->at, err);
}

enum { NOT_NOW = 2, UNREADABLE = 3 };

/*
 * There was no position: ask about the batch that begins here, of which @p has some rows. What is known of becomes the next batch, as
 * one that may have arrived. Returns 1: it is; 0: it never came; or a negative errno with a text in @err.
 */
static int recall(struct sender *s, struct dusk_profile *p, struct dusk_error *err)
{
	const struct profile_cursor all = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
	const struct batch batch = {.p = p, .from = s->at.from};
	int known = s->target->recall(s->target, &batch, &s->at.to, err);

	if (known == ALL_ARRIVED)
		s->at.from = s->at.to = all;
	if (known < 0)
		return error_complete(err, known, "cannot send");
	return known ? position_write(&s->at, err) ?: 1 : 0;
}

/* A batch that may have arrived is not on its way any more. */
static int settle(struct sender *s, struct dusk_error *err)
{
	int rc = s->target->end_session ? s->target->end_session(s->target, s->at.session, err) : 0;

	if (rc)
		return error_complete(err, rc, "cannot send");
	s->at.session = s->target->session;
	return position_write(&s->at, err);
}

/*
 * Send the next batch of the profile at @path. Returns 1: there was one; 0: there is no more now; NOT_NOW; UNREADABLE, with a
 * text in @err; or a negative errno.
 */
static int send_some(struct sender *s, const char *path, struct sent *sent, struct dusk_error *err)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	bool maybe = !same(&s->at.from, &s->at.to);
	struct profile_cursor reached;
	int rc = maybe ? profile_read_rows(&p, path, &s->at.from, &s->at.to, &reached, err)
		       : read_batch(&p, s, path, &reached, err);

	/* It is becoming a profile just now, was removed, or has just begun. */
	if (rc == -ENOENT || rc == -EBUSY || rc == -ENODATA)
		return NOT_NOW;
	if (!rc && !dusk_profile_start_ns(p))
		rc = error_set(err, -EINVAL, "cannot send %s: it does not say when it began", path);
	if (rc)
		return rc == -ENOMEM ? rc : UNREADABLE;
	if (same(&reached, &s->at.from))
		return 0;
	if (!maybe && s->at.asks && s->target->recall) {
		rc = recall(s, p, err);
		if (rc)
			return rc;
	}
	if (maybe) {
		rc = settle(s, err);
	} else {
		s->at.to = reached;
		s->at.session = s->target->session;
		rc = position_write(&s->at, err);
	}
	return rc ?: send_batch(s, p, maybe, sent, err) ?: 1;
}

/* All rows of the profile at @path were sent, and it has its names. */
static int end_profile(struct sender *s, const char *path, struct dusk_error *err)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_cursor none = s->at.to, reached;
	int rc = 0;

	if (s->target->end) {
		rc = profile_read_rows(&p, path, &s->at.from, &none, &reached, err);
		rc = rc ?: s->target->end(s->target, p, err);
	}
	s->at.done = !rc;
	return error_complete(err, rc, "cannot send") ?: position_write(&s->at, err);
}

/*
 * Returns 0: all of the profile at.profile has been sent; NOT_NOW: it is still being written; UNREADABLE; or a negative
 * errno.
 */
static int send_profile(struct sender *s, const volatile sig_atomic_t *stop, struct sent *sent, struct dusk_error *err)
{
	char path[PATH_MAX];
	struct stat st;
	bool ended;
	int rc;

	if (snprintf(path, sizeof(path), "%s/%s", s->store, s->at.profile) >= PATH_MAX)
		return error_set(err, -ENAMETOOLONG, "the path of the store is too long");
	do {
		ended = !stat(path, &st) && S_ISREG(st.st_mode); /* what comes now is all there will be */
		rc = send_some(s, path, sent, err);
	} while (rc == 1 && !*stop);
	if (rc)
		return rc == 1 ? NOT_NOW : rc;
	if (ended)
		return end_profile(s, path, err);
	s->at.asks = false; /* what comes now was never sent */
	return NOT_NOW;
}

/* A profile is gone before all of it was sent. Its host is that of @next, which is in the same store. */
static int lose_profile(struct sender *s, const char *next, struct dusk_error *err)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct profile_cursor none = {0}, reached;
	struct dusk_error unreadable;
	char path[PATH_MAX];
	int rc = 0;

	if (s->target->lose && snprintf(path, sizeof(path), "%s/%s", s->store, next) < PATH_MAX)
		profile_read_rows(&p, path, &none, &none, &reached, &unreadable);
	if (s->target->lose)
		rc = s->target->lose(s->target, p ? dusk_profile_setting(p, "hostname") : NULL, s->at.profile, err);

	if (rc)
		return error_complete(err, rc, "cannot send");
	s->at.lost_profiles++;
	fprintf(stderr, "dusk: %s/%s was removed, or cannot be read, before all of it was sent\n", s->store,
		s->at.profile);
	return 0;
}

static int begin_profile(struct sender *s, const char *name, struct dusk_error *err)
{
	int rc = *s->at.profile && !s->at.done ? lose_profile(s, name, err) : 0;

	if (rc)
		return rc;
	strcpy(s->at.profile, name);
	memset(&s->at.from, 0, sizeof(s->at.from));
	s->at.to = s->at.from;
	s->at.done = false;
	return position_write(&s->at, err);
}

int sender_send(struct sender *s, const volatile sig_atomic_t *stop, struct sent *sent, struct dusk_error *err)
{
	char name[NAME_MAX + 1];
	bool behind = s->at.done;

	while (!*stop) {
		int rc = next_profile(name, s->store, s->at.profile, behind);

		if (rc == -ENODATA)
			return 0;
		if (rc)
			return error_set(err, rc, "cannot read the store %s: %s", s->store, strerror(-rc));
		if (strcmp(name, s->at.profile))
			rc = begin_profile(s, name, err);
		rc = rc ?: send_profile(s, stop, sent, err);
		if (rc && rc != UNREADABLE)
			return rc == NOT_NOW ? 0 : rc;
		if (rc && strcmp(s->unreadable, s->at.profile)) {
			fprintf(stderr, "dusk: %s\n", err->text);
			strcpy(s->unreadable, s->at.profile);
		}
		behind = true;
	}
	return 0;
}
