/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which privileges does a command need by now? It has no others: the table in phase.c says which, and why. */
#pragma once

enum phase {
	PHASE_VIEW,	 /* reads files, as its user may; a command that does not say otherwise */
	PHASE_MAPS,	 /* reads what tools have pinned on bpffs, as its user may */
	PHASE_SETUP,	 /* loads programs into the kernel */
	PHASE_RECORDING, /* they run */
	PHASE_NAMING,	 /* they are not needed any more: functions are looked up */
	PHASE_LEAVING,	 /* all is written */
	NR_PHASES,
};

/* Give up what @phase does not need; there is no way back. STATUS_OK, or STATUS_FAILED and it is said. */
int phase_enter(enum phase phase);
