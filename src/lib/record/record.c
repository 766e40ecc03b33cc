/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A recording: set up, poll, and end with a complete profile. */
#include <dusk/dusk.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include "abi/consumer.h"
#include "abi/config.h"
#include "abi/event.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/map.h"
#include "lib/profile/counters.h"
#include "lib/error.h"
#include "lib/options.h"
#include "lib/record/events.h"
#include "lib/record/intake.h"
#include "lib/record/join.h"
#include "lib/shared/maintenance.h"
#include "lib/record/modules.h"
#include "lib/shared/object.h"
#include "lib/record/offcpu.h"
#include "lib/profile/outcomes.h"
#include "lib/shared/probe.h"
#include "lib/profile/profile_write.h"
#include "lib/record/sampler.h"
#include "lib/record/stacks.h"
#include "lib/shared/stackstat.h"
#include "lib/record/stitch.h"
#include "lib/shared/tool.h"

#define DEFAULT_HZ 99
#define COMMIT_NS 1000000000ULL
#define EVENTS_A_POLL (1 << 17) /* events may come faster than we read them: stop and commit now and then */
#define EVENTS_A_LOOK 1024	/* between two checks of the stackmap, which may fill up meanwhile */
#define SETTLE_ROUNDS 20	/* of SETTLE_MS each: for stacks that are pending when sampling stops */
#define SETTLE_MS 10
#define CONSUMER_RECORDER 0 /* src/bpf/record/recorder.bpf.h */

struct dusk_record {
	struct service *service;
	struct tool *tool;
	struct maintenance maintenance;
	struct ring_buffer *ring;
	struct sampler *sampler;
	struct offcpu *offcpu; /* NULL: no off-CPU intervals */
	struct events *events; /* of tracefs; NULL: none */
	struct join join;
	struct intake in;
	uint32_t sources; /* DUSK_RECORD_... */
	double budget;
	bool verify;
	bool started; /* there may be something in the profile */
	uint64_t stop_ns, committed_ns;
	const volatile int *stops;
	int stops_before;		   /* *stops before the recording */
	uint64_t events_left;		   /* to read in this poll */
	struct stack_counts stacks_before; /* in the stackmap, before this recording */
	uint32_t first_epoch;
	struct map due; /* at the end: cookies of tasks that have not returned to user mode */
};

DECLARE_IMAGE(record);
DECLARE_IMAGE(record_impl);

static int take_event(void *ctx, void *data, size_t size)
{
	struct dusk_record *r = ctx;
	int ret = intake_event(&r->in, data, size);

	if (ret)
		return ret;
	if (!(--r->events_left % EVENTS_A_LOOK))
		service_keep_stacks(r->service); /* even while events pile up, the stackmap must not fill up */
	return r->events_left ? 0 : -EAGAIN;
}

static int map_fd(const struct dusk_record *r, const char *name)
{
	return bpf_object__find_map_fd_by_name(tool_object(r->tool), name);
}

static int want(struct dusk_record *r, u32 kind, const pid_t *ids, size_t nr, enum wanted wish, struct dusk_error *err)
{
	const char *what = kind == WANT_PROCESS ? "process" : "thread";
	int fd = map_fd(r, "wanted");
	u32 value = wish;

	for (size_t i = 0; i < nr; i++) {
		pid_t id = ids[i] > 0 ? service_find_task(r->service, ids[i]) : -ESRCH;
		u32 key[2] = {id, kind};

		if (id == -ESRCH)
			return error_set(err, id, "cannot record %s %d: there is no such %s", what, ids[i], what);
		if (id > 0 && bpf_map_update_elem(fd, key, &value, BPF_ANY))
			id = -errno;
		if (id < 0)
			return error_set(err, id, "cannot record %s %d: %s", what, ids[i], strerror(-id));
	}
	return 0;
}

static int want_cgroup(struct dusk_record *r, const char *path, struct dusk_error *err)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	u32 zero = 0;

	if (fd < 0)
		return error_set(err, -errno, "cannot open cgroup %s: %s", path, strerror(errno));
	if (bpf_map_update_elem(map_fd(r, "cgroup"), &zero, &fd, BPF_ANY))
		return error_set(err, -EINVAL,
				 "cannot record cgroup %s: it is not a folder of cgroup2 "
				 "(mount -t cgroup2 none /sys/fs/cgroup)",
				 path);
	return 0;
}

static uint32_t rate_hz(const struct dusk_record_options *o)
{
	return o->frequency_hz ? o->frequency_hz : DEFAULT_HZ;
}

