/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk import: make a profile from a recording of perf. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"
#include "cli/view/load_profile.h"
#include "cli/cmdline/stop.h"
#include "report/show/show.h"

struct options {
	const char *output, *event;
	bool quiet;
};

static const struct option options[] = {
	{'o', "output", OPTION_TEXT, offsetof(struct options, output), "FILE",
	 "the profile (default " DEFAULT_PROFILE ")"},
	{'e', "event", OPTION_TEXT, offsetof(struct options, event), "NAME",
	 "samples of this event (default: the first one)"},
	{'q', "quiet", OPTION_FLAG, offsetof(struct options, quiet), NULL, "print nothing but errors"},
	{0},
};

/* Also called while records are read, with @total 0: there is no progress to show yet. */
static int step(void *ctx, uint32_t done, uint32_t total)
{
	if (!total)
		return stop_count ? -ECANCELED : 0;
	return progress_step(ctx, done, total);
}

/* Print the counters of what the import left out or could not take over in full. */
static void say_counters(const struct dusk_profile *p)
{
	for (uint32_t i = 0; i < p->nr_counters; i++)
		if (p->counters[i].value)
			say("  %9" PRIu64 "  %s: %s", p->counters[i].value, p->counters[i].name,
			    p->counters[i].sentence);
}

/* Say that the weights of samples are counts of another event, not times. */
static void say_weights(const struct dusk_profile *p, const char *event)
{
	const char *weights = dusk_profile_setting(p, "weights");

	if (weights && !strcmp(weights, "counts"))
		say("weights are counts of %s, which views show as nanoseconds", event);
}

static void say_all(const char *path)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	struct dusk_error err = {""};
	uint64_t intervals = 0;
	const char *event;

	if (dusk_profile_read(&p, path, &err)) {
		say("%s", err.text);
		return;
	}
	for (uint64_t i = 0; i < p->nr_samples; i++)
		intervals += p->samples[i].source == DUSK_OFF_CPU;
	event = dusk_profile_setting(p, "event");
	say("%" PRIu64 " samples of %s, %" PRIu64 " off-CPU intervals, %.1f KiB", p->nr_samples - intervals,
	    event ? event : "no event", intervals, p->bytes / 1024.0);
	say_counters(p);
	say_weights(p, event);
	if (strcmp(path, DEFAULT_PROFILE))
		say("wrote %s; next: dusk report -i %s, or dusk flame -i %s", path, path, path);
	else
		say("wrote %s; next: dusk report, or dusk flame", path);
}

static int import(const struct options *o, const char *from)
{
	struct dusk_error err = {""};
	struct progress progress;
	struct dusk_import_options opts = {
		.sz = sizeof(opts),
		.event = o->event,
		.progress = step,
		.ctx = &progress,
		.owner_uid = sudo_id("SUDO_UID"),
		.owner_gid = sudo_id("SUDO_GID"),
	};
	int error;

	stop_catch();
	progress_begin(&progress, o->quiet);
	progress.stops = &stop_count;
	progress.max = 1;
	error = dusk_import_perf(from, o->output, &opts, &err);
	progress_end(&progress);
	if (error || (*err.text && !o->quiet))
		say("%s", err.text); /* without an error: some names are missing */
	if (error)
		return error == -ECANCELED && stop_signal ? 128 + stop_signal : STATUS_FAILED;
	if (!o->quiet)
		say_all(o->output);
	return STATUS_OK;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.output = DEFAULT_PROFILE};
	const char *from = "perf.data";
	size_t nr;
	int status;

	if (!command_words(self, argc, argv, &o, &from, 1, &nr, &status))
		return status;
	if (!strcmp(o.output, "-"))
		return say_usage(self, "a profile is a database and needs a file; -o - cannot work");
	return import(&o, from);
}

const struct command cmd_import = {
	.name = "import",
	.summary = "A profile of what perf recorded",
	.arguments = "[options] [FILE]",
	.notes = "FILE is a perf.data (the default) that perf record has written.\n",
	.options = options,
	.run = run,
};
