/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Mode copied: samples of perf events with registers and a copy of the stack, walked here, without BPF. See mode.h.
 *
 * ADR 0034 says what this gives up. Nothing of the copies is stored: a profile is as large as in the full mode.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "abi/outcome.h"
#include "base/clock.h"
#include "core/walk/walk.h"
#include "lib/copied/host_walk.h"
#include "lib/copied/source.h"
#include "lib/error.h"
#include "lib/record/wanted.h"
#include "lib/record/first_threads.h"
#include "lib/record/mode.h"
#include "lib/record/modules.h"
#include "lib/record/switching.h"

#define SETTLE_NS \
	50000000ULL /* a record may come so much later than its time, while others with later times are read */
#define AT_ONCE 64  /* walks, until the rings are looked at again: they must not fill up meanwhile */
#define READ_AGAIN_NS 1000000000ULL  /* between two times that the mappings of all processes are read */
#define MARK_KERNEL ((uint64_t)-128) /* PERF_CONTEXT_KERNEL: the frames after it are the kernel's */
#define FIRST_MARK ((uint64_t)-4095)

struct copied {
	struct join *join;
	struct perf_source *source;
	struct queue queue;
	struct spaces spaces;
	struct host_walk walk;
	struct switching switching;
	struct first_threads first;
	uint32_t sources; /* DUSK_RECORD_... */
	bool from_exec, forget;
	bool forgotten;	  /* what is mapped has to be read anew */
	uint64_t read_ns; /* when it was read last */
	uint32_t max_depth;
	pid_t self;
	uint64_t walks;
	uint64_t samples, lost[NR_SOURCE_RINGS], refused, unread;
};

static void learn(void *ctx, const struct event_module *e)
{
	const struct copied *c = ctx;

	modules_learn(c->join->modules, e);
}

/* Is what @o asks for possible without BPF? */
static int check(const struct dusk_record_options *o, struct dusk_error *err)
{
	bool has_tasks = o->nr_pids || o->nr_tids;
	const char *what = o->sources & DUSK_RECORD_EVENTS   ? "events of tracefs"
			   : o->sources & DUSK_RECORD_WAKERS ? "wakers"
			   : o->budget			     ? "with a budget"
			   : wanted_by_label(o)		     ? "by unit, container or pod"
			   : o->cgroup && has_tasks	     ? "a process of a cgroup alone"
			   : o->only_user		     ? "the tasks of a user"
			   : o->verify			     ? "a verification"
							     : NULL;

	if (what)
		return error_set(err, -EOPNOTSUPP, "cannot record %s in mode copied: that needs the full mode", what);
	if (o->stack_bytes > COPIED_STACK_BYTES_MAX)
		return error_set(err, -EINVAL, "cannot copy more than %d bytes of a stack", COPIED_STACK_BYTES_MAX);
	return 0;
}

static void copied_free(void *mode)
{
	struct copied *c = mode;

	source_free(c->source);
	queue_done(&c->queue);
	host_walk_done(&c->walk);
	spaces_done(&c->spaces);
	switching_done(&c->switching);
	first_threads_done(&c->first);
	free(c);
}

static int copied_new(void **ret, struct join *j, const struct dusk_record_options *o, int stops_before,
		      struct dusk_error *err)
{
	uint32_t sources = o->sources ?: DUSK_RECORD_CPU;
	struct source_options so = {
		.hz = mode_hz(&mode_copied, o),
		.stack_bytes = o->stack_bytes,
		.cpu = sources & DUSK_RECORD_CPU,
		.switches = sources & DUSK_RECORD_OFF_CPU,
		.from_exec = o->from_exec,
		.no_children = o->no_children,
		.cpus = o->cpus,
		.nr_cpus = o->nr_cpus,
		.cgroup = o->cgroup,
	};
	struct copied *c;
	int rc = check(o, err);

	if (rc)
		return rc;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	*ret = c;
	c->join = j;
	c->self = getpid();
	c->sources = sources;
	c->from_exec = o->from_exec;
	c->max_depth = o->max_depth ?: DEFAULT_DEPTH;
	rc = switching_init(&c->switching, j, &c->spaces.processes, o);
	rc = rc ?: spaces_init(&c->spaces) ?: host_walk_init(&c->walk, &c->spaces, learn, c);
	if (rc)
		return rc;
	return o->nr_pids || o->nr_tids ? first_threads_open(&c->source, &c->first, o, &so, err)
					: source_new(&c->source, &so, err);
}

static int copied_furnish(void *mode)
{
	struct copied *c = mode;

	c->join->stacks = stacks_new(c->join->writer, c->join->modules, NULL);
	return c->join->stacks ? 0 : -ENOMEM;
}

