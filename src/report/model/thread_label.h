/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Labels of threads: where their processes belong. Rows are grouped by them, and samples are selected. */
#pragma once
#include <dusk/dusk.h>

enum thread_label {
	LABEL_SERVICE,
	LABEL_UNIT,
	LABEL_CONTAINER,
	LABEL_POD,
	LABEL_NAMESPACE,
	LABEL_VERSION,
	LABEL_CGROUP,
	LABEL_HOST,
	NR_THREAD_LABELS
};

/* Labels with which stacks begin, the first one outermost; no label twice. */
struct thread_labels {
	enum thread_label v[NR_THREAD_LABELS];
	size_t nr;
};

/* Return its name in options and tables: "container". */
const char *thread_label_name(enum thread_label which);

/*
 * Return label @which of @t, a thread of @p; "": it has none. A service is the first that is known of OTEL_SERVICE_NAME, the
 * unit, the container's name, and the thread's name; a container is its name, or its id if it has none;
 * a host is that of the recording, unless the profile is of several.
 */
const char *thread_label(const struct dusk_profile *p, const struct dusk_thread *t, enum thread_label which);

/* Does @pattern (base/label_pattern.h) mean label @which of @t? */
bool thread_label_matches(const struct dusk_profile *p, const struct dusk_thread *t, enum thread_label which,
			  const char *pattern);
