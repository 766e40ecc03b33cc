/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Open files of the profile's modules: what names their code is kept open, as the process, its mount namespace or the
 * file may be gone when symbols are looked up.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/vec.h"

struct module_fds {
	struct vec(int) fds; /* by the profile's module; -1: none */
	size_t nr_open, max_open;
};

/* Begin, and raise the limit of this process for open files as far as it goes. */
void module_fds_init(struct module_fds *m);
void module_fds_done(struct module_fds *m);

/* Keep @fd, which may be -1, for module @index; close it if there is one already, or no room. */
void module_fds_keep(struct module_fds *m, uint32_t index, int fd);
bool module_fds_has(const struct module_fds *m, uint32_t index);
