/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Say what would give the code that a process makes at run time its names. */
#pragma once
#include <dusk/dusk.h>

/* Write it to @ret of @room bytes, for process @pid of @p. The runtime is known by the files in its stacks. */
void jit_hint(const struct dusk_profile *p, pid_t pid, char *ret, size_t room);
