/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tell the recorder's programs which processes, threads and cgroup are to be recorded. */
#pragma once
#include <dusk/dusk.h>
#include "lib/unwinder/tool.h"

/*
 * Those that @o names, before the programs are attached.
 * Returns 0; -ESRCH: there is no such process or thread; -EINVAL: not a cgroup; others of open(2) and bpf(2).
 */
int wanted_add(struct service *s, struct tool *t, const struct dusk_record_options *o, struct dusk_error *err);

/*
 * The cgroup that @o names by its folder, and those below it. The programs are attached, so that what is made there later is
 * recorded, too. Returns as wanted_add().
 */
int wanted_add_cgroups(struct tool *t, const struct dusk_record_options *o, struct dusk_error *err);

/* Does @o choose cgroups by labels: units, containers, pods, namespaces? */
bool wanted_by_label(const struct dusk_record_options *o);

/* Record the cgroup with number @id if @c is one that @o chooses by labels. Returns 1, 0: it is not, or an error of bpf(2). */
int wanted_choose_cgroup(struct tool *t, const struct dusk_record_options *o, uint64_t id, const struct dusk_cgroup *c);

/*
 * And what the processes have created. The programs are attached, so that children of what is recorded already are
 * recorded from their birth on; those that were born before are found when nothing new is. Returns as wanted_add().
 */
int wanted_add_descendants(struct service *s, struct tool *t, const struct dusk_record_options *o,
			   struct dusk_error *err);
