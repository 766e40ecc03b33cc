/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Limit the privileges of a command to those of its phase. See phase.h.
 *
 * With file capabilities (setcap) dusk may read more than its user. They are for the kernel side and for names only:
 * files named by the user or by a profile are read with the user's own rights. Root may read everything anyway, but a
 * program that reads another user's files need not be able to load modules, set the clock or format disks.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/privilege.h"
#include "cli/cmdline/command.h"
#include "cli/cmdline/phase.h"

#define KERNEL_SIDE (CAP(CAP_BPF) | CAP(CAP_PERFMON))
/* To read programs in containers or of other users, and the addresses of kernel functions. */
#define NAMES (CAP(CAP_SYS_PTRACE) | CAP(CAP_DAC_READ_SEARCH) | CAP(CAP_SYSLOG))
/* The same of programs that have no path here: those that were removed or replaced, in memory, of a container. */
#define MAPPED CAP(CAP_CHECKPOINT_RESTORE)
/* For root: under sudo, profiles of the caller are read and written, and belong to the caller. */
#define FILES (CAP(CAP_DAC_OVERRIDE) | CAP(CAP_DAC_READ_SEARCH) | CAP(CAP_CHOWN) | CAP(CAP_FOWNER))
#define SIGNALS \
	CAP(CAP_KILL) /* for root: the recorded command may have changed its user, and confined processes are nobody */
/*
 * For root: the process that reads programs and their debug information becomes user nobody (base/sandbox.h), and is
 * killed if it takes too long.
 */
#define CONFINES (CAP(CAP_SETUID) | CAP(CAP_SETGID) | SIGNALS)

static const struct {
	uint64_t user, root;
} phases[NR_PHASES] = {
	[PHASE_VIEW] = {0, FILES | NAMES | CONFINES},
	[PHASE_MAPS] = {0, KERNEL_SIDE | FILES | NAMES | CONFINES},
	[PHASE_SETUP] = {CAP_EVERY, CAP_EVERY},
	[PHASE_RECORDING] = {KERNEL_SIDE | NAMES | MAPPED, KERNEL_SIDE | NAMES | MAPPED | FILES | CONFINES},
	[PHASE_NAMING] = {NAMES | MAPPED, NAMES | MAPPED | FILES | CONFINES},
	[PHASE_LEAVING] = {0, FILES | SIGNALS},
};

/*
 * Does the kernel demand CAP_SYS_ADMIN to open a perf event? Debian's do at level 3, which other kernels treat as
 * 2. While recording we open one for each CPU that comes online, as all do when a suspended machine wakes up.
 */
static bool perf_is_restricted(void)
{
	_cleanup_(fclosep) FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level;

	return f && fscanf(f, "%d", &level) == 1 && level > 2;
}

/* Keep CAP_SYS_ADMIN if we lack the capabilities that were split from it, or if they do not suffice. */
static uint64_t with_stand_in(enum phase phase, uint64_t keep)
{
	if (keep & KERNEL_SIDE && (privilege_held() & KERNEL_SIDE) != KERNEL_SIDE)
		return keep | CAP(CAP_SYS_ADMIN);
	if (phase == PHASE_RECORDING && perf_is_restricted())
		return keep | CAP(CAP_SYS_ADMIN);
	return keep;
}

int phase_enter(enum phase phase)
{
	int err;

	if (phase == PHASE_SETUP)
		return STATUS_OK;
	err = privilege_limit(with_stand_in(phase, getuid() ? phases[phase].user : phases[phase].root));
	if (!err && phase == PHASE_RECORDING)
		err = privilege_stay_low();
	if (!err)
		return STATUS_OK;
	say("cannot give up privileges: %s", strerror(-err));
	return STATUS_FAILED;
}
