/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Open files of the profile's modules: what names their code is kept open, as the process, its mount namespace or the
 * file may be gone when symbols are looked up.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include "base/vec.h"

struct module_fds {
	struct vec(int) fds; /* by the profile's module; -1: none */
	rlim_t end;	     /* those from here on stay free for the rest of this process */
};

/* Raise the limit of this process for open files as far as it goes. Processes that it has forked before are not concerned. */
void module_fds_raise_limit(void);

/* Descriptors from this number on are to stay free. */
size_t module_fds_end(void);

void module_fds_init(struct module_fds *m);
void module_fds_done(struct module_fds *m);

/* Keep @fd, which may be -1, for module @index; close it if there is one already, or no room. */
void module_fds_keep(struct module_fds *m, uint32_t index, int fd);
