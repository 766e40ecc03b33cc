/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Export to the file format of speedscope: a sampled profile for each thread, in nanoseconds.
 *
 * speedscope shows one profile at a time, and at each time one stack in it, which fits a thread, not the machine. It
 * opens the thread with the most samples. A sample is a list of frames from the outermost to the innermost; samples
 * follow each other without the time between them.
 */
#include <errno.h>
#include <inttypes.h>
#include "base/cleanup.h"
#include "base/json.h"
#include "export/export.h"
#include "export/names.h"
#include "export/samples.h"

struct writer {
	const struct dusk_profile *profile;
	struct names *names;
	struct json json;
	struct path path;
};

/* The index of a function is its label. */
static void put_functions(struct writer *w)
{
	json_object(&w->json, "shared");
	json_array(&w->json, "frames");
	for (uint32_t i = 0; i < w->names->labels->names.nr; i++) {
		json_object(&w->json, NULL);
		json_string(&w->json, "name", w->names->function[i]);
		if (w->names->module_of[i])
			json_string(&w->json, "file", w->names->path[w->names->module_of[i]]);
		json_object_end(&w->json);
	}
	json_array_end(&w->json);
	json_object_end(&w->json);
}

static int put_stack(struct writer *w, const struct dusk_sample *s)
{
	const struct labels *l = w->names->labels;

	if (path_to(&w->path, w->profile, s->node))
		return -ENOMEM;
	json_array(&w->json, NULL);
	if (!s->node)
		json_u64(&w->json, NULL, l->of_outcome[s->outcome]);
	for (size_t i = w->path.nr; i > 0; i--)
		json_u64(&w->json, NULL, l->of_frame[w->profile->nodes[w->path.v[i - 1]].frame]);
	json_array_end(&w->json);
	return 0;
}

/* Write the profile of one thread and source. */
static int put_profile(struct writer *w, const uint64_t *samples, uint64_t nr)
{
	const struct dusk_profile *p = w->profile;
	const struct dusk_sample *first = &p->samples[samples[0]];
	char name[2 * NAME_BYTES];
	uint64_t sum = 0;
	int err = 0;

	snprintf(name, sizeof(name), "%s %d/%d, %s", w->names->thread[first->thread], p->threads[first->thread].pid,
		 p->threads[first->thread].tid, sources[sample_source(first)].name);
	for (uint64_t i = 0; i < nr; i++)
		sum += p->samples[samples[i]].value_ns;
	json_object(&w->json, NULL);
	json_string(&w->json, "type", "sampled");
	json_string(&w->json, "name", name);
	json_string(&w->json, "unit", "nanoseconds");
	json_u64(&w->json, "startValue", 0);
	json_u64(&w->json, "endValue", sum);
	json_array(&w->json, "samples");
	for (uint64_t i = 0; i < nr && !err && !ferror(w->json.out); i++)
		err = put_stack(w, &p->samples[samples[i]]);
	json_array_end(&w->json);
	json_array(&w->json, "weights");
	for (uint64_t i = 0; i < nr; i++)
		json_u64(&w->json, NULL, p->samples[samples[i]].value_ns);
	json_array_end(&w->json);
	json_object_end(&w->json);
	return err;
}

static int put_profiles(struct writer *w)
{
	_cleanup_(freep) uint64_t *order = NULL;
	uint64_t left = w->profile->nr_samples, nr, most = 0, heaviest = 0, profiles = 0;
	int err = samples_sort(&order, w->profile, false);

	json_array(&w->json, "profiles");
	for (const uint64_t *at = order; !err && left; at += nr, left -= nr, profiles++) {
		nr = samples_of_thread(w->profile, at, left);
		if (nr > most) {
			most = nr;
			heaviest = profiles;
		}
		err = put_profile(w, at, nr);
	}
	json_array_end(&w->json);
	json_u64(&w->json, "activeProfileIndex", heaviest);
	return err;
}

int speedscope_write(FILE *out, const struct dusk_profile *p, const struct export_options *o)
{
	_cleanup_(names_freep) struct names *names = NULL;
	struct writer w = {.profile = p, .json = {.out = out}};
	int err = names_new(&names, p);

	if (err)
		return err;
	w.names = names;
	json_object(&w.json, NULL);
	json_string(&w.json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_string(&w.json, "exporter", "dusk@" DUSK_VERSION);
	json_string(&w.json, "name", names_setting(names, "command"));
	put_functions(&w);
	err = put_profiles(&w);
	json_object_end(&w.json);
	putc('\n', out);
	vec_done(&w.path);
	return err;
}
