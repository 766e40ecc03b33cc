/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/unwinder/code_generations.h"
#include <bpf/bpf.h>
#include <errno.h>
#include "core/lang/code.h"

#define SWEEP_AFTER_S 5 /* walks that began in the generation before have ended */

static void sweep(struct registry *r, int codes, u32 generation)
{
	u32 key, next, gone = 0;
	int err = bpf_map_get_next_key(codes, NULL, &next);

	while (!err) {
		key = next;
		err = bpf_map_get_next_key(codes, &key,
					   &next); /* before it is removed: without it, the search begins anew */
		if (!code_is_of_use(key, generation) && !bpf_map_delete_elem(codes, &key))
			gone++;
	}
	fetch_add(&r->codes_gone, gone);
}

int code_generations_keep(struct registry *r, int codes, u64 kept, u32 now_s)
{
	u32 turned_s = load_relaxed(&r->code_turned_s), generation = load_relaxed(&r->code_generation);
	u32 swept = load_relaxed(&r->code_swept), len = sizeof(struct bpf_map_info);
	struct bpf_map_info info = {};

	if (generation != swept && now_s - turned_s >= SWEEP_AFTER_S &&
	    cmpxchg(&r->code_swept, swept, generation) == swept)
		sweep(r, codes, generation);
	if (bpf_obj_get_info_by_fd(codes, &info, &len))
		return -errno;
	if ((u32)kept - load_relaxed(&r->codes_gone) < info.max_entries / 4 * 3)
		return 0;
	if (turned_s && now_s - turned_s < CODE_GENERATION_S)
		return 0;
	if (cmpxchg(&r->code_turned_s, turned_s, now_s) == turned_s) /* else another tool does */
		fetch_add(&r->code_generation, 1);
	return 0;
}
