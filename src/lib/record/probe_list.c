/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk_probes_list(): what a file has that can be probed. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "lib/error.h"
#include "lib/record/probe_arguments.h"
#include "lib/record/probe_file.h"
#include "lib/symbols/sites.h"

struct dusk_probes {
	struct vec(char *) names, fields;
};

/* "uprobe:FILE:FUNCTION" or "usdt:FILE:PROVIDER:PROBE", taken apart; parts may be missing. */
struct pattern {
	bool usdt;
	char kind[16], file[PROBE_TEXT_BYTES], first[PROBE_NAME_BYTES], second[PROBE_NAME_BYTES];
};

static int parse(struct pattern *p, const char *text)
{
	*p = (struct pattern){.first = "*", .second = "*"};
	if (sscanf(text, "%15[^:]:%1023[^:]:%511[^:]:%511[^:]", p->kind, p->file, p->first, p->second) < 2)
		return -EINVAL;
	p->usdt = !strcmp(p->kind, "usdt");
	return p->usdt || !strcmp(p->kind, "uprobe") || !strcmp(p->kind, "uretprobe") ? 0 : -EINVAL;
}

static bool matches(const struct pattern *p, const struct site *s)
{
	return sites_match(s, p->usdt ? SITE_USDT : SITE_FUNCTION, p->first, p->usdt ? p->second : p->first);
}

/* The arguments of a USDT probe: "arg1:s64 arg2:u32". */
static char *fields_of(const struct site *s)
{
	char text[PROBE_DEFINITION_BYTES] = "", fetch[512], type[8];
	size_t len = 0;
	int err = 0;

	for (unsigned int n = 1; s->kind == SITE_USDT && err != -ENOENT && len < sizeof(text) - 64; n++) {
		err = usdt_argument(fetch, sizeof(fetch), type, s->arguments, n);
		if (err != -ENOENT)
			len += snprintf(text + len, sizeof(text) - len, "%sarg%u:%s", len ? " " : "", n,
					err ? "?" : type);
	}
	return strdup(text);
}

static int add(struct dusk_probes *p, const struct pattern *pattern, const struct site *s)
{
	char *name = NULL, *fields = fields_of(s);

	if (asprintf(&name, "%s:%s:%s%s%s", pattern->kind, pattern->file, s->provider, *s->provider ? ":" : "",
		     s->name) < 0)
		name = NULL;
	if (name && fields && !vec_push(&p->names, name)) {
		if (!vec_push(&p->fields, fields))
			return 0;
		p->names.nr--;
	}
	free(name);
	free(fields);
	return -ENOMEM;
}

static int read_file(struct sites *sites, const char *file, struct dusk_error *err)
{
	_cleanup_(freep) char *path = NULL;
	_cleanup_(closep) int fd = -1;
	int ret = probe_file_find(&path, file, err);

	if (ret == -ENOENT || ret == -ENOEXEC)
		return ret;
	fd = ret ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error_set(err, ret ?: -errno, "cannot read %s: %s", file, strerror(ret ? -ret : errno));
	ret = sites_read(sites, fd, path);
	return ret ? error_set(err, ret, "the symbols of %s cannot be read: %s", path, strerror(-ret)) : 0;
}

int dusk_probes_list(struct dusk_probes **ret, const char *pattern, struct dusk_error *err)
{
	struct dusk_probes *p;
	struct sites sites = {0};
	struct pattern parts;
	int error;

	if (parse(&parts, pattern))
		return error_set(err, -EINVAL,
				 "%s: what a file has is listed by uprobe:FILE:FUNCTION or "
				 "usdt:FILE:PROVIDER:PROBE, as uprobe:libc:*alloc*",
				 pattern);
	p = calloc(1, sizeof(*p));
	if (!p)
		return error_set(err, -ENOMEM, "out of memory");
	error = read_file(&sites, parts.file, err);
	for (size_t i = 0; !error && i < sites.all.nr; i++) {
		const struct site *s = &sites.all.v[i];
		bool again = i && s[-1].kind == s->kind && !strcmp(s[-1].provider, s->provider) &&
			     !strcmp(s[-1].name, s->name); /* several places, or functions of one name */

		if (!again && matches(&parts, s) && add(p, &parts, s))
			error = error_set(err, -ENOMEM, "out of memory");
	}
	sites_done(&sites);
	if (error)
		dusk_probes_free(p);
	else
		*ret = p;
	return error;
}

size_t dusk_probes_nr(const struct dusk_probes *p)
{
	return p->names.nr;
}

const char *dusk_probes_name(const struct dusk_probes *p, size_t i)
{
	return i < p->names.nr ? p->names.v[i] : NULL;
}

const char *dusk_probes_fields(const struct dusk_probes *p, size_t i)
{
	return i < p->fields.nr ? p->fields.v[i] : NULL;
}

void dusk_probes_free(struct dusk_probes *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->names.nr; i++) {
		free(p->names.v[i]);
		free(p->fields.v[i]);
	}
	vec_done(&p->names);
	vec_done(&p->fields);
	free(p);
}
