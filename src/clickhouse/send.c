/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From a store to a server. See send.h. */
#include "clickhouse/send.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "clickhouse/position.h"
#include "clickhouse/rows.h"
#include "lib/error.h"

#define SUFFIX ".dusk"
#define RECORDING ".recording"
#define WINDOWS_A_BATCH 60 /* rows of tables of a profile that a batch has at most: it is one block for the server */
#define ROWS_A_BATCH 400000
#define DAY_S 86400

struct sender {
	struct client *client;
	const char *store;
	struct position at;
	struct map stacks, frames;     /* that this process has sent */
	char unreadable[NAME_MAX + 1]; /* a profile that was complained of */
};

void sender_free(struct sender *s)
{
	if (!s)
		return;
	map_done(&s->stacks);
	map_done(&s->frames);
	free(s);
}

int sender_new(struct sender **ret, struct client *c, const char *store, struct dusk_error *err)
{
	struct sender *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return error_complete(err, -ENOMEM, "cannot send");
	s->client = c;
	s->store = store;
	rc = position_read(&s->at, store, client_place(c), err);
	if (rc)
		sender_free(s);
	else
		*ret = s;
	return rc;
}

/*
 * Set @ret to the first name of a profile, or of a recording that becomes one, that is not less than @least, or is greater if
 * @behind. Returns 0, -ENODATA: there is none, or another negative errno.
 */
static int next_profile(char ret[NAME_MAX + 1], const char *store, const char *least, bool behind)
{
	DIR *dir = opendir(store);
	char found[NAME_MAX + 1] = "";
	struct dirent *d;

	if (!dir)
		return -errno;
	while ((d = readdir(dir))) {
		size_t len = strlen(d->d_name);

		if (len > strlen(RECORDING) && !strcmp(d->d_name + len - strlen(RECORDING), RECORDING))
			len -= strlen(RECORDING);
		if (len <= strlen(SUFFIX) || memcmp(d->d_name + len - strlen(SUFFIX), SUFFIX, strlen(SUFFIX)))
			continue;
		d->d_name[len] = 0;
		if (strcmp(d->d_name, least) < (behind ? 1 : 0) || (*found && strcmp(d->d_name, found) >= 0))
			continue;
		strcpy(found, d->d_name);
	}
	closedir(dir);
	strcpy(ret, found);
	return *found ? 0 : -ENODATA;
}

static int insert(struct sender *s, const char *columns, struct buffer *b, const char *id, struct dusk_error *err)
{
	_cleanup_(freep) char *sql = NULL;
	int rc = 0;

	if (b->failed)
		rc = error_set(err, -ENOMEM, "cannot send: out of memory");
	else if (b->nr_rows &&
		 asprintf(&sql, "INSERT INTO %s.%s FORMAT RowBinary", client_database(s->client), columns) < 0)
		rc = -ENOMEM;
	else if (b->nr_rows)
		rc = client_run(s->client, sql, id, b, NULL, NULL, err);
	b->bytes.nr = b->nr_rows = 0;
	return rc;
}

/* Has the batch arrived? Returns 1, 0, or as client_run(). */
static int has_arrived(struct sender *s, uint32_t day, uint64_t batch, struct dusk_error *err)
{
	_cleanup_(freep) char *sql = NULL, *answer = NULL;
	size_t len;
	int rc;

	if (asprintf(&sql,
		     "SELECT count() > 0 FROM %s.samples WHERE ts >= toDateTime(%" PRIu64
		     ") AND ts < toDateTime(%" PRIu64 ") AND batch = %" PRIu64,
		     client_database(s->client), day * (uint64_t)DAY_S, (day + 1) * (uint64_t)DAY_S, batch) < 0) {
		sql = NULL;
		return -ENOMEM;
	}
	rc = client_run(s->client, sql, NULL, NULL, &answer, &len, err);
	return rc ?: *answer == '1';
}

/* What rows refer to goes first. Counts of a batch that comes twice are the same rows. */
static int send_day(struct sender *s, const struct rows *r, uint32_t day, uint64_t batch, bool maybe, uint64_t *nr_rows,
		    struct dusk_error *err)
{
	struct buffer b = {.failed = false};
	char id[40];
	uint64_t nr;
	int rc;

	rows_counts(&b, r, day, batch);
	rc = insert(s, ROWS_COUNTS, &b, NULL, err);
	if (!rc && maybe)
		rc = has_arrived(s, day, batch, err);
	if (!rc) {
		snprintf(id, sizeof(id), "dusk-%016" PRIx64, batch);
		rows_samples(&b, r, day, batch);
		nr = b.nr_rows;
		rc = insert(s, ROWS_SAMPLES, &b, id, err);
		*nr_rows += rc ? 0 : nr;
	}
	buffer_done(&b);
	return rc < 0 ? rc : 0;
}

/* Of an insert that fails it is not known what has arrived: then all is sent again. */
static int send_names(struct sender *s, const struct rows *r, bool stacks, struct dusk_error *err)
{
	struct buffer b = {.failed = false};
	int rc;

	rows_frames(&b, r, &s->frames);
	rc = insert(s, ROWS_FRAMES, &b, NULL, err);
	if (!rc && stacks) {
		rows_stacks(&b, r, &s->stacks);
		rc = insert(s, ROWS_STACKS, &b, NULL, err);
	}
	if (!rc && stacks) {
		rows_host(&b, r);
		rc = insert(s, ROWS_HOSTS, &b, NULL, err);
	}
	if (rc) {
		map_clear(&s->frames);
		map_clear(&s->stacks);
	}
	buffer_done(&b);
	return rc;
}

