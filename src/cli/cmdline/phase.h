/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Limit the privileges of a command to those of its phase. The table in phase.c has them, with the reasons. */
#pragma once

enum phase {
	PHASE_VIEW,	 /* reads files with the user's rights; the default of a command */
	PHASE_MAPS,	 /* reads maps that tools have pinned on bpffs, with the user's rights */
	PHASE_SETUP,	 /* loads programs into the kernel */
	PHASE_RECORDING, /* the programs run */
	PHASE_NAMING,	 /* the programs are no longer needed: functions are looked up */
	PHASE_LEAVING,	 /* everything is written */
	NR_PHASES,
};

/* Give up privileges that @phase does not need, for good. Returns STATUS_OK, or STATUS_FAILED after an error. */
int phase_enter(enum phase phase);
