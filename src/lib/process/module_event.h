/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What does the event of a module that the kernel side has met say of a file, and where is that file now? */
#pragma once
#include <dusk/dusk.h>
#include "abi/event.h"

struct module_event {
	struct dusk_module module; /* its strings are the two below: not to be copied */
	char path[PATH_BYTES + 32], build_id[2 * BUILD_ID_BYTES + 1];
};

/* The module as profiles have it. A path that the kernel side could not tell is asked of /proc, or is "[inode 5]". */
void module_event_read(struct module_event *ret, const struct event_module *e);

/*
 * Open the file as its process sees it, or its parent, or we do: a file descriptor or a negative errno. It may be
 * another by now, so whoever reads it asks symbols_recorded().
 */
int module_event_open(const struct module_event *m, const struct event_module *e);
