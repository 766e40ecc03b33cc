/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/tracefs.h"
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/file.h"

#define PATH_ROOM 512
#define MAX_FORMAT_BYTES (1 << 20)
#define MAX_DEFINITIONS_BYTES (64 << 20)

const char *tracefs_folder(void)
{
	static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	const char *hidden = NULL;
	char path[PATH_ROOM];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/events", places[i]);
		if (!access(path, F_OK))
			return places[i];
		if (errno == EACCES && !hidden)
			hidden = places[i];
	}
	return hidden;
}

/* Split @name at its colon. It must have two parts, neither of which may lead out of its folder. */
static int split(const char *name, char group[TRACEFS_EVENT_BYTES], char event[TRACEFS_EVENT_BYTES])
{
	const char *colon = strchr(name, ':');

	if (!colon || colon == name || !colon[1] || strchr(colon + 1, ':') || strchr(name, '/') || *name == '.' ||
	    colon[1] == '.' || strlen(name) >= TRACEFS_EVENT_BYTES)
		return -EINVAL;
	snprintf(group, TRACEFS_EVENT_BYTES, "%.*s", (int)(colon - name), name);
	snprintf(event, TRACEFS_EVENT_BYTES, "%s", colon + 1);
	return 0;
}

/* Read the file @file of event @name. */
static int read_event(const char *name, const char *file, size_t max, char **ret, size_t *len)
{
	char group[TRACEFS_EVENT_BYTES], event[TRACEFS_EVENT_BYTES], path[PATH_ROOM];
	const char *folder = tracefs_folder();
	int err = split(name, group, event);

	if (err || !folder)
		return err ?: -ENODEV;
	snprintf(path, sizeof(path), "%s/events/%s/%s/%s", folder, group, event, file);
	return file_read(ret, len, path, max);
}

int tracefs_event(const char *name)
{
	_cleanup_(freep) char *text = NULL;
	char *end;
	size_t len;
	long id;
	int err = read_event(name, "id", 64, &text, &len);

	if (err)
		return err;
	id = strtol(text, &end, 10);
	return end != text && id > 0 && id <= INT32_MAX ? id : -EPROTO;
}

int tracefs_format(const char *name, char **ret, size_t *len)
{
	return read_event(name, "format", MAX_FORMAT_BYTES, ret, len);
}

/* Is the event of definition @line called @group/@event? Before that comes "p:", or "r16:". */
static bool defines(const char *line, const char *group, const char *event)
{
	const char *name = strchr(line, ':');
	size_t len = strlen(group);

	return name && !strncmp(name + 1, group, len) && name[len + 1] == '/' &&
	       strcspn(name + len + 2, " ") == strlen(event) && !strncmp(name + len + 2, event, strlen(event));
}

static int find_definition(const char *file, const char *group, const char *event, char **ret)
{
	_cleanup_(freep) char *text = NULL;
	char path[PATH_ROOM], *rest, *line;
	size_t len;
	int err;

	snprintf(path, sizeof(path), "%s/%s", tracefs_folder() ?: "", file);
	err = file_read(&text, &len, path, MAX_DEFINITIONS_BYTES);
	if (err)
		return err;
	rest = text;
	while ((line = strsep(&rest, "\n")))
		if (defines(line, group, event))
			return (*ret = strdup(line)) ? 0 : -ENOMEM;
	return -ENOENT;
}

int tracefs_definition(const char *name, char **ret)
{
	static const char *const files[] = {"dynamic_events", "uprobe_events", "kprobe_events"};
	char group[TRACEFS_EVENT_BYTES], event[TRACEFS_EVENT_BYTES];
	int err = split(name, group, event);

	for (size_t i = 0; !err && i < sizeof(files) / sizeof(files[0]); i++) {
		err = find_definition(files[i], group, event, ret);
		if (err != -ENOENT)
			return err;
		err = 0;
	}
	return err ?: -ENOENT;
}

void tracefs_names_done(struct tracefs_names *n)
{
	for (size_t i = 0; i < n->nr; i++)
		free(n->v[i]);
	vec_done(n);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add(struct tracefs_names *ret, const char *group, const char *event)
{
	char *name = NULL;

	if (asprintf(&name, "%s:%s", group, event) < 0)
		return -ENOMEM;
	if (tracefs_event(name) < 0) { /* no event, or one without a number (ftrace:print on some kernels) */
		free(name);
		return 0;
	}
	if (vec_push(ret, name)) {
		free(name);
		return -ENOMEM;
	}
	return 1;
}

/* Add the events in the folder of @group that match @pattern. */
static int expand_group(struct tracefs_names *ret, const char *folder, const char *group, const char *pattern)
{
	_cleanup_(closedirp) DIR *d = NULL;
	char path[PATH_ROOM];
	struct dirent *e;
	int nr = 0, err;

	snprintf(path, sizeof(path), "%s/events/%s", folder, group);
	d = opendir(path);
	if (!d)
		return errno == ENOTDIR || errno == ENOENT ? 0 : -errno;
	while ((e = readdir(d))) {
		if (fnmatch(pattern, e->d_name, FNM_PERIOD))
			continue;
		err = add(ret, group, e->d_name);
		if (err < 0)
			return err;
		nr += err;
	}
	return nr;
}

int tracefs_expand(struct tracefs_names *ret, const char *pattern)
{
	char group[TRACEFS_EVENT_BYTES], event[TRACEFS_EVENT_BYTES], path[PATH_ROOM];
	const char *folder = tracefs_folder();
	_cleanup_(closedirp) DIR *d = NULL;
	size_t before = ret->nr;
	struct dirent *e;
	int nr = 0, err = split(pattern, group, event);

	if (err || !folder)
		return err ?: -ENODEV;
	snprintf(path, sizeof(path), "%s/events", folder);
	d = opendir(path);
	if (!d)
		return -errno;
	while (nr >= 0 && (e = readdir(d))) {
		if (fnmatch(group, e->d_name, FNM_PERIOD))
			continue;
		err = expand_group(ret, folder, e->d_name, event);
		nr = err < 0 ? err : nr + err;
	}
	if (nr > 0)
		qsort(ret->v + before, nr, sizeof(*ret->v), by_name);
	return nr ?: -ENOENT;
}
