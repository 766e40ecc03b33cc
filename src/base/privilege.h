/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What may this process do beyond what its user may, and for how long?
 *
 * Capabilities go by thread: whoever gives some up has no other threads yet. Sets are masks: CAP(CAP_BPF) | ...
 */
#pragma once
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CAP(number) (1ULL << (number))
#define CAP_EVERY (~0ULL)

/*
 * Give up, for good, all capabilities but those of @keep that we have; what we start inherits none from us. 0 or a
 * negative errno, with nothing changed.
 */
int privilege_limit(uint64_t keep);

/* Which do we have? */
uint64_t privilege_held(void);

/* No program that we start from now on is more than we are, whoever owns it. 0 or a negative errno. */
int privilege_stay_low(void);

/*
 * Might our real user look at thread @tid with tools of his own? As the kernel answers when we have no capabilities:
 * the same user, and not a program that runs with rights of its own; root always. 0, -EACCES, or -ESRCH: it is not
 * there, or dead.
 */
int privilege_may_look(pid_t tid);
