/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read what samples refer to: settings, modules, functions, frames, nodes, threads, outcomes. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include "base/map.h"
#include "lib/error.h"
#include "lib/profile/file/abi_names.h"
#include "lib/profile/read/reader.h"
#include "lib/profile/file/schema.h"

int reader_setting(struct reader *r)
{
	return vec_push(&r->settings, ((struct dusk_setting){reader_text_or(r, 0, NULL), reader_text_or(r, 1, "")}));
}

int reader_module(struct reader *r)
{
	struct dusk_module m = {
		.kind = reader_number(r, 1, DUSK_MODULE_SOURCE),
		.pid = reader_number(r, 2, INT_MAX),
		.path = reader_text_or(r, 3, ""),
		.build_id = reader_text_or(r, 4, ""),
		.dev = reader_number_or(r, 5, UINT64_MAX, 0),
		.ino = reader_number_or(r, 6, UINT64_MAX, 0),
		.generation = reader_number_or(r, 7, UINT32_MAX, 0),
	};

	return vec_push(&r->modules, m);
}

int reader_image(struct reader *r)
{
	return vec_push(&r->images, reader_text_or(r, 1, ""));
}

int reader_function(struct reader *r)
{
	struct dusk_function f = {.name = reader_text_or(r, 1, NULL)};

	f.symbol = reader_text_or(r, 2, f.name);
	f.module = r->images.v[reader_number_or(r, 3, r->images.nr - 1, 0)];
	return vec_push(&r->functions, f);
}

int reader_frame(struct reader *r)
{
	struct dusk_frame f = {
		.module = reader_number(r, 1, r->modules.nr - 1),
		.offset = reader_number(r, 2, UINT64_MAX),
		.is_return = reader_number(r, 3, 1),
		.function = reader_number_or(r, 4, r->functions.nr - 1, 0),
		.function_offset = reader_number_or(r, 5, UINT32_MAX, 0),
		.method = reader_number_or(r, 7, DUSK_BY_CODE, DUSK_BY_NOTHING),
	};

	f.address = reader_number_or(r, 6, UINT64_MAX, f.offset);
	return vec_push(&r->frames, f);
}

int reader_source(struct reader *r)
{
	return vec_push(&r->sources, reader_text_or(r, 1, ""));
}

/* The lines of a frame are consecutive. */
int reader_line(struct reader *r)
{
	struct dusk_line l = {.function = reader_number_or(r, 2, r->functions.nr - 1, 0)};
	struct dusk_frame *f = &r->frames.v[reader_number(r, 1, r->frames.nr - 1)];

	l.file = r->sources.v[reader_number_or(r, 3, r->sources.nr - 1, 0)];
	l.line = reader_number_or(r, 4, UINT32_MAX, 0);
	if (f == r->frames.v || f->nr_lines == PROFILE_MAX_LINES ||
	    (f->nr_lines && f->first_line + f->nr_lines != r->lines.nr))
		r->damaged = true;
	if (!f->nr_lines)
		f->first_line = r->lines.nr;
	f->nr_lines++;
	return vec_push(&r->lines, l);
}

int reader_node(struct reader *r)
{
	struct dusk_node n = {
		.parent = reader_number(r, 1, r->id - 1),
		.frame = reader_number(r, 2, r->frames.nr - 1),
	};

	return vec_push(&r->nodes, n);
}

int reader_cgroup(struct reader *r)
{
	struct dusk_cgroup c = {
		.path = reader_text_or(r, 1, ""),
		.container = reader_text_or(r, 2, ""),
		.container_name = reader_text_or(r, 3, ""),
		.pod = reader_text_or(r, 4, ""),
		.pod_namespace = reader_text_or(r, 5, ""),
		.unit = reader_text_or(r, 6, ""),
		.host = reader_text_or(r, 7, ""),
	};

	return vec_push(&r->cgroups, c);
}

int reader_thread(struct reader *r)
{
	struct dusk_thread t = {
		.pid = reader_number(r, 1, INT_MAX),
		.tid = reader_number(r, 2, INT_MAX),
		.comm = reader_text_or(r, 3, ""),
		.title = "",
		.service = "",
		.version = "",
		.cgroup = reader_number_or(r, 4, r->cgroups.nr - 1, 0),
	};

	return vec_push(&r->threads, t);
}

int reader_title(struct reader *r)
{
	struct dusk_thread *t;

	if (r->id >= (int64_t)r->threads.nr) {
		r->damaged = true;
		return 0;
	}
	t = &r->threads.v[r->id];
	t->title = reader_text_or(r, 1, "");
	t->service = reader_text_or(r, 2, "");
	t->version = reader_text_or(r, 3, "");
	return vec_push(&r->titled, r->id);
}

/* What is known of a process holds for its later threads, up to the next row. */
int reader_spread_titles(struct reader *r)
{
	struct map last = {0}; /* pid -> the last thread with a row */
	size_t next = 0;
	int err = 0;

	for (uint32_t i = 0; i < r->threads.nr && !err; i++) {
		struct dusk_thread *t = &r->threads.v[i];
		bool fresh, has_row = next < r->titled.nr && r->titled.v[next] == i;
		uint32_t *of = has_row ? map_at(&last, t->pid, &fresh) : map_find(&last, t->pid);

		next += has_row;
		if (has_row && !of) {
			err = error_set(r->file.err, -ENOMEM, "cannot read %s: out of memory", r->file.path);
		} else if (has_row) {
			*of = i;
		} else if (of) {
			t->title = r->threads.v[*of].title;
			t->service = r->threads.v[*of].service;
			t->version = r->threads.v[*of].version;
			t->cgroup = t->cgroup ? t->cgroup : r->threads.v[*of].cgroup;
		}
	}
	map_done(&last);
	return err;
}

int reader_outcome(struct reader *r)
{
	struct dusk_outcome o = {.name = reader_text_or(r, 1, NULL), .sentence = reader_text_or(r, 3, "")};
	const char *class = reader_text_or(r, 2, NULL);

	while (o.kind <= DUSK_ABSENT && strcmp(class, outcome_classes[o.kind]))
		o.kind++;
	if (o.kind > DUSK_ABSENT)
		r->damaged = true;
	return vec_push(&r->outcomes, o);
}
