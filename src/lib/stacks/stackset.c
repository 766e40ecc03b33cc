/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/stacks/stackset.h"
#include "abi/frame.h"
#include "lib/stacks/stacknames.h"

/* An index of stacks by their ids. */
struct dusk_stack_ids {
	struct map merged;	     /* ids of stacks that were equal to another -> index of the other */
	const struct dusk_stack **v; /* sorted by id */
};

static uint64_t hash_of(const struct dusk_stack *stack)
{
	uint64_t hash = stack->nr;

	for (uint32_t i = 0; i < stack->nr; i++)
		hash = hash64(hash ^ stack->frame[i]);
	return hash;
}

static bool same(const struct dusk_stack *a, const struct dusk_stack *b)
{
	return a->nr == b->nr && !memcmp(a->frame, b->frame, a->nr * sizeof(*a->frame));
}

/* Add @stack. *@ret is its index; *@ret_fresh says whether it is new. */
static int put(struct stackset *s, const struct dusk_stack *stack, uint32_t *ret, bool *ret_fresh)
{
	for (uint64_t key = hash_of(stack);; key++) {
		uint32_t *index = map_at(&s->by_hash, key, ret_fresh);

		if (!index)
			return -ENOMEM;
		if (*ret_fresh)
			*index = s->stacks.nr;
		*ret = *index;
		if (*ret_fresh)
			return vec_push(&s->stacks, *stack);
		if (same(&s->stacks.v[*ret], stack))
			return 0;
	}
}

int stackset_add(struct stackset *s, const struct dusk_stack *stack)
{
	uint32_t index, *id;
	bool fresh;
	int err = put(s, stack, &index, &fresh);

	if (err || fresh)
		return err;
	s->stacks.v[index].refs += stack->refs;
	s->merged++;
	id = map_at(&s->merged_ids, stack->id, &fresh);
	if (id && fresh)
		*id = index;
	return id ? 0 : -ENOMEM;
}

int stackset_keep(struct stackset *s, const uint64_t *frame, uint32_t nr, uint32_t *ret)
{
	struct dusk_stack stack = {.nr = nr, .frame = frame};
	uint64_t *copy;
	bool fresh;
	int err = put(s, &stack, ret, &fresh);

	if (err || !fresh)
		return err;
	copy = malloc(nr * sizeof(*frame));
	s->owned = true;
	s->stacks.v[*ret].frame = copy ? memcpy(copy, frame, nr * sizeof(*frame)) : NULL;
	s->stacks.v[*ret].nr = copy ? nr : 0; /* no frames: none */
	return copy ? 0 : -ENOMEM;
}

int stackset_steal(struct dusk_stacks **ret, struct stackset *s)
{
	struct dusk_stacks *stacks = calloc(1, sizeof(*stacks));
	struct dusk_stack_ids *ids = s->merged_ids.nr ? calloc(1, sizeof(*ids)) : NULL;

	if (!stacks || (s->merged_ids.nr && !ids)) {
		free(stacks);
		free(ids);
		return -ENOMEM;
	}
	if (ids)
		ids->merged = s->merged_ids;
	memset(&s->merged_ids, 0, sizeof(s->merged_ids));
	stacks->ids = ids;
	stacks->nr = s->stacks.nr;
	stacks->v = vec_steal(&s->stacks);
	stacks->merged = s->merged;
	stacks->store = s->store;
	s->store = NULL;
	stackset_done(s);
	*ret = stacks;
	return 0;
}

void stackset_done(struct stackset *s)
{
	for (size_t i = 0; s->owned && i < s->stacks.nr; i++)
		free((uint64_t *)s->stacks.v[i].frame);
	vec_done(&s->stacks);
	map_done(&s->by_hash);
	map_done(&s->merged_ids);
	free(s->store);
	s->store = NULL;
}

void dusk_stacks_free(struct dusk_stacks *s)
{
	if (!s)
		return;
	free(s->v);
	free(s->store);
	stacknames_free(s->names);
	if (s->ids) {
		map_done(&s->ids->merged);
		free(s->ids->v);
		free(s->ids);
	}
	free(s);
}