static uint32_t stack_bytes(const struct copied *c)
{
	return source_stack_bytes(c->source, c->sources & DUSK_RECORD_CPU ? SOURCE_SAMPLES : SOURCE_STACKS);
}

static void copied_settings(const void *mode)
{
	const struct copied *c = mode;

	profile_set_u64(c->join->writer, "stack_bytes", stack_bytes(c));
	profile_set(c->join->writer, "kernel_mode", source_sees_kernel(c->source) ? "sampled" : "left out");
	profile_set_u64(c->join->writer, "max_depth", c->max_depth);
	if (c->sources & DUSK_RECORD_OFF_CPU)
		profile_set(c->join->writer, "off_cpu_stacks", source_has_stacks(c->source) ? "sampled" : "left out");
}

/*
 * Read the mappings of all processes that are there; those that end meanwhile are not needed. Of our own we take no samples,
 * but our children have them.
 */
static int read_processes(struct copied *c)
{
	struct pids all = {0};
	int ret = first_threads_processes(&c->first, &all);

	for (size_t i = 0; !ret && i < all.nr; i++) {
		ret = spaces_read(&c->spaces, all.v[i]);
		c->unread += ret && ret != -ENOENT && ret != -ESRCH && ret != -ENOMEM;
		ret = ret == -ENOMEM ? ret : source_take(c->source, &c->queue);
	}
	c->read_ns = now_ns();
	vec_done(&all);
	return ret;
}

static int copied_start(void *mode, struct dusk_error *err)
{
	struct copied *c = mode;
	int ret = 0;

	source_start(c->source, SOURCE_PROCESSES);
	if (!c->from_exec)
		ret = read_processes(c);
	join_begin(c->join);
	source_start(c->source, SOURCE_SWITCHES);
	if (!ret && c->sources & DUSK_RECORD_OFF_CPU && !c->from_exec)
		ret = switching_begin(&c->switching, &c->first);
	source_start(c->source, SOURCE_STACKS); /* whose rings are soon full when nothing is read */
	source_start(c->source, SOURCE_SAMPLES);
	return ret;
}

static uint32_t kernel_stack(struct copied *c, const struct perfdata_record *r)
{
	u64 frames[MAX_KERNEL_FRAMES];
	bool is_kernel = false;
	u32 nr = 0;

	for (uint64_t i = 0; i < r->nr_ips && nr < MAX_KERNEL_FRAMES; i++) {
		if (r->ips[i] >= FIRST_MARK)
			is_kernel = r->ips[i] == MARK_KERNEL;
		else if (is_kernel)
			frames[nr++] = r->ips[i];
	}
	return nr ? stacks_keep_kernel(c->join->stacks, frames, nr) : 0;
}

static bool is_exit_of(void *ctx, uint32_t kind, const struct perf_event_header *h)
{
	const uint32_t *tid = ctx, *ids = (const uint32_t *)(h + 1);

	return kind == SOURCE_PROCESSES && h->type == PERF_RECORD_EXIT && h->size >= sizeof(*h) + 16 && ids[2] == *tid;
}

static bool is_exec_of(void *ctx, uint32_t kind, const struct perf_event_header *h)
{
	const uint32_t *tid = ctx, *ids = (const uint32_t *)(h + 1);

	return kind == SOURCE_PROCESSES && h->type == PERF_RECORD_COMM && h->misc & PERF_RECORD_MISC_COMM_EXEC &&
	       h->size >= sizeof(*h) + 8 && ids[1] == *tid;
}

/*
 * A thread in the kernel has not a byte of a stack: it is exiting, or in execve(), and has given up the old memory. What it
 * is about to do comes as a record; but to give up much memory takes longer than these are waited for.
 */
static u32 why_no_stack(struct copied *c, uint32_t tid)
{
	if (queue_any(&c->queue, is_exec_of, &tid))
		return EXEC_NEW;
	if (queue_any(&c->queue, is_exit_of, &tid) || !procs_has_memory(tid))
		return EXITED;
	return NR_OUTCOMES;
}

/* Return the outcome where there is nothing to walk, or NR_OUTCOMES: there is. */
static u32 why_none(struct copied *c, const struct perfdata_record *r, uint64_t regs[COPIED_REGS], uint32_t *missing)
{
	if (r->mode == PERFDATA_USER)
		spaces_begun(&c->spaces, r->pid);
	if (!source_registers(r, regs, missing))
		return processes_has_maps(&c->spaces.processes, r->pid) ? EXITED : KERNEL_THREAD;
	if (r->mode == PERFDATA_KERNEL && spaces_is_new(&c->spaces, r->pid))
		return EXEC_NEW;
	return r->mode == PERFDATA_KERNEL && !r->stack_bytes ? why_no_stack(c, r->tid) : NR_OUTCOMES;
}

