/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which CPUs there are, as the kernel lists them: "0-3,5". */
#pragma once
#include <dusk/dusk.h>
#include "base/vec.h"

struct cpu_list vec(int);

/*
 * Set @ret to the numbers of the CPUs that are @which, "online" or "present", in their order. Free it with vec_done(). Returns 0, or a
 * negative errno with @err, which may be NULL.
 */
int cpu_list_read(struct cpu_list *ret, const char *which, struct dusk_error *err);

bool cpu_list_has(const struct cpu_list *l, int cpu);
