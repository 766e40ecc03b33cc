/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where we are. See position.h. */
#include "fleet/send/position.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "base/map.h"
#include "base/store_name.h"
#include "lib/error.h"

#define MAX_BYTES 4096
#define CURSOR "%" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
#define CURSOR_OF(c) &(c)->sample, &(c)->window, &(c)->offcpu, &(c)->window_count

/* A file of its own, as that of the position is replaced. */
static int lock(struct position *p, const char *store, const char *place)
{
	char path[PATH_MAX + 8];

	snprintf(path, sizeof(path), "%s/.sending-%016" PRIx64, store, hash_text(place));
	p->lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return p->lock < 0 || flock(p->lock, LOCK_EX | LOCK_NB) ? -errno : 0;
}

/* Returns false: it is damaged. */
static bool parse(struct position *p, const char *text)
{
	return sscanf(text,
		      "profile %255s done %d from " CURSOR " to " CURSOR " sent %" SCNu64 " refused %" SCNu64
		      " lost-profiles %" SCNu64 " asks %d session %" SCNx64,
		      p->profile, &p->done, CURSOR_OF(&p->from), CURSOR_OF(&p->to), &p->sent.nr, &p->sent.refused,
		      &p->lost_profiles, &p->asks, &p->session) == 15 &&
	       !strchr(p->profile, '/');
}

int position_open(struct position *ret, const char *store, const char *place, bool can_ask, struct dusk_error *err)
{
	_cleanup_(freep) char *text = NULL;
	struct position p;
	size_t len;
	int rc;

	*ret = (struct position){.place = place, .lock = -1, .asks = true};
	if (snprintf(ret->path, sizeof(ret->path), "%s/" STORE_POSITION "%016" PRIx64, store, hash_text(place)) >=
	    PATH_MAX)
		return error_set(err, -ENAMETOOLONG, "the path of the store is too long: %.100s...", store);
	rc = lock(ret, store, place);
	if (rc == -EWOULDBLOCK)
		return error_set(err, rc, "something else is sending the store %s there", store);
	if (rc)
		return error_set(err, rc, "cannot send the store %s: %s", store, strerror(-rc));
	rc = file_read(&text, &len, ret->path, MAX_BYTES);
	if (rc == -ENOENT)
		return 0;
	if (rc)
		return error_set(err, rc, "cannot read %s: %s", ret->path, strerror(-rc));
	p = *ret;
	p.asks = false;
	if (parse(&p, text))
		*ret = p;
	else if (can_ask)
		fprintf(stderr, "dusk: %s is damaged: there it is asked what has arrived\n", ret->path);
	else
		return error_set(err, -EINVAL, "%s is damaged; without it all of the store is sent again", ret->path);
	return 0;
}

void position_close(struct position *p)
{
	closep(&p->lock);
}

static int sync_folder(const char *path)
{
	char copy[PATH_MAX];
	_cleanup_(closep) int fd = -1;

	snprintf(copy, sizeof(copy), "%s", path);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 || fsync(fd) ? -errno : 0;
}

static int write_file(const char *path, const char *text)
{
	_cleanup_(closep) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	int rc = fd < 0 ? -errno : file_write_fd(fd, text, strlen(text));

	return rc ?: fsync(fd) ? -errno : 0;
}

int position_write(const struct position *p, struct dusk_error *err)
{
	char text[MAX_BYTES], fresh[PATH_MAX + 8];
	int rc;

	snprintf(text, sizeof(text),
		 "profile %s\ndone %d\nfrom %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\nto %" PRId64 " %" PRId64
		 " %" PRId64 " %" PRId64 "\nsent %" PRIu64 "\nrefused %" PRIu64 "\nlost-profiles %" PRIu64
		 "\nasks %d\nsession %" PRIx64 "\nplace %.1000s\n",
		 p->profile, p->done, p->from.sample, p->from.window, p->from.offcpu, p->from.window_count,
		 p->to.sample, p->to.window, p->to.offcpu, p->to.window_count, p->sent.nr, p->sent.refused,
		 p->lost_profiles, p->asks, p->session, p->place);
	snprintf(fresh, sizeof(fresh), "%s.new", p->path);
	rc = write_file(fresh, text);
	if (!rc && rename(fresh, p->path))
		rc = -errno;
	rc = rc ?: sync_folder(p->path);
	return rc ? error_set(err, rc, "cannot write %s: %s", p->path, strerror(-rc)) : 0;
}
