/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Capabilities of this process, and what its user may see without them.
 *
 * Capabilities belong to a thread, so give them up before other threads are started. Sets are masks: CAP(CAP_BPF) | ...
 */
#pragma once
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CAP(number) (1ULL << (number))
#define CAP_EVERY (~0ULL)

/*
 * Permanently give up all capabilities except those in @keep; programs that this process starts inherit none from it.
 * Returns 0, or a negative errno with nothing changed.
 */
int privilege_limit(uint64_t keep);

/* Return the permitted capabilities. */
uint64_t privilege_held(void);

/*
 * Use none of the capabilities until privilege_raise(@had), unless the real user is root: so only that user's rights count for what the
 * user names. Returns 0, or a negative errno with nothing changed.
 */
int privilege_lower(uint64_t *had);
int privilege_raise(uint64_t had);

/* Let no program that is started from now on gain privileges, such as by set-user-ID. Returns 0 or a negative errno. */
int privilege_stay_low(void);

/*
 * Check whether the real user could inspect thread @tid without our capabilities: it must be of the same user, and not
 * run a program with privileges of its own. Root always may.
 * Returns 0, -EACCES, or -ESRCH if the thread does not exist or is dead.
 */
int privilege_may_look(pid_t tid);
