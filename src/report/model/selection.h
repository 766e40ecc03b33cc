/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Select the samples of a view: by thread, its labels, time, state, length and module. All commands that show samples use this,
 * through filter.h.
 *
 * Of an off-CPU interval that is only partly in the range of time, the part inside is selected. A sum of intervals has
 * no time of its own but the second in which it was read, and counts as its average in length.
 */
#pragma once
#include <dusk/dusk.h>
#include "report/model/aggregate.h"
#include "report/model/idle.h"
#include "report/model/thread_label.h"

/* What to select. An empty list selects everything, and so does 0. */
struct selection {
	const char *const *comm; /* names of threads, or patterns */
	const char *const *dso;	 /* modules, by name or path, of innermost frames */
	const pid_t *pid, *tid;
	size_t nr_comm, nr_dso, nr_pid, nr_tid;
	const char *const *state; /* names of thread states, as of state_name() */
	size_t nr_state;
	const char *const *label[NR_THREAD_LABELS]; /* patterns */
	size_t nr_label[NR_THREAD_LABELS];
	uint64_t from_ns, to_ns; /* of the recording, without @to_ns; 0: the end */
	uint64_t last_ns;	 /* not 0: the last so much of it, in place of @from_ns; for filtered_init() */
	uint64_t min_ns;	 /* no off-CPU intervals that are shorter */
	bool ignore_idle;	 /* no off-CPU intervals of idle threads (idle.h) */
};

/* Decides sample by sample. */
struct selector {
	const struct dusk_profile *profile;
	const struct selection *selection;
	bool *thread, *state; /* by number: is it selected? */
	struct idle *idle;    /* NULL: do not ask */
};

/* Free @ret with selector_done() in any case. @p and @s must outlive it. Returns 0 or -ENOMEM. */
int selector_init(struct selector *ret, const struct dusk_profile *p, const struct selection *s);
void selector_done(struct selector *s);

/* Is @sample, with its node as it is in the profile, selected by all but its module? */
bool selector_has(const struct selector *s, const struct dusk_sample *sample);

/* Is this an off-CPU interval that selector_has() refuses only since its thread is idle? */
bool selector_is_idle(const struct selector *s, const struct dusk_sample *sample);

/* Reduce an off-CPU interval to the part of it that is in the range of time. */
void selection_cut(const struct selection *s, struct dusk_sample *sample);

/*
 * Which places (label.h) are of the modules of @s? A synthetic frame (synthetic.h) is if the real one below it is.
 * *@ret, by place, is to be freed with free(); NULL: all are. Returns 0 or -ENOMEM.
 */
int selection_places(bool **ret, const struct dusk_profile *p, const struct selection *s);
