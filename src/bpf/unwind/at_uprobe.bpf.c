/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs at uprobes keep their variables to themselves.
 *
 * They may be preempted, and nothing keeps them from running for another task on the same CPU meanwhile. Since linux
 * 6.13 the variables of a program lie on a stack that it has on each CPU, if they are 64 bytes or more: both tasks
 * write there (doc/kernel.md). A program that has a tail call gets no such stack, even if the call is never reached
 * (check_max_stack_depth() in linux 7.2 kernel/bpf/verifier.c).
 */
#include "bpf/common/maps.h"
#include <dusk/dusk.bpf.h>

CORE int dusk_unwind_at_uprobe(void)
{
	if (!config.abi) /* it is not: the verifier knows, and takes it out */
		bpf_tail_call(NULL, NULL, 0);
	return 0;
}
