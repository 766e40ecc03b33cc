/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Convert the module event of the kernel side to a module of a profile, and open its file. */
#pragma once
#include <dusk/dusk.h>
#include "abi/event.h"

struct module_event {
	struct dusk_module module; /* its strings are the two below, so the struct must not be copied */
	char path[PATH_BYTES + 32], build_id[2 * BUILD_ID_BYTES + 1];
};

/* Fill @ret. A path that the kernel side could not determine is read from /proc, or is "[inode 5]". */
void module_event_read(struct module_event *ret, const struct event_module *e);

/*
 * Open the file that the event's process has mapped, by its path in the root of that process; else wherever it is; else by
 * its path in the root of the process's parent, or of this process. It is the recorded one (identity.h), and @m gets its device
 * and inode as stat() tells them.
 * Returns a file descriptor or a negative errno.
 */
int module_event_open(struct module_event *m, const struct event_module *e);
