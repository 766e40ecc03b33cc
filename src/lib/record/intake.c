/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/intake.h"
#include <errno.h>
#include <limits.h>
#include <string.h>
#include "abi/offcpu.h"
#include "abi/event.h"
#include "lib/record/modules.h"
#include "lib/record/titles.h"
#include "lib/profile/file/schema.h"

static uint32_t thread_number(struct intake *in, uint64_t cgroup, uint32_t pid, uint32_t tid, const char *comm)
{
	struct profile_writer *w = in->join->writer;

	return profile_thread_in(w, cgroups_number(&in->join->cgroups, w, cgroup), pid, tid, comm);
}

static void take_sample(struct intake *in, const void *data)
{
	const struct event_sample *e = data;
	struct join *j = in->join;
	struct waiting w = {
		.sample =
			{
				.time_ns = join_time(j, e->time_ns),
				.thread = thread_number(in, e->cgroup, e->pid, e->tid, e->comm),
				.count = 1,
				.cpu = e->cpu,
				.source = DUSK_CPU,
			},
		.kernel_stack = e->nr ? stacks_keep_kernel(j->stacks, e->frame, e->nr) : e->kernel_stack,
	};

	join_place(j, &w, &(struct user_stack){e->cookie, e->user_stack, e->pid, e->outcome, e->cached});
}

static void take_stack(struct intake *in, const void *data)
{
	const struct event_stack *e = data;
	struct join *j = in->join;
	uint32_t node = 0;

	if (e->same_as) {
		join_same(j, e->cookie, e->same_as);
		return;
	}
	if (e->nr)
		node = stacks_user_frames(j->stacks, e->frame, e->nr, e->pid);
	else if (e->stack)
		node = stacks_user(j->stacks, e->stack, e->pid);
	join_stack(j, e->cookie, node, e->outcome);
}

static void take_module(struct intake *in, const void *data)
{
	modules_learn(in->join->modules, data);
}

static uint32_t know_thread(struct intake *in, uint64_t cgroup, uint32_t pid, uint32_t tid, const char *comm)
{
	struct known_thread t = {pid, thread_number(in, cgroup, pid, tid, comm)};
	uint32_t *known;
	bool fresh;

	known = map_at(&in->numbers, tid, &fresh);
	if (known && !fresh)
		in->threads.v[*known] = t;
	else if (known && !vec_push(&in->threads, t))
		*known = in->threads.nr - 1;
	else
		in->join->failed = -ENOMEM;
	return t.number;
}

/* Return the thread of a sum. Its event came before the sum was read, unless it was lost. */
static struct known_thread thread_of(struct intake *in, uint32_t tid)
{
	const uint32_t *known = map_find(&in->numbers, tid);

	return known && *known < in->threads.nr
		       ? in->threads.v[*known]
		       : (struct known_thread){0, profile_thread(in->join->writer, 0, tid, "")};
}

static void take_kernel_stack(struct intake *in, const void *data)
{
	const struct event_kernel_stack *e = data;
	bool fresh;
	uint32_t *number = map_at(&in->inline_kernel, e->number, &fresh);

	if (number)
		*number = stacks_keep_kernel(in->join->stacks, e->frame, e->nr);
	else
		in->join->failed = -ENOMEM;
}

static u32 kernel_stack_of(const struct intake *in, const struct event_waker *e)
{
	const uint32_t *stack =
		e->kernel_stack & INLINE_STACK ? map_find(&in->inline_kernel, e->kernel_stack) : &e->kernel_stack;

	return stack ? *stack : 0;
}

static void take_waker(struct intake *in, const struct event_waker *e, uint64_t interval)
{
	struct join *j = in->join;
	struct waiting w = {
		.kernel_stack = kernel_stack_of(in, e),
		.interval = interval,
		.waker = e->kind,
	};

	if (e->kind == WAKER_TASK)
		w.sample.thread = thread_number(in, e->cgroup, e->pid, e->tid, e->comm);
	join_place(j, &w, &(struct user_stack){e->cookie, e->user_stack, e->pid, e->outcome, false});
}

static void take_interval(struct intake *in, const void *data)
{
	const struct event_offcpu *e = data;
	const struct event_waker *by = offcpu_waker(e);
	struct join *j = in->join;
	struct waiting w = {
		.sample =
			{
				.time_ns = join_time(j, e->time_ns),
				.value_ns = e->off_ns,
				.runnable_ns = e->runnable_ns,
				.thread = know_thread(in, e->cgroup, e->pid, e->tid, e->comm),
				.count = e->count,
				.cpu = e->sampled ? DUSK_NO_CPU : e->cpu,
				.source = DUSK_OFF_CPU,
				.state = e->state,
			},
		.kernel_stack = e->nr ? stacks_keep_kernel(j->stacks, offcpu_frames(e), e->nr) : e->kernel_stack,
		.interval = by ? profile_new_interval(j->writer) : 0,
	};

	if (e->unended) {
		struct unended u = {w, e->switches, e->pid, e->tid, 0, e->outcome};

		if (vec_push(&in->unended, u))
			j->failed = -ENOMEM;
		return;
	}
	join_place(j, &w, &(struct user_stack){e->cookie, e->user_stack, e->pid, e->outcome, e->cached});
	if (by)
		take_waker(in, by, w.interval);
}

