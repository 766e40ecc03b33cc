/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Mode ptrace: threads that run are stopped for a moment, some times a second; their registers and the inner part of
 * their stacks are copied, and walked here when they run on. For where perf events are refused. See mode.h, ADR 0035.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include "abi/config.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/procs.h"
#include "core/arch/regs.h"
#include "core/walk/walk.h"
#include "lib/copied/host_walk.h"
#include "lib/copied/source.h"
#include "lib/copied/tracees.h"
#include "lib/error.h"
#include "lib/record/wanted.h"
#include "lib/record/mode.h"
#include "lib/record/modules.h"
#include "lib/record/switching.h"

#define MOST_PERCENT 1	      /* of the time, for which threads are stopped, all together: then the rate is lowered */
#define CREDIT_NS 10000000U   /* which is not counted: in the first stops, mappings are read */
#define PATIENCE_NS 20000000U /* with a thread that is to stop, and does not */

/* A sample of a thread that runs again, to be walked. */
struct taken {
	pid_t pid, tid;
	uint64_t time_ns, sample_ns;
	u64 regs[INPUT_REGS];
	u8 *stack;
	u64 stack_bytes;
	bool changed; /* what its process has mapped is to be read */
};

struct ptraced {
	struct join *join;
	struct spaces spaces;
	struct host_walk walk;
	struct tracees tracees;
	struct pids pids;
	struct vec(struct taken) taken;
	size_t walked;	   /* of these */
	struct map mapped; /* process -> pages that it had mapped when its mappings were read */
	bool waits;	   /* for execve() */
	uint32_t hz, max_depth, stack_bytes;
	uint64_t next_ns; /* when threads are asked to stop */
	uint64_t samples, sampled_ns, unread;
	int failed;
};

static void learn(void *ctx, const struct event_module *e)
{
	const struct ptraced *p = ctx;

	modules_learn(p->join->modules, e);
}

/* How many pages has @pid mapped? That changes with almost everything that it maps. 0: it is gone. */
static uint32_t pages_of(pid_t pid)
{
	_cleanup_(fclosep) FILE *f = NULL;
	unsigned int pages;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	f = fopen(path, "re");
	return f && fscanf(f, "%u", &pages) == 1 ? pages : 0;
}

static void note_read(struct ptraced *p, int ret)
{
	p->unread += ret && ret != -ESRCH && ret != -ENOENT;
	if (ret == -ENOMEM)
		p->failed = ret;
}

/*
 * A thread of the process is stopped: read what is mapped, if that has changed. If it is not the only one, others
 * change it all the same: then true is returned, and it is to be read when the thread runs on.
 */
static bool follow_mappings(struct ptraced *p, pid_t pid)
{
	uint32_t pages = pages_of(pid), *known;
	bool fresh;

	known = map_at(&p->mapped, (uint32_t)pid, &fresh);
	if (!known) {
		p->failed = -ENOMEM;
		return false;
	}
	if (pages == *known)
		return false;
	*known = pages;
	if (!tracees_is_alone(&p->tracees, pid))
		return true;
	note_read(p, spaces_read(&p->spaces, pid));
	return false;
}

/* Copy the stack from the stack pointer on, as far as it goes. */
static void take_sample(void *ctx, const struct tracee *t, const u64 *regs)
{
	struct ptraced *p = ctx;
	struct taken s = {.pid = t->pid, .tid = t->tid, .time_ns = now_ns(), .sample_ns = t->sample_ns};
	ssize_t got;

	if (p->waits)
		return;
	s.changed = follow_mappings(p, t->pid);
	s.stack = malloc(p->stack_bytes);
	if (!s.stack) {
		p->failed = -ENOMEM;
		return;
	}
	memcpy(s.regs, regs, sizeof(s.regs));
	got = memory_copy(&p->walk.reader, t->tid, s.stack, p->stack_bytes, regs[REG_SP]);
	s.stack_bytes = got > 0 ? got & ~7ULL : 0;
	if (vec_push(&p->taken, s)) {
		free(s.stack);
		p->failed = -ENOMEM;
	}
}

static void take_exec(void *ctx, pid_t pid)
{
	struct ptraced *p = ctx;
	uint32_t *known = map_find(&p->mapped, (uint32_t)pid);

	p->waits = false;
	if (known)
		*known = 0;
}

