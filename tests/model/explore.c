/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>
#include "explore.h"

#define STACK_BYTES (256 << 10)
#define MAX_STEPS 256

static const struct model *model;

static struct coroutine {
	jmp_buf at;
	ucontext_t first;
	bool started, done;
} coroutine[MAX_THREADS];
static u32 running;
static bool inside;			/* a thread, and not the model's own look at the state */
static jmp_buf scheduler;
static ucontext_t home;

static struct {
	u8 chosen, of;
} choice[MAX_STEPS];

/* Back to the scheduler, until chosen again. */
static void yield(void)
{
	if (!_setjmp(coroutine[running].at))
		_longjmp(scheduler, 1);
}

void point(void)
{
	if (inside)
		yield();
}

/* A coroutine lives as long as the process: it runs the thread once a run. */
static void live(void)
{
	for (;;) {
		u32 me = running;

		coroutine[me].done = true;
		yield();
		model->thread(me);
	}
}

static void create(u32 me)
{
	struct coroutine *c = &coroutine[me];

	if (getcontext(&c->first))
		abort();
	c->first.uc_stack.ss_sp = malloc(STACK_BYTES);
	c->first.uc_stack.ss_size = STACK_BYTES;
	if (!c->first.uc_stack.ss_sp)
		abort();
	makecontext(&c->first, live, 0);
	running = me;
	if (!_setjmp(scheduler))
		swapcontext(&home, &c->first);
}

static bool can_go_on(u32 me)
{
	const struct coroutine *c = &coroutine[me];

	if (c->started && !c->done)
		return true;
	return model->can_start ? model->can_start(me) : !c->done;
}

static void step(u32 me)
{
	running = me;
	coroutine[me].started = true;
	coroutine[me].done = false;
	inside = true;
	if (!_setjmp(scheduler))
		_longjmp(coroutine[me].at, 1);
	inside = false;
}

/* One order: the choices that are made already, then always the first. Returns how many steps it took. */
static u32 run(u32 made)
{
	u32 ready[MAX_THREADS], nr, steps;

	model->reset();
	for (u32 i = 0; i < model->threads; i++)
		coroutine[i].started = coroutine[i].done = false;
	for (steps = 0;; steps++) {
		nr = 0;
		for (u32 i = 0; i < model->threads; i++)
			if (can_go_on(i))
				ready[nr++] = i;
		if (!nr)
			return steps;
		assert(steps < MAX_STEPS);
		if (steps >= made)
			choice[steps].chosen = 0;
		choice[steps].of = nr;
		step(ready[choice[steps].chosen]);
	}
}

struct explored explore(const struct model *m)
{
	struct explored ret = {0};
	u32 steps, made = 0;

	model = m;
	for (u32 i = 0; i < m->threads; i++)
		if (!coroutine[i].first.uc_stack.ss_sp)
			create(i);
	for (;;) {
		steps = run(made);
		ret.orders++;
		if (!m->is_right())
			ret.wrong++;
		made = steps;
		while (made && choice[made - 1].chosen + 1 == choice[made - 1].of)
			made--;
		if (!made)
			return ret;
		choice[made - 1].chosen++;
	}
}
