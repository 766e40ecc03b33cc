/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is a frame called, at once, while its process may still run? For tools; profiles are named by symbolize.c. */
#pragma once
#include <dusk/unwind.h>

struct module_event;
struct live_symbols;

/* @named: the service's map of that name. *@ret is to be freed with live_symbols_free(). */
int live_symbols_new(struct live_symbols **ret, int named);
void live_symbols_free(struct live_symbols *n);

/* The module of this number. -ENOENT: none was met that has it. */
int live_symbols_module(struct live_symbols *n, uint32_t id, struct module_event *ret);

/* As dusk_unwind_place(). */
void live_symbols_find(struct live_symbols *n, uint64_t frame, struct dusk_place *ret);

/* As dusk_unwind_name(). */
void live_symbols_name(struct live_symbols *n, uint64_t frame, char *ret, size_t room);
