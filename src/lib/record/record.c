/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A recording: set up, poll, and end with a complete profile. */
#include <dusk/dusk.h>
#include <errno.h>
#include <limits.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "abi/config.h"
#include "abi/outcome.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "lib/profile/file/abi_names.h"
#include "lib/error.h"
#include "lib/options.h"
#include "lib/record/allowance.h"
#include "lib/record/join.h"
#include "lib/record/kernel_watch.h"
#include "lib/record/mode.h"
#include "lib/record/module_fds.h"
#include "lib/record/modules.h"
#include "lib/unwinder/probe.h"
#include "lib/profile/file/schema.h"
#include "lib/profile/write/write.h"
#include "lib/record/stacks.h"
#include "lib/record/titles.h"
#include "lib/record/wanted.h"
#include "lib/symbols/recorded.h"

#define NS_A_S 1000000000ULL
#define COMMIT_NS NS_A_S
#define LOOK_NS 1000000ULL	   /* of CPU time for the files of a process or a module, at the most */
#define MIN_WINDOW_NS 100000000ULL /* about as often as a recorder looks */

/* Of the limit of CPU time: what is not touched for the files of JITs, and for titles of processes. */
#define JITS_RESERVE 0.5
#define TITLES_RESERVE 0.25

/* A row for each mode, by enum dusk_record_mode. */
static const struct mode *const modes[] = {
	[DUSK_MODE_FULL] = &mode_full,
	[DUSK_MODE_COPIED] = &mode_copied,
	[DUSK_MODE_PTRACE] = &mode_ptrace,
};
#define NR_MODES (sizeof(modes) / sizeof(modes[0]))

struct dusk_record {
	const struct mode *mode;
	void *of_mode; /* what its new() has made */
	struct join join;
	struct titles titles;
	struct jits *jits;
	struct allowance allowance;
	double max_cpu; /* of all CPUs; 0: no limit */
	struct kernel_watch kernel;
	bool started; /* there may be something in the profile */
	bool windows; /* it is committed when one is over */
	const volatile int *memory_limit;
	uint64_t nr_stacks; /* when recording was over */
	uint64_t committed_ns;
};

int mode_go_on(const struct dusk_record_options *o, int stops_before, struct dusk_error *err)
{
	if (!o->stops || *o->stops == stops_before)
		return 0;
	return error_set(err, -EINTR, "stopped before anything was recorded");
}

/*
 * The recording began @ago_ns before. Written when it is set up, with its tables, so that it is there in any case, and again when it has
 * begun.
 */
static void write_start_time(struct profile_writer *w, uint64_t ago_ns)
{
	struct timespec now;
	uint64_t start_ns;
	time_t start_s;
	char when[32];
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &now);
	start_ns = now.tv_sec * NS_A_S + now.tv_nsec - ago_ns;
	start_s = start_ns / NS_A_S;
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&start_s, &tm));
	profile_set(w, "start_time", when);
	profile_set_u64(w, "start_realtime_ns", start_ns);
}

