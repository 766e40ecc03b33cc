/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read profiles and look up their functions. See load_profile.h. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "cli/view/fetch_symbols.h"
#include "cli/view/load_profile.h"
#include "cli/view/store.h"

#define PATIENCE_S 0.5 /* progress is shown only after this time */

void progress_begin(struct progress *p, bool quiet)
{
	*p = (struct progress){.quiet = quiet || !isatty(STDERR_FILENO), .start_s = now_s()};
}

int progress_step(void *progress, uint32_t done, uint32_t total)
{
	struct progress *p = progress;

	if (p->stops && *p->stops >= p->max)
		return -ECANCELED;
	if (p->stopped_ns && *p->stopped_ns && now_ns() > *p->stopped_ns + p->patience_ns)
		return -ECANCELED;
	if (!p->quiet && now_s() > p->start_s + PATIENCE_S) {
		fprintf(stderr, "\rdusk: looking up functions: %u %%\033[K",
			total ? (unsigned int)(100.0 * done / total) : 0);
		p->shown = true;
	}
	return 0;
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}

/* If the user configured servers, ask them for missing names, or say why that is impossible. */
static void ask_servers(const struct dusk_profile *p, const char *path, bool inlined)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (!urls || !*urls || !dusk_profile_needs_names(p))
		return;
	if (!dusk_can_ask_servers()) {
		say("this dusk is static and cannot ask the servers in $DEBUGINFOD_URLS for more names; one that is "
		    "built with "
		    "shared libraries can, on any machine that has the profile");
		return;
	}
	say("asking the servers in $DEBUGINFOD_URLS for more names, in the background: the next command has them");
	fetch_names(path, inlined);
}

/* Report a recording that is newer than the profile of its name: it is still running, or was killed. */
static void note_newer(const char *path)
{
	struct stat profile, folder;
	char name[PATH_MAX];

	if (snprintf(name, sizeof(name), "%s.recording", path) < (int)sizeof(name) && !stat(path, &profile) &&
	    S_ISREG(profile.st_mode) && !lstat(name, &folder) && S_ISDIR(folder.st_mode) &&
	    (folder.st_uid == profile.st_uid || folder.st_uid == geteuid()))
		say("%s is newer than %s: a recording that goes on, or was killed; -i %s shows it, dusk recover -i %s "
		    "makes it a "
		    "profile",
		    name, path, name, path);
}

struct names {
	bool wanted, inlined;
	bool of_store; /* names that its recorders did not find are not looked for again: there are many profiles */
};

/* Look up the names that @p, at @path, lacks; NULL: it cannot be read. @ctx: which names. */
static int complete(struct dusk_profile *p, const char *path, void *ctx)
{
	const struct names *names = ctx;
	char cache[PATH_MAX];
	struct dusk_error err = {""};
	struct progress progress;
	struct dusk_symbol_options o = {
		.sz = sizeof(o),
		.progress = progress_step,
		.ctx = &progress,
		.no_lines = !names->inlined,
		.no_servers = true,
	};
	int failed;

	note_newer(path);
	if (!p || !names->wanted || (names->of_store && p->symbolized) || !dusk_profile_needs_names(p))
		return STATUS_OK;
	if (!dusk_cache_folder(cache, sizeof(cache)))
		o.cache = cache;
	progress_begin(&progress, false);
	failed = dusk_profile_symbolize(p, &o, &err);
	progress_end(&progress);
	if (failed)
		say("%s; names are missing", err.text);
	else if (*err.text)
		say("%s", err.text);
	if (!failed)
		ask_servers(p, path, names->inlined);
	return STATUS_OK;
}

/* Read a profile of its own. */
static int open_one(struct dusk_profile **ret, const char *path, struct names *names)
{
	struct dusk_error err = {""};
	int failed = dusk_profile_read(ret, path, &err);

	if (!failed)
		return complete(*ret, path, names);
	note_newer(path);
	say("%s%s", err.text,
	    failed == -ENOENT && !strcmp(path, DEFAULT_PROFILE) ? "; dusk record makes it, -i names another one" : "");
	return STATUS_FAILED;
}

int open_profile_for(struct dusk_profile **ret, const char *path, bool symbols, bool inlined, const struct needs *needs)
{
	struct names names = {symbols, inlined, store_is_meant(path)};
	struct dusk_profile *p;

	int status = store_is_meant(path) ? store_open(&p, path, needs, complete, &names) : open_one(&p, path, &names);

	if (status)
		return status;
	if (inlined && dusk_profile_unfold(p)) {
		dusk_profile_free(p);
		say("%s is too large for this machine's memory: --no-inline needs less", path);
		return STATUS_FAILED;
	}
	*ret = p;
	return STATUS_OK;
}

int open_profile(struct dusk_profile **ret, const char *path, bool symbols, bool inlined)
{
	return open_profile_for(ret, path, symbols, inlined, NULL);
}
