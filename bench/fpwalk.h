/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What fpwalk.bpf.c tells frame.c of each walk. Integers of either side's headers. */
#pragma once

#define FPWALK_FRAMES 127 /* kernel.perf_event_max_stack, unless somebody changed it */

struct fpwalk_event {
	u64 walk_ns, nr;
};