static int by_id(const void *a, const void *b)
{
	const struct dusk_stack *const *x = a, *const *y = b;

	return (*x)->id<(*y)->id ? -1 : (*x)->id>(*y)->id;
}

/* Make an index of all stacks by id: the caller may have changed their order. */
static int sort_ids(struct dusk_stacks *s)
{
	struct dusk_stack_ids *ids = s->ids ?: calloc(1, sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	s->ids = ids;
	ids->v = malloc((s->nr + 1) * sizeof(*ids->v));
	if (!ids->v)
		return -ENOMEM;
	for (size_t i = 0; i < s->nr; i++)
		ids->v[i] = &s->v[i];
	qsort(ids->v, s->nr, sizeof(*ids->v), by_id);
	return 0;
}

int dusk_stacks_by_id(struct dusk_stacks *s, uint32_t id, const struct dusk_stack **ret)
{
	const struct dusk_stack wanted = {.id = id}, *key = &wanted, **found;
	const uint32_t *merged;
	int err = s->ids && s->ids->v ? 0 : sort_ids(s);

	if (err)
		return err;
	found = bsearch(&key, s->ids->v, s->nr, sizeof(*s->ids->v), by_id);
	merged = found ? NULL : map_find(&s->ids->merged, id);
	if (!found && !merged)
		return -ENOENT;
	*ret = found ? *found : &s->v[*merged];
	return 0;
}

bool dusk_stack_is_kernel(const struct dusk_stack *s)
{
	return frame_module(s->frame[0]) == FRAME_KERNEL;
}

/* How many of their lowest bits have addresses of code without a file to lack, so that all have room in frames? */
static uint32_t address_shift(const struct dusk_profile *p)
{
	uint32_t shift = 0;

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		const struct dusk_frame *f = &p->frames[i];

		if (p->modules[f->module].kind != DUSK_MODULE_ANON)
			continue;
		while (f->offset >> shift > FRAME_ADDRESS && shift < FRAME_ADDRESS_SHIFT_MAX)
			shift++;
	}
	return shift;
}

static uint64_t word_of(const struct dusk_profile *p, uint32_t frame, uint32_t shift)
{
	const struct dusk_frame *f = &p->frames[frame];

	switch (p->modules[f->module].kind) {
	case DUSK_MODULE_KERNEL: return f->offset;
	case DUSK_MODULE_ANON: return (f->is_return ? FRAME_RET : 0) | (f->offset >> shift & FRAME_ADDRESS);
	default: return frame_left(frame_make(f->module, f->offset, f->is_return), f->method);
	}
}

static uint32_t depth_of(const struct dusk_profile *p, uint32_t node)
{
	uint32_t depth = 0;

	for (; node; node = p->nodes[node].parent)
		depth++;
	return depth;
}

/* Count the samples of each node, and the words that the stacks with samples take in total. */
static uint32_t *count_refs(const struct dusk_profile *p, size_t *words)
{
	uint32_t *refs = calloc(p->nr_nodes + 1, sizeof(*refs));

	*words = 0;
	for (uint64_t i = 0; refs && i < p->nr_samples; i++)
		if (p->samples[i].node && !refs[p->samples[i].node]++)
			*words += depth_of(p, p->samples[i].node);
	return refs;
}

int dusk_stacks_of_profile(struct dusk_stacks **ret, const struct dusk_profile *p)
{
	struct stackset set = {};
	uint32_t shift = address_shift(p);
	size_t words;
	uint32_t *refs = count_refs(p, &words);
	uint64_t *word = set.store = malloc((words + 1) * sizeof(*word));
	int err = refs && word ? 0 : -ENOMEM;

	for (uint32_t node = 1; !err && node < p->nr_nodes; node++) {
		struct dusk_stack stack = {.id = node, .refs = refs[node], .frame = word};

		if (!stack.refs)
			continue;
		for (uint32_t n = node; n; n = p->nodes[n].parent)
			word[stack.nr++] = word_of(p, p->nodes[n].frame, shift);
		word += stack.nr;
		err = vec_push(&set.stacks, stack); /* nodes are distinct already */
	}
	free(refs);
	if (!err)
		err = stackset_steal(ret, &set);
	if (!err)
		(*ret)->address_shift = shift;
	stackset_done(&set);
	return err;
}
