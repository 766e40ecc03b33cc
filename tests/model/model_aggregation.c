/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is each amount added once, under the cookie that its request got, or kept in the aggregation map under that cookie,
 * with a row that says which stack it has?
 *
 * On one CPU: the task, which adds amounts, and then walks for as long as walks are due; and two interrupts, which add
 * on top of it at any instruction, one on top of the other. A walk that is task work cannot be scheduled again while
 * it is at work: a request then ends its own cookie. One at the time of execve() can. On another CPU: the sweeper,
 * which ends what waits, as it takes the task work for lost.
 *
 * The functions are the product's own: core/shared/aggregation.c, defer.c and wait_for_stack.h. tools/mutate breaks them, and this notices.
 */
#include "explore.h"
#include "core/shared/aggregation.c"
#include "core/shared/defer.c"
#include "core/shared/wait_for_stack.h"

#define ASKERS 3 /* the task, and its interrupts */
#define SWEEPER ASKERS
#define THREADS (ASKERS + 1)
#define FILLING ASKERS /* a key that fills the list, with an amount of 1 for each place */
#define KEYS (ASKERS + 1)

static bool one_key; /* all add to it */
static bool is_task_work;
static bool is_full; /* but for one place */

static struct {
	struct defer defer;
	struct task_sums sums;
	u32 scheduled, walks;
	bool at_work, has_run[THREADS];
} task;

static struct {
	u64 cookie_of[ASKERS]; /* of each one's request */
	bool too_early;	       /* entered without a stack, which was to come */
	u64 filled;	       /* the cookie under which the list was filled */
	struct {
		u64 entered[KEYS], elsewhere[KEYS]; /* amounts, by key */
		bool has_stack;
	} under[ASKERS + 1]; /* a cookie; it says who was the first to ask */
	u64 late[KEYS];	     /* amounts that get no stack */
} map;

static void reset(void)
{
	memset(&task, 0, sizeof(task));
	memset(&map, 0, sizeof(map));
}

static u64 amount_of(u32 who)
{
	return 1ULL << who * 4;
}

static u32 key_of(u32 who)
{
	return one_key ? 0 : who;
}

/* As src/bpf/common/consumers.bpf.c: what is in the list is entered under @cookie. */
static void enter_sums(u64 cookie)
{
	for (u32 i = 0; i < task.sums.nr; i++) {
		const struct task_sum *c = &task.sums.sum[i];

		fetch_add(&map.under[cookie].entered[c->key], load_relaxed(&c->amount));
	}
	task_sums_release(&task.sums);
}

/* As src/bpf/common/resolve.bpf.h. */
static void answer(void)
{
	u64 cookie, consumers = defer_take(&task.defer, &cookie);

	if (!cookie)
		return;
	if (consumers & DEFER_ELSEWHERE)
		map.under[cookie].has_stack = true;
	if (task_sums_take(&task.sums, cookie))
		enter_sums(cookie);
}

/* In one step, as if it had happened before. */
static void fill(u64 cookie)
{
	struct task_sums *c = &task.sums;

	if (c->owner || task.defer.word >> DEFER_BITS != cookie)
		return;
	for (c->nr = 0; c->nr < TASK_SUMS - 1; c->nr++)
		c->sum[c->nr] = (struct task_sum){.key = FILLING, .amount = 1, .count = 1, .consumer = c->nr};
	c->owner = cookie << 1;
	map.filled = cookie;
}

static INLINE void sums_enter_row(struct aggregation_key *key, struct task_sum *what)
{
	if (key->kind == SUM_DUE)
		fetch_add(&map.under[key->cookie].elsewhere[key->key], what->amount);
	else
		fetch_add(&map.late[key->key], what->amount);
}

static INLINE void sums_enter_orphans(struct task_state *st)
{
	u64 cookie = task.sums.owner >> 1;

	map.too_early |= task.defer.word >> DEFER_BITS == cookie;
	enter_sums(cookie);
}

/* As src/bpf/unwind/aggregate.bpf.c, dusk_unwind_aggregate(). */
static void add_amount(u32 me)
{
	struct task_sum what = {.key = key_of(me), .amount = amount_of(me), .count = 1};
	u64 cookie = 0;

	if (defer_request(&task.defer, me, me + 1, &cookie) == DEFER_SCHEDULE) {
		if (task.at_work) {
			answer();
			map.cookie_of[me] = cookie;
			fetch_add(&map.under[cookie].entered[what.key], what.amount);
			return;
		}
		fetch_add(&task.scheduled, 1);
	}
	map.cookie_of[me] = cookie;
	if (is_full && !me)
		fill(cookie);
	wait_for_stack(NULL, &task.sums, &task.defer, cookie, &what);
}

static void walk(void)
{
	while (task.walks < task.scheduled) {
		task.walks++;
		task.at_work = is_task_work;
		answer();
		point();
		task.at_work = false;
	}
}

static void thread(u32 me)
{
	bool adds = me < ASKERS && !task.has_run[me];

	task.has_run[me] = true;
	if (me == SWEEPER)
		answer();
	if (adds)
		add_amount(me);
	if (!me)
		walk();
}

static bool can_start(u32 me)
{
	return !task.has_run[me] || (!me && task.walks < task.scheduled);
}

/* An amount that got no stack, once. */
static bool is_late(u32 who)
{
	return map.late[key_of(who)] >> who * 4 & 1;
}

/* Is what got no stack no more than what was added, once each? */
static bool is_late_right(void)
{
	for (u32 key = 0; key < KEYS; key++) {
		u64 rest = map.late[key];

		for (u32 who = 0; who < ASKERS; who++)
			rest -= key == key_of(who) && is_late(who) ? amount_of(who) : 0;
		if (rest)
			return false;
	}
	return true;
}

static bool is_right(void)
{
	if (task.sums.nr || task.defer.word || map.too_early || !is_late_right())
		return false;
	for (u64 cookie = 1; cookie <= ASKERS; cookie++)
		for (u32 key = 0; key < KEYS; key++) {
			u64 rest = map.under[cookie].entered[key] + map.under[cookie].elsewhere[key];

			if (map.filled == cookie && key == FILLING)
				rest -= TASK_SUMS - 1;
			for (u32 who = 0; who < ASKERS; who++)
				if (map.cookie_of[who] == cookie && key == key_of(who) && !is_late(who))
					rest -= amount_of(who);
			if (rest || (map.under[cookie].elsewhere[key] && !map.under[cookie].has_stack))
				return false;
		}
	return true;
}

int main(void)
{
	struct model m = {
		ASKERS, thread, can_start, reset, is_right, .cpu = {1, 1, 1}, .part = {PART(task), PART(map)},
	};

	m.each_access = true;
	explore_holds(&m, "an amount that an interrupt adds is entered once, under its cookie");
	is_task_work = true;
	explore_holds(&m, "if they find the walk at work, too");
	one_key = true;
	explore_holds(&m, "and if they add to one key");
	m.each_access = false;
	m.threads = THREADS;
	explore_holds(&m, "and with a sweeper");
	is_task_work = false;
	explore_holds(&m, "also one that comes while execve() walks");
	one_key = false;
	explore_holds(&m, "and with keys of their own");
	is_full = true;
	explore_holds(&m, "and if the list is full");
	return explore_done();
}
