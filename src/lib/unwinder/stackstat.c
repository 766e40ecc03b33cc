/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/unwinder/stackstat.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "abi/frame.h"

#define STACK_BYTES 24 /* slot and header of a stack, without its frames */

_Static_assert(DUSK_STACKMAP_LENGTHS == STACK_LENGTHS, "lengths");

void stackstat_add(struct stack_counts *ret, const struct stacktable *t, const struct again_row *again)
{
	for (u64 slot = 0; slot < stacktable_slots(t->bits); slot++) {
		u32 id = stacktable_id(t, slot);

		if (id)
			ret->given += stacktable_refs(t, id);
	}
	for (u32 i = 0; i < AGAIN_ROWS * AGAIN_WAYS; i++) {
		u64 count = load_relaxed(&again[i / AGAIN_WAYS].count[i % AGAIN_WAYS]);

		if (stack_is_of(t->bits, t->epoch, count >> 32))
			ret->given += (u32)count;
	}
	for (u32 row = 0; row < STACK_ROWS; row++) {
		const struct stack_counts *c = &t->counts[row];

		ret->full += load_relaxed(&c->full);
		ret->crowded += load_relaxed(&c->crowded);
		ret->raced += load_relaxed(&c->raced);
		for (u32 i = 0; i < STACK_LENGTHS; i++)
			ret->found[i] += load_relaxed(&c->found[i]);
	}
}

void stackstat_write(struct profile_writer *w, const struct stack_counts *before, const struct stack_counts *after,
		     uint32_t bits, uint32_t epochs)
{
	char probes[STACK_LENGTHS * 21] = "";
	size_t len = 0;

	for (u32 i = 0; i < STACK_LENGTHS; i++)
		len += snprintf(probes + len, sizeof(probes) - len, "%s%" PRIu64, i ? " " : "",
				(uint64_t)(after->found[i] - before->found[i]));
	profile_set_u64(w, "stackmap_bits", bits);
	profile_set_u64(w, "stackmap_epochs", epochs);
	profile_set_u64(w, "stackmap_full", after->full - before->full);
	profile_set_u64(w, "stackmap_contended", after->crowded - before->crowded);
	profile_set_u64(w, "stackmap_raced", after->raced - before->raced);
	profile_set_u64(w, "stackmap_successes", after->given > before->given ? after->given - before->given : 0);
	profile_set(w, "stackmap_probes", probes);
}

static uint64_t get(const struct dusk_profile *p, const char *key)
{
	const char *value = dusk_profile_setting(p, key);

	return value ? strtoull(value, NULL, 10) : 0;
}

static void get_requests(struct dusk_stackmap_stat *ret, const struct dusk_profile *p)
{
	const char *probes = dusk_profile_setting(p, "stackmap_probes");
	char *end;

	if (!probes)
		return;
	ret->bits = get(p, "stackmap_bits");
	ret->epochs = get(p, "stackmap_epochs");
	ret->full = get(p, "stackmap_full");
	ret->contended = get(p, "stackmap_contended");
	ret->raced = get(p, "stackmap_raced");
	ret->successes = get(p, "stackmap_successes");
	for (int i = 0; i < DUSK_STACKMAP_LENGTHS; i++, probes = end)
		ret->probes[i] = strtoull(probes, &end, 10);
}

int dusk_stackmap_stat_of_profile(struct dusk_stackmap_stat *ret, const struct dusk_profile *p)
{
	struct dusk_stackmap_stat stat = {0};
	struct dusk_stacks *stacks;
	int err = dusk_stacks_of_profile(&stacks, p);

	if (err)
		return err;
	stat.entries = stacks->nr;
	for (size_t i = 0; i < stacks->nr; i++) {
		const struct dusk_stack *s = &stacks->v[i];

		stat.frames += s->nr;
		stat.kernel_entries += dusk_stack_is_kernel(s);
		for (uint32_t k = 0; k < s->nr && frame_module(s->frame[k]) == FRAME_KERNEL; k++)
			stat.kernel_frames++;
	}
	stat.bytes_used = stat.frames * sizeof(uint64_t) + stat.entries * STACK_BYTES;
	get_requests(&stat, p);
	dusk_stacks_free(stacks);
	*ret = stat;
	return 0;
}
