/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which program is a profile of? */
#pragma once
#include <dusk/dusk.h>

/*
 * Set *@ret to the module of the program that most of the time is of, by its part in stacks and not by its name: it has main(), or
 * what libc's start is called by. 0: no stack tells. Returns 0 or -ENOMEM.
 */
int program_of(uint32_t *ret, const struct dusk_profile *p);
