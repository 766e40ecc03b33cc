/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keep tasks that preempt each other at a uprobe from sharing a program's variables.
 *
 * A program at a uprobe may be preempted, and run for another task on the same CPU meanwhile. Since linux 6.13 a
 * program's variables are on a per-CPU stack of the program, if they take 64 bytes or more: so both tasks write to them
 * (doc/kernel.md). A program that contains a tail call gets no such stack, even if the call is never reached
 * (check_max_stack_depth() in linux 7.2 kernel/bpf/verifier.c).
 */
#include "bpf/common/maps.h"
#include <dusk/dusk.bpf.h>

CORE int dusk_unwind_at_uprobe(void)
{
	if (!config.abi) /* never true: the verifier knows this constant, and removes the call */
		bpf_tail_call(NULL, NULL, 0);
	return 0;
}