static void walk(struct ptraced *p, const struct taken *t)
{
	struct waiting w = {.sample = {.count = 1, .source = DUSK_CPU, .value_ns = t->sample_ns}};
	const struct copied_stack copy = {t->pid, t->regs, t->stack, t->stack_bytes, p->stack_bytes};
	u32 outcome = host_walk_run(&p->walk, &copy, p->max_depth);
	uint32_t node = stacks_user_frames(p->join->stacks, p->walk.walk->out.frame, p->walk.walk->out.nr, t->pid);

	p->samples++;
	p->sampled_ns += t->sample_ns;
	w.sample.time_ns = join_time(p->join, t->time_ns);
	w.sample.thread = switching_thread(p->join, &p->spaces.processes, t->pid, t->tid);
	join_sample(p->join, &w, node, outcome);
}

/* Walk the first of what was taken. Its thread runs meanwhile. */
static void walk_next(struct ptraced *p)
{
	const struct taken *t = &p->taken.v[p->walked++];

	if (t->changed)
		note_read(p, spaces_read(&p->spaces, t->pid));
	if (!*processes_name_of(&p->spaces.processes, t->tid))
		spaces_read_name(&p->spaces, t->pid, t->tid);
	walk(p, t);
	free(t->stack);
	if (p->walked == p->taken.nr)
		p->walked = p->taken.nr = 0;
}

static int check(const struct dusk_record_options *o, struct dusk_error *err)
{
	const char *what = o->sources & DUSK_RECORD_EVENTS ? "events of tracefs"
			   : o->sources & ~DUSK_RECORD_CPU ? "off-CPU intervals"
			   : wanted_by_label(o)		   ? "by unit, container or pod"
			   : o->cgroup			   ? "a cgroup"
			   : o->only_user		   ? "the tasks of a user"
			   : o->verify			   ? "a verification"
			   : o->nr_cpus			   ? "chosen CPUs"
			   : o->nr_tids			   ? "single threads"
			   : !o->nr_pids		   ? "the whole machine"
							   : NULL;

	if (what)
		return error_set(err, -EOPNOTSUPP,
				 "cannot record %s in mode ptrace: it samples processes, while they run", what);
	if (o->stack_bytes > COPIED_STACK_BYTES_MAX)
		return error_set(err, -EINVAL, "cannot copy more than %d bytes of a stack", COPIED_STACK_BYTES_MAX);
	return 0;
}

static int add_all(struct ptraced *p, const struct dusk_record_options *o, struct dusk_error *err)
{
	size_t done = 0;
	int ret = vec_append(&p->pids, o->pids, o->nr_pids);

	for (size_t i = 0; !ret && i < o->nr_pids; i++)
		if (procs_of_thread(o->pids[i]) != o->pids[i])
			ret = error_set(err, -ESRCH, "cannot record process %d: there is no such process", o->pids[i]);
	while (!ret && done < p->pids.nr) {
		for (; !ret && done < p->pids.nr; done++) {
			ret = tracees_add(&p->tracees, p->pids.v[done], err);
			if (ret == -ESRCH && done >= o->nr_pids)
				ret = 0;
		}
		if (!ret && !o->from_exec && !o->no_children)
			ret = procs_add_children(&p->pids);
	}
	return ret;
}

static int ptraced_new(void **ret, struct join *j, const struct dusk_record_options *o, int stops_before,
		       struct dusk_error *err)
{
	struct ptraced *p;
	int rc = check(o, err);

	if (rc)
		return rc;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	*ret = p;
	p->join = j;
	p->hz = mode_hz(&mode_ptrace, o);
	p->max_depth = o->max_depth ?: DEFAULT_DEPTH;
	p->stack_bytes = o->stack_bytes ?: COPIED_STACK_BYTES;
	p->waits = o->from_exec;
	p->tracees = (struct tracees){
		.ctx = p,
		.sample = take_sample,
		.exec = take_exec,
		.only = o->no_children,
		.own_child = o->from_exec ? o->pids[0] : 0,
	};
	rc = spaces_init(&p->spaces) ?: host_walk_init(&p->walk, &p->spaces, learn, p);
	return rc ?: add_all(p, o, err);
}

static int ptraced_furnish(void *mode)
{
	struct ptraced *p = mode;

	p->join->stacks = stacks_new(p->join->writer, p->join->modules, NULL);
	return p->join->stacks ? 0 : -ENOMEM;
}

static void ptraced_settings(const void *mode)
{
	const struct ptraced *p = mode;

	profile_set_u64(p->join->writer, "stack_bytes", p->stack_bytes);
	profile_set(p->join->writer, "kernel_mode", "left out");
	profile_set_u64(p->join->writer, "max_depth", p->max_depth);
}

