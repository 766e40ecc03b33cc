/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parent's side of reading sites: run the confined process, and check what it sends. */
#include "lib/symbols/sites.h"
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "lib/symbols/confined.h"

#define MAX_TEXTS_BYTES 8192
#define MAX_SITES (1 << 22)

struct reading {
	struct sites *sites;
	const struct confined *c;
};

/* Split @text, @bytes bytes, into three texts. False: there are not so many, or more. */
static bool split(struct site *s, char *text, size_t bytes)
{
	char *end = text + bytes, **texts[] = {&s->provider, &s->name, &s->arguments};

	for (size_t i = 0; i < 3; i++) {
		size_t len = strnlen(text, end - text);

		if (len == (size_t)(end - text))
			return false;
		*texts[i] = text;
		text += len + 1;
	}
	return text == end && *s->name;
}

static int take_one(struct sites *s, const struct site_record *r, const char *texts)
{
	struct site site = {r->kind, r->offset, r->bytes, r->semaphore, NULL, NULL, NULL};
	char *copy;

	if (r->kind >= SITE_KINDS || s->all.nr >= MAX_SITES)
		return -EBADMSG;
	copy = malloc(r->text_bytes + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, texts, r->text_bytes);
	if (!split(&site, copy, r->text_bytes)) {
		free(copy);
		return -EBADMSG;
	}
	if (!vec_push(&s->all, site))
		return 0;
	free(copy);
	return -ENOMEM;
}

ssize_t sites_take(struct sites *s, const char *data, size_t bytes)
{
	struct site_record r;
	size_t taken = 0;

	while (bytes - taken >= sizeof(r)) {
		int err;

		memcpy(&r, data + taken, sizeof(r));
		if (r.text_bytes > MAX_TEXTS_BYTES)
			return -EBADMSG;
		if (r.text_bytes > bytes - taken - sizeof(r))
			break;
		err = take_one(s, &r, data + taken + sizeof(r));
		if (err)
			return err;
		taken += sizeof(r) + r.text_bytes;
	}
	return taken;
}

static int compare(const void *a, const void *b)
{
	const struct site *x = a, *y = b;
	int order = (int)x->kind - (int)y->kind;

	order = order ? order : strcmp(x->provider, y->provider);
	order = order ? order : strcmp(x->name, y->name);
	return order ? order : x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* A function is in two symbol tables; a USDT probe may be in several places, each of which has a note. */
static void sort(struct sites *s)
{
	size_t kept = 0;

	if (s->all.nr)
		qsort(s->all.v, s->all.nr, sizeof(*s->all.v), compare);
	for (size_t i = 0; i < s->all.nr; i++) {
		if (kept && !compare(&s->all.v[kept - 1], &s->all.v[i]))
			free(s->all.v[i].provider);
		else
			s->all.v[kept++] = s->all.v[i];
	}
	s->all.nr = kept;
}

static int read_confined(void *arg, int out)
{
	const struct reading *r = arg;

	return sites_write(r->c->fd, r->c->path, out);
}

static ssize_t take(void *arg, const char *data, size_t bytes)
{
	struct reading *r = arg;

	return sites_take(r->sites, data, bytes);
}

int sites_read(struct sites *ret, int fd, const char *path)
{
	struct reading r = {.sites = ret};
	struct confined c = {.fd = fd, .path = path, .arg = &r, .read = read_confined, .take = take};
	int err;

	r.c = &c;
	err = confined_run(&c);
	sort(ret);
	return err == -EBADMSG ? -ENOEXEC : err;
}

bool sites_match(const struct site *s, enum site_kind kind, const char *provider, const char *name)
{
	return s->kind == kind && (kind != SITE_USDT || !fnmatch(provider, s->provider, 0)) &&
	       !fnmatch(name, s->name, 0);
}

void sites_done(struct sites *s)
{
	for (size_t i = 0; i < s->all.nr; i++)
		free(s->all.v[i].provider);
	vec_done(&s->all);
}
