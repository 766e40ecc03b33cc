/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does the core see when it runs in user space? core/port.h on a process, on what was kept of one (specimen.h), or
 * on a section of a file.
 */
#pragma once
#include <sys/types.h>
#include "base/vec.h"
#include "core/module.h"

struct target_mapping {
	struct vma vma;
	char *line;	  /* of /proc/PID/maps, without the line break */
	const char *path; /* in @line: as the process has it, "[vdso]", or "" */
	bool asked;	  /* the core has asked for it */
};

struct target_module {
	struct module_key key;
	struct module module;
};

struct target {
	int (*read)(struct target *t, void *dst, u32 len, u64 addr); /* as port_read() */
	int mem;						     /* of target_open(); else -1 */
	struct vec(struct target_mapping) mappings;		     /* by address */
	struct vec(struct target_module) modules;		     /* that the core has met */
};

/* An empty one; @read may be NULL. To be ended with target_done(). */
void target_init(struct target *t, int (*read)(struct target *t, void *dst, u32 len, u64 addr));
void target_done(struct target *t);

/* Process @pid as it is now, which has to stand still while it is read. 0 or a negative errno; then it is ended. */
int target_open(struct target *t, pid_t pid);

/* Its mappings have changed: read them again. 0 or a negative errno. */
int target_look_again(struct target *t, pid_t pid);

/* Add a mapping by its line of /proc/PID/maps; in the order of addresses. 0; -EINVAL: it is none; -ENOMEM. */
int target_map(struct target *t, const char *line);

const struct target_mapping *target_find(const struct target *t, u64 addr);

/* What the core sees from now on, in this thread; NULL: nothing. Borrowed. */
void target_use(struct target *t);
