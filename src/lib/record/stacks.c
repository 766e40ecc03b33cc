/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/stacks.h"
#include <stdlib.h>
#include "base/map.h"
#include "lib/record/codes.h"
#include "lib/stacks/stackset.h"

#define KEPT 0x80000000u /* set in numbers of kept kernel stacks, not in ids of the stackmap */

struct stacks {
	struct profile_writer *writer;
	struct modules_known *modules;
	struct stackmap *map;
	struct map user;   /* pid << 32 | id -> node; pid is 0 if no frame depends on the process */
	struct map kernel; /* user node << 32 | kernel id -> node */
	struct stackset kept;
	struct codes *codes;
};

struct stacks *stacks_new(struct profile_writer *w, struct modules_known *m, struct stackmap *map)
{
	struct stacks *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	*s = (struct stacks){.writer = w, .modules = m, .map = map, .codes = codes_new(w)};
	if (s->codes)
		return s;
	free(s);
	return NULL;
}

void stacks_know_codes(struct stacks *s, int codes)
{
	codes_ask(s->codes, codes);
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	stackset_done(&s->kept);
	map_done(&s->user);
	map_done(&s->kernel);
	codes_free(s->codes);
	free(s);
}

static bool depends_on_process(const u64 *frame, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		if (frame_is_anon(frame[i]))
			return true;
	return false;
}

/* The profile's frame for @frame of a user stack. */
static uint32_t user_frame(struct stacks *s, u64 frame, pid_t pid)
{
	uint32_t module, method;

	if (frame_is_code(frame))
		return codes_frame(s->codes, frame, pid);
	module = modules_index(s->modules, frame_module(frame), frame == FRAME_GAP ? 0 : pid);
	method = frame_method(frame);
	return profile_frame(s->writer, module, frame_offset(frame), frame_is_return(frame),
			     (enum dusk_method)(method <= BY_CODE ? method : BY_NOTHING));
}

uint32_t stacks_user_frames(struct stacks *s, const u64 *frame, u32 nr, pid_t pid)
{
	uint32_t node = 0;

	for (uint32_t i = nr; i--;)
		node = profile_node(s->writer, node, user_frame(s, frame[i], pid));
	if (depends_on_process(frame, nr))
		modules_open_jit(s->modules, pid);
	return node;
}

uint32_t stacks_user(struct stacks *s, u32 id, pid_t pid)
{
	uint32_t *known = map_find(&s->user, id), node;
	u64 of_process = (u64)pid << 32 | id;
	const u64 *frame;
	bool added;
	u32 nr;

	if (!known)
		known = map_find(&s->user, of_process);
	if (known)
		return *known;
	frame = s->map ? stackmap_frames(s->map, id, &nr) : NULL;
	if (!frame)
		return 0;
	node = stacks_user_frames(s, frame, nr, pid);
	known = map_at(&s->user, depends_on_process(frame, nr) ? of_process : id, &added);
	if (known)
		*known = node;
	return node;
}

u32 stacks_keep_kernel(struct stacks *s, const u64 *frame, u32 nr)
{
	uint32_t index;

	return stackset_keep(&s->kept, (const uint64_t *)frame, nr, &index) ? 0 : KEPT | index;
}

uint64_t stacks_nr(const struct stacks *s)
{
	return (uint64_t)s->user.nr + s->kernel.nr;
}

uint32_t stacks_kernel_on(struct stacks *s, uint32_t user, u32 id)
{
	u64 key = (u64)user << 32 | id;
	uint32_t *known, node = user, module;
	const u64 *frame;
	bool added;
	u32 nr;

	if (!id)
		return user;
	known = map_find(&s->kernel, key);
	if (known)
		return *known;
	if (id & KEPT) {
		if ((id & ~KEPT) >= s->kept.stacks.nr)
			return user;
		frame = (const u64 *)s->kept.stacks.v[id & ~KEPT].frame;
		nr = s->kept.stacks.v[id & ~KEPT].nr;
	} else {
		frame = s->map ? stackmap_frames(s->map, id, &nr) : NULL;
	}
	if (!frame)
		return user;
	module = modules_index(s->modules, FRAME_KERNEL, 0);
	for (u32 i = nr; i--;)
		node = profile_node(s->writer, node,
				    profile_frame(s->writer, module, frame[i], i > 0, DUSK_BY_NOTHING));
	known = map_at(&s->kernel, key, &added);
	if (known)
		*known = node;
	return node;
}
