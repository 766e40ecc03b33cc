/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/offcpu.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "abi/offcpu.h"
#include "abi/consumer.h"
#include "base/clock.h"
#include "base/cleanup.h"
#include "lib/profile/file/abi_names.h"
#include "lib/error.h"
#include "lib/record/governor.h"
#include "lib/unwinder/object.h"
#include "lib/unwinder/remote.h"

#define AGGREGATION_ROWS 65536
#define BATCH 1024
#define TIDS_A_PASS 32768
#define NS_A_S 1000000000ULL
#define UNENDED_NS 4000000000ULL /* at most, for walking threads that are still off CPU */

struct offcpu {
	struct service *service;
	struct tool *tool;
	struct intake *in;
	uint32_t number;
	int aggregation[2], current;
	uint64_t summed_ns, sums_made; /* when the aggregation was last read; rows so far */
	struct shared times;
	struct governor governor;
	bool all_cost; /* the governor holds a limit for this process, too */
	struct {
		uint64_t used_ns, looked_ns; /* CPU time, once a second */
		uint64_t spread_ns, now_ns;  /* the same, as if it were spread over the second after */
		double share;		     /* of a CPU in the last second */
	} own;
	struct aggregation_key keys[BATCH];
	struct aggregation_sum sums[BATCH];
};

/*
 * What this process has cost so far. It works once a second, and when a window ends: what it has taken in a second is
 * spread over the next one, so that the governor does not take the moment for the rule.
 */
static uint64_t own_ns(struct offcpu *o, uint64_t now_ns)
{
	if (!o->own.looked_ns || now_ns >= o->own.looked_ns + NS_A_S) {
		uint64_t used_ns = cpu_used_ns();

		if (o->own.looked_ns)
			o->own.share = (double)(used_ns - o->own.used_ns) / (double)(now_ns - o->own.looked_ns);
		o->own.used_ns = used_ns;
		o->own.looked_ns = now_ns;
	}
	o->own.spread_ns += o->own.share * (o->own.now_ns ? now_ns - o->own.now_ns : 0);
	o->own.now_ns = now_ns;
	return o->own.spread_ns;
}

/* Return what following switches has cost so far: the programs, and the walks that they requested. */
static uint64_t cost_ns(struct offcpu *o, uint64_t now_ns)
{
	return tool_counter(o->tool, COUNT_SWITCH_NS) + tool_counter(o->tool, COUNT_WALK_NS) +
	       (o->all_cost ? own_ns(o, now_ns) : 0);
}

int offcpu_new(struct offcpu **ret, struct service *s, struct tool *t, uint32_t number, struct intake *in,
	       const struct dusk_record_options *opts, struct dusk_error *err)
{
	struct offcpu *o = calloc(1, sizeof(*o));
	int e;

	if (!o)
		return error_set(err, -ENOMEM, "cannot record off-CPU intervals: out of memory");
	o->service = s;
	o->tool = t;
	o->in = in;
	o->number = number;
	o->all_cost = opts->max_cpu;
	governor_init(&o->governor, opts->max_cpu ?: opts->budget, sysconf(_SC_NPROCESSORS_ONLN));
	o->governor.hard = o->all_cost;
	o->aggregation[0] = tool_make_aggregation(AGGREGATION_ROWS);
	o->aggregation[1] = tool_make_aggregation(AGGREGATION_ROWS);
	e = o->aggregation[0] < 0 ? o->aggregation[0] : o->aggregation[1] < 0 ? o->aggregation[1] : 0;
	if (!e)
		e = shared_map(&o->times, tool_object(t), ".bss.times", true);
	if (e) {
		offcpu_free(o);
		return error_set(err, e, "cannot make the maps that sum off-CPU intervals up: %s", strerror(-e));
	}
	*ret = o;
	return 0;
}

void offcpu_free(struct offcpu *o)
{
	if (!o)
		return;
	closep(&o->aggregation[0]);
	closep(&o->aggregation[1]);
	shared_unmap(&o->times);
	free(o);
}

