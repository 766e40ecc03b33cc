/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which program is a profile of? */
#pragma once
#include <dusk/dusk.h>
#include <stdbool.h>

/*
 * Set *@ret to the module of the program that most of the time is of, by its part in stacks and not by its name: it has main(), or
 * what libc's start is called by. 0: no stack tells. Returns 0 or -ENOMEM.
 */
int program_of(uint32_t *ret, const struct dusk_profile *p);

/* The name of @module, as views show it. */
const char *program_name(const struct dusk_profile *p, uint32_t module);

/*
 * Set *@ret: has program @b of profile @q a function of program @a of @p, but for main() and those of the start? Returns 0 or
 * -ENOMEM.
 */
int program_shares(bool *ret, const struct dusk_profile *p, uint32_t a, const struct dusk_profile *q, uint32_t b);
