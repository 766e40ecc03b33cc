/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Context switches become rows of the profile. See switching.h. */
#include "lib/record/switching.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "abi/outcome.h"
#include "base/clock.h"

uint32_t switching_thread(const struct join *j, const struct processes *names, pid_t pid, pid_t tid)
{
	const char *name = processes_name_of(names, tid);
	char number[16];

	snprintf(number, sizeof(number), ":%d", tid);
	return profile_thread(j->writer, pid, tid, *name ? name : number);
}

static void take_interval(void *ctx, const struct switch_interval *i)
{
	struct switching *s = ctx;

	intervals_add(&s->rows, switching_thread(s->join, s->names, i->pid, i->tid), i);
}

static void take_life(void *ctx, const struct switch_life *l)
{
	struct switching *s = ctx;
	const struct dusk_thread_times times = {
		.thread = switching_thread(s->join, s->names, l->pid, l->tid),
		.start_ns = join_time(s->join, l->start_ns),
		.end_ns = join_time(s->join, l->end_ns),
		.on_cpu_ns = l->on_cpu_ns,
		.runnable_ns = l->runnable_ns,
		.blocked_ns = l->blocked_ns,
		.intervals = l->intervals,
	};

	profile_thread_times(s->join->writer, &times);
}

int switching_init(struct switching *s, struct join *j, const struct processes *names,
		   const struct dusk_record_options *o)
{
	*s = (struct switching){
		.join = j,
		.names = names,
		.switches =
			{
				.ctx = s,
				.interval = take_interval,
				.life = take_life,
				.no_stack = NOT_SAMPLED,
				.by_stacks = o->cgroup,
			},
		.rows = {.join = j, .min_ns = o->min_block_ns},
		.kernel_threads = o->kernel_threads,
		.only = o->no_children && (o->nr_pids || o->nr_tids),
		.cgroup = o->cgroup ? strdup(o->cgroup) : NULL,
		.self = getpid(),
	};
	return o->cgroup && !s->cgroup ? -ENOMEM : 0;
}

void switching_done(struct switching *s)
{
	switches_done(&s->switches);
	intervals_done(&s->rows);
	map_done(&s->of_kernel);
	free(s->cgroup);
}

static int note_kernel(struct switching *s, pid_t pid, bool is)
{
	bool fresh;
	uint32_t *value = map_at(&s->of_kernel, (uint32_t)pid, &fresh);

	if (value)
		*value = is;
	return value ? 0 : -ENOMEM;
}

/* Is process @pid recorded? The numbers are the kernel's: 0 is the idle task, and more than a pid_t has is a task that is gone. */
static bool is_wanted(const struct switching *s, uint32_t pid, uint32_t tid)
{
	const uint32_t *kernel = map_find(&s->of_kernel, pid);

	return pid && pid <= INT_MAX && tid <= INT_MAX && (pid_t)pid != s->self &&
	       (s->kernel_threads || !kernel || !*kernel);
}

static int look_at(struct switching *s, pid_t tid)
{
	pid_t pid = procs_of_thread(tid);
	bool kernel = false;
	char state = pid > 0 ? procs_state(pid, tid, &kernel) : 0;
	int ret = kernel ? note_kernel(s, pid, true) : 0;

	if (!ret && state && state != 'X' && state != 'Z' && is_wanted(s, pid, tid))
		ret = switches_thread(&s->switches, pid, tid, state, now_ns());
	return ret;
}

int switching_begin(struct switching *s, const struct first_threads *f)
{
	struct pids tids = {0};
	int ret;

	switches_begin(&s->switches, now_ns());
	ret = s->cgroup ? procs_add_cgroup(&tids, s->cgroup) : first_threads_list(f, &tids);
	for (size_t i = 0; !ret && i < tids.nr; i++)
		ret = look_at(s, tids.v[i]);
	vec_done(&tids);
	return ret;
}

static int take_fork(struct switching *s, const struct perfdata_record *r)
{
	const uint32_t *kernel = map_find(&s->of_kernel, r->ppid);
	bool is = kernel && *kernel;

	if (s->only && r->pid != r->ppid)
		return 0;
	if (r->pid != r->ppid && (is || map_find(&s->of_kernel, r->pid)) && note_kernel(s, r->pid, is))
		return -ENOMEM;
	if (s->cgroup && !switches_knows(&s->switches, r->ptid)) {
		switches_fork_outside(&s->switches, r->tid);
		return 0;
	}
	return is_wanted(s, r->pid, r->tid) ? switches_fork(&s->switches, r->pid, r->tid, r->time_ns) : 0;
}

static int take_name(struct switching *s, const struct perfdata_record *r)
{
	if (!r->exec)
		return 0;
	if (map_find(&s->of_kernel, r->pid) && note_kernel(s, r->pid, false)) /* it runs a program now */
		return -ENOMEM;
	return is_wanted(s, r->pid, r->tid) ? switches_exec(&s->switches, r->pid, r->tid, r->time_ns) : 0;
}

static int take_switch(struct switching *s, const struct perfdata_record *r)
{
	if (!is_wanted(s, r->pid, r->tid))
		return 0;
	return r->out ? switches_out(&s->switches, r->pid, r->tid, r->preempted, r->time_ns)
		      : switches_in(&s->switches, r->pid, r->tid, r->cpu, r->time_ns);
}

int switching_take(struct switching *s, const struct perfdata_record *r)
{
	switch (r->kind) {
	case PERFDATA_FORK: return take_fork(s, r);
	case PERFDATA_NAME: return take_name(s, r);
	case PERFDATA_EXIT: return r->tid <= INT_MAX ? switches_exit(&s->switches, r->tid, r->time_ns) : 0;
	case PERFDATA_SWITCH: return take_switch(s, r);
	default: return 0;
	}
}

bool switching_wants(const struct switching *s, const struct perfdata_record *r)
{
	return is_wanted(s, r->pid, r->tid);
}

int switching_stack(struct switching *s, const struct perfdata_record *r, const struct switch_stack *stack)
{
	return switches_stack(&s->switches, r->pid, r->tid, stack, r->time_ns);
}

void switching_end(struct switching *s, uint64_t stop_ns)
{
	switches_end(&s->switches, stop_ns);
	intervals_sum_up(&s->rows);
}
