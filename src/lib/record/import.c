/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Make a profile of what perf recorded: its events, its origin, the names of its functions, and what could not be
 * imported. import_records.c imports the records.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "abi/offcpu.h"
#include "base/cleanup.h"
#include "lib/options.h"
#include "lib/record/import.h"
#include "lib/record/import_boot.h"
#include "lib/unwinder/probe.h"
#include "lib/process/procfs.h"

#define OFF_CPU_EVENT "offcpu-time"

/* As in linux/perf_event.h. */
#define TYPE_HARDWARE 0
#define TYPE_SOFTWARE 1
#define CPU_CLOCK 0
#define TASK_CLOCK 1

static bool is_clock(const struct perfdata_event *e)
{
	return e->type == TYPE_SOFTWARE && (e->config == CPU_CLOCK || e->config == TASK_CLOCK);
}

static bool is_off_cpu(const struct perfdata_event *e)
{
	return !strcmp(e->name, OFF_CPU_EVENT);
}

/* Do both count the same thing, even if on different kinds of CPUs? */
static bool same_kind(const struct perfdata_event *a, const struct perfdata_event *b)
{
	uint64_t mask = a->type == TYPE_HARDWARE ? UINT32_MAX : UINT64_MAX;

	return a->type == b->type && (a->config & mask) == (b->config & mask);
}

/*
 * Return the event with samples that are ticks: the one called @name, or the first that has samples. NULL: there is
 * none.
 */
static const struct perfdata_event *main_event(const struct perfdata *d, const char *name)
{
	const struct perfdata_event *first = NULL;

	for (uint32_t i = 0; i < d->nr_events; i++) {
		const struct perfdata_event *e = &d->events[i];

		if (is_off_cpu(e) || (name && strcmp(e->name, name)))
			continue;
		if (name || (e->samples && !first))
			first = first ?: e;
	}
	return first;
}

static struct import_use use_of(const struct perfdata_event *e, const struct perfdata_event *ticks, bool by_name)
{
	if (is_off_cpu(e))
		return (struct import_use){.as = IMPORT_OFFCPU, .in_ns = true};
	if (!ticks || (by_name ? strcmp(e->name, ticks->name) != 0 : !same_kind(e, ticks)))
		return (struct import_use){.as = IMPORT_LEFT_OUT};
	return (struct import_use){
		.as = IMPORT_TICKS,
		.in_ns = is_clock(e),
		.each_ns = e->is_frequency && e->period ? 1000000000 / e->period : 0,
	};
}

static void set_kernel(struct import *im)
{
	const struct perfdata *d = im->data;
	char text[32], boot_id[37];
	uint64_t start = import_kernel_text(d);

	if (im->same_boot && !probe_boot_id(boot_id))
		profile_set(im->writer, "boot_id", boot_id);
	if (im->same_boot)
		probe_kernel_text(&start);
	if (!start)
		return;
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)start);
	profile_set(im->writer, "kernel_text", text);
}

static void set_rate(struct import *im, const struct perfdata_event *e)
{
	const struct import_use *use = &im->uses[e - im->data->events];

	profile_set(im->writer, "event", e->name);
	if (e->is_frequency)
		profile_set_u64(im->writer, "frequency_hz", e->period);
	im->period_ns = use->each_ns ?: e->period;
	profile_set_u64(im->writer, "period_ns", im->period_ns);
	profile_set(im->writer, "weights", use->in_ns ? "nanoseconds" : use->each_ns ? "scaled" : "counts");
}

static void set_origin(struct import *im, const char *from)
{
	const struct perfdata *d = im->data;
	char by[128];

	snprintf(by, sizeof(by), "perf %.100s", d->version);
	profile_set(im->writer, "version", dusk_version());
	profile_set(im->writer, "recorded_by", by);
	profile_set(im->writer, "imported_from", from);
	profile_set(im->writer, "command", d->command);
	profile_set(im->writer, "hostname", d->hostname);
	profile_set(im->writer, "kernel", d->kernel);
	profile_set(im->writer, "machine", d->machine);
	if (d->nr_cpus)
		profile_set_u64(im->writer, "cpus", d->nr_cpus);
	profile_set_u64(im->writer, "duration_ns", d->last_ns - d->first_ns);
}

static void write_counters(struct import *im)
{
	const struct perfdata *d = im->data;
	const struct {
		const char *name, *sentence;
		uint64_t value;
	} counters[] = {
		{"lost-samples", "what perf lost, for its buffer was full", im->lost},
		{"lost-deferred", "samples whose user stack was to follow, and did not", im->pending},
		{"refused-records", "records that make no sense", d->malformed},
		{"refused-samples", "samples of events that the file does not have, or of tasks that cannot be",
		 d->unnamed + im->refused},
		{"refused-maps", "maps that were too many to be followed", im->processes.refused},
		{"unknown-records", "records of kinds that are newer than this dusk", d->unknown},
		{"other-events", "samples of other events, which are not taken over", im->left_out},
		{"foreign-frames", "frames of guests and hypervisors, which are left out", im->foreign},
		{"unmapped-frames", "frames where the file has nothing mapped", im->unmapped},
		{"cut-bytes", "bytes at the end of the file that are not there, or are no records of perf's",
		 d->cut_bytes},
		{"unfinished", "perf was killed before it had written what the machine and the events are called",
		 d->unfinished},
		{"foreign-copies", "copied stacks of another architecture, which this dusk does not walk",
		 im->walk.foreign},
	};

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		profile_counter(im->writer, counters[i].name, counters[i].sentence, counters[i].value);
}