static void write_settings(struct dusk_record *r, const struct dusk_record_options *o)
{
	const struct registry *registry = service_registry(r->service);
	struct profile_writer *w = r->join.writer;
	uint32_t hz = rate_hz(o);
	time_t now = time(NULL);
	char boot_id[37] = "", when[32], where[32];
	uint64_t text;
	struct utsname u;
	struct tm tm;

	uname(&u);
	probe_boot_id(boot_id);
	if (!probe_kernel_text(&text)) {
		snprintf(where, sizeof(where), "0x%" PRIx64, text);
		profile_set(w, "kernel_text", where);
	}
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
	profile_set(w, "version", dusk_version());
	profile_set(w, "command", o->command ? o->command : "");
	profile_set(w, "hostname", u.nodename);
	profile_set(w, "kernel", u.release);
	profile_set(w, "machine", u.machine);
	profile_set(w, "boot_id", boot_id);
	profile_set(w, "event", dusk_record_event(r));
	profile_set(w, "start_time", when);
	profile_set(w, "mode", "full");
	profile_set(w, "faults", registry->no_faults ? "off" : "allowed");
	profile_set(w, "scope", o->nr_pids || o->nr_tids ? "tasks" : o->cgroup ? "cgroup" : "machine");
	profile_set_u64(w, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	profile_set_u64(w, "frequency_hz", hz);
	profile_set_u64(w, "period_ns", 1000000000ULL / hz);
	profile_set_u64(w, "max_depth", registry->max_depth);
}

/* Do not load the programs of sources that are not recorded. */
static void leave_out(const struct dusk_record *r)
{
	static const struct {
		const char *name;
		uint32_t source;
	} programs[] = {
		{"sample_cpu", DUSK_RECORD_CPU},      {"on_sched_out", DUSK_RECORD_OFF_CPU},
		{"on_sched_in", DUSK_RECORD_OFF_CPU}, {"change_tid", DUSK_RECORD_OFF_CPU},
		{"iter_tasks", DUSK_RECORD_OFF_CPU},  {"note_waker", DUSK_RECORD_WAKERS},
		{"on_event", DUSK_RECORD_EVENTS},     {"on_probe", DUSK_RECORD_EVENTS},
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (!(r->sources & programs[i].source))
			bpf_program__set_autoload(
				bpf_object__find_program_by_name(tool_object(r->tool), programs[i].name), false);
}

/* Return -EINTR if we were asked to stop, as long as nothing has been recorded; else 0. */
static int go_on(const struct dusk_record *r, struct dusk_error *err)
{
	if (!r->stops || *r->stops == r->stops_before)
		return 0;
	return error_set(err, -EINTR, "stopped before anything was recorded");
}

/* Load our programs, on the shared unwinder, and with the filter of tasks to sample. */
static int load(struct dusk_record *r, const struct dusk_record_options *o, struct dusk_error *err)
{
	struct service_options options = {
		.pin = o->no_sharing ? "" : NULL,
		.max_depth = o->max_depth ? o->max_depth : DEFAULT_DEPTH,
		.no_faults = o->no_faults,
		.stackmap_bits = o->stackmap_bits,
		.max_tasks = o->max_tasks,
		.stops = r->stops,
		.stops_before = r->stops_before,
	};
	struct filter *filter;
	int ret;

	ret = service_new(&r->service, &options, err);
	if (!ret)
		ret = go_on(r, err);
	if (!ret)
		ret = tool_open(&r->tool, r->service, &IMAGE(record), &IMAGE(record_impl), err);
	if (ret)
		return ret;
	filter = object_variable(tool_object(r->tool), "filter", sizeof(*filter));
	if (!filter)
		return error_set(err, -EINVAL, "cannot record: the BPF object has no filter");
	filter->filter_tasks = o->nr_pids || o->nr_tids;
	filter->filter_cgroup = o->cgroup != NULL;
	filter->self_tgid = getpid();
	filter->kernel_threads = o->kernel_threads;
	filter->min_block_ns = o->verify ? 0 : o->min_block_ns; /* sums have no stacks of their own to compare */
	filter->verify = o->verify;
	filter->wakers = r->sources & DUSK_RECORD_WAKERS;
	if (filter->wakers && probe_from_run_queue(&filter->preempt_count, "__preempt_count"))
		return error_set(err, -EOPNOTSUPP,
				 "cannot record wakers: the kernel's BTF does not say where the preemption "
				 "count is, which tells interrupts from tasks");
	leave_out(r);
	if (r->sources & DUSK_RECORD_EVENTS)
		ret = events_new(&r->events, o->events, o->nr_events, tool_object(r->tool), err);
	return ret ?: tool_load(r->tool, err);
}

/* Prepare everything but the file, which is made last: a recording that cannot start leaves none behind. */
static int prepare(struct dusk_record *r, const struct dusk_record_options *o, struct dusk_error *err)
{
	int ret;

	ret = load(r, o, err);
	if (!ret)
		ret = go_on(r, err);
	if (!ret)
		ret = want(r, WANT_PROCESS, o->pids, o->nr_pids, o->from_exec ? WANTED_FROM_EXEC : WANTED, err);
	if (!ret)
		ret = want(r, WANT_THREAD, o->tids, o->nr_tids, WANTED, err);
	if (!ret && o->cgroup)
		ret = want_cgroup(r, o->cgroup, err);
	if (!ret && r->sources & DUSK_RECORD_CPU)
		ret = sampler_new(&r->sampler, rate_hz(o), o->cpus, o->nr_cpus, err);
	if (!ret && r->sources & DUSK_RECORD_OFF_CPU)
		ret = offcpu_new(&r->offcpu, r->service, r->tool, CONSUMER_RECORDER, &r->in, o->budget, err);
	if (!ret)
		ret = tool_add_consumer(r->tool, CONSUMER_RECORDER,
					DELIVER_RING | DELIVER_MODULES | DELIVER_SUMS | DELIVER_OVERFLOW |
						DELIVER_INLINE |
						(o->nr_tids || (o->nr_pids && !o->from_exec) ? 0 : DELIVER_LAST),
					map_fd(r, "events"), r->offcpu ? offcpu_aggregation(r->offcpu) : -1, err);
	if (!ret)
		ret = tool_attach(r->tool, err); /* children of what is recorded are recorded */
	if (!ret && r->events)
		ret = events_attach(r->events, err);
	if (!ret)
		ret = go_on(r, err);
	if (!ret)
		ret = profile_create(&r->join.writer, o->path, o->owner_uid, o->owner_gid, err);
	return ret;
}

/* Learn the modules that other tools saw before we came. */
static void learn_named(struct dusk_record *r)
{
	int fd = service_map(r->service, "named");
	struct event_module e;
	u32 key, next;

	for (u32 *last = NULL; !bpf_map_get_next_key(fd, last, &next); last = &key) {
		key = next;
		if (!bpf_map_lookup_elem(fd, &key, &e))
			modules_learn(r->join.modules, &e);
	}
}

static int furnish(struct dusk_record *r)
{
	r->in.join = &r->join;
	if (r->events) {
		r->in.fields = events_fields(r->events);
		r->in.nr_events = events_nr(r->events);
		events_write(r->events, r->join.writer);
	}
	r->join.modules = modules_new(r->join.writer);
	r->join.stitch = stitch_new();
	if (!r->join.modules || !r->join.stitch)
		return -ENOMEM;
	r->join.stacks = stacks_new(r->join.writer, r->join.modules, service_stacks(r->service));
	r->ring = ring_buffer__new(map_fd(r, "events"), take_event, r, NULL);
	if (!r->join.stacks || !r->ring)
		return -ENOMEM;
	learn_named(r);
	return 0;
}

int dusk_record_new(struct dusk_record **ret, const struct dusk_record_options *given, struct dusk_error *err)
{
	struct dusk_record_options o;
	const struct dusk_record_options *opts = &o;
	struct dusk_record *r;
	int e = options_take(&o, sizeof(o), given, "cannot record", err);

	if (e)
		return e;
	if (!opts->path || opts->max_depth > MAX_DEPTH || !(opts->sources & DUSK_RECORD_EVENTS) != !opts->nr_events)
		return error_set(err, -EINVAL, "cannot record: options out of range");
	if (err)
		*err->text = 0;
	r = calloc(1, sizeof(*r));
	if (!r)
		return error_complete(err, -ENOMEM, "cannot record");
	r->sources = opts->sources ?: DUSK_RECORD_CPU;
	r->verify = opts->verify;
	r->stops = opts->stops;
	r->stops_before = r->stops ? *r->stops : 0;
	r->budget = r->sources & DUSK_RECORD_OFF_CPU ? opts->budget : 0;
	e = prepare(r, opts, err);
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

int dusk_record_start(struct dusk_record *r, struct dusk_error *err)
{
	int ret = 0;

	stackmap_count(service_stacks(r->service), &r->stacks_before);
	r->first_epoch = load_acquire(&service_registry(r->service)->epochs.now);
	r->join.start_ns = r->committed_ns = now_ns();
	profile_set_u64(r->join.writer, "start_monotonic_ns", r->join.start_ns);
	r->started = true;
	if (r->offcpu)
		ret = offcpu_start(r->offcpu, r->join.start_ns, err);
	if (!ret && r->events)
		events_start(r->events);
	if (ret || !r->sampler)
		return ret;
	return sampler_start(r->sampler, bpf_object__find_program_by_name(tool_object(r->tool), "sample_cpu"), err);
}

int dusk_record_poll(struct dusk_record *r, int timeout_ms, struct dusk_error *err)
{
	int ret;
	uint64_t now;

	r->events_left = EVENTS_A_POLL;
	ret = ring_buffer__poll(r->ring, timeout_ms);
	now = now_ns();
	if (r->offcpu)
		offcpu_hold_budget(r->offcpu, now);
	if (ret >= 0)
		ret = ring_buffer__consume(r->ring); /* the kernel side wakes us only when the ring fills up */
	if (ret < 0 && ret != -EINTR && ret != -EAGAIN)
		return error_set(err, ret, "cannot read events: %s", strerror(-ret));
	maintain(&r->maintenance, r->service);
	if (now - r->committed_ns < COMMIT_NS)
		return 0;
	r->committed_ns = now;
	if (r->sampler)
		sampler_follow(r->sampler);
	ret = r->offcpu ? offcpu_sum_up(r->offcpu, now) : 0;
	if (ret < 0)
		return error_set(err, ret, "cannot read the sums of off-CPU intervals: %s", strerror(-ret));
	return profile_commit(r->join.writer, err);
}

static void note_due(void *ctx, u64 cookie)
{
	struct dusk_record *r = ctx;
	bool added;

	map_at(&r->due, cookie, &added);
}

static void give_up(void *ctx, u64 cookie, const struct waiting *w)
{
	struct dusk_record *r = ctx;

	join_sample(&r->join, w, 0, map_find(&r->due, cookie) ? PENDING : RING_LOST);
}

/*
 * The timers go on counting while ticks are dropped: what they counted beyond the ticks that ran is what was dropped.
 */
static uint64_t timer_skipped(const struct dusk_record *r)
{
	uint64_t counted = r->sampler ? sampler_counted(r->sampler) : 0,
		 periods = tool_counter(r->tool, COUNT_TIMER_PERIODS);

	return counted > periods ? counted - periods : 0;
}

static void write_verdict(struct dusk_record *r)
{
	profile_counter(r->join.writer, "verified-same", "user stacks told at once and walked again: the same",
			r->join.verified);
	profile_counter(r->join.writer, "verified-different", "user stacks told at once and walked again: not the same",
			r->join.different);
}

static void write_counters(struct dusk_record *r)
{
	struct stack_counts stacks;
	char text[32];

	for (u32 i = 0; i < NR_COUNTERS; i++)
		profile_counter(r->join.writer, counters[i].name, counters[i].sentence, tool_counter(r->tool, i));
	profile_counter(r->join.writer, "timer-skipped",
			"what the timers counted beyond their ticks: ticks that were dropped, "
			"and the rest of a period at the end",
			timer_skipped(r));
	if (r->events)
		profile_counter(r->join.writer, "lost-nested",
				"occurrences of events lost: another BPF program was at work on their CPU",
				events_missed(r->events));
	if (r->verify)
		write_verdict(r);
	if (r->budget) {
		snprintf(text, sizeof(text), "%g", r->budget);
		profile_set(r->join.writer, "budget", text);
		profile_set_u64(r->join.writer, "certain_ns", offcpu_certain_ns(r->offcpu));
	}
	profile_set_u64(r->join.writer, "duration_ns", r->stop_ns - r->join.start_ns);
	stackmap_count(service_stacks(r->service), &stacks);
	stackstat_write(r->join.writer, &r->stacks_before, &stacks, service_stack_bits(r->service),
			load_acquire(&service_registry(r->service)->epochs.now) - r->first_epoch + 1);
}

static bool is_more_to_come(const struct dusk_record *r)
{
	return stitch_nr_waiting(r->join.stitch) || (r->offcpu && offcpu_lives_are_due(r->offcpu));
}

int dusk_record_stop(struct dusk_record *r, struct dusk_error *err)
{
	int ret = 0;

	if (err)
		*err->text = 0;
	if (r->sampler)
		sampler_stop(r->sampler);
	if (r->events)
		events_stop(r->events);
	r->stop_ns = now_ns();
	r->events_left = UINT64_MAX;
	if (r->offcpu)
		ret = offcpu_stop(r->offcpu, r->stop_ns, r->stops, err);
	ring_buffer__consume(r->ring);
	for (int i = 0; i < SETTLE_ROUNDS && is_more_to_come(r); i++) {
		usleep(SETTLE_MS * 1000);
		ring_buffer__consume(r->ring);
	}
	tool_due(r->tool, CONSUMER_RECORDER, note_due, r);
	if (r->offcpu && !ret) /* what was resolved since */
		ret = offcpu_sum_up(r->offcpu, r->stop_ns);
	ring_buffer__consume(r->ring);
	stitch_drain(r->join.stitch, give_up, r);
	write_counters(r);
	if (ret)
		return error_complete(err, ret, "cannot end the recording");
	ret = r->join.failed ? profile_commit(r->join.writer, NULL) : profile_finish(r->join.writer, NULL);
	if (ret) /* the profile cannot be written: closing it sets @err to what became of it */
		return profile_close(steal(r->join.writer), false, err);
	return error_complete(err, r->join.failed, "cannot record all of what came");
}

/* Look up the functions of what is in the profile so far, and write them. */
static int name(struct dusk_record *r, dusk_progress_fn progress, void *ctx, struct dusk_error *err)
{
	struct dusk_symbol_options opts = {.sz = sizeof(opts), .progress = progress, .ctx = ctx, .no_servers = true};
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
	ret = dusk_profile_symbolize(p, &opts, err);
	/* Partial results are kept, too: at least the kernel's names, which can be looked up in this boot only. */
	saved = !ret || ret == -ECANCELED ? profile_save_names(r->join.writer, p, ret ? NULL : err) : 0;
	dusk_profile_free(p);
	return ret ?: saved;
}

int dusk_record_symbolize(struct dusk_record *r, dusk_progress_fn progress, void *ctx, struct dusk_error *err)
{
	int ret, closed;

	if (!r->join.writer)
		return error_set(err, -EINVAL, "cannot look up functions: the recording has no profile any more");
	ret = name(r, progress, ctx, err);
	closed = profile_close(steal(r->join.writer), false, ret ? NULL : err);
	return ret ?: closed;
}

void dusk_record_status(const struct dusk_record *r, struct dusk_record_status *ret)
{
	static const enum counter lost[] = {COUNT_LOST_SAMPLES, COUNT_LOST_OFFCPU, COUNT_LOST_EVENTS, COUNT_LOST_STACKS,
					    COUNT_LOST_MODULES};

	memset(ret, 0, sizeof(*ret));
	for (u32 i = 0; i < NR_OUTCOMES; i++) {
		ret->samples += r->join.by_outcome[i];
		if (outcomes[i].kind != DUSK_ABSENT)
			ret->user_samples += r->join.by_outcome[i];
		if (outcomes[i].kind == DUSK_COMPLETE)
			ret->complete += r->join.by_outcome[i];
	}
	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++)
		ret->lost += tool_counter(r->tool, lost[i]);
	ret->stacks = stacks_nr(r->join.stacks);
	ret->bytes = r->join.writer ? profile_bytes(r->join.writer) : 0;
	ret->stackmap_bits = service_stack_bits(r->service);
	ret->max_tasks = service_max_tasks(r->service);
}

size_t dusk_record_stuck(const struct dusk_record *r, uint64_t age_ns, pid_t *ret, size_t max)
{
	return service_stuck(r->service, now_ns() - age_ns, ret, max);
}

const char *dusk_record_event(const struct dusk_record *r)
{
	return r->sampler ? sampler_event(r->sampler) : r->offcpu ? "off-cpu" : "tracefs";
}

static void free_record(struct dusk_record *r, bool keep)
{
	if (r->sampler)
		sampler_free(r->sampler);
	ring_buffer__free(r->ring);
	if (r->join.writer && keep)
		profile_close(r->join.writer, false, NULL);
	else
		profile_discard(r->join.writer);
	stacks_free(r->join.stacks);
	modules_free(r->join.modules);
	stitch_free(r->join.stitch);
	events_free(r->events);
	tool_free(r->tool);
	offcpu_free(r->offcpu);
	intake_done(&r->in);
	service_free(r->service);
	map_done(&r->due);
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
