/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk_unwind.ko: the kfuncs that offer the walk to BPF programs. */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/err.h>
#include <linux/module.h>
#include "../src/abi/outcome.h"
#include "deferred.h"

__bpf_kfunc_start_defs();

/*
 * Walk the user stack of the current task from the registers of its entry to the kernel, to @frames: words as in
 * abi/frame.h, innermost first, as many as fit. Pages that are not present are faulted in, if that cannot hang the
 * task. Returns how many frames there are, and in ret->outcome how the stack ended, or why there is none; -EBUSY: all
 * walkers are taken, or the task is being walked; -ENOMEM.
 */
__bpf_kfunc int bpf_dusk_unwind_user(u64 *frames, u32 frames__sz, struct bpf_dusk_stack *ret)
{
	struct entry_registers from;
	struct bpf_dusk_stack how = {.outcome = registers_of_entry(&from)}; /* others can write to @ret */
	const u64 *walked;
	struct walker *w;

	*ret = how;
	if (how.outcome)
		return 0;
	w = walker_claim();
	if (IS_ERR(w)) {
		ret->outcome = NO_WALKER;
		return PTR_ERR(w);
	}
	here_walk(w, &from, frames__sz / sizeof(*frames), &how);
	walking_frames(w->walk, &walked);
	memcpy(frames, walked, how.nr * sizeof(*frames));
	walker_release(w);
	*ret = how;
	return how.nr;
}

/*
 * Request that stack where the program may not sleep: it is walked when the task is about to return to user mode. Then
 * bpf_dusk_unwound() is called, to which programs can attach. Returns as deferred_ask() does.
 */
__bpf_kfunc int bpf_dusk_unwind_request(u64 *cookie)
{
	return deferred_ask(cookie);
}

/* Describe the file that frames name by @number. Returns 0 or -ENOENT. */
__bpf_kfunc int bpf_dusk_file(u32 number, struct known_file *ret)
{
	memset(ret, 0, sizeof(*ret));
	return files_find(number, ret);
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(kfuncs)
BTF_ID_FLAGS(func, bpf_dusk_unwind_user, KF_SLEEPABLE)
BTF_ID_FLAGS(func, bpf_dusk_unwind_request)
BTF_ID_FLAGS(func, bpf_dusk_file)
BTF_KFUNCS_END(kfuncs)

static const struct btf_kfunc_id_set set = {.owner = THIS_MODULE, .set = &kfuncs};

static int __init start(void)
{
	/*
	 * One type for each hook: tracepoints, perf events and LSM programs share that of tracing (linux 7.2
	 * kernel/bpf/btf.c).
	 */
	static const enum bpf_prog_type types[] = {
		BPF_PROG_TYPE_TRACING,
		BPF_PROG_TYPE_KPROBE,
		BPF_PROG_TYPE_SYSCALL,
	};
	int err = 0;

	for (u32 i = 0; i < ARRAY_SIZE(types) && !err; i++)
		err = register_btf_kfunc_id_set(types[i], &set);
	return err;
}

/* Here no loaded program calls a kfunc, and no walk is pending: each of them holds the module. */
static void __exit stop(void)
{
	deferred_end();
	walkers_free();
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("Complete user stacks for BPF programs, by .eh_frame and .sframe");
