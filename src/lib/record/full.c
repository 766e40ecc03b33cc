/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Mode full: BPF programs sample, and the unwinder that tools share walks each stack in the kernel. See mode.h. */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "abi/config.h"
#include "abi/consumer.h"
#include "abi/event.h"
#include "base/clock.h"
#include "base/map.h"
#include "lib/arch/preempt_count.h"
#include "lib/error.h"
#include "lib/profile/file/abi_names.h"
#include "lib/profile/write/write.h"
#include "lib/record/events.h"
#include "lib/record/intake.h"
#include "lib/record/mode.h"
#include "lib/record/modules.h"
#include "lib/record/offcpu.h"
#include "lib/record/probes.h"
#include "lib/record/sampler.h"
#include "lib/record/stacks.h"
#include "lib/record/wanted.h"
#include "lib/unwinder/maintenance.h"
#include "lib/unwinder/object.h"
#include "lib/unwinder/probe.h"
#include "lib/unwinder/stackstat.h"
#include "lib/unwinder/tool.h"

#define EVENTS_A_POLL (1 << 17) /* events may come faster than we read them: stop and commit now and then */
#define EVENTS_A_LOOK 1024	/* between two checks of the stackmap, which may fill up meanwhile */
#define SETTLE_ROUNDS 20	/* of SETTLE_MS each: for stacks that are pending when sampling stops */
#define SETTLE_MS 10
#define CONSUMER_RECORDER 0 /* src/bpf/record/recorder.bpf.h */

struct full {
	struct join *join;
	struct service *service;
	struct tool *tool;
	struct maintenance maintenance;
	struct ring_buffer *ring;
	struct sampler *sampler; /* NULL: no samples of CPU time */
	struct offcpu *offcpu;	 /* NULL: no off-CPU intervals */
	struct events *events;	 /* of tracefs; NULL: none */
	struct intake in;
	uint32_t sources; /* DUSK_RECORD_... */
	double budget;
	bool verify;
	const volatile int *stops;
	struct dusk_record_options chosen; /* cgroups by labels */
	uint64_t events_left;		   /* to read in this poll */
	struct stack_counts stacks_before; /* in the stackmap, before this recording */
	uint32_t first_epoch;
	struct map due; /* at the end: cookies of tasks that have not returned to user mode */
};

DECLARE_IMAGE(record);
DECLARE_IMAGE(record_impl);

static int take_event(void *ctx, void *data, size_t size)
{
	struct full *f = ctx;
	int ret = intake_event(&f->in, data, size);

	if (ret)
		return ret;
	if (!(--f->events_left % EVENTS_A_LOOK))
		service_keep_stacks(f->service); /* even while events pile up, the stackmap must not fill up */
	return f->events_left ? 0 : -EAGAIN;
}

static int map_fd(const struct full *f, const char *name)
{
	return bpf_object__find_map_fd_by_name(tool_object(f->tool), name);
}

/* Do not load the programs of sources that are not recorded. */
static void leave_out(const struct full *f)
{
	static const struct {
		const char *name;
		uint32_t source;
	} programs[] = {
		{"sample_cpu", DUSK_RECORD_CPU},      {"on_sched_out", DUSK_RECORD_OFF_CPU},
		{"on_sched_in", DUSK_RECORD_OFF_CPU}, {"change_tid", DUSK_RECORD_OFF_CPU},
		{"iter_tasks", DUSK_RECORD_OFF_CPU},  {"note_waker", DUSK_RECORD_WAKERS},
		{"on_event", DUSK_RECORD_EVENTS},     {"on_kprobe", DUSK_RECORD_EVENTS},
		{"on_call", DUSK_RECORD_EVENTS},      {"on_call_end", DUSK_RECORD_EVENTS},
		{"on_uprobe", DUSK_RECORD_EVENTS},
	};

	if (!probe_reports_cgroups())
		bpf_program__set_autoload(bpf_object__find_program_by_name(tool_object(f->tool), "on_cgroup_made"),
					  false);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (!(f->sources & programs[i].source))
			bpf_program__set_autoload(
				bpf_object__find_program_by_name(tool_object(f->tool), programs[i].name), false);
}

