/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* In which context does this CPU run: a task, a softirq, an interrupt or an NMI? */
#pragma once
#include "bpf/arch/context.bpf.h"
#include "bpf/common/maps.h"

/* Bits of the preemption count (linux 6.18 include/linux/preempt.h). */
#define IN_NMI 0xf00000
#define IN_NMI_OR_HARDIRQ 0xff0000
#define IN_SOFTIRQ 0x100
