/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Answer a request at once: from the stack cache, or by a no-fault walk.
 *
 * The task is in a system call, an exception or an interrupt, and will return to the user registers that the kernel has
 * saved; except in execve() and sigreturn(), which change them and are left to task work.
 */
#include "bpf/unwind/request.bpf.h"
#include "bpf/unwind/scratch.bpf.h"
#include "bpf/unwind/unwind.bpf.h"
#include "core/walk/stack_cache.h"

#define INTERRUPT_DEPTH 32

struct room {
	struct stack_cache_key key;
	struct registers regs;
	struct stack_snapshot now;
};
_Static_assert(sizeof(struct room) <= sizeof(struct stack), "room in scratch memory");

/* Make the key of the stack cache. False: not possible, as mappings are being changed, or changes are not counted. */
static INLINE bool key_of(struct stack_cache_key *ret, struct task_struct *t, struct mm_struct *mm,
			  const struct registers *regs)
{
	if (!bpf_core_field_exists(mm->mm_lock_seq))
		return false;
	ret->mm = (u64)mm;
	ret->start_boottime = t->group_leader->start_boottime;
	ret->ip = regs_place(regs->reg);
	ret->sp = regs->reg[REG_SP];
	ret->exec_id = t->self_exec_id;
	ret->mm_sequence = mm->mm_lock_seq.sequence;
	return !(ret->mm_sequence & 1);
}

/*
 * Does @w know the mappings of the process of @key, unchanged since? Frames of languages depend on more than registers and the stack: where there
 * may be any, the stack is neither cached nor walked here.
 */
static INLINE bool knows(const struct walker *w, const struct stack_cache_key *key)
{
	return w->mm == key->mm && w->start_boottime == key->start_boottime && w->exec_id == key->exec_id &&
	       w->mm_sequence == key->mm_sequence && w->evictions == registry.evictions &&
	       !(w->walk.modules.runtime | w->walk.modules.unexamined);
}

static INLINE u32 try_nofault(struct walker *w, const struct stack_cache_key *key, const struct registers *regs,
			      u32 max_depth)
{
	struct walk *walk = &w->walk;
	u32 stack = 0;

	__builtin_memcpy(walk->machine.reg, regs->reg, sizeof(regs->reg));
	walk->max_depth = max_depth < registry.max_depth ? max_depth : registry.max_depth;
	walk->no_cache = config.no_cache;
	if (walk_nofault(walk) || stackmap_put(&walk->out, &stack))
		return 0;
	stack_cache_put(key, regs->reg, &walk->trace, stack);
	return stack;
}

static INLINE u32 nofault_stack(struct task_struct *t, const struct stack_cache_key *key, const struct registers *regs,
				u32 max_depth)
{
	u32 i = walker_first(t->tgid), stack = 0;
	struct walker *w = bpf_map_lookup_elem(&walkers, &i);

	if (!w || !watchdog_claim(&w->head, t->pid))
		return 0;
	if (knows(w, key))
		stack = try_nofault(w, key, regs, max_depth);
	walker_release(w);
	return stack;
}

static INLINE bool changes_registers(const struct registers *regs)
{
	return regs->call == NR_EXECVE || regs->call == NR_EXECVEAT || regs->call == NR_RT_SIGRETURN;
}

static INLINE u32 known_stack(struct task_struct *t, struct room *room, u32 max_depth)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(t);
	struct mm_struct *mm = t->mm;
	u32 stack;

	if (!mm || task_has_no_user(t) || t->flags & PF_EXITING)
		return 0;
	registers_take(&room->regs, t, regs);
	if (changes_registers(&room->regs) || !key_of(&room->key, t, mm, &room->regs))
		return 0;
	stack = stack_cache_find(&room->key, room->regs.reg, &room->now);
	if (stack && stackmap_is_now(stack)) {
		count(COUNT_CACHED, 1);
		stackmap_again(stack, 1);
		return stack;
	}
	stack = nofault_stack(t, &room->key, &room->regs, max_depth);
	if (stack)
		count(COUNT_NOFAULT, 1);
	return stack;
}

static INLINE int find_known(struct dusk_unwind *ret, u32 max_depth)
{
	struct room *room = (struct room *)scratch_get();

	ret->cookie = 0;
	ret->stack = 0;
	ret->outcome = UNDEFINED_RA;
	if (!room)
		return -EAGAIN;
	ret->stack = known_stack(bpf_get_current_task_btf(), room, max_depth);
	scratch_put();
	if (!ret->stack)
		return -EAGAIN;
	count(COUNT_REQUESTS, 1);
	return DUSK_EXECUTED;
}

CORE int dusk_unwind_try(struct dusk_unwind *ret)
{
	return find_known(ret, MAX_DEPTH);
}

CORE int dusk_unwind_try_irq(struct dusk_unwind *ret)
{
	return find_known(ret, INTERRUPT_DEPTH);
}
