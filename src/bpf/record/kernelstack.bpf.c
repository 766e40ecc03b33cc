/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel stack of an off-CPU interval, from the kernel stack cache or walked by the kernel. */
#include "bpf/arch/kernelstack.bpf.h"
#include "bpf/arch/registers.bpf.h"
#include "bpf/common/kernelframes.bpf.h"
#include "bpf/record/kernelstack.bpf.h"
#include "bpf/record/recorder.bpf.h"
#include "bpf/unwind/scratch.bpf.h"
#include "bpf/common/stackmap.bpf.h"
#include "bpf/common/task.bpf.h"
#include "core/shared/kernel_stack_cache.h"

#define SWITCH_FRAMES 1	 /* __schedule(): its address is the tracepoint's, which is not in the stack of the sched-out */
#define CHECK_EVERY 1024 /* one in this many cached stacks is compared with a walk */
#define NO_SYSCALL (1ULL << 32)
#define MAY_BE_CUT (127 - MAX_OWN_FRAMES) /* frames: from the default of kernel.perf_event_max_stack */
#define LARGEST_SPAN (READ_LOG_SPAN * sizeof(u64))

/* In map memory, so that the verifier forgets what it knows of it. */
struct room {
	struct kernel_copy copy;
	struct kernel_key key;
	u32 known;
};
_Static_assert(sizeof(struct room) <= sizeof(struct stack), "room in scratch memory");

static volatile u32 cached_stacks_are_wrong; /* one was wrong: the cache is not used any more */
static u64 kernel_hits[64];		     /* hits of the cache, by CPU */
static volatile u32 own_frames;		     /* frames of this program and of what runs it, as last seen */

/* Fill @key. Returns the bytes of the stack from the stack pointer at sched-out to the user's registers. */
static INLINE u64 find_stack(struct task_struct *t, struct kernel_key *key, struct kernel_copy *copy)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(t);
	u64 top = verifier_forget(copy->sp, (u64)regs);

	copy->sp = kernel_sp_of(t);
	key->inner = SWITCH_FRAMES;
	key->outer = 0;
	key->depth = KERNEL_SYSCALL;
	key->entry = call_number(regs);
	if (task_has_no_user(t) || (s64)call_number(regs) < 0) {
		key->entry = NO_SYSCALL;
		key->depth = top - copy->sp;
	}
	return top - copy->sp;
}

static INLINE bool read_stack(struct kernel_copy *copy, u64 bytes)
{
	if (bytes > LARGEST_SPAN || bytes & 7)
		return false;
	copy->words = bytes / sizeof(u64);
	return !bpf_probe_read_kernel(copy->now.word, bytes, (void *)copy->sp);
}

/* @ctx is the context of the program; 0: there is no room, or no stack. Verified once. */
GLOBAL u32 kernelstack_walk(void *ctx CONTEXT, struct stack *s NONNULL)
{
	u32 id = 0;

	get_frames_from(ctx, s, &own_frames, &config.places.schedule, &config.places.schedule_tail);
	if (s->nr)
		stackmap_put(s, &id);
	return id;
}

static INLINE bool is_due_for_check(void)
{
	return ++at(kernel_hits, bpf_get_smp_processor_id() & 63) % CHECK_EVERY == 0;
}

static INLINE u32 remembered(const struct kernel_key *key, struct kernel_copy *copy, u64 bytes)
{
	u64 span = kernel_set_of(key)->span * sizeof(u64);
	u32 id;

	if (cached_stacks_are_wrong || !span)
		return 0;
	if (span > bytes)
		span = bytes;
	id = read_stack(copy, span) ? kernel_stack_cache_find(key, copy) : 0;
	return stackmap_is_now(id) ? id : 0;
}

static INLINE u32 find(void *ctx, struct stack *s, struct room *room)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct kernel_copy *copy = &room->copy;
	struct kernel_key *key = &room->key;
	u64 bytes = find_stack(t, key, copy);
	u32 known = verifier_forget(room->known, remembered(key, copy, bytes)), id;

	if (known && !filter.verify && !is_due_for_check()) {
		count(COUNT_KERNEL_CACHED, 1);
		stackmap_again(known, 1);
		return known;
	}
	count(known ? COUNT_KERNEL_CHECKED : COUNT_KERNEL_WALKS, 1);
	id = kernelstack_walk(ctx, s);
	if (known && id && known != id &&
	    stackmap_is_now(known)) { /* else the same stack has another id in the next table */
		cached_stacks_are_wrong = 1;
		count(COUNT_KERNEL_WRONG, 1);
	}
	if (known || !id)
		return id;
	if (s->nr >= MAY_BE_CUT || !read_stack(copy, bytes))
		return id;
	if (key->depth == KERNEL_SYSCALL)
		key->outer = frames_that_follow(s, &filter.random_frame, &copy->place);
	kernel_stack_cache_put(key, s, copy, id);
	return id;
}

CORE u32 kernelstack_of_interval(void *ctx, struct stack *s)
{
	struct room *room = (struct room *)scratch_get();
	u32 id;

	s->nr = 0;
	if (!room)
		return 0;
	id = find(ctx, s, room);
	scratch_put();
	return id;
}