/* An occurrence of an event that is not recorded is an error; nothing of it is taken. */
static void take_occurrence(struct intake *in, const void *data)
{
	const struct event_occurrence *e = data;
	struct join *j = in->join;
	struct waiting w = {.event = e->event};
	int err = -EPROTO;

	if (e->event < in->nr_events)
		err = fields_text(&w.fields, in->fields, e->event, e->record, e->record_bytes, e->cut);
	if (err) {
		j->failed = err;
		return;
	}
	w.sample = (struct dusk_sample){
		.time_ns = join_time(j, e->time_ns),
		.thread = thread_number(in, e->cgroup, e->pid, e->tid, e->comm),
		.count = 1,
		.cpu = e->cpu,
		.source = DUSK_EVENT,
	};
	w.kernel_stack = e->nr ? stacks_keep_kernel(j->stacks, occurrence_frames(e), e->nr) : e->kernel_stack;
	join_place(j, &w, &(struct user_stack){e->cookie, e->user_stack, e->pid, e->outcome, e->cached});
}

static void take_thread(struct intake *in, const void *data)
{
	const struct event_thread_times *e = data;

	know_thread(in, e->cgroup, e->pid, e->tid, e->comm);
	in->lives_due++;
}

static void take_thread_times(struct intake *in, const void *data)
{
	const struct event_thread_times *e = data;
	const struct join *j = in->join;
	struct dusk_thread_times l = {
		.thread = know_thread(in, e->cgroup, e->pid, e->tid, e->comm),
		.start_ns = join_time(j, e->start_ns),
		.end_ns = join_time(j, e->end_ns),
		.on_cpu_ns = e->on_cpu_ns,
		.runnable_ns = e->runnable_ns,
		.blocked_ns = e->blocked_ns,
		.intervals = e->intervals,
	};

	profile_thread_times(j->writer, &l);
	in->lives_due--;
}

void intake_row(struct intake *in, const struct aggregation_key *key, const struct aggregation_sum *sum,
		uint64_t time_ns)
{
	struct known_thread t = thread_of(in, offcpu_tid(key->key));
	struct join *j = in->join;
	struct waiting w = {
		.sample =
			{
				.time_ns = join_time(j, time_ns),
				.value_ns = sum->amount,
				.runnable_ns = sum->part,
				.thread = t.number,
				.count = sum->count,
				.cpu = DUSK_NO_CPU,
				.source = DUSK_OFF_CPU,
				.state = offcpu_state(key->key),
			},
		.kernel_stack = (u32)key->key,
	};
	struct user_stack s = {key->kind == SUM_DUE ? key->cookie : 0, key->stack, t.pid, key->outcome, false};

	if (sum->count)
		join_place(j, &w, &s);
}

static void take_sum(struct intake *in, const void *data)
{
	const struct event_sum *e = data;

	intake_row(in, &e->key, &e->sum, e->time_ns);
}

static void take_cgroup(struct intake *in, const void *data)
{
	const struct event_cgroup *e = data;
	int err = cgroups_learn(&in->join->cgroups, e->id, e->path);

	if (err)
		in->join->failed = err;
}

static void take_arguments(struct intake *in, const void *data)
{
	const struct event_arguments *e = data;
	struct process_begun begun = {e->pid, e->uid, e->executed, e->comm, e->text, e->bytes};
	int err = in->join->titles ? titles_begun(in->join->titles, in->join->writer, &begun) : 0;

	if (err)
		in->join->failed = err;
}

static bool has_frames(size_t size, size_t fixed, u32 nr)
{
	return size >= fixed && (size - fixed) / sizeof(u64) >= nr;
}

/* Profiles have room for these numbers only. */
static bool is_task(u32 pid, u32 tid)
{
	return pid <= INT_MAX && tid <= INT_MAX;
}

/* Are the time off CPU and its runnable part in range? */
static bool is_off(u64 off_ns, u64 runnable_ns)
{
	return off_ns <= PROFILE_MAX_NS && runnable_ns <= off_ns;
}

/* Each of these checks, given the fixed part of its struct, that the rest is there and all values are in range. */
static bool is_sample(const void *data, size_t size)
{
	const struct event_sample *e = data;

	return has_frames(size, sizeof(*e), e->nr) && e->outcome < NR_OUTCOMES && e->time_ns <= PROFILE_MAX_NS &&
	       is_task(e->pid, e->tid);
}

static bool is_stack(const void *data, size_t size)
{
	const struct event_stack *e = data;

	return has_frames(size, sizeof(*e), e->nr) && e->outcome < NR_OUTCOMES && is_task(e->pid, e->tid);
}

