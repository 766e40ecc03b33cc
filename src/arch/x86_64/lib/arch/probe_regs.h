/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registers as events of kprobe_events and uprobe_events name them, and where arguments and results of functions are. */
#pragma once

/* By their index in the kernel's pt_regs (linux 6.18 arch/x86/kernel/ptrace.c, regoffset_table; all are words). */
static const char *const probe_registers[] = {"r15", "r14",	"r13", "r12", "bp",    "bx", "r11",
					      "r10", "r9",	"r8",  "ax",  "cx",    "dx", "si",
					      "di",  "orig_ax", "ip",  "cs",  "flags", "sp", "ss"};

/* psABI x86-64 §3.2.3 */
static const char *const probe_argument_registers[] = {"di", "si", "dx", "cx", "r8", "r9"};
#define PROBE_RESULT "ax"