/* Note the build ids of files, by path. Returns 0 or -ENOMEM. */
static int know_build_ids(struct import *im)
{
	const struct perfdata *d = im->data;

	for (uint32_t i = 0; i < d->nr_build_ids; i++) {
		const struct perfdata_build_id *id = &d->build_ids[i];
		uint32_t number;
		bool fresh;

		if (id->kernel)
			continue;
		if (strings_number(&im->paths, id->path, strlen(id->path), &number, &fresh) ||
		    (fresh && vec_push(&im->build_ids, i)))
			return -ENOMEM;
	}
	return 0;
}

/* Prepare what the first record needs. */
static int prepare(struct import *im, const struct dusk_import_options *o, struct dusk_error *err)
{
	const struct perfdata *d = im->data;
	const struct perfdata_event *ticks = main_event(d, o->event);

	if (o->event && !ticks)
		return error_set(err, -ENOENT, "there is no event %s in it", o->event);
	im->uses = calloc(d->nr_events, sizeof(*im->uses));
	if (!im->uses || know_build_ids(im))
		return error_set(err, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < d->nr_events; i++)
		im->uses[i] = use_of(&d->events[i], ticks, o->event);
	im->same_boot = import_is_this_boot(d);
	return 0;
}

static int name(struct import *im, const struct dusk_import_options *o, struct dusk_error *err)
{
	struct dusk_symbol_options opts = {
		.sz = sizeof(opts), .progress = o->progress, .ctx = o->ctx, .no_servers = true};
	struct dusk_profile *p;
	char cache[PATH_MAX];
	int rc = profile_read_so_far(im->writer, &p, err), saved;

	if (rc)
		return rc;
	if (!dusk_cache_folder(cache, sizeof(cache)))
		opts.cache = cache;
	rc = dusk_profile_symbolize(p, &opts, err);
	/* Partial results are saved, too, and the text says so. */
	saved = !rc || rc == -ECANCELED ? profile_save_names(im->writer, p, rc ? NULL : err) : 0;
	dusk_profile_free(p);
	return rc == -ECANCELED ? saved : rc ?: saved;
}

static int stop_reading(void *ctx)
{
	const struct dusk_import_options *o = ctx;

	return o->progress ? o->progress(o->ctx, 0, 0) : 0;
}

/* Import all records, and what the file says beside them. After this the profile is complete, except for its names. */
static int take_records(struct import *im, const char *from, const struct dusk_import_options *o,
			struct dusk_error *err)
{
	const struct perfdata_event *ticks = main_event(im->data, o->event);
	char build_id[PERFDATA_BUILD_ID_TEXT];
	struct dusk_module kernel = {.kind = DUSK_MODULE_KERNEL, .path = "[kernel]", .build_id = build_id};
	int rc;

	snprintf(build_id, sizeof(build_id), "%s", im->data->kernel_build_id);
	if (im->same_boot)
		probe_kernel_build_id(build_id, sizeof(build_id));
	im->kernel = profile_module(im->writer, &kernel);
	im->stop = stop_reading;
	im->ctx = (void *)o;
	set_origin(im, from);
	set_kernel(im);
	if (ticks)
		set_rate(im, ticks);
	if (import_walk_begin(im))
		return error_set(err, -ENOMEM, "out of memory");
	rc = perfdata_read(im->data, import_record, im);
	rc = rc ?: import_end(im);
	if (rc == -ECANCELED)
		return error_set(err, rc, "stopped");
	if (rc)
		return error_set(err, rc, "%s", rc == -EINVAL ? "it changed while it was read" : strerror(-rc));
	write_counters(im);
	return profile_finish(im->writer, err);
}

static void import_release(struct import *im)
{
	import_done(im);
	profile_discard(im->writer);
	perfdata_free(im->data);
}

int dusk_import_perf(const char *from, const char *to, const struct dusk_import_options *given, struct dusk_error *err)
{
	struct dusk_import_options o;
	const struct dusk_import_options *opts = &o;
	_cleanup_(import_release) struct import im = {0};
	_cleanup_(closep) int fd = -1;
	struct dusk_error why = {""};
	int rc = options_take(&o, sizeof(o), given, "cannot import", err), named;

	if (rc)
		return rc;
	if (err)
		*err->text = 0;
	fd = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		fd = procfs_open_file(from);
	if (fd < 0)
		return error_set(err, fd, "cannot read %s: %s", from,
				 fd == -EINVAL ? "it is not a file" : strerror(-fd));
	rc = perfdata_open(&im.data, fd, from, err);
	if (rc)
		return rc;
	rc = prepare(&im, opts, &why);
	if (rc)
		return error_set(err, rc, "cannot import %s: %s", from, why.text);
	rc = profile_create(&im.writer, to, opts->owner_uid, opts->owner_gid, err);
	if (rc)
		return rc;
	rc = take_records(&im, from, opts, &why);
	if (rc)
		return error_set(err, rc, "cannot import %s: %s", from, why.text);
	named = name(&im, opts, err);
	rc = profile_close(steal(im.writer), false, named ? NULL : &why);
	if (rc)
		error_set(err, rc, "%s", why.text);
	return named ?: rc;
}
