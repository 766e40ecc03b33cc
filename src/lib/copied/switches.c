/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* On and off the CPUs. See switches.h. */
#include "lib/copied/switches.h"
#include <errno.h>

void switches_done(struct switches *s)
{
	map_done(&s->of_tid);
	vec_done(&s->threads);
}

void switches_begin(struct switches *s, uint64_t start_ns)
{
	s->start_ns = start_ns;
}

/* No time before the beginning is accounted for. */
static uint64_t clip(const struct switches *s, uint64_t time_ns)
{
	return time_ns > s->start_ns ? time_ns : s->start_ns;
}

/* Return thread @tid, or NULL: it is not known. */
static struct switched_thread *find(const struct switches *s, pid_t tid)
{
	const uint32_t *index = map_find(&s->of_tid, (uint32_t)tid);

	return index ? &s->threads.v[*index] : NULL;
}

static bool is_there(const struct switched_thread *t)
{
	return t && t->place != GONE && t->place != OUTSIDE;
}

bool switches_knows(const struct switches *s, pid_t tid)
{
	return is_there(find(s, tid));
}

/* The thread is at @place from @time_ns on; if that is before what is accounted for already, from there on. */
static void put(const struct switches *s, struct switched_thread *t, int place, uint64_t time_ns)
{
	t->place = place;
	t->losses = s->losses;
	t->certain = !s->going_on && time_ns >= t->since_ns;
	if (time_ns > t->since_ns)
		t->since_ns = time_ns;
}

/* Begin the life of a thread at @place. *@ret is valid until the next thread is added. Returns 0 or -ENOMEM. */
static int add(struct switches *s, pid_t pid, pid_t tid, int place, uint64_t time_ns, struct switched_thread **ret)
{
	struct switched_thread t = {.life = {.pid = pid, .tid = tid, .start_ns = time_ns}, .state = OFFCPU_BLOCKED};
	bool fresh;
	uint32_t *index = map_at(&s->of_tid, (uint32_t)tid, &fresh);

	if (!index)
		return -ENOMEM;
	put(s, &t, place, time_ns);
	if (fresh) {
		*index = s->threads.nr;
		if (vec_push(&s->threads, t))
			return -ENOMEM;
	}
	*ret = &s->threads.v[*index];
	**ret = t;
	return 0;
}

/* Account for the time from t->since_ns to @time_ns off CPU. */
static void take_interval(struct switches *s, struct switched_thread *t, uint32_t cpu, uint64_t time_ns)
{
	const struct switch_interval i = {
		.pid = t->life.pid,
		.tid = t->life.tid,
		.begin_ns = t->since_ns,
		.end_ns = time_ns,
		.cpu = cpu,
		.state = t->state,
		.stack = t->has_stack ? t->stack : (struct switch_stack){.outcome = s->no_stack},
	};
	bool runnable = t->state == OFFCPU_PREEMPTED || t->state == OFFCPU_BORN;

	*(runnable ? &t->life.runnable_ns : &t->life.blocked_ns) += time_ns - t->since_ns;
	t->life.intervals++;
	s->interval(s->ctx, &i);
}

/* The thread leaves where it was, which must have been @place: account for that, if nothing was lost meanwhile. */
static void leave(struct switches *s, struct switched_thread *t, int place, uint32_t cpu, uint64_t time_ns)
{
	bool known = t->certain && t->losses == s->losses && time_ns > t->since_ns;

	if (time_ns == t->since_ns)
		return;
	if (t->place == UNSEEN && place == OFF_CPU && t->state == OFFCPU_PREEMPTED && t->looked_ns > time_ns)
		t->state = OFFCPU_BLOCKED; /* it ran when it was looked at */
	if (!known || (t->place != place && t->place != UNSEEN))
		s->unknown++;
	else if (place == ON_CPU)
		t->life.on_cpu_ns += time_ns - t->since_ns;
	else
		take_interval(s, t, cpu, time_ns);
}

static void end(struct switches *s, struct switched_thread *t, uint64_t time_ns)
{
	t->life.end_ns = time_ns > t->since_ns ? time_ns : t->since_ns;
	t->place = GONE;
	if (t->life.end_ns > t->life.start_ns)
		s->life(s->ctx, &t->life);
}

int switches_thread(struct switches *s, pid_t pid, pid_t tid, char state, uint64_t looked_ns)
{
	struct switched_thread *t = find(s, tid);
	int ret;

	if (t)
		return 0;
	ret = add(s, pid, tid, UNSEEN, s->start_ns, &t);
	if (ret)
		return ret;
	t->looked_ns = looked_ns;
	switch (state) {
	case 'R': t->state = OFFCPU_PREEMPTED; break;
	case 'S': t->state = OFFCPU_SLEEPING; break;
	case 'D': t->state = OFFCPU_UNINTERRUPTIBLE; break;
	case 'T':
	case 't': t->state = OFFCPU_STOPPED; break;
	case 'I': t->state = OFFCPU_IDLE; break;
	}
	return 0;
}

/* Something new has this number; if another thread has it, the end of that was lost. */
static void reuse(struct switches *s, struct switched_thread *t)
{
	if (is_there(t))
		end(s, t, t->since_ns);
}

