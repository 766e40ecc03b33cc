/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Positions of those who send a store. See sent.h. */
#include "cli/cmdline/sent.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "base/store_name.h"
#include "base/suffix.h"
#include "cli/cmdline/command.h"
#include "cli/cmdline/output.h"

#define MAX_POSITION_BYTES 4096

/* The value of the line "KEY VALUE" in @text; "": there is none. */
static const char *value_of(char ret[NAME_MAX + 1], const char *text, const char *key)
{
	size_t len = strlen(key);

	*ret = 0;
	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, key, len) || text[len] != ' ')
			continue;
		snprintf(ret, NAME_MAX + 1, "%.*s", (int)strcspn(text + len + 1, "\n"), text + len + 1);
		break;
	}
	return ret;
}

/* Call @visit with the text of each position in @store that was written at @oldest_s or later. Returns 0 or a negative errno. */
static int each_position(const char *store, time_t oldest_s, void (*visit)(const char *text, void *ctx), void *ctx)
{
	DIR *dir = opendir(store);
	struct dirent *d;
	struct stat st;

	if (!dir)
		return -errno;
	while ((d = readdir(dir))) {
		_cleanup_(freep) char *text = NULL;
		char path[PATH_MAX];
		size_t len;

		if (!strncmp(d->d_name, STORE_POSITION, strlen(STORE_POSITION)) && !has_suffix(d->d_name, ".new") &&
		    snprintf(path, sizeof(path), "%s/%s", store, d->d_name) < PATH_MAX && !stat(path, &st) &&
		    st.st_mtime >= oldest_s && !file_read(&text, &len, path, MAX_POSITION_BYTES) &&
		    !strncmp(text, "profile ", 8))
			visit(text, ctx);
	}
	closedir(dir);
	return 0;
}

struct first {
	char *name;
	size_t room;
};

static void note_first(const char *text, void *ctx)
{
	struct first *f = ctx;
	char profile[NAME_MAX + 1];

	value_of(profile, text, "profile");
	if (!*f->name || strcmp(profile, f->name) < 0)
		snprintf(f->name, f->room, "%s", profile);
}

void sent_first_open(char *ret, size_t room, const char *store, time_t oldest_s)
{
	struct first f = {ret, room};

	*ret = 0;
	each_position(store, oldest_s, note_first, &f);
}

struct printed {
	FILE *out;
	size_t nr; /* positions */
};

static void print(const char *text, void *ctx)
{
	char place[NAME_MAX + 1], profile[NAME_MAX + 1], sent[NAME_MAX + 1], refused[NAME_MAX + 1], lost[NAME_MAX + 1];
	struct printed *p = ctx;

	if (!p->nr++)
		fprintf(p->out, "%-56s %-22s %12s %12s %13s\n", "place", "profile", "sent", "refused", "lost-profiles");
	fprintf(p->out, "%-56s %-22s %12s %12s %13s\n", value_of(place, text, "place"),
		value_of(profile, text, "profile"), value_of(sent, text, "sent"), value_of(refused, text, "refused"),
		value_of(lost, text, "lost-profiles"));
}

int sent_print(const char *store)
{
	struct output out;
	struct printed p = {.nr = 0};
	int status = output_open(&out, NULL, true), err;

	if (status)
		return status;
	p.out = out.file;
	err = each_position(store, 0, print, &p);
	if (err)
		say("cannot read the store %s: %s", store, strerror(-err));
	else if (!p.nr)
		say("nothing of %s was sent anywhere", store);
	if (output_close(&out, 0) || err)
		return STATUS_FAILED;
	return p.nr ? STATUS_OK : STATUS_NOTHING;
}