int offcpu_aggregation(const struct offcpu *o)
{
	return o->aggregation[0];
}

/* Take the stacks of cookies before the rows that wait for them: both may be in the same map. */
static void take_resolved(struct offcpu *o, uint32_t nr)
{
	struct join *j = o->in->join;

	for (uint32_t i = 0; i < nr; i++) {
		const struct aggregation_key *key = &o->keys[i];

		if (key->kind == SUM_RESOLVED)
			join_stack(j, key->cookie, key->stack ? stacks_user(j->stacks, key->stack, 0) : 0,
				   key->outcome);
	}
}

/* A sum covers all the time since the last read. Each row gets a time within it, so that rows are spread evenly. */
static uint64_t some_time(struct offcpu *o, uint64_t now_ns)
{
	uint64_t share = ++o->sums_made * 0x9E3779B97F4A7C15ULL;

	return o->summed_ns + (uint64_t)((unsigned __int128)share * (now_ns - o->summed_ns) >> 64);
}

static int drain(struct offcpu *o, int fd, uint64_t now_ns)
{
	uint32_t cursor, nr;
	void *last = NULL;
	int ret;

	do {
		nr = BATCH;
		ret = bpf_map_lookup_and_delete_batch(fd, last, &cursor, o->keys, o->sums, &nr, NULL);
		if (ret && errno != ENOENT)
			return -errno;
		take_resolved(o, nr);
		for (uint32_t i = 0; i < nr; i++)
			if (o->keys[i].kind != SUM_RESOLVED)
				intake_row(o->in, &o->keys[i], &o->sums[i], some_time(o, now_ns));
		last = &cursor;
	} while (!ret);
	o->summed_ns = now_ns;
	return 0;
}

void offcpu_hold_budget(struct offcpu *o, uint64_t now_ns)
{
	struct recording_times *times = o->times.elements;

	__atomic_store_n(&times->certain_ns, governor_look(&o->governor, cost_ns(o, now_ns), now_ns), __ATOMIC_RELAXED);
}

uint64_t offcpu_certain_ns(const struct offcpu *o)
{
	return o->governor.highest_ns;
}

bool offcpu_lives_are_due(const struct offcpu *o)
{
	return o->in->lives_due > 0;
}

uint64_t offcpu_unended(const struct offcpu *o)
{
	return o->in->unended.nr;
}

int offcpu_sum_up(struct offcpu *o, struct ring_buffer *ring, uint64_t now_ns)
{
	int ret = tool_set_aggregation(o->tool, o->number, o->aggregation[!o->current]);

	if (ret)
		return ret == -ETIMEDOUT ? 0 : ret; /* a program still uses the old map: next time */
	o->current = !o->current;
	ret = ring_buffer__consume(ring);
	if (ret < 0 && ret != -EAGAIN)
		return ret;
	return drain(o, o->aggregation[!o->current], now_ns);
}

/* Return the size in bytes of the first record in the iterator's output; 0: it is not complete yet. */
static size_t stock_bytes(const void *data, size_t have)
{
	const struct event_offcpu *interval = data;
	size_t bytes = sizeof(struct event_thread_times);

	if (have < sizeof(u32))
		return 0;
	if (*(const u32 *)data == EVENT_OFFCPU)
		bytes = have < sizeof(*interval) ? sizeof(*interval) : sizeof(*interval) + interval->nr * sizeof(u64);
	return bytes <= have ? bytes : 0;
}

static int read_stock(struct offcpu *o, int fd)
{
	char buf[8192];
	size_t have = 0;
	ssize_t got;

	while ((got = read(fd, buf + have, sizeof(buf) - have)) > 0) {
		size_t done = 0, bytes;

		have += got;
		for (; (bytes = stock_bytes(buf + done, have - done)); done += bytes) {
			if (intake_event(o->in, buf + done, bytes))
				return -EPROTO;
		}
		memmove(buf, buf + done, have - done);
		have -= done;
	}
	return got < 0 ? -errno : 0;
}

