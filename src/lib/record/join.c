/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/join.h"
#include <stdlib.h>
#include "abi/outcome.h"

#define RECENT 32768 /* stacks that are kept for samples that come later */

struct stitch *join_stitch(void)
{
	return stitch_new(sizeof(struct waiting), RECENT);
}

/* Compare an immediate stack with the walk. If the walk is not complete, the immediate stack is used instead. */
static void verify(struct join *j, uint32_t expected, uint32_t *user, uint8_t *outcome)
{
	if (outcomes[*outcome].kind != DUSK_COMPLETE) {
		*user = expected;
		*outcome = UNDEFINED_RA;
	} else if (*user == expected) {
		j->verified++;
	} else {
		j->different++;
	}
}

static void write_occurrence(struct join *j, const struct waiting *w, const struct dusk_sample *s)
{
	profile_occurrence(j->writer, &(struct dusk_occurrence){*s, w->event, w->fields});
	free(w->fields);
}

void join_sample(struct join *j, const struct waiting *w, uint32_t user, uint8_t outcome)
{
	struct dusk_sample s = w->sample;

	if (w->expected)
		verify(j, w->expected, &user, &outcome);
	s.node = stacks_kernel_on(j->stacks, user, w->kernel_stack);
	s.outcome = outcome;
	if (w->waker) {
		struct dusk_waker by = {.thread = s.thread, .node = s.node, .kind = w->waker, .outcome = outcome};

		profile_waker(j->writer, &by, w->interval);
		return;
	}
	j->by_outcome[s.source][outcome] += s.count;
	if (s.source == DUSK_EVENT)
		write_occurrence(j, w, &s);
	else if (w->interval)
		profile_interval(j->writer, &s, w->interval);
	else
		profile_sample(j->writer, &s);
}

static void wait_for(struct join *j, const struct waiting *w, uint64_t cookie)
{
	struct resolved r;
	int ret = stitch_item(j->stitch, cookie, w, &r);

	if (ret < 0) {
		j->failed = ret;
		free(w->fields);
	} else if (ret) {
		join_sample(j, w, r.stack, r.outcome);
	}
}

void join_place(struct join *j, struct waiting *w, const struct user_stack *s)
{
	if (s->cookie && s->known)
		w->expected = stacks_user(j->stacks, s->stack, s->pid);
	if (s->cookie)
		wait_for(j, w, s->cookie);
	else
		join_sample(j, w, s->stack ? stacks_user(j->stacks, s->stack, s->pid) : 0, s->outcome);
}

static int complete(void *ctx, const void *item, const struct resolved *r)
{
	join_sample(ctx, item, r->stack, r->outcome);
	return 0;
}

void join_stack(struct join *j, uint64_t cookie, uint32_t user, uint8_t outcome)
{
	int err = stitch_stack(j->stitch, cookie, (struct resolved){user, outcome}, complete, j);

	if (err)
		j->failed = err;
}

void join_same(struct join *j, uint64_t cookie, uint64_t same_as)
{
	int err = stitch_same(j->stitch, cookie, same_as, complete, j);

	if (err)
		j->failed = err;
}

struct ending {
	struct join *join;
	const struct map *due;
};

static bool end_waiting(void *ctx, u64 cookie, const void *item)
{
	struct ending *e = ctx;

	join_sample(e->join, item, 0, map_find(e->due, cookie) ? PENDING : RING_LOST);
	return true;
}

void join_end(struct join *j, const struct map *due)
{
	struct ending e = {j, due};

	stitch_remove(j->stitch, end_waiting, &e);
}

static bool free_waiting(void *ctx, u64 cookie, const void *item)
{
	free(((const struct waiting *)item)->fields);
	return true;
}

void join_done(struct join *j)
{
	if (j->stitch)
		stitch_remove(j->stitch, free_waiting, NULL);
	stitch_free(j->stitch);
	cgroups_done(&j->cgroups);
}
