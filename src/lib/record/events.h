/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The recorder's tracefs events: which are recorded, how their records are read, and when. */
#pragma once
#include <bpf/libbpf.h>
#include <dusk/dusk.h>
#include "lib/record/fields.h"
#include "lib/profile/write/write.h"

struct events;

/*
 * Look up @nr events by their names, "group:event", and configure @obj, which is not loaded yet, for them. *@ret is to
 * be freed with events_free(). Returns 0; -ENOENT: there is no such event; -EINVAL: the name has another form; -ENODEV:
 * there is no tracefs; -E2BIG: too many; -EACCES.
 */
int events_new(struct events **ret, const char *const *names, size_t nr, struct bpf_object *obj,
	       struct dusk_error *err);

/* Record of all of them only what passes the filter @text (base/tracefs_filter.h). Returns 0; -EINVAL, with the reason in @err. */
int events_filter(struct events *e, const char *text, struct dusk_error *err);
void events_free(struct events *e);

/* Write the events to the profile. */
void events_write(const struct events *e, struct profile_writer *w);

size_t events_nr(const struct events *e);
struct fields *events_fields(const struct events *e);

/* Attach to all of them, once the object is loaded. Returns 0, -EMFILE, or another error of the kernel's. */
int events_attach(struct events *e, struct dusk_error *err);

/* Occurrences between events_start() and events_stop() are recorded. */
void events_start(struct events *e);
void events_stop(struct events *e);

/* Return how many occurrences were missed because their CPU was in another BPF program. Call it after events_stop(). */
uint64_t events_missed(const struct events *e);