/* Walk the stack of a sample, if there is one. */
static struct switch_stack walk(struct copied *c, uint32_t ring, const struct perfdata_record *r)
{
	struct switch_stack s = {.kernel = kernel_stack(c, r)};
	uint64_t regs[COPIED_REGS];
	uint32_t missing = 0;
	u32 outcome = why_none(c, r, regs, &missing);

	if (outcome == NR_OUTCOMES) {
		const struct copied_stack copy = {
			r->pid,
			(const u64 *)regs,
			r->stack,
			r->stack_bytes,
			source_stack_bytes(c->source, ring),
			r->mode == PERFDATA_KERNEL,
			missing,
		};

		outcome = host_walk_run(&c->walk, &copy, c->max_depth);
		s.user = stacks_user_frames(c->join->stacks, c->walk.walk->out.frame, c->walk.walk->out.nr, r->pid);
	}
	s.outcome = outcome;
	c->walks++;
	return s;
}

static void take_sample(struct copied *c, const struct perfdata_record *r)
{
	struct waiting w = {.sample = {.count = 1, .cpu = r->cpu, .source = DUSK_CPU}};
	struct switch_stack s;

	if (!r->pid || r->pid > INT_MAX || r->tid > INT_MAX || (pid_t)r->pid == c->self)
		return;
	c->samples++;
	s = walk(c, SOURCE_SAMPLES, r);
	w.sample.time_ns = join_time(c->join, r->time_ns);
	w.sample.thread = switching_thread(c->join, &c->spaces.processes, r->pid, r->tid);
	w.kernel_stack = s.kernel;
	join_sample(c->join, &w, s.user, s.outcome);
}

static int take_switch_stack(struct copied *c, const struct perfdata_record *r)
{
	struct switch_stack s;

	if (!switching_wants(&c->switching, r))
		return 0;
	s = walk(c, SOURCE_STACKS, r);
	return switching_stack(&c->switching, r, &s);
}

/* Records of mappings, forks and names were lost: what is known may be wrong. */
static void note_lost(struct copied *c, uint32_t ring, uint64_t nr)
{
	c->lost[ring] += nr;
	c->forget |= ring == SOURCE_PROCESSES;
}

static int take_decoded(struct copied *c, uint32_t ring, const struct perfdata_record *r)
{
	int ret = 0;

	if (r->kind == PERFDATA_LOST)
		note_lost(c, ring, r->lost);
	else if (r->kind == PERFDATA_SAMPLE && ring == SOURCE_SAMPLES)
		take_sample(c, r);
	else if (r->kind == PERFDATA_SAMPLE)
		ret = take_switch_stack(c, r);
	else if (ring == SOURCE_PROCESSES)
		ret = spaces_take(&c->spaces, r);
	if (!ret && c->sources & DUSK_RECORD_OFF_CPU)
		ret = switching_take(&c->switching, r);
	return ret;
}

/* Take a record. Returns 1 when the rings should be looked at again. */
static int take(void *ctx, uint32_t ring, const struct perf_event_header *h)
{
	struct copied *c = ctx;
	uint64_t walks = c->walks;
	struct perfdata_record r;
	int ret = 0;

	if (ring == SOURCE_LOSS)
		switches_lose(&c->switching.switches, h->misc);
	else if (source_decode(c->source, ring, h, &r))
		c->refused++;
	else
		ret = take_decoded(c, ring, &r) ?: c->join->failed;
	return ret ?: c->walks != walks && !(c->walks % AT_ONCE);
}

/*
 * Records of mappings were lost: what is known may be wrong. Read anew what is mapped now, but not too often: until then
 * nothing is known, and stacks are cut.
 */
static int read_again(struct copied *c)
{
	if (c->forget) {
		spaces_forget(&c->spaces);
		switches_forget(&c->switching.switches);
	}
	c->forgotten |= c->forget;
	c->forget = false;
	if (!c->forgotten || now_ns() - c->read_ns < READ_AGAIN_NS)
		return 0;
	c->forgotten = false;
	return read_processes(c);
}

/* Take in what has come, up to @until_ns. */
static int take_all(struct copied *c, uint64_t until_ns)
{
	int ret;

	do {
		ret = source_take(c->source, &c->queue);
		ret = ret ?: queue_drain(&c->queue, until_ns, take, c);
		if (c->forget && ret >= 0) {
			int err = read_again(c);

			ret = err ?: ret;
		}
	} while (ret > 0);
	return ret ?: read_again(c);
}

