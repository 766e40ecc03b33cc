/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of frames at once, while their process may still run. For tools; profiles are named by symbolize.c. */
#pragma once
#include <dusk/unwind.h>

struct module_event;
struct live_symbols;

/* @named, @codes: file descriptors of the service's maps of these names. *@ret is to be freed with live_symbols_free(). */
int live_symbols_new(struct live_symbols **ret, int named, int codes);
void live_symbols_free(struct live_symbols *n);

/*
 * Fill @ret with the module event of module number @id. Returns 0, or -ENOENT: no module with that number has been
 * seen.
 */
int live_symbols_module(struct live_symbols *n, uint32_t id, struct module_event *ret);

/* As dusk_unwind_place(). */
void live_symbols_find(struct live_symbols *n, uint64_t frame, struct dusk_place *ret);

/* As dusk_unwind_name(). */
void live_symbols_name(struct live_symbols *n, uint64_t frame, char *ret, size_t room);