/* Let the kernel side iterate over all threads. */
static int iter_tasks(struct offcpu *o, struct dusk_error *err)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(tool_object(o->tool), "iter_tasks");
	struct bpf_link *link = bpf_program__attach_iter(prog, NULL);
	_cleanup_(closep) int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -errno;
	int ret = fd < 0 ? fd : read_stock(o, fd);

	bpf_link__destroy(link);
	return ret ? error_set(err, ret, "cannot list the machine's threads: %s", strerror(-ret)) : 0;
}

static int by_tid(const void *a, const void *b)
{
	const struct unended *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static int take_thread(void *ctx, const struct dusk_thread_stack *t)
{
	struct offcpu *o = ctx;
	struct unended key = {.tid = t->tid}, *u;

	u = bsearch(&key, o->in->unended.v, o->in->unended.nr, sizeof(key), by_tid);
	if (!u || t->switches != u->switches)
		return 0;
	u->outcome = t->outcome;
	if (t->nr_user)
		u->user = stacks_user_frames(o->in->join->stacks, (const u64 *)t->user, t->nr_user, u->pid);
	return 0;
}

/* Walk the stacks of threads that are still off CPU, from outside. A thread that has run since then has none. */
static int find_unended(struct offcpu *o, const volatile int *stops, struct dusk_error *err)
{
	_cleanup_(freep) pid_t *tids = calloc(o->in->unended.nr + 1, sizeof(*tids));
	struct dusk_threads_options opts = {.sz = sizeof(opts), .no_kernel = true, .stops = stops};
	u64 end_ns = now_ns() + UNENDED_NS, now;
	struct remote *remote = NULL;
	int ret = 0;

	if (!tids)
		return error_set(err, -ENOMEM, "cannot look at threads that are off CPU: out of memory");
	if (o->in->unended.nr)
		qsort(o->in->unended.v, o->in->unended.nr, sizeof(*o->in->unended.v), by_tid);
	for (size_t i = 0; i < o->in->unended.nr; i++)
		tids[i] = o->in->unended.v[i].tid;
	if (o->in->unended.nr)
		ret = remote_open(&remote, o->service, err);
	for (size_t done = 0; remote && !ret && done < o->in->unended.nr; done += opts.nr_tids) {
		opts.tids = tids + done;
		now = now_ns();
		opts.timeout_ms = now < end_ns ? (end_ns - now) / 1000000 + 1 : 1;
		opts.nr_tids = o->in->unended.nr - done < TIDS_A_PASS ? o->in->unended.nr - done : TIDS_A_PASS;
		ret = remote_walk(remote, &opts, take_thread, o, err);
	}
	remote_close(remote);
	for (size_t i = 0; i < o->in->unended.nr; i++) {
		const struct unended *u = &o->in->unended.v[i];

		join_sample(o->in->join, &u->waiting, u->user, u->outcome);
	}
	/* Those not walked stay "pending"; the recording is kept. */
	return ret == -EOPNOTSUPP || ret == -ETIMEDOUT || ret == -EINTR ? 0 : ret;
}

int offcpu_start(struct offcpu *o, uint64_t start_ns, struct dusk_error *err)
{
	struct recording_times *times = o->times.elements;

	times->start_ns = o->summed_ns = start_ns;
	return iter_tasks(o, err);
}

int offcpu_stop(struct offcpu *o, struct ring_buffer *ring, uint64_t stop_ns, const volatile int *stops,
		struct dusk_error *err)
{
	struct recording_times *times = o->times.elements;
	int ret;

	times->stop_ns = stop_ns;
	ret = offcpu_sum_up(o, ring, stop_ns); /* from here on no program runs that has not seen stop_ns */
	if (ret)
		return error_set(err, ret, "cannot read the sums of off-CPU intervals: %s", strerror(-ret));
	ret = iter_tasks(o, err);
	return ret ? ret : find_unended(o, stops, err);
}
