/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The recorder's events of tracefs: which, how their records are taken, and when. */
#pragma once
#include <bpf/libbpf.h>
#include <dusk/dusk.h>
#include "lib/record/fields.h"
#include "lib/profile/profile_write.h"

struct events;

/*
 * Look up @nr events by their names, "group:event", and what @obj, which is not loaded yet, is to know of them. *@ret
 * is to be freed with events_free(). -ENOENT, -EINVAL: there is no such event, or it has no such name; -ENODEV: there
 * is no tracefs; -E2BIG: too many; -EACCES.
 */
int events_new(struct events **ret, const char *const *names, size_t nr, struct bpf_object *obj,
	       struct dusk_error *err);
void events_free(struct events *e);

/* They become rows of the profile. */
void events_write(const struct events *e, struct profile_writer *w);

size_t events_nr(const struct events *e);
struct fields *events_fields(const struct events *e);

/* Attach to all of them, when the object is loaded. -EMFILE; others from the kernel. */
int events_attach(struct events *e, struct dusk_error *err);

/* Each that occurs between these is told. */
void events_start(struct events *e);
void events_stop(struct events *e);

/* Those that were not, as their CPU was in another program. After events_stop(). */
uint64_t events_missed(const struct events *e);