/* Choose the tasks to sample. */
static int fill_filter(const struct full *f, const struct dusk_record_options *o, struct dusk_error *err)
{
	struct filter *filter = object_variable(tool_object(f->tool), "filter", sizeof(*filter));
	int distance;

	if (!filter)
		return error_set(err, -EINVAL, "cannot record: the BPF object has no filter");
	filter->filter_tasks = o->nr_pids || o->nr_tids;
	filter->filter_cgroup = o->cgroup || wanted_by_label(o);
	filter->inherit_cgroup = o->cgroup != NULL;
	filter->self_tgid = getpid();
	filter->no_children = o->no_children;
	filter->filter_user = o->only_user;
	filter->user = o->user;
	filter->kernel_threads = o->kernel_threads;
	filter->min_block_ns = o->verify ? 0 : o->min_block_ns; /* sums have no stacks of their own to compare */
	filter->verify = o->verify;
	filter->random_frame = probe_random_frame();
	probe_call_places(&filter->call_begins, &filter->call_ends);
	filter->wakers = f->sources & DUSK_RECORD_WAKERS;
	if (filter->wakers && !PREEMPT_COUNT_WITH_TASK && probe_from_run_queue(&distance, CPU_PREEMPT_COUNT))
		return error_set(err, -EOPNOTSUPP,
				 "cannot record wakers: the kernel's BTF does not say where the preemption "
				 "count is, which tells interrupts from tasks");
	return 0;
}

/* Load our programs, on the shared unwinder, and with the filter of tasks to sample. */
static int load(struct full *f, const struct dusk_record_options *o, int stops_before, struct dusk_error *err)
{
	struct service_options options = {
		.pin = o->no_sharing ? "" : NULL,
		.max_depth = o->max_depth ? o->max_depth : DEFAULT_DEPTH,
		.no_faults = o->no_faults,
		.no_languages = o->no_languages,
		.stackmap_bits = o->stackmap_bits,
		.max_tasks = o->max_tasks,
		.stops = o->stops,
		.stops_before = stops_before,
	};
	int ret;

	probes_sweep();
	ret = service_new(&f->service, &options, err);
	if (!ret)
		ret = mode_go_on(o, stops_before, err);
	if (!ret)
		ret = tool_open(&f->tool, f->service, &IMAGE(record), &IMAGE(record_impl), err);
	if (!ret)
		ret = fill_filter(f, o, err);
	if (ret)
		return ret;
	leave_out(f);
	if (f->sources & DUSK_RECORD_EVENTS)
		ret = events_new(&f->events, o->events, o->nr_events, tool_object(f->tool), err);
	if (!ret && f->events && o->filter)
		ret = events_filter(f->events, o->filter, err);
	return ret ?: tool_load(f->tool, err);
}

static int choose_cgroup(void *ctx, uint64_t id, const struct dusk_cgroup *c)
{
	const struct full *f = ctx;

	return wanted_choose_cgroup(f->tool, &f->chosen, id, c);
}

/* A name that nothing has is no error: what has it may begin later. */
static int choose_cgroups(struct full *f, const struct dusk_record_options *o, struct dusk_error *err)
{
	struct cgroups *c = &f->join->cgroups;
	int ret;

	f->chosen = *o;
	c->choose = choose_cgroup;
	c->ctx = f;
	ret = cgroups_scan(c);
	if (ret == -ENOENT)
		return error_set(err, ret,
				 "cannot choose units, containers or pods: cgroup2 is not mounted "
				 "(mount -t cgroup2 none /sys/fs/cgroup)");
	if (!ret && !c->chosen)
		error_set(err, 0, "no unit, container or pod of that name is there now: it is recorded when it begins");
	return ret;
}

/* The programs are attached, which report those that are made meanwhile. */
static int find_cgroups(struct full *f, const struct dusk_record_options *o, struct dusk_error *err)
{
	if (wanted_by_label(o))
		return choose_cgroups(f, o, err);
	return cgroups_scan(&f->join->cgroups) == -ENOMEM ? -ENOMEM : wanted_add_cgroups(f->tool, o, err);
}

/* Let the sources begin, all but the timers. */
static int attach(struct full *f, const struct dusk_record_options *o, struct dusk_error *err)
{
	bool all_of_life = !o->nr_tids && (!o->nr_pids || o->from_exec);
	int ret;

	ret = tool_add_consumer(f->tool, CONSUMER_RECORDER,
				DELIVER_RING | DELIVER_MODULES | DELIVER_SUMS | DELIVER_OVERFLOW | DELIVER_INLINE |
					(all_of_life ? DELIVER_LAST : 0),
				map_fd(f, "events"), f->offcpu ? offcpu_aggregation(f->offcpu) : -1, err);
	if (!ret)
		ret = tool_attach(f->tool, err); /* children of what is recorded are recorded */
	if (!ret)
		ret = find_cgroups(f, o, err);
	if (!ret && !o->from_exec && !o->no_children)
		ret = wanted_add_descendants(f->service, f->tool, o, err);
	if (!ret && f->events)
		ret = events_attach(f->events, err);
	return ret;
}

static int full_new(void **ret, struct join *j, const struct dusk_record_options *o, int stops_before,
		    struct dusk_error *err)
{
	struct full *f = calloc(1, sizeof(*f));
	int rc;

