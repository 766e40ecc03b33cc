/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What request.c and request.bpf.c tell each other. */
#pragma once

struct setting {
	unsigned int tgid, consumers; /* whose system calls; how many consumers ask at each */
	unsigned int again;	      /* and the first one once more */
	unsigned int after;	      /* and while the walk is being answered */
	unsigned int timed;	      /* and each is timed by itself */
};

enum cost_kind { COST_CLOCK, COST_QUEUED, COST_JOINED, COST_PENDING, COST_EXECUTED, NR_COSTS };

struct cost {
	unsigned long long ns, count;
};
