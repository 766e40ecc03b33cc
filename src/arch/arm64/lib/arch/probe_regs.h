/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registers as events of kprobe_events and uprobe_events name them, and where arguments and results of functions are. */
#pragma once

/* By their index in the kernel's pt_regs (linux 6.18 arch/arm64/kernel/ptrace.c, regoffset_table; all are words). */
static const char *const probe_registers[] = {"x0",  "x1",  "x2",  "x3",  "x4",	 "x5",	"x6",	 "x7",	"x8",
					      "x9",  "x10", "x11", "x12", "x13", "x14", "x15",	 "x16", "x17",
					      "x18", "x19", "x20", "x21", "x22", "x23", "x24",	 "x25", "x26",
					      "x27", "x28", "x29", "x30", "sp",	 "pc",	"pstate"};

/* aapcs64 §6.8 */
static const char *const probe_argument_registers[] = {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"};
#define PROBE_RESULT "x0"
