/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is a frame called, at once, while its process may still run? For tools; profiles are named by symbolize.c. */
#pragma once
#include <dusk/unwind.h>

struct names;

/* @named: the service's map of that name. *@ret is to be freed with names_free(). */
int names_new(struct names **ret, int named);
void names_free(struct names *n);

/* As dusk_unwind_place(). */
void names_find(struct names *n, uint64_t frame, struct dusk_place *ret);
