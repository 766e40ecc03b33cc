/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Callers that are known by the code around their return address. */
#pragma once
#include "core/machine.h"

/*
 * Go to the caller's frame by what is known of the code around the return address m->pc: it has neither CFI nor a frame
 * pointer, or its function has switched to another stack. Returns 0, -EFAULT or -EACCES; -ENOENT: the code is not
 * known; -ESRCH: it is, and it has no caller.
 */
GLOBAL int return_rule_step(struct machine *m NONNULL);
GLOBAL u32 return_rule(struct machine *m NONNULL); /* a part of it, verified once */
