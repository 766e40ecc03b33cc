/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whatever a server answers becomes a profile, or is refused. The input: answers one after the other, of frames, stacks, samples,
 * counts, samples for the ids of their stacks, and sums of samples, each with its length before it in two bytes, the low one first.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include "fleet/clickhouse/rebuild.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int (*const take[])(struct rebuild *, struct answer_reader *) = {
	rebuild_frame, rebuild_stack, rebuild_sample, rebuild_count, rebuild_note_stacks, rebuild_others};

/* What is left refers to what is there. */
static void check(const struct dusk_profile *p)
{
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		assert(p->frames[i].module < p->nr_modules && p->frames[i].function < p->nr_functions);
		assert(p->frames[i].first_line + p->frames[i].nr_lines <= p->nr_lines);
	}
	for (uint32_t i = 1; i < p->nr_nodes; i++)
		assert(p->nodes[i].parent < i && p->nodes[i].frame < p->nr_frames && p->nodes[i].frame);
	for (uint32_t i = 0; i < p->nr_lines; i++)
		assert(p->lines[i].function < p->nr_functions);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];

		assert(s->node < p->nr_nodes && s->thread < p->nr_threads && s->outcome < p->nr_outcomes);
		assert(p->threads[s->thread].cgroup < p->nr_cgroups && s->runnable_ns <= s->value_ns);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dusk_profile *p;
	struct rebuild b;
	int err = rebuild_init(&b, 1000);

	assert(!err);
	for (size_t i = 0; i < sizeof(take) / sizeof(take[0]) && size >= 2; i++) {
		size_t len = data[0] | data[1] << 8;
		struct answer_reader r = {.texts = b.texts};
		uint8_t *own;

		data += 2;
		size -= 2;
		len = len < size ? len : size;
		own = malloc(len + !len); /* so that a read beyond it is seen */
		assert(own);
		memcpy(own, data, len);
		r.at = own;
		r.end = own + len;
		while (!err && answer_has_more(&r))
			err = take[i](&b, &r);
		assert(!err || err == -EBADMSG);
		free(own);
		data += len;
		size -= len;
		err = 0;
	}
	p = rebuild_end(&b);
	check(p);
	dusk_profile_free(p);
	rebuild_done(&b);
	return 0;
}
