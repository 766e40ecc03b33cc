/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Find out what this kernel offers, and what we may do here.
 *
 * What comes from the kernel's BTF and from kallsyms is read once in a process (kernel_facts.c), as both are large.
 */
#pragma once
#include <dusk/dusk.h>
#include "abi/config.h"

struct btf;

/* The kfunc has two names (doc/kernel.md). Without either, or with parameters that no call can have, nothing is deferred. */
enum task_work { TASK_WORK_NONE, TASK_WORK_UNCALLABLE, TASK_WORK_IMPL, TASK_WORK_PLAIN };

/* Find which kfunc @btf, a kernel's, declares, and store its number there, or a negative errno. */
enum task_work probe_task_work_of(const struct btf *btf, int *number);

/* Say in @ret, which has @room bytes, what this kernel lacks, if it defers nothing. False: it lacks nothing. */
bool probe_no_task_work(char *ret, size_t room);

/* Find in the kernel's BTF which kfunc there is. Returns 0, or a negative errno; -ENOENT: there is no BTF. */
int probe_task_work(enum task_work *ret);

/* Return the kfunc's number in the kernel's BTF, or a negative errno. */
int probe_task_work_number(void);

/* Does bpf_iter_task_vma hold a reference to the memory of a task other than the current one while it iterates? */
bool probe_holds_memory(void);

/* Has the kernel a tracepoint for new cgroups? One without cgroups has none. */
bool probe_reports_cgroups(void);

/* Do we have @c in our effective set? */
bool probe_have(const struct dusk_capability *c);

/* Return the first required capability that is missing, or NULL. */
const struct dusk_capability *probe_missing(void);

/*
 * Find the parts of the kernel's code that our programs must recognize. Returns 0, or -ENOENT: kallsyms does not show
 * them. What is not found is 0.
 */
int probe_kernel_places(struct kernel_places *ret);

/* Find filter.random_frame. 0: kallsyms does not show it, or there is no need to know it. */
struct kernel_text probe_random_frame(void);

/* Find filter.call_begins and call_ends. 0: kallsyms does not show them. */
void probe_call_places(struct kernel_text *begins, struct kernel_text *ends);

/* Variables that each CPU has: "kstack_rnd_state" and "__preempt_count". */
enum cpu_variable { CPU_KSTACK_STATE, CPU_PREEMPT_COUNT, NR_CPU_VARIABLES };

/* Store the distance of @variable from its CPU's run queue, in bytes. -ENOENT: BTF does not have it. */
int probe_from_run_queue(int *ret, enum cpu_variable variable);

/* Return the number of bits that any possible CPU number of this machine fits in. */
u32 probe_cpu_bits(void);

/* Read the ID of this boot of the machine: 36 characters and a 0. */
int probe_boot_id(char ret[37]);

/*
 * Find where the kernel's code begins in this boot: _text. -EPERM: kallsyms hides its addresses; -ENOENT: it is not
 * there.
 */
int probe_kernel_text(uint64_t *ret);

/* Store the running kernel's build id, in hexadecimal, in @ret, which has @room bytes. "": it has none. */
void probe_kernel_build_id(char *ret, size_t room);
