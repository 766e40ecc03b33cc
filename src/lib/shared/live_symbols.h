/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is a frame called, at once, while its process may still run? For tools; profiles are named by symbolize.c. */
#pragma once
#include <dusk/unwind.h>

struct met;
struct namer;

/* @named: the service's map of that name. *@ret is to be freed with namer_free(). */
int namer_new(struct namer **ret, int named);
void namer_free(struct namer *n);

/* The module of this number. -ENOENT: none was met that has it. */
int namer_met(struct namer *n, uint32_t id, struct met *ret);

/* As dusk_unwind_place(). */
void namer_find(struct namer *n, uint64_t frame, struct dusk_place *ret);

/* As dusk_unwind_name(). */
void namer_name(struct namer *n, uint64_t frame, char *ret, size_t room);