	if (!f)
		return -ENOMEM;
	*ret = f;
	f->join = f->in.join = j;
	f->sources = o->sources ?: DUSK_RECORD_CPU;
	f->verify = o->verify;
	f->stops = o->stops;
	f->budget = f->sources & DUSK_RECORD_OFF_CPU ? o->max_cpu ?: o->budget : 0;
	rc = load(f, o, stops_before, err);
	if (!rc)
		rc = mode_go_on(o, stops_before, err);
	if (!rc)
		rc = wanted_add(f->service, f->tool, o, err);
	if (!rc && f->sources & DUSK_RECORD_CPU)
		rc = sampler_new(&f->sampler, mode_hz(&mode_full, o), o->cpus, o->nr_cpus, err);
	if (!rc && f->sources & DUSK_RECORD_OFF_CPU)
		rc = offcpu_new(&f->offcpu, f->service, f->tool, CONSUMER_RECORDER, &f->in, o, err);
	return rc ?: attach(f, o, err);
}

/* Learn the modules that other tools saw before we came, and later those whose event is lost. */
static void learn_named(struct full *f)
{
	int fd = service_map(f->service, "named");
	struct event_module e;
	u32 key, next;

	for (u32 *last = NULL; !bpf_map_get_next_key(fd, last, &next); last = &key) {
		key = next;
		if (!bpf_map_lookup_elem(fd, &key, &e))
			modules_learn(f->join->modules, &e);
	}
	modules_ask(f->join->modules, fd);
}

static int full_furnish(void *mode)
{
	struct full *f = mode;

	if (f->events) {
		f->in.fields = events_fields(f->events);
		f->in.nr_events = events_nr(f->events);
		events_write(f->events, f->join->writer);
	}
	f->join->stitch = join_stitch();
	if (!f->join->stitch)
		return -ENOMEM;
	f->join->stacks = stacks_new(f->join->writer, f->join->modules, service_stacks(f->service));
	f->ring = ring_buffer__new(map_fd(f, "events"), take_event, f, NULL);
	if (!f->join->stacks || !f->ring)
		return -ENOMEM;
	learn_named(f);
	stacks_know_codes(f->join->stacks, service_map(f->service, "codes"));
	return 0;
}

static void full_settings(const void *mode)
{
	const struct full *f = mode;
	const struct registry *registry = service_registry(f->service);

	profile_set(f->join->writer, "faults", registry->no_faults ? "off" : "allowed");
	profile_set_u64(f->join->writer, "max_depth", registry->max_depth);
}

static int full_start(void *mode, struct dusk_error *err)
{
	struct full *f = mode;
	int ret = 0;

	stackmap_count(service_stacks(f->service), &f->stacks_before);
	f->first_epoch = load_acquire(&service_registry(f->service)->epochs.now);
	join_begin(f->join);
	if (f->sampler)
		ret = sampler_start(f->sampler, bpf_object__find_program_by_name(tool_object(f->tool), "sample_cpu"),
				    err);
	if (f->events)
		events_start(f->events);
	return !ret && f->offcpu ? offcpu_start(f->offcpu, f->join->start_ns, err) : ret;
}

static int full_poll(void *mode, int timeout_ms)
{
	struct full *f = mode;
	int ret;

	f->events_left = EVENTS_A_POLL;
	ret = ring_buffer__poll(f->ring, timeout_ms);
	if (f->offcpu)
		offcpu_hold_budget(f->offcpu, now_ns());
	if (ret >= 0)
		ret = ring_buffer__consume(f->ring); /* the kernel side wakes us only when the ring fills up */
	if (ret >= 0 || ret == -EINTR || ret == -EAGAIN)
		maintain(&f->maintenance, f->service);
	return ret;
}

static int full_follow(void *mode, uint64_t now_ns, struct dusk_error *err)
{
	struct full *f = mode;
	int ret;

	if (f->sampler)
		sampler_follow(f->sampler);
	f->events_left = EVENTS_A_POLL;
	ret = f->offcpu ? offcpu_sum_up(f->offcpu, f->ring, now_ns) : 0;
	if (ret < 0)
		return error_set(err, ret, "cannot read the sums of off-CPU intervals: %s", strerror(-ret));
	return 0;
}

static void note_due(void *ctx, u64 cookie)
{
	struct full *f = ctx;
	bool added;

	map_at(&f->due, cookie, &added);
}

/*
 * The timers go on counting while ticks are dropped: what they counted beyond the ticks that ran is what was dropped.
 */
static uint64_t timer_skipped(const struct full *f)
{
	uint64_t counted = f->sampler ? sampler_counted(f->sampler) : 0,
		 periods = tool_counter(f->tool, COUNT_TIMER_PERIODS);

	return counted > periods ? counted - periods : 0;
}