static int ptraced_start(void *mode, struct dusk_error *err)
{
	struct ptraced *p = mode;

	join_begin(p->join);
	p->next_ns = p->join->start_ns;
	return 0;
}

/* Ask all that run to stop, and choose when to do it again: so that stops take no more of the time than they may. */
static void tick(struct ptraced *p)
{
	uint64_t stopped_ns = p->tracees.stopped_ns, period_ns = 1000000000ULL / p->hz, least_ns;

	stopped_ns = stopped_ns > CREDIT_NS ? stopped_ns - CREDIT_NS : 0;
	least_ns = p->join->start_ns + stopped_ns * 100 / MOST_PERCENT;
	p->next_ns = now_ns() + period_ns;
	if (least_ns > p->next_ns)
		p->next_ns = least_ns;
	tracees_ask(&p->tracees);
}

static int ptraced_poll(void *mode, int timeout_ms)
{
	struct ptraced *p = mode;
	uint64_t end_ns = now_ns() + (timeout_ms > 0 ? timeout_ms * 1000000ULL : 0);
	int ret;

	do {
		if (now_ns() >= p->next_ns)
			tick(p);
		ret = tracees_serve(&p->tracees);
		if (ret)
			continue;
		/* No thread is to stay stopped while a stack is walked. */
		if (p->walked < p->taken.nr && tracees_asked(&p->tracees, now_ns() - PATIENCE_NS) == 0)
			walk_next(p);
		else
			ret = tracees_wait(end_ns < p->next_ns ? end_ns : p->next_ns);
		if (p->tracees.child_ended)
			break; /* who waits for it should know */
	} while (ret >= 0 && !p->failed && now_ns() < end_ns);
	return ret < 0 ? ret : p->failed;
}

static void ptraced_count(void *mode)
{
	const struct ptraced *p = mode;
	const struct tracees *ts = &p->tracees;
	const struct {
		const char *name, *sentence;
		uint64_t value;
	} all[] = {
		{"samples", "samples taken", p->samples},
		{"stops", "times that a thread was stopped, to be sampled", ts->stops},
		{"stopped-us", "microseconds for which threads were stopped, at most", ts->stopped_ns / 1000},
		{"longest-stop-us", "microseconds of the longest of these", ts->longest_ns / 1000},
		{"sampled-us", "microseconds of CPU time for which the samples stand", p->sampled_ns / 1000},
		{"left-traced", "threads that did not stop at the end, and are let go when dusk ends", ts->left},
		{"unread-processes", "times that the mappings of a process could not be read", p->unread},
		{"process-reads",
		 "reads of code from processes: memory without a file, and files that cannot be opened",
		 p->walk.reads_of_processes},
		{"unserved-reads",
		 "reads of processes that were given up: a page did not come, and nothing more was read from that "
		 "process",
		 p->walk.reader.given_up},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		profile_count(p->join->writer, all[i].name, all[i].sentence, all[i].value);
}

static int ptraced_stop(void *mode, uint64_t *stop_ns, struct dusk_error *err)
{
	struct ptraced *p = mode;

	*stop_ns = now_ns();
	tracees_leave(&p->tracees);
	while (p->walked < p->taken.nr)
		walk_next(p);
	return p->failed;
}

static void ptraced_status(const void *mode, struct dusk_record_status *ret)
{
	const struct ptraced *p = mode;

	ret->stack_bytes = p->stack_bytes;
}

static const char *ptraced_event(const void *mode)
{
	return "ptrace";
}

static void ptraced_free(void *mode)
{
	struct ptraced *p = mode;

	tracees_done(&p->tracees);
	for (size_t i = p->walked; i < p->taken.nr; i++)
		free(p->taken.v[i].stack);
	vec_done(&p->taken);
	host_walk_done(&p->walk);
	spaces_done(&p->spaces);
	map_done(&p->mapped);
	vec_done(&p->pids);
	free(p);
}

const struct mode mode_ptrace = {
	.name = "ptrace",
	.hz = 20,
	.new = ptraced_new,
	.furnish = ptraced_furnish,
	.settings = ptraced_settings,
	.start = ptraced_start,
	.poll = ptraced_poll,
	.count = ptraced_count,
	.stop = ptraced_stop,
	.status = ptraced_status,
	.event = ptraced_event,
	.free = ptraced_free,
};
