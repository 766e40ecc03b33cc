/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is each amount that a task runs up entered once, under the cookie that its request got, or kept under that cookie by
 * somebody who is told which stack it was?
 *
 * On one CPU: the task, which charges, and then walks for as long as walks are due; and two interrupts, which charge
 * on top of it at any instruction, one on top of the other. A walk that is task work cannot be scheduled again while
 * it is at work: who asks then, answers himself. One at the time of execve() can. On another CPU: the sweeper, which
 * closes what waits, for it takes the task work for lost.
 *
 * And would we notice? The same without the busy bit; with a list that does not know its cookie; with busy and cookie
 * in two words; when the mark that tells of charges elsewhere is a word of its own; when who charges does not look
 * again whether the walk is over, or only if there was room.
 */
#include "explore.h"
#include "core/shared/aggregation.c"
#include "core/shared/defer.c"

#define ASKERS 3 /* the task, and its interrupts */
#define SWEEPER ASKERS
#define THREADS (ASKERS + 1)
#define FILLING ASKERS /* a key that fills the list, with an amount of 1 for each place */
#define KEYS (ASKERS + 1)

static enum mutation { NONE, NOT_BUSY, NO_COOKIE, TWO_WORDS, MARK_APART, NO_SECOND_LOOK, NO_LOOK_WHEN_FULL } mutation;
static bool one_key; /* all charge to it */
static bool is_task_work;
static bool is_full; /* but for one place */

static struct {
	struct defer defer;
	struct task_sums sums;
	u64 mark; /* of MARK_APART: cookie << 1 | 1 */
	u32 busy; /* of TWO_WORDS */
	u64 cookie;
	u32 scheduled, walks;
	bool at_work, has_run[THREADS];
} task;

static struct {
	u64 cookie_of[ASKERS]; /* of each one's request */
	bool too_early;	       /* entered without a stack, which was to come */
	u64 filled;	       /* the cookie under which the list was filled */
	struct {
		u64 entered[KEYS], elsewhere[KEYS]; /* amounts, by key */
		bool told;
	} under[ASKERS + 1]; /* a cookie; it says who was the first to ask */
} ledger;

static void reset(void)
{
	memset(&task, 0, sizeof(task));
	memset(&ledger, 0, sizeof(ledger));
}

static u64 amount_of(u32 who)
{
	return 1ULL << who * 4;
}

static u32 key_of(u32 who)
{
	return one_key ? 0 : who;
}

/* The mutations of task_sums_add() and task_sums_take(). */

static bool wrongly_settle(u64 cookie)
{
	if (mutation == NO_COOKIE)
		return task_sums_take(&task.sums, 1);
	if (mutation != TWO_WORDS)
		return task_sums_take(&task.sums, cookie);
	if (cmpxchg(&task.busy, 0, 1))
		return false;
	if (task.sums.nr && task.cookie == cookie)
		return true;
	xchg(&task.busy, 0);
	return false;
}

static void wrongly_settled(void)
{
	task_sums_release(&task.sums);
	if (mutation == TWO_WORDS)
		xchg(&task.busy, 0);
}

static void put(const struct task_sum *what, u64 sum)
{
	u32 i = find(&task.sums, what);

	store_release(&task.sums.sum[i].amount, sum + what->amount);
}

static u64 sum_of(const struct task_sum *what)
{
	return load_relaxed(&task.sums.sum[find(&task.sums, what)].amount);
}

static bool add_without_busy(u64 cookie, const struct task_sum *what)
{
	u64 owner = load_relaxed(&task.sums.owner);

	if (owner && owner != cookie << 1)
		return false;
	put(what, sum_of(what));
	store_release(&task.sums.owner, cookie << 1);
	return true;
}

static bool add_in_two_words(u64 cookie, const struct task_sum *what)
{
	bool added;

	if (cmpxchg(&task.busy, 0, 1))
		return false;
	if (!task.sums.nr)
		task.cookie = cookie;
	added = task.cookie == cookie;
	if (added)
		put(what, sum_of(what));
	xchg(&task.busy, 0);
	return added;
}

static bool take_and_add(u64 cookie, const struct task_sum *what)
{
	bool taken = take(&task.sums, cookie), added = taken && add(&task.sums, what);

	if (taken)
		xchg(&task.sums.owner, cookie << 1);
	return added;
}

static u32 wrongly_add(u64 cookie, const struct task_sum *what)
{
	u32 verdict = SUM_KEPT;
	bool added;

	if (mutation == NOT_BUSY)
		added = add_without_busy(cookie, what);
	else if (mutation == TWO_WORDS)
		added = add_in_two_words(cookie, what);
	else
		added = take_and_add(mutation == NO_COOKIE ? 1 : cookie, what);

	if (!added && mutation == MARK_APART) {
		store_release(&task.mark, cookie << 1 | 1);
		verdict = SUM_ELSEWHERE;
	} else if (!added) {
		verdict = defer_mark(&task.defer, cookie) ? SUM_ELSEWHERE : SUM_LATE;
	}
	if (mutation == NO_SECOND_LOOK || (mutation == NO_LOOK_WHEN_FULL && !added))
		return verdict;
	return verdict | (!defer_waits(&task.defer, cookie) && wrongly_settle(cookie) ? SUM_ORPHANED : 0);
}