static bool is_module(const void *data, size_t size)
{
	const struct event_module *e = data;

	return is_task(e->pid, e->parent);
}

static bool is_sum(const void *data, size_t size)
{
	const struct event_sum *e = data;

	return e->key.outcome < NR_OUTCOMES && offcpu_state(e->key.key) < NR_OFFCPU_REASONS &&
	       e->time_ns <= PROFILE_MAX_NS && is_off(e->sum.amount, e->sum.part) && e->sum.count <= UINT32_MAX;
}

static bool is_waker(const struct event_waker *e)
{
	return e->outcome < NR_OUTCOMES && e->kind > WAKER_NONE && e->kind < NR_WAKER_KINDS && is_task(e->pid, e->tid);
}

static bool is_interval(const void *data, size_t size)
{
	const struct event_offcpu *e = data;
	const struct event_waker *by = offcpu_waker(e);

	return has_frames(size, sizeof(*e) + (by ? sizeof(*by) : 0), e->nr) && e->outcome < NR_OUTCOMES &&
	       e->state < NR_OFFCPU_REASONS && e->count && e->time_ns <= PROFILE_MAX_NS &&
	       is_off(e->off_ns, e->runnable_ns) && is_task(e->pid, e->tid) && (!by || is_waker(by));
}

static bool is_kernel_stack(const void *data, size_t size)
{
	const struct event_kernel_stack *e = data;

	return has_frames(size, sizeof(*e), e->nr);
}

static bool is_occurrence(const void *data, size_t size)
{
	const struct event_occurrence *e = data;

	return e->record_bytes <= RECORD_BYTES && has_frames(size, sizeof(*e), (e->record_bytes + 7) / 8 + e->nr) &&
	       e->outcome < NR_OUTCOMES && e->time_ns <= PROFILE_MAX_NS && is_task(e->pid, e->tid);
}

/* Of EVENT_THREAD only the ids and the name are used. */
static bool is_thread(const void *data, size_t size)
{
	const struct event_thread_times *e = data;

	return is_task(e->pid, e->tid);
}

static bool is_thread_times(const void *data, size_t size)
{
	const struct event_thread_times *e = data;

	return is_task(e->pid, e->tid) && e->start_ns <= e->end_ns && e->end_ns <= PROFILE_MAX_NS &&
	       e->on_cpu_ns <= PROFILE_MAX_NS && is_off(e->blocked_ns, 0) && is_off(e->runnable_ns, 0) &&
	       e->intervals <= UINT32_MAX;
}

static bool is_cgroup(const void *data, size_t size)
{
	const struct event_cgroup *e = data;

	return size <= sizeof(*e) && memchr(e->path, 0, size - offsetof(struct event_cgroup, path));
}

static bool is_arguments(const void *data, size_t size)
{
	const struct event_arguments *e = data;

	return is_task(e->pid, 0) && e->bytes <= sizeof(e->text);
}

static const struct {
	size_t bytes; /* of the fixed part */
	bool (*is)(const void *data, size_t size);
	void (*take)(struct intake *in, const void *data);
} kinds[] = {
	[EVENT_SAMPLE] = {sizeof(struct event_sample), is_sample, take_sample},
	[EVENT_STACK] = {sizeof(struct event_stack), is_stack, take_stack},
	[EVENT_MODULE] = {sizeof(struct event_module), is_module, take_module},
	[EVENT_SUM] = {sizeof(struct event_sum), is_sum, take_sum},
	[EVENT_OFFCPU] = {sizeof(struct event_offcpu), is_interval, take_interval},
	[EVENT_THREAD] = {sizeof(struct event_thread_times), is_thread, take_thread},
	[EVENT_THREAD_TIMES] = {sizeof(struct event_thread_times), is_thread_times, take_thread_times},
	[EVENT_KERNEL_STACK] = {sizeof(struct event_kernel_stack), is_kernel_stack, take_kernel_stack},
	[EVENT_OCCURRENCE] = {sizeof(struct event_occurrence), is_occurrence, take_occurrence},
	[EVENT_ARGUMENTS] = {sizeof(struct event_arguments), is_arguments, take_arguments},
	[EVENT_CGROUP] = {offsetof(struct event_cgroup, path) + 1, is_cgroup, take_cgroup},
};

int intake_event(struct intake *in, const void *data, size_t size)
{
	u32 kind = size < sizeof(u32) ? 0 : *(const u32 *)data;

	if (kind >= sizeof(kinds) / sizeof(kinds[0]) || !kinds[kind].take || size < kinds[kind].bytes ||
	    !kinds[kind].is(data, size))
		return -EPROTO;
	kinds[kind].take(in, data);
	return in->join->failed;
}

void intake_done(struct intake *in)
{
	map_done(&in->numbers);
	map_done(&in->inline_kernel);
	vec_done(&in->threads);
	vec_done(&in->unended);
}
