/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where is the preemption count kept? (bpf/arch/context.bpf.h) */
#pragma once

#define PREEMPT_COUNT_WITH_TASK 1 /* with the task */
