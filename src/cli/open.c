/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where does a command get its profile, with names? See open.h. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/clock.h"
#include "cli/fetch.h"
#include "cli/open.h"

#define PATIENCE_S 0.5	/* what is quicker needs no progress */

void progress_begin(struct progress *p, bool quiet)
{
	*p = (struct progress){.quiet = quiet || !isatty(STDERR_FILENO), .start_s = now_s()};
}

int progress_step(void *progress, uint32_t done, uint32_t total)
{
	struct progress *p = progress;

	if (p->stops && *p->stops >= p->max)
		return -ECANCELED;
	if (!p->quiet && now_s() > p->start_s + PATIENCE_S) {
		fprintf(stderr, "\rdusk: looking up functions: %u %%\033[K", total ? (unsigned int)(100.0 * done / total) : 0);
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

static bool has_servers(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls;
}

int open_profile(struct dusk_profile **ret, const char *path, bool symbols, bool inlined)
{
	char cache[PATH_MAX];
	struct dusk_profile *p;
	struct dusk_error err = {""};

	if (dusk_profile_read(&p, path, &err)) {
		say("%s", err.text);
		return STATUS_FAILED;
	}
	if (symbols && dusk_profile_needs_names(p)) {
		struct progress progress;
		struct dusk_symbol_options o = {
			.sz = sizeof(o), .progress = progress_step, .ctx = &progress, .no_lines = !inlined, .no_servers = true,
		};
		int failed;

		if (!dusk_cache_folder(cache, sizeof(cache)))
			o.cache = cache;
		progress_begin(&progress, false);
		failed = dusk_profile_symbolize(p, &o, &err);
		progress_end(&progress);
		if (failed)
			say("%s; names are missing", err.text);
		else if (*err.text)
			say("%s", err.text);
		if (!failed && has_servers() && dusk_profile_needs_names(p)) {
			say("asking the servers in $DEBUGINFOD_URLS for more names, in the background: the next command has them");
			fetch_names(path, inlined);
		}
	}
	if (inlined && dusk_profile_unfold(p)) {
		dusk_profile_free(p);
		say("%s is too large for this machine's memory: --no-inline needs less", path);
		return STATUS_FAILED;
	}
	*ret = p;
	return STATUS_OK;
}