static void write_verdict(struct join *j)
{
	profile_count(j->writer, "verified-same", "immediate user stacks that were walked again: the same",
		      j->verified);
	profile_count(j->writer, "verified-different", "immediate user stacks that were walked again: not the same",
		      j->different);
}

static void full_count(void *mode)
{
	struct full *f = mode;
	struct profile_writer *w = f->join->writer;
	struct stack_counts stacks;
	char text[32];

	for (u32 i = 0; i < NR_COUNTERS; i++)
		profile_count(w, counters[i].name, counters[i].sentence,
			      tool_counter(f->tool, i) +
				      (i == COUNT_OFFCPU_UNENDED && f->offcpu ? offcpu_unended(f->offcpu) : 0));
	profile_count(w, "lost-cpus",
		      "CPUs that came online and were not sampled: the kernel refused them a perf event",
		      f->sampler ? sampler_refused(f->sampler) : 0);
	profile_count(w, "timer-skipped",
		      "what the timers counted beyond their ticks: ticks that were dropped, "
		      "and the rest of a period at the end",
		      timer_skipped(f));
	if (f->events)
		profile_count(w, "lost-nested",
			      "occurrences of events lost: another BPF program was at work on their CPU",
			      events_missed(f->events));
	profile_count(w, "cgroups-full", "cgroups that are not known, or not recorded: the table is full",
		      f->join->cgroups.refused);
	if (f->verify)
		write_verdict(f->join);
	if (f->budget) {
		snprintf(text, sizeof(text), "%g", f->budget);
		profile_set(w, "budget", text);
		profile_set_u64(w, "certain_ns", offcpu_certain_ns(f->offcpu));
	}
	stackmap_count(service_stacks(f->service), &stacks);
	stackstat_write(w, &f->stacks_before, &stacks, service_stack_bits(f->service),
			load_acquire(&service_registry(f->service)->epochs.now) - f->first_epoch + 1);
}

static bool is_more_to_come(const struct full *f)
{
	return stitch_nr_waiting(f->join->stitch) || (f->offcpu && offcpu_lives_are_due(f->offcpu));
}

static int full_stop(void *mode, uint64_t *stop_ns, struct dusk_error *err)
{
	struct full *f = mode;
	int ret = 0;

	*stop_ns = now_ns(); /* to stop takes its time, too */
	if (f->sampler)
		sampler_stop(f->sampler);
	if (f->events)
		events_stop(f->events);
	f->events_left = UINT64_MAX;
	if (f->offcpu)
		ret = offcpu_stop(f->offcpu, f->ring, *stop_ns, f->stops, err);
	ring_buffer__consume(f->ring);
	for (int i = 0; i < SETTLE_ROUNDS && is_more_to_come(f); i++) {
		usleep(SETTLE_MS * 1000);
		ring_buffer__consume(f->ring);
	}
	tool_due(f->tool, CONSUMER_RECORDER, note_due, f);
	if (f->offcpu && !ret) /* what was resolved since */
		ret = offcpu_sum_up(f->offcpu, f->ring, *stop_ns);
	ring_buffer__consume(f->ring);
	join_end(f->join, &f->due);
	return ret;
}

static void full_status(const void *mode, struct dusk_record_status *ret)
{
	static const enum counter lost[] = {COUNT_LOST_SAMPLES, COUNT_LOST_OFFCPU, COUNT_LOST_EVENTS, COUNT_LOST_STACKS,
					    COUNT_LOST_MODULES};
	const struct full *f = mode;

	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++)
		ret->lost += tool_counter(f->tool, lost[i]);
	ret->stackmap_bits = service_stack_bits(f->service);
	ret->max_tasks = service_max_tasks(f->service);
}

static size_t full_stuck(const void *mode, uint64_t age_ns, pid_t *ret, size_t max)
{
	const struct full *f = mode;

	return service_stuck(f->service, now_ns() - age_ns, ret, max);
}

static const char *full_event(const void *mode)
{
	const struct full *f = mode;

	return f->sampler ? sampler_event(f->sampler) : f->offcpu ? "off-cpu" : "tracefs";
}

static void full_free(void *mode)
{
	struct full *f = mode;

	if (f->sampler)
		sampler_free(f->sampler);
	ring_buffer__free(f->ring);
	events_free(f->events);
	tool_free(f->tool);
	offcpu_free(f->offcpu);
	intake_done(&f->in);
	service_free(f->service);
	map_done(&f->due);
	free(f);
}

const struct mode mode_full = {
	.name = "full",
	.hz = 99,
	.knows_cgroups = true,
	.new = full_new,
	.furnish = full_furnish,
	.settings = full_settings,
	.start = full_start,
	.poll = full_poll,
	.follow = full_follow,
	.count = full_count,
	.stop = full_stop,
	.status = full_status,
	.stuck = full_stuck,
	.event = full_event,
	.free = full_free,
};
