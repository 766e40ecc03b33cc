/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read the events and the facts of a file that perf wrote to a pipe.
 *
 * perf cannot go back to such a file's beginning, and writes there only that it is one. What the header of another file
 * has is in records among the others, the events before their first sample.
 */
#include <errno.h>
#include <string.h>

#include "lib/perfdata/file.h"

#define UPDATE_NAME 2 /* the kind of an update of an event that has its name */

/* { header; struct perf_event_attr, which says how long it is; ids } */
static int take_event(struct perfdata_file *f, const uint64_t *words, uint64_t bytes)
{
	struct perf_event_attr attr;
	int rc;

	if (bytes < PERF_ATTR_SIZE_VER0)
		return -EINVAL;
	memcpy(&attr, words, PERF_ATTR_SIZE_VER0);
	if (attr.size < PERF_ATTR_SIZE_VER0 || attr.size > bytes || attr.size % sizeof(uint64_t))
		return -EINVAL;
	rc = perfdata_add_event(f, words, attr.size);
	for (uint64_t i = attr.size / sizeof(*words); !rc && i < bytes / sizeof(*words); i++)
		rc = perfdata_add_id(f, words[i]);
	return rc;
}

/* { header; kind; id; text } */
static int take_update(struct perfdata_file *f, const uint64_t *words, uint64_t bytes)
{
	const char *name = (const char *)(words + 2);
	const uint32_t *index;

	if (bytes <= 2 * sizeof(*words) || words[0] != UPDATE_NAME || !memchr(name, 0, bytes - 2 * sizeof(*words)))
		return 0;
	index = map_find(&f->layout.ids, words[1]);
	if (!index)
		return 0;
	f->layout.events.v[*index].name = strings_intern(&f->strings, name);
	return f->layout.events.v[*index].name ? 0 : -ENOMEM;
}

static int take_record(struct perfdata_file *f, uint64_t offset, void *ctx)
{
	const struct perf_event_header *h = (const struct perf_event_header *)f->record;
	const uint64_t *words = (const uint64_t *)(h + 1);
	uint64_t bytes = h->size - sizeof(*h);

	switch (h->type) {
	case RECORD_ATTR: return take_event(f, words, bytes);
	case RECORD_EVENT_UPDATE: return take_update(f, words, bytes);
	case RECORD_BUILD_ID: return perfdata_fact(f, FACT_BUILD_ID, h, h->size);
	case RECORD_FEATURE:
		return bytes < sizeof(*words) || words[0] == FACT_BUILD_ID || words[0] > FACT_EVENTS
			       ? 0
			       : perfdata_fact(f, words[0], words + 1, bytes - sizeof(*words));
	case RECORD_COMPRESSED:
	case RECORD_COMPRESSED2: f->compressed = true; return 0;
	default: return 0;
	}
}

int perfdata_pipe(struct perfdata_file *f, struct dusk_error *err)
{
	f->data = PIPE_HEADER_BYTES;
	f->data_end = f->bytes;
	return perfdata_each(f, take_record, NULL, err);
}