static void write_settings(struct dusk_record *r, const struct dusk_record_options *o)
{
	struct profile_writer *w = r->join.writer;
	uint32_t hz = mode_hz(r->mode, o);
	char boot_id[37] = "", where[32];
	uint64_t text;
	struct utsname u;

	uname(&u);
	probe_boot_id(boot_id);
	if (!probe_kernel_text(&text)) {
		snprintf(where, sizeof(where), "0x%" PRIx64, text);
		profile_set(w, "kernel_text", where);
	}
	profile_set(w, "version", dusk_version());
	profile_set(w, "command", o->command ? o->command : "");
	profile_set(w, "hostname", u.nodename);
	profile_set(w, "kernel", u.release);
	profile_set(w, "machine", u.machine);
	profile_set(w, "boot_id", boot_id);
	profile_set(w, "event", dusk_record_event(r));
	write_start_time(w, 0);
	profile_set(w, "mode", r->mode->name);
	r->mode->settings(r->of_mode);
	profile_set(w, "scope",
		    o->nr_pids || o->nr_tids	      ? "tasks"
		    : o->cgroup || wanted_by_label(o) ? "cgroup"
		    : o->only_user		      ? "user"
						      : "machine");
	profile_set_u64(w, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	profile_set_u64(w, "frequency_hz", hz);
	profile_set_u64(w, "period_ns", 1000000000ULL / hz);
	if (o->window_ns) {
		profile_set_u64(w, "window_ns", o->window_ns);
		profile_sum_windows(w, o->window_ns);
	}
}

/* Prepare everything, the file last: a recording that cannot start leaves none behind. */
static int prepare(struct dusk_record *r, const struct dusk_record_options *o, struct dusk_error *err)
{
	int stops_before = o->stops ? *o->stops : 0, ret;

	ret = r->mode->new(&r->of_mode, &r->join, o, stops_before, err);
	if (!ret)
		ret = mode_go_on(o, stops_before, err);
	if (!ret)
		ret = profile_create(&r->join.writer, o->path, o->owner_uid, o->owner_gid, err);
	return ret;
}

static int furnish(struct dusk_record *r)
{
	r->join.modules = modules_new(r->join.writer, r->jits);
	return r->join.modules ? r->mode->furnish(r->of_mode) : -ENOMEM;
}

int dusk_record_new(struct dusk_record **ret, const struct dusk_record_options *given, struct dusk_error *err)
{
	struct dusk_record_options o;
	const struct dusk_record_options *opts = &o;
	struct dusk_record *r;
	int e = options_take(&o, sizeof(o), given, "cannot record", err);

	if (e)
		return e;
	if (!opts->path || opts->max_depth > MAX_DEPTH || (size_t)opts->mode >= NR_MODES ||
	    !(opts->sources & DUSK_RECORD_EVENTS) != !opts->nr_events || (opts->cgroup && wanted_by_label(opts)) ||
	    (opts->window_ns && (opts->window_ns < MIN_WINDOW_NS || opts->window_ns > PROFILE_MAX_NS)))
		return error_set(err, -EINVAL, "cannot record: options out of range");
	if (err)
		*err->text = 0;
	r = calloc(1, sizeof(*r));
	if (!r)
		return error_complete(err, -ENOMEM, "cannot record");
	r->mode = modes[opts->mode];
	r->windows = opts->window_ns;
	r->memory_limit = opts->memory_limit;
	r->max_cpu = opts->max_cpu;
	titles_begin(&r->titles);
	r->join.titles = &r->titles;
	module_fds_raise_limit();
	r->jits = jits_new(module_fds_end());
	e = r->jits ? prepare(r, opts, err) : -ENOMEM;
	if (!e) {
		e = furnish(r);
		write_settings(r, opts);
		if (!e)
			e = profile_commit(r->join.writer, err);
	}
	if (e) {
		dusk_record_free(r);
		return error_complete(err, e, "cannot record");
	}
	*ret = r;
	return 0;
}

/* CPU time of the recorder with its children: those that have ended, and those that it asks. */
static uint64_t used_ns(const struct dusk_record *r)
{
	return cpu_used_ns() + r->titles.child.used_ns + jits_used_ns(r->jits);
}

/*
 * Names of processes, and files of modules and of JITs, are what a recorder can leave out when it takes too much CPU time: first the files of
 * JITs, as each costs most and few processes have some.
 */
static void allow(struct dusk_record *r, uint64_t now)
{
	uint64_t used = used_ns(r);

	jits_allow(r->jits, allowance_left(&r->allowance, JITS_RESERVE, used, now) / LOOK_NS);
	r->titles.held = !allowance_left(&r->allowance, TITLES_RESERVE, used, now);
	modules_allow(r->join.modules, allowance_left(&r->allowance, 0, used, now) / LOOK_NS);
}

int dusk_record_start(struct dusk_record *r, struct dusk_error *err)
{
	int ret;

	r->started = true;
	kernel_watch_begin(&r->kernel);
	ret = r->mode->start(r->of_mode, err);
	r->committed_ns = r->join.start_ns;
	profile_set_u64(r->join.writer, "start_monotonic_ns", r->join.start_ns);
	write_start_time(r->join.writer, now_ns() - r->join.start_ns);
	allowance_begin(&r->allowance, r->max_cpu, sysconf(_SC_NPROCESSORS_ONLN), used_ns(r), now_ns());
	return error_complete(err, ret, "cannot begin to record");
}

static struct cgroups *of_process(struct dusk_record *r)
{
	return r->mode->knows_cgroups ? NULL : &r->join.cgroups;
}

static int follow_processes(struct dusk_record *r)
{
	return titles_follow(&r->titles, r->join.writer, of_process(r));
}

static void count_left_out(struct dusk_record *r)
{
	struct profile_writer *w = r->join.writer;

	if (!r->max_cpu)
		return;
	profile_count(w, "lost-jit-looks",
		      "looks for jitdumps and perf maps left out, or done later: the limit of CPU time was reached",
		      jits_left_out(r->jits));
	profile_count(w, "lost-titles",
		      "processes whose title was read late, or not at all as they had ended: the limit of CPU time was "
		      "reached",
		      titles_late(&r->titles));
	profile_count(w, "lost-module-files",
		      "files of modules not kept open for their names: the limit of CPU time was reached",
		      modules_left_out(r->join.modules));
}

/* Write what has been counted up to @time_ns of the recording. */
static void count(struct dusk_record *r, uint64_t time_ns)
{
	r->mode->count(r->of_mode);
	profile_count(r->join.writer, "recorder-cpu-ns",
		      "CPU time of the recorder itself with its children, but not in the kernel's side", used_ns(r));
	profile_count(r->join.writer, "titles-full",
		      "processes without a title and its labels: there were too many of their user's, or of all",
		      r->titles.refused);
	profile_count(r->join.writer, "lost-kernel-code",
		      "BPF programs whose coming or going is not known, and perhaps not their name: a ring was full",
		      r->kernel.nr_lost);
	count_left_out(r);
	if (r->memory_limit && *r->memory_limit) {
		profile_count(r->join.writer, "memory-limit",
			      "recordings that ended early: their limit of memory was reached", 1);
		profile_set(r->join.writer, "ended_by", "the limit of memory");
	}
	profile_set_u64(r->join.writer, "duration_ns", time_ns);
}

int dusk_record_poll(struct dusk_record *r, int timeout_ms, struct dusk_error *err)
{
	uint64_t now = now_ns();
	bool is_over;
	int ret;

	allow(r, now);
	ret = r->mode->poll(r->of_mode, timeout_ms);
	now = now_ns();
	is_over = profile_window_is_over(r->join.writer, now - r->join.start_ns);

	if (ret < 0 && ret != -EINTR && ret != -EAGAIN)
		return error_set(err, ret, "cannot read events: %s", strerror(-ret));
	jits_follow(r->jits, false);
	ret = kernel_watch_follow(&r->kernel) ?: follow_processes(r);
	if (ret || (!is_over && now - r->committed_ns < COMMIT_NS))
		return error_complete(err, ret, "cannot record the titles of processes");
	r->committed_ns = now;
	ret = kernel_watch_cpus(&r->kernel);
	ret = ret ?: r->mode->follow ? r->mode->follow(r->of_mode, now, err) : 0;
	if (ret)
		return error_complete(err, ret, "cannot record");
	ret = titles_look_again(&r->titles, r->join.writer, of_process(r), false);
	if (ret)
		return error_complete(err, ret, "cannot record the titles of processes");
	cgroups_name(&r->join.cgroups, r->join.writer);
	if (is_over) {
		count(r, now - r->join.start_ns);
		profile_end_window(r->join.writer, now - r->join.start_ns);
	} else if (r->windows) {
		return 0;
	}
	return profile_commit(r->join.writer, err);
}

int dusk_record_stop(struct dusk_record *r, struct dusk_error *err)
{
	uint64_t stop_ns = r->join.start_ns;
	int ret;

	if (err)
		*err->text = 0;
	ret = r->mode->stop(r->of_mode, &stop_ns, err);
	jits_follow(r->jits, true);
	if (!ret)
		ret = kernel_watch_end(&r->kernel);
	count(r, stop_ns - r->join.start_ns);
	if (!ret)
		ret = follow_processes(r);
	if (!ret)
		ret = titles_look_again(&r->titles, r->join.writer, of_process(r), true);
	cgroups_name(&r->join.cgroups, r->join.writer);
	if (ret)
		return error_complete(err, ret, "cannot end the recording");
	ret = r->join.failed ? profile_commit(r->join.writer, NULL) : profile_finish(r->join.writer, NULL);
	if (ret) /* the profile cannot be written: closing it sets @err to what became of it */
		return profile_close(steal(r->join.writer), false, err);
	return error_complete(err, r->join.failed, "cannot record all of what came");
}

static int save_names(struct profile_writer *w, struct dusk_profile *p, const struct eras *eras, struct dusk_error *err)
{
	return eras_split(eras, p, w, err) ?: profile_save_names(w, p, err);
}

/* Look up the functions of what is in the profile so far, and write them. */
static int name(struct dusk_record *r, dusk_progress_fn progress, void *ctx, struct dusk_error *err)
{
	struct dusk_symbol_options opts = {.sz = sizeof(opts), .progress = progress, .ctx = ctx, .no_servers = true};
	struct recorded recorded = {.jits = r->jits, .kernel = &r->kernel.code};
	_cleanup_(freep) int *fds = NULL;
	struct dusk_profile *p;
	uint32_t nr;
	int ret, saved;
	char cache[PATH_MAX];

	ret = profile_read_so_far(r->join.writer, &p, err);
	if (ret)
		return ret;
	fds = malloc(p->nr_modules * sizeof(*fds));
	if (fds) {
		const int *known = modules_fds(r->join.modules, &nr);

		for (uint32_t i = 0; i < p->nr_modules; i++)
			fds[i] = i < nr ? known[i] : -1;
		opts.module_fd = fds;
	}
	if (!dusk_cache_folder(cache, sizeof(cache)))
		opts.cache = cache;
	ret = recorded_symbolize(p, &recorded, &opts, err);
	/* Partial results are kept, too: at least the kernel's names, which can be looked up in this boot only. */
	saved = !ret || ret == -ECANCELED ? save_names(r->join.writer, p, &recorded.eras, ret ? NULL : err) : 0;
	vec_done(&recorded.eras);
	dusk_profile_free(p);
	return ret ?: saved;
}

int dusk_record_symbolize(struct dusk_record *r, dusk_progress_fn progress, void *ctx, struct dusk_error *err)
{
	int ret, closed;

	if (!r->join.writer)
		return error_set(err, -EINVAL, "cannot look up functions: the recording has no profile any more");
	/* Naming takes memory of its own, beside the next recorder of an agent. */
	r->nr_stacks = stacks_nr(r->join.stacks);
	stacks_free(steal(r->join.stacks));
	ret = name(r, progress, ctx, err);
	closed = profile_close(steal(r->join.writer), false, ret ? NULL : err);
	return ret ?: closed;
}

static void share_of(struct dusk_record_share *ret, const uint64_t by_outcome[NR_OUTCOMES])
{
	for (u32 i = 0; i < NR_OUTCOMES; i++) {
		ret->nr += by_outcome[i];
		if (outcomes[i].kind != DUSK_ABSENT)
			ret->user += by_outcome[i];
		if (outcomes[i].kind == DUSK_COMPLETE)
			ret->complete += by_outcome[i];
	}
}

void dusk_record_status(const struct dusk_record *r, struct dusk_record_status *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (u32 source = DUSK_CPU; source <= DUSK_EVENT; source++)
		share_of(&ret->share[source], r->join.by_outcome[source]);
	r->mode->status(r->of_mode, ret);
	ret->start_ns = r->join.start_ns;
	ret->stacks = r->join.stacks ? stacks_nr(r->join.stacks) : r->nr_stacks;
	ret->bytes = r->join.writer ? profile_bytes(r->join.writer) : 0;
}

size_t dusk_record_stuck(const struct dusk_record *r, uint64_t age_ns, pid_t *ret, size_t max)
{
	return r->mode->stuck ? r->mode->stuck(r->of_mode, age_ns, ret, max) : 0;
}

const char *dusk_record_event(const struct dusk_record *r)
{
	return r->mode->event(r->of_mode);
}

static void free_record(struct dusk_record *r, bool keep)
{
	if (r->join.writer && keep)
		profile_close(r->join.writer, false, NULL);
	else
		profile_discard(r->join.writer);
	stacks_free(r->join.stacks);
	modules_free(r->join.modules);
	jits_free(r->jits);
	join_done(&r->join);
	titles_done(&r->titles);
	kernel_watch_done(&r->kernel);
	if (r->of_mode)
		r->mode->free(r->of_mode);
	free(r);
}

void dusk_record_free(struct dusk_record *r)
{
	if (r)
		free_record(r, r->started);
}

void dusk_record_discard(struct dusk_record *r)
{
	if (r)
		free_record(r, false);
}
