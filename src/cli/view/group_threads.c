/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Group threads with equal stacks. See group_threads.h. */
#include <stdio.h>
#include "cli/view/group_threads.h"

static uint64_t hash_frames(uint64_t hash, const uint64_t *frame, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		hash = hash64(hash ^ frame[i]) + i;
	return hash;
}

static uint64_t hash_of(const struct dusk_thread_stack *t)
{
	uint64_t hash = hash64((uint64_t)t->pid << 32 | t->outcome << 8 | (uint8_t)t->state);

	return hash_frames(hash_frames(hash, t->kernel, t->nr_kernel) ^ t->nr_kernel, t->user, t->nr_user);
}

static bool same_frames(const uint64_t *a, const uint64_t *b, uint32_t nr)
{
	return !nr || !memcmp(a, b, nr * sizeof(*a));
}

static bool is_of(const struct thread_groups *g, const struct thread_group *group, const struct dusk_thread_stack *t)
{
	const uint64_t *frame = g->frames.v + group->first_frame;

	return group->pid == t->pid && group->state == t->state && group->outcome == t->outcome &&
	       group->nr_kernel == t->nr_kernel && group->nr_user == t->nr_user &&
	       same_frames(frame, t->kernel, t->nr_kernel) && same_frames(frame + t->nr_kernel, t->user, t->nr_user);
}

/* Add a group, with the stack of @t but without threads. */
static int add_group(struct thread_groups *g, const struct dusk_thread_stack *t)
{
	struct thread_group group = {
		.pid = t->pid,
		.state = t->state,
		.outcome = t->outcome,
		.first_frame = g->frames.nr,
		.nr_kernel = t->nr_kernel,
		.nr_user = t->nr_user,
	};

	if (vec_append(&g->frames, t->kernel, t->nr_kernel) || vec_append(&g->frames, t->user, t->nr_user))
		return -ENOMEM;
	return vec_push(&g->groups, group);
}

/* Find or add the group of @t, as an index. On a collision of hashes, a new group replaces the known one in the map. */
static int find_group(struct thread_groups *g, const struct dusk_thread_stack *t, uint32_t *ret)
{
	uint32_t *known = NULL;
	bool fresh = true;
	int err;

	if (!g->each) {
		known = map_at(&g->known, hash_of(t), &fresh);
		if (!known)
			return -ENOMEM;
	}
	if (!fresh && is_of(g, &g->groups.v[*known], t)) {
		*ret = *known;
		return 0;
	}
	err = add_group(g, t);
	if (err)
		return err;
	*ret = g->groups.nr - 1;
	if (known)
		*known = *ret;
	return 0;
}

int group_threads_add(struct thread_groups *g, const struct dusk_thread_stack *t)
{
	struct grouped_thread thread = {.tid = t->tid, .switches = t->switches};
	struct thread_group *group;
	int err = find_group(g, t, &thread.group);

	snprintf(thread.comm, sizeof(thread.comm), "%s", t->comm);
	err = err ?: vec_push(&g->threads, thread);
	if (err)
		return err;
	group = &g->groups.v[thread.group];
	if (group->nr++)
		g->threads.v[group->last].next = g->threads.nr;
	else
		group->first = g->threads.nr - 1;
	group->last = g->threads.nr - 1;
	return 0;
}

static int by_process_and_size(const void *left, const void *right)
{
	const struct thread_group *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->nr != b->nr)
		return a->nr > b->nr ? -1 : 1;
	return a->first < b->first ? -1 : 1;
}

void group_threads_sort(struct thread_groups *g)
{
	if (g->groups.nr)
		qsort(g->groups.v, g->groups.nr, sizeof(*g->groups.v), by_process_and_size);
}

void group_threads_done(struct thread_groups *g)
{
	vec_done(&g->threads);
	vec_done(&g->groups);
	vec_done(&g->frames);
	map_done(&g->known);
}