static int copied_poll(void *mode, int timeout_ms)
{
	struct copied *c = mode;
	uint64_t now = now_ns(), end = now + (timeout_ms > 0 ? timeout_ms * 1000000ULL : 0);
	unsigned int pause_ms = source_patience_ms(c->source) / 4 + 1, left_ms;
	int ret = 0;

	while (!ret) {
		ret = take_all(c, now_ns() - SETTLE_NS);
		now = now_ns();
		if (ret || now >= end)
			break;
		left_ms = (end - now) / 1000000 + 1;
		ret = source_wait(c->source, left_ms < pause_ms ? left_ms : pause_ms);
	}
	return ret;
}

static uint64_t lost(const struct copied *c, enum source_ring ring)
{
	return c->lost[ring] + source_dropped(c->source, ring);
}

static void copied_count(void *mode)
{
	const struct copied *c = mode;
	const struct {
		const char *name, *sentence;
		uint64_t value;
	} all[] = {
		{"samples", "samples taken", c->samples + lost(c, SOURCE_SAMPLES)},
		{"lost-samples", "samples lost: more came than could be walked", lost(c, SOURCE_SAMPLES)},
		{"lost-processes",
		 "records of mappings, forks and names lost: the ring buffer was full; what was mapped was read anew",
		 lost(c, SOURCE_PROCESSES)},
		{"lost-switches", "records of context switches lost: the ring buffer was full",
		 lost(c, SOURCE_SWITCHES)},
		{"lost-switch-stacks", "stacks at context switches lost: more came than could be walked",
		 lost(c, SOURCE_STACKS)},
		{"unknown-times",
		 "times between two context switches of a thread that are not accounted for: records were lost",
		 c->switching.switches.unknown},
		{"refused-records", "records of the kernel that make no sense", c->refused},
		{"late-records", "records that came after others that are later", c->queue.late},
		{"lost-cpus", "CPUs that came online and were not sampled: the kernel refused them a perf event",
		 source_refused(c->source)},
		{"unread-processes", "processes whose mappings could not be read", c->unread},
		{"process-reads",
		 "reads of code from processes: memory without a file, and files that cannot be opened",
		 c->walk.reads_of_processes},
		{"unserved-reads",
		 "reads of processes that were given up: a page did not come, and nothing more was read from that "
		 "process",
		 c->walk.reader.given_up},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		profile_count(c->join->writer, all[i].name, all[i].sentence, all[i].value);
}

/* CPUs come online, and go. */
static int follow_cpus(struct copied *c)
{
	struct pids tids = {0};
	int ret = source_look(c->source, &c->queue);

	if (ret <= 0)
		return ret;
	ret = c->first.pids.nr ? first_threads_list(&c->first, &tids) : 0;
	if (!ret)
		source_open_cpus(c->source, tids.v, tids.nr);
	vec_done(&tids);
	return ret;
}

static int copied_follow(void *mode, uint64_t now_ns, struct dusk_error *err)
{
	struct copied *c = mode;

	intervals_sum_up(&c->switching.rows);
	return follow_cpus(c);
}

static int copied_stop(void *mode, uint64_t *stop_ns, struct dusk_error *err)
{
	struct copied *c = mode;
	int ret;

	*stop_ns = now_ns();
	source_stop(c->source);
	ret = take_all(c, UINT64_MAX);
	if (c->sources & DUSK_RECORD_OFF_CPU)
		switching_end(&c->switching, *stop_ns);
	return ret;
}

static void copied_status(const void *mode, struct dusk_record_status *ret)
{
	const struct copied *c = mode;

	for (int ring = 0; ring < NR_SOURCE_RINGS; ring++)
		ret->lost += lost(c, ring);
	ret->stack_bytes = stack_bytes(c);
	ret->no_off_cpu_stacks = c->sources & DUSK_RECORD_OFF_CPU && !source_has_stacks(c->source);
}

static const char *copied_event(const void *mode)
{
	const struct copied *c = mode;

	return source_event(c->source);
}

const struct mode mode_copied = {
	.name = "copied",
	.hz = 99,
	.new = copied_new,
	.furnish = copied_furnish,
	.settings = copied_settings,
	.start = copied_start,
	.poll = copied_poll,
	.follow = copied_follow,
	.count = copied_count,
	.stop = copied_stop,
	.status = copied_status,
	.event = copied_event,
	.free = copied_free,
};