void switches_fork_outside(struct switches *s, pid_t tid)
{
	struct switched_thread *t = find(s, tid);

	reuse(s, t);
	if (t)
		t->place = OUTSIDE;
}

int switches_fork(struct switches *s, pid_t pid, pid_t tid, uint64_t time_ns)
{
	int ret;
	struct switched_thread *t;

	time_ns = clip(s, time_ns);
	reuse(s, find(s, tid));
	ret = add(s, pid, tid, OFF_CPU, time_ns, &t);
	if (!ret)
		t->state = OFFCPU_BORN;
	return ret;
}

/* Only the thread that has called execve() is left, with the number of the first one. */
int switches_exec(struct switches *s, pid_t pid, pid_t tid, uint64_t time_ns)
{
	struct switched_thread *t = find(s, tid);

	time_ns = clip(s, time_ns);
	for (size_t i = 0; i < s->threads.nr; i++) {
		struct switched_thread *other = &s->threads.v[i];

		if (other->life.pid == pid && other->life.tid != tid && is_there(other)) {
			leave(s, other, ON_CPU, 0, time_ns);
			end(s, other, time_ns);
		}
	}
	return is_there(t) || s->by_stacks ? 0 : add(s, pid, tid, ON_CPU, time_ns, &t);
}

int switches_exit(struct switches *s, pid_t tid, uint64_t time_ns)
{
	struct switched_thread *t = find(s, tid);
	int ret = 0;

	time_ns = clip(s, time_ns);
	if (!t && s->by_stacks) /* it leaves its CPU once more, with a stack */
		ret = add(s, 0, tid, GONE, time_ns, &t);
	if (t && t->place == OUTSIDE)
		t->place = GONE;
	if (!is_there(t))
		return ret;
	leave(s, t, ON_CPU, 0, time_ns);
	end(s, t, time_ns);
	return 0;
}

/*
 * Find the thread of a record. One that has ended may switch until it is gone for good, which is not accounted for.
 * *@ret is NULL then. Returns 0 or -ENOMEM.
 */
static int thread_of(struct switches *s, pid_t pid, pid_t tid, int place, uint64_t time_ns,
		     struct switched_thread **ret)
{
	*ret = find(s, tid);
	if (!*ret && !s->by_stacks)
		return add(s, pid, tid, place, time_ns, ret);
	if (!is_there(*ret))
		*ret = NULL;
	return 0;
}

int switches_stack(struct switches *s, pid_t pid, pid_t tid, const struct switch_stack *stack, uint64_t time_ns)
{
	struct switched_thread *t = find(s, tid);
	int ret = 0;

	if (!t || t->place == OUTSIDE)
		ret = add(s, pid, tid, ON_CPU, clip(s, time_ns), &t);
	if (!ret && t->place != GONE) {
		t->has_stack = true;
		t->stack_losses = s->losses;
		t->stack = *stack;
	}
	return ret;
}

int switches_out(struct switches *s, pid_t pid, pid_t tid, bool preempted, uint64_t time_ns)
{
	struct switched_thread *t;
	int ret;

	time_ns = clip(s, time_ns);
	ret = thread_of(s, pid, tid, ON_CPU, time_ns, &t);
	if (ret || !t)
		return ret;
	leave(s, t, ON_CPU, 0, time_ns);
	put(s, t, OFF_CPU, time_ns);
	t->state = preempted ? OFFCPU_PREEMPTED : OFFCPU_BLOCKED;
	t->has_stack &= t->certain && t->stack_losses == s->losses; /* else it may be that of an earlier switch */
	if (s->by_stacks && !t->has_stack) {
		end(s, t, time_ns);
		t->place = OUTSIDE;
	}
	return 0;
}

int switches_in(struct switches *s, pid_t pid, pid_t tid, uint32_t cpu, uint64_t time_ns)
{
	struct switched_thread *t;
	int ret;

	time_ns = clip(s, time_ns);
	ret = thread_of(s, pid, tid, OFF_CPU, time_ns, &t);
	if (ret || !t)
		return ret;
	leave(s, t, OFF_CPU, cpu, time_ns);
	put(s, t, ON_CPU, time_ns);
	t->has_stack = false;
	return 0;
}

void switches_lose(struct switches *s, bool begins)
{
	s->losses++;
	if (begins)
		s->going_on++;
	else if (s->going_on)
		s->going_on--;
}

/* What is known of each thread may be of another one: it ends where it was seen last, and begins anew. */
void switches_forget(struct switches *s)
{
	for (size_t i = 0; i < s->threads.nr; i++)
		if (is_there(&s->threads.v[i]))
			end(s, &s->threads.v[i], s->threads.v[i].since_ns);
	map_clear(&s->of_tid);
	s->threads.nr = 0;
}

void switches_end(struct switches *s, uint64_t end_ns)
{
	for (size_t i = 0; i < s->threads.nr; i++) {
		struct switched_thread *t = &s->threads.v[i];

		if (!is_there(t))
			continue;
		/* One of which there is no record has been where it was when it was looked at. */
		if (t->place == UNSEEN)
			t->place = t->state == OFFCPU_PREEMPTED ? ON_CPU : OFF_CPU;
		leave(s, t, t->place, UINT32_MAX, end_ns);
		end(s, t, end_ns);
	}
}
