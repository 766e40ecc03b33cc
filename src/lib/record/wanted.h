/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tell the recorder's programs which processes, threads and cgroup are to be recorded. */
#pragma once
#include <dusk/dusk.h>
#include "lib/shared/tool.h"

/*
 * Those that @o names, before the programs are attached.
 * Returns 0; -ESRCH: there is no such process or thread; -EINVAL: not a cgroup; others of open(2) and bpf(2).
 */
int wanted_add(struct service *s, struct tool *t, const struct dusk_record_options *o, struct dusk_error *err);

/*
 * And what the processes have created. The programs are attached, so that children of what is recorded already are
 * recorded from their birth on; those that were born before are found when nothing new is. Returns as wanted_add().
 */
int wanted_add_descendants(struct service *s, struct tool *t, const struct dusk_record_options *o,
			   struct dusk_error *err);