/* As src/bpf/common/consumers.bpf.c: what is in the list is entered under @cookie. */
static void enter_sums(u64 cookie)
{
	for (u32 i = 0; i < task.sums.nr; i++) {
		const struct task_sum *c = &task.sums.sum[i];

		fetch_add(&ledger.under[cookie].entered[c->key], load_relaxed(&c->amount));
	}
	if (mutation)
		wrongly_settled();
	else
		task_sums_release(&task.sums);
}

/* As src/bpf/common/resolve.bpf.h. */
static void answer(void)
{
	u64 cookie, consumers = defer_take(&task.defer, &cookie);

	if (!cookie)
		return;
	if (mutation == MARK_APART ? load_acquire(&task.mark) == (cookie << 1 | 1) : consumers & DEFER_ELSEWHERE)
		ledger.under[cookie].told = true;
	if (mutation ? wrongly_settle(cookie) : task_sums_take(&task.sums, cookie))
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
	ledger.filled = cookie;
}

/* As src/bpf/unwind/aggregate.bpf.c. */
static void charge(u32 me)
{
	struct task_sum what = {.key = key_of(me), .amount = amount_of(me), .count = 1};
	u64 cookie = 0;
	u32 verdict;

	if (defer_request(&task.defer, me, me + 1, &cookie) == DEFER_SCHEDULE) {
		if (task.at_work) {
			answer();
			ledger.cookie_of[me] = cookie;
			fetch_add(&ledger.under[cookie].entered[what.key], what.amount);
			return;
		}
		fetch_add(&task.scheduled, 1);
	}
	ledger.cookie_of[me] = cookie;
	if (is_full && !me)
		fill(cookie);
	verdict = mutation ? wrongly_add(cookie, &what) : task_sums_add(&task.sums, &task.defer, cookie, &what);
	if (verdict & SUM_ELSEWHERE)
		fetch_add(&ledger.under[cookie].elsewhere[what.key], what.amount);
	if (verdict & SUM_LATE)
		fetch_add(&ledger.under[cookie].entered[what.key], what.amount);
	if (verdict & SUM_ORPHANED) {
		ledger.too_early |= task.defer.word >> DEFER_BITS == cookie;
		enter_sums(cookie);
	}
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
	bool charges = me < ASKERS && !task.has_run[me];

	task.has_run[me] = true;
	if (me == SWEEPER)
		answer();
	if (charges)
		charge(me);
	if (!me)
		walk();
}

static bool can_start(u32 me)
{
	return !task.has_run[me] || (!me && task.walks < task.scheduled);
}

static bool is_right(void)
{
	if (task.sums.nr || task.defer.word || ledger.too_early)
		return false;
	for (u64 cookie = 1; cookie <= ASKERS; cookie++)
		for (u32 key = 0; key < KEYS; key++) {
			u64 rest = ledger.under[cookie].entered[key] + ledger.under[cookie].elsewhere[key];

			if (ledger.filled == cookie && key == FILLING)
				rest -= TASK_SUMS - 1;
			for (u32 who = 0; who < ASKERS; who++)
				if (ledger.cookie_of[who] == cookie && key == key_of(who))
					rest -= amount_of(who);
			if (rest || (ledger.under[cookie].elsewhere[key] && !ledger.under[cookie].told))
				return false;
		}
	return true;
}

int main(void)
{
	struct model m = {
		ASKERS, thread, can_start, reset, is_right, .cpu = {1, 1, 1}, .part = {PART(task), PART(ledger)},
	};

	m.each_access = true;
	explore_holds(&m, "what interrupts charge is entered once, under their cookie");
	is_task_work = true;
	explore_holds(&m, "if they find the walk at work, too");
	one_key = true;
	explore_holds(&m, "and if they charge to one key");
	m.each_access = false;
	m.threads = THREADS;
	explore_holds(&m, "and with a sweeper");
	is_task_work = false;
	explore_holds(&m, "who may come while execve() walks");
	one_key = false;
	explore_holds(&m, "and with keys of their own");
	is_full = true;
	explore_holds(&m, "and if the list is full");
	mutation = NO_LOOK_WHEN_FULL;
	explore_catches(&m, "who finds no room and does not look again would keep out who would settle");
	is_full = false;
	mutation = NO_SECOND_LOOK;
	explore_catches(&m, "what is charged when the walk is over would be left behind");
	mutation = NO_COOKIE;
	explore_catches(&m, "in a list without a cookie, sums would come under another stack");
	mutation = TWO_WORDS;
	explore_catches(&m, "with busy and cookie in two words, who finds nothing would keep out who would settle");
	mutation = MARK_APART;
	explore_catches(&m, "a mark in a word of its own would be written over");
	m.threads = ASKERS;
	explore_catches(&m, "even without a sweeper");
	one_key = true;
	mutation = NOT_BUSY;
	explore_catches(&m, "without a busy bit, sums would be written over");
	return explore_done();
}
