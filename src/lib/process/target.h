/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory and mappings that the core sees in user space: core/port.h for a process, for a specimen (specimen.h), or
 * for a section of a file.
 */
#pragma once
#include <sys/types.h>
#include "base/vec.h"
#include "abi/code.h"
#include "core/module.h"

struct target_mapping {
	struct vma vma;
	char *line;	  /* from /proc/PID/maps, without the line break */
	const char *path; /* in @line: as the process sees it, "[vdso]", or "" */
	bool asked;	  /* the core has looked it up */
};

struct target_module {
	struct module_key key;
	struct module module;
};

/* Code of a language that the core has numbered: its number is its index + 1. */
struct target_code {
	u64 object, fingerprint;
	struct code_content content;
};

struct target;

/* A target whose mappings and modules are elsewhere: the functions of core/port.h, for one target. */
struct target_world {
	int (*vma)(struct target *t, u64 addr, struct vma *ret);
	u64 (*file_start)(struct target *t, const struct vma *like);
	struct module *(*module)(struct target *t, const struct module_key *key);
	struct module *(*module_add)(struct target *t, struct modules *ms, bool again);
};

struct target {
	int (*read)(struct target *t, void *dst, u32 len, u64 addr); /* like port_read() */
	const struct target_world *world;	    /* NULL: the mappings and modules are the following ones */
	int mem;				    /* opened by target_open(); else -1 */
	struct vec(struct target_mapping) mappings; /* sorted by address */
	struct vec(struct target_module) modules;   /* that the core has added */
	struct vec(struct target_code) codes;	    /* likewise */
};

/* Initialize an empty target; @read may be NULL. End it with target_done(). */
void target_init(struct target *t, int (*read)(struct target *t, void *dst, u32 len, u64 addr));
void target_done(struct target *t);

/* Open process @pid; its memory must not change while it is read. Returns 0, or a negative errno with @t ended. */
int target_open(struct target *t, pid_t pid);

/* Read the mappings again, after they have changed. Returns 0 or a negative errno. */
int target_look_again(struct target *t, pid_t pid);

/*
 * Add a mapping by its line of /proc/PID/maps, in the order of addresses. Returns 0, -EINVAL (not a mapping) or
 * -ENOMEM.
 */
int target_map(struct target *t, const char *line);

const struct target_mapping *target_find(const struct target *t, u64 addr);

/* Let the core use @t in this thread from now on; NULL: nothing. The caller keeps ownership. */
void target_use(struct target *t);
