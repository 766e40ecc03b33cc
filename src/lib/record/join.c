/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/join.h"
#include <stdlib.h>
#include "abi/outcome.h"

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
	j->by_outcome[outcome] += s.count;
	if (s.source == DUSK_EVENT)
		write_occurrence(j, w, &s);
	else if (w->interval)
		profile_interval(j->writer, &s, w->interval);
	else
		profile_sample(j->writer, &s);
}

static void wait_for(struct join *j, const struct waiting *w, uint64_t cookie)
{
	uint32_t node;
	uint8_t outcome;
	int ret = stitch_sample(j->stitch, cookie, w, &node, &outcome);

	if (ret < 0) {
		j->failed = ret;
		free(w->fields);
	} else if (ret) {
		join_sample(j, w, node, outcome);
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

struct serving {
	struct join *join;
	uint32_t node;
	uint8_t outcome;
};

static void serve(void *ctx, const struct waiting *w)
{
	struct serving *s = ctx;

	join_sample(s->join, w, s->node, s->outcome);
}

void join_stack(struct join *j, uint64_t cookie, uint32_t user, uint8_t outcome)
{
	struct serving s = {j, user, outcome};

	stitch_stack(j->stitch, cookie, user, outcome, serve, &s);
}

void join_same(struct join *j, uint64_t cookie, uint64_t same_as)
{
	uint32_t node;
	uint8_t outcome;
	int ret = stitch_same(j->stitch, cookie, same_as, &node, &outcome);

	if (ret < 0)
		j->failed = ret;
	else if (ret)
		join_stack(j, cookie, node, outcome);
}