/* Each part of a profile that is a batch has a number of its own: where it begins. */
static uint64_t batch_of(const struct rows *r, const struct profile_cursor *from, uint32_t day)
{
	uint64_t h = rows_profile_id(r);

	h = hash64(h ^ from->sample * 3 ^ hash64(from->window * 5 + 1));
	h = hash64(h ^ from->offcpu * 7 ^ hash64(from->window_count * 11 + 2));
	return hash64(h ^ day) ?: 1;
}

static bool same(const struct profile_cursor *a, const struct profile_cursor *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Send the rows of @p, which are those behind at.from up to at.to. */
static int send_batch(struct sender *s, const struct dusk_profile *p, bool maybe, uint64_t *nr_rows,
		      struct dusk_error *err)
{
	_cleanup_(rows_done) struct rows r;
	uint32_t first, last;
	int rc = rows_init(&r, p);

	if (rc)
		return error_complete(err, rc, "cannot send");
	rc = send_names(s, &r, true, err);
	if (!rc && rows_days(&r, &first, &last))
		for (uint32_t day = first; !rc && day <= last; day++)
			rc = send_day(s, &r, day, batch_of(&r, &s->at.from, day), maybe, nr_rows, err);
	if (rc)
		return rc;
	s->at.from = s->at.to;
	return position_write(&s->at, err);
}

static void profile_freep(struct dusk_profile **p)
{
	dusk_profile_free(*p);
}

/* How far the next batch goes, at most. */
static struct profile_cursor limit(const struct profile_cursor *from)
{
	return (struct profile_cursor){from->sample + ROWS_A_BATCH, from->window + WINDOWS_A_BATCH,
				       from->offcpu + ROWS_A_BATCH, from->window_count + ROWS_A_BATCH};
}

enum { NOT_NOW = 2, UNREADABLE = 3 };

/*
 * Send the next batch of the profile at @path. Returns 1: there was one; 0: there is no more now; NOT_NOW; UNREADABLE, with a
 * text in @err; or a negative errno.
 */
static int send_some(struct sender *s, const char *path, uint64_t *nr_rows, struct dusk_error *err)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	bool maybe = !same(&s->at.from, &s->at.to);
	struct profile_cursor to = maybe ? s->at.to : limit(&s->at.from), reached;
	int rc = profile_read_rows(&p, path, &s->at.from, &to, &reached, err);

	if (rc == -ENOENT || rc == -EBUSY) /* it is becoming a profile just now, or was removed */
		return NOT_NOW;
	if (rc)
		return rc == -ENOMEM ? rc : UNREADABLE;
	if (same(&reached, &s->at.from))
		return 0;
	if (!maybe) {
		s->at.to = reached;
		rc = position_write(&s->at, err);
	}
	return rc ?: send_batch(s, p, maybe, nr_rows, err) ?: 1;
}

/* The names of functions come when a recording has ended. */
static int send_last_names(struct sender *s, const char *path, struct dusk_error *err)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	_cleanup_(rows_done) struct rows r = {.frames = NULL};
	struct profile_cursor none = s->at.to, reached;
	int rc = profile_read_rows(&p, path, &s->at.from, &none, &reached, err);

	rc = rc ?: rows_init(&r, p);
	return rc ?: send_names(s, &r, false, err);
}

/*
 * Returns 0: all of the profile at.profile has been sent; NOT_NOW: it is still being written; UNREADABLE; or a negative
 * errno.
 */
static int send_profile(struct sender *s, const volatile sig_atomic_t *stop, uint64_t *nr_rows, struct dusk_error *err)
{
	char path[PATH_MAX];
	struct stat st;
	bool ended;
	int rc;

	if (snprintf(path, sizeof(path), "%s/%s", s->store, s->at.profile) >= PATH_MAX)
		return error_set(err, -ENAMETOOLONG, "the path of the store is too long");
	do {
		ended = !stat(path, &st) && S_ISREG(st.st_mode); /* what comes now is all there will be */
		rc = send_some(s, path, nr_rows, err);
	} while (rc == 1 && !*stop);
	if (rc)
		return rc == 1 ? NOT_NOW : rc;
	if (!ended)
		return NOT_NOW;
	rc = send_last_names(s, path, err);
	s->at.done = !rc;
	return rc ?: position_write(&s->at, err);
}

/* A profile is gone before all of it was sent: the server counts that. */
static int count_lost(struct sender *s, struct dusk_error *err)
{
	struct buffer b = {.nr_rows = 1};
	char host[HOST_NAME_MAX + 1] = "";
	uint64_t batch = 0;
	int rc;

	fprintf(stderr, "dusk: %s/%s was removed, or cannot be read, before all of it was sent\n", s->store,
		s->at.profile);
	gethostname(host, sizeof(host) - 1);
	for (const char *c = s->at.profile; *c; c++)
		batch = hash64(batch ^ (uint8_t)*c);
	buffer_number(&b, uint32_t, time(NULL));
	buffer_text(&b, host);
	buffer_text(&b, "lost-profiles");
	buffer_number(&b, uint64_t, 1);
	buffer_number(&b, uint64_t, batch);
	rc = insert(s, ROWS_COUNTS, &b, NULL, err);
	buffer_done(&b);
	return rc;
}

static int begin_profile(struct sender *s, const char *name, struct dusk_error *err)
{
	int rc = *s->at.profile && !s->at.done ? count_lost(s, err) : 0;

	if (rc)
		return rc;
	strcpy(s->at.profile, name);
	memset(&s->at.from, 0, sizeof(s->at.from));
	s->at.to = s->at.from;
	s->at.done = false;
	return position_write(&s->at, err);
}

int sender_send(struct sender *s, const volatile sig_atomic_t *stop, uint64_t *nr_rows, struct dusk_error *err)
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
		rc = rc ?: send_profile(s, stop, nr_rows, err);
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
