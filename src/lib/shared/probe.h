/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What does this kernel offer, and what may we do here? */
#pragma once
#include <dusk/dusk.h>
#include "abi/config.h"

/* The one kfunc has two names (doc/kernel.md); without either there is no deferral. */
enum task_work { TASK_WORK_NONE, TASK_WORK_IMPL, TASK_WORK_PLAIN };

/* Look into the kernel's BTF. *@ret also says so if there is no BTF: -ENOENT. */
int probe_task_work(enum task_work *ret);

/* Its number in the kernel's BTF, or a negative errno. */
int probe_task_work_number(void);

/* Does bpf_iter_task_vma hold the memory of a task that is not the current one, while it looks at it? */
bool probe_holds_memory(void);

/* Do we have it, effectively? */
bool probe_have(const struct dusk_capability *c);

/* The first required capability that is missing, or NULL. */
const struct dusk_capability *probe_missing(void);

/* Where the kernel's code is of which we must know. 0, or -ENOENT: kallsyms does not tell; what is not known is 0. */
int probe_kernel_places(struct kernel_places *ret);

/* How far is the per-CPU @variable of the kernel from the CPU's run queue, in bytes? -ENOENT: BTF does not tell. */
int probe_from_run_queue(int *ret, const char *variable);

/* In how many bits the number of any CPU fits that this machine may ever have. */
u32 probe_cpu_bits(void);

/* The ID of this boot of this machine, 36 characters and a 0. */
int probe_boot_id(char ret[37]);

/*
 * Where the kernel's code begins in this boot: _text. -EPERM: kallsyms hides its addresses; -ENOENT: it is not there.
 */
int probe_kernel_text(uint64_t *ret);

/* The build id of the kernel that runs, in hexadecimal, to @ret, which has room for @room bytes. "": it has none. */
void probe_kernel_build_id(char *ret, size_t room);
