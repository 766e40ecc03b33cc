/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which privileges does a command need by now? See phase.h.
 *
 * With file capabilities (setcap) dusk may read more than its user. That is for the kernel side and for names; where
 * dusk reads what the user names, or what a profile names, only the user's own rights count. Root may read all anyway,
 * but needs no module loaded, clock set or disk formatted by a program that reads a file of somebody else's.
 */
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "base/privilege.h"
#include "cli/command.h"
#include "cli/phase.h"

#define KERNEL_SIDE (CAP(CAP_BPF) | CAP(CAP_PERFMON))
/* Programs of processes in containers, or that only others may read; addresses of the kernel's functions. */
#define NAMES (CAP(CAP_SYS_PTRACE) | CAP(CAP_DAC_READ_SEARCH) | CAP(CAP_SYSLOG))
/* Of root: profiles of the one who called sudo are read, written, and given to him. */
#define FILES (CAP(CAP_DAC_OVERRIDE) | CAP(CAP_DAC_READ_SEARCH) | CAP(CAP_CHOWN) | CAP(CAP_FOWNER))
#define SIGNALS \
	CAP(CAP_KILL) /* of root: a recorded command may have become another user's, and who is confined is nobody */
/*
 * Of root: who reads programs and their debug information becomes nobody (base/sandbox.h), and is killed if it takes
 * too long.
 */
#define CONFINES (CAP(CAP_SETUID) | CAP(CAP_SETGID) | SIGNALS)

static const struct {
	uint64_t user, root;
} phases[NR_PHASES] = {
	[PHASE_VIEW] = {0, FILES | NAMES | CONFINES},
	[PHASE_MAPS] = {0, KERNEL_SIDE | FILES | NAMES | CONFINES},
	[PHASE_SETUP] = {CAP_EVERY, CAP_EVERY},
	[PHASE_RECORDING] = {KERNEL_SIDE | NAMES, KERNEL_SIDE | NAMES | FILES | CONFINES},
	[PHASE_NAMING] = {NAMES, NAMES | FILES | CONFINES},
	[PHASE_LEAVING] = {0, FILES | SIGNALS},
};

/* CAP_SYS_ADMIN stands in for what was split from it. */
static uint64_t with_stand_in(uint64_t keep)
{
	if (keep & KERNEL_SIDE && (privilege_held() & KERNEL_SIDE) != KERNEL_SIDE)
		return keep | CAP(CAP_SYS_ADMIN);
	return keep;
}

int phase_enter(enum phase phase)
{
	int err;

	if (phase == PHASE_SETUP)
		return STATUS_OK;
	err = privilege_limit(with_stand_in(getuid() ? phases[phase].user : phases[phase].root));
	if (!err && phase == PHASE_RECORDING)
		err = privilege_stay_low();
	if (!err)
		return STATUS_OK;
	say("cannot give up privileges: %s", strerror(-err));
	return STATUS_FAILED;
}
