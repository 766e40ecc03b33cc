/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Export to the processed format of the Firefox Profiler (profiler.firefox.com), version 60.
 *
 * This is the first version in which all threads share stacks, as in a profile; the profiler upgrades it on loading.
 * Tables are objects of columns. The index of a stack is its place (label.h) minus 1, and that of a frame is the
 * profile's minus 1; in both, entries for the outcomes of samples without a stack follow. Functions are labels, and
 * resources are modules.
 *
 * A thread's off-CPU intervals are in a separate thread, with their time as weight. Those with their own time are also
 * markers.
 */
#include <inttypes.h>
#include "base/cleanup.h"
#include "base/json.h"
#include "export/export.h"
#include "export/names.h"
#include "export/samples.h"

#define VERSION_PROCESSED 60
#define VERSION_BROWSER 31 /* of the browser's own format at the time of version 60 */
#define RESOURCE_LIBRARY 1
#define PHASE_INTERVAL 1

enum category { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL };

struct writer {
	const struct dusk_profile *profile;
	struct names *names;
	struct json json;
};

/* Write a column of @nr values. @value: an expression in terms of the index i. */
#define put_column(w, key, nr, put, value)            \
	do {                                          \
		json_array(&(w)->json, key);          \
		for (uint64_t i = 0; i < (nr); i++)   \
			put(&(w)->json, NULL, value); \
		json_array_end(&(w)->json);           \
	} while (0)

#define put_nulls(w, key, nr) put_column(w, key, nr, json_string, NULL)

static double ms(uint64_t ns)
{
	return ns / 1e6;
}

static void put_category(struct json *j, const char *name, const char *color)
{
	json_object(j, NULL);
	json_string(j, "name", name);
	json_string(j, "color", color);
	json_array(j, "subcategories");
	json_string(j, NULL, "Other");
	json_array_end(j);
	json_object_end(j);
}

/* The file name of a module, without folders. */
static const char *file_name(struct writer *w, uint32_t module)
{
	const char *name = names_clean(w->names, module_name(w->profile, module));

	return name ? name : "";
}

static void put_meta(struct writer *w)
{
	struct json *j = &w->json;
	uint64_t start_ns = samples_start_ns(w->profile);

	json_object(j, "meta");
	json_u64(j, "version", VERSION_BROWSER);
	json_u64(j, "preprocessedProfileVersion", VERSION_PROCESSED);
	json_double(j, "interval", ms(w->profile->period_ns));
	json_u64(j, "startTime", start_ns / 1000000);
	json_double(j, "profilingStartTime", 0);
	json_double(j, "profilingEndTime", ms(samples_duration_ns(w->profile)));
	json_u64(j, "processType", 0);
	json_u64(j, "stackwalk", 1);
	json_string(j, "product", names_setting(w->names, "command"));
	json_string(j, "importedFrom", "dusk " DUSK_VERSION);
	json_string(j, "oscpu", names_setting(w->names, "kernel"));
	json_string(j, "platform", "Linux");
	json_bool(j, "symbolicated", true);
	json_bool(j, "usesOnlyOneStackType", true);
	json_bool(j, "sourceCodeIsNotOnSearchfox", true);
	json_array(j, "markerSchema");
	json_array_end(j);
	json_array(j, "categories");
	put_category(j, "Other", "grey");
	put_category(j, "User", "yellow");
	put_category(j, "Kernel", "orange");
	json_array_end(j);
	json_object(j, "sampleUnits");
	json_string(j, "time", "ms");
	json_string(j, "eventDelay", "ms");
	json_string(j, "threadCPUDelta", "ns");
	json_object_end(j);
	json_object_end(j);
}

static void put_libraries(struct writer *w)
{
	struct json *j = &w->json;

	json_array(j, "libs");
	for (uint32_t i = 0; i < w->profile->nr_modules; i++) {
		const char *name = file_name(w, i);

		json_object(j, NULL);
		json_string(j, "arch", names_setting(w->names, "machine"));
		json_string(j, "name", name);
		json_string(j, "path", w->names->path[i]);
		json_string(j, "debugName", name);
		json_string(j, "debugPath", w->names->path[i]);
		json_string(j, "breakpadId", "");
		json_string(j, "codeId", *w->names->build_id[i] ? w->names->build_id[i] : NULL);
		json_object_end(j);
	}
	json_array_end(j);
}

/* The names of functions, then of modules, then, if there are off-CPU intervals, of their states. */
static void put_strings(struct writer *w)
{
	bool intervals = samples_have(w->profile, DUSK_OFF_CPU);

	json_array(&w->json, "stringArray");
	for (uint32_t i = 0; i < w->names->labels->names.nr; i++)
		json_string(&w->json, NULL, w->names->function[i]);
	for (uint32_t i = 0; i < w->profile->nr_modules; i++)
		json_string(&w->json, NULL, file_name(w, i));
	for (uint32_t i = 0; intervals && dusk_state_name(i); i++)
		json_string(&w->json, NULL, dusk_state_name(i));
	json_array_end(&w->json);
}

static uint32_t frame_at(const struct dusk_profile *p, uint32_t place)
{
	return place < p->nr_nodes ? p->nodes[place].frame : p->nr_frames + place - p->nr_nodes;
}

static void put_stacks(struct writer *w)
{
	const struct dusk_profile *p = w->profile;
	uint32_t nr = nr_places(p) - 1;

	json_object(&w->json, "stackTable");
	put_column(w, "frame", nr, json_u64, frame_at(p, i + 1) - 1);
	json_array(&w->json, "prefix");
	for (uint32_t place = 1; place <= nr; place++) {
		uint32_t parent = place_parent(p, place);

		if (parent)
			json_u64(&w->json, NULL, parent - 1);
		else
			json_string(&w->json, NULL, NULL);
	}
	json_array_end(&w->json);
	json_u64(&w->json, "length", nr);
	json_object_end(&w->json);
}

/* Addresses in files are small; JavaScript cannot represent others exactly. */
static int64_t address_of(const struct dusk_profile *p, uint32_t frame)
{
	enum dusk_module_kind kind;
	const struct dusk_frame *f;

	if (frame >= p->nr_frames)
		return -1;
	f = &p->frames[frame];
	kind = p->modules[f->module].kind;
	if ((kind != DUSK_MODULE_FILE && kind != DUSK_MODULE_VDSO) || f->address > INT32_MAX)
		return -1;
	return f->address - (f->is_return && f->address);
}

static enum category category_of(const struct dusk_profile *p, uint32_t frame)
{
	if (frame >= p->nr_frames)
		return CATEGORY_OTHER;
	return p->modules[p->frames[frame].module].kind == DUSK_MODULE_KERNEL ? CATEGORY_KERNEL : CATEGORY_USER;
}

static uint32_t label_of(const struct labels *l, uint32_t frame)
{
	uint32_t nr = l->profile->nr_frames;

	return frame < nr ? l->of_frame[frame] : l->of_outcome[frame - nr];
}

static void put_frames(struct writer *w)
{
	const struct dusk_profile *p = w->profile;
	uint32_t nr = p->nr_frames - 1 + p->nr_outcomes;

	json_object(&w->json, "frameTable");
	put_column(w, "address", nr, json_i64, address_of(p, i + 1));
	put_column(w, "inlineDepth", nr, json_u64, 0);
	put_column(w, "category", nr, json_u64, category_of(p, i + 1));
	put_column(w, "subcategory", nr, json_u64, 0);
	put_column(w, "func", nr, json_u64, label_of(w->names->labels, i + 1));
	put_nulls(w, "nativeSymbol", nr);
	put_column(w, "innerWindowID", nr, json_u64, 0);
	put_nulls(w, "line", nr);
	put_nulls(w, "column", nr);
	json_u64(&w->json, "length", nr);
	json_object_end(&w->json);
}

static void put_functions(struct writer *w)
{
	uint32_t nr = w->names->labels->names.nr;

	json_object(&w->json, "funcTable");
	put_column(w, "name", nr, json_u64, i);
	put_column(w, "isJS", nr, json_bool, false);
	put_column(w, "relevantForJS", nr, json_bool, false);
	put_column(w, "resource", nr, json_i64, w->names->module_of[i] ? (int64_t)w->names->module_of[i] : -1);
	put_nulls(w, "source", nr);
	put_nulls(w, "lineNumber", nr);
	put_nulls(w, "columnNumber", nr);
	json_u64(&w->json, "length", nr);
	json_object_end(&w->json);
}

static void put_resources(struct writer *w)
{
	uint32_t nr = w->profile->nr_modules;

	json_object(&w->json, "resourceTable");
	put_column(w, "lib", nr, json_u64, i);
	put_column(w, "name", nr, json_u64, w->names->labels->names.nr + i);
	put_nulls(w, "host", nr);
	put_column(w, "type", nr, json_u64, RESOURCE_LIBRARY);
	json_u64(&w->json, "length", nr);
	json_object_end(&w->json);
}

/* An empty table of @nr columns. */
static void put_empty_table(struct writer *w, const char *key, const char *const *columns, size_t nr)
{
	json_object(&w->json, key);
	for (size_t i = 0; i < nr; i++) {
		json_array(&w->json, columns[i]);
		json_array_end(&w->json);
	}
	json_u64(&w->json, "length", 0);
	json_object_end(&w->json);
}

static void put_shared(struct writer *w)
{
	static const char *const symbols[] = {"libIndex", "address", "name", "functionSize"};
	static const char *const files[] = {"uuid", "filename"};

	json_object(&w->json, "shared");
	put_strings(w);
	put_stacks(w);
	put_frames(w);
	put_functions(w);
	put_resources(w);
	put_empty_table(w, "nativeSymbols", symbols, 4);
	put_empty_table(w, "sources", files, 2);
	json_object_end(&w->json);
}

/* From the CPU time of each sample, the profiler shows how busy a thread was between samples. */
static void put_samples(struct writer *w, const uint64_t *samples, uint64_t nr)
{
	const struct dusk_profile *p = w->profile;
	bool off = p->samples[samples[0]].source == DUSK_OFF_CPU;

	json_object(&w->json, "samples");
	put_column(w, "stack", nr, json_u64, place_of(p, &p->samples[samples[i]]) - 1);
	put_column(w, "time", nr, json_double, ms(p->samples[samples[i]].time_ns));
	if (off) {
		put_column(w, "threadCPUDelta", nr, json_u64, 0);
		put_column(w, "weight", nr, json_double, ms(p->samples[samples[i]].value_ns));
		json_string(&w->json, "weightType", "tracing-ms");
	} else {
		put_column(w, "threadCPUDelta", nr, json_u64, p->samples[samples[i]].value_ns);
		json_string(&w->json, "weight", NULL);
		json_string(&w->json, "weightType", "samples");
	}
	json_u64(&w->json, "length", nr);
	json_object_end(&w->json);
}

/* Write a column of markers: an entry for each off-CPU interval that has its own time. */
#define put_marker_column(w, key, samples, nr, put, value)                                  \
	do {                                                                                \
		json_array(&(w)->json, key);                                                \
		for (uint64_t i = 0; i < (nr); i++) {                                       \
			const struct dusk_sample *s = &(w)->profile->samples[(samples)[i]]; \
                                                                                            \
			if (sample_has_time(s))                                             \
				put(&(w)->json, NULL, value);                               \
		}                                                                           \
		json_array_end(&(w)->json);                                                 \
	} while (0)

static void put_markers(struct writer *w, const uint64_t *samples, uint64_t nr)
{
	uint32_t first_state = w->names->labels->names.nr + w->profile->nr_modules;
	uint64_t length = 0;

	for (uint64_t i = 0; i < nr; i++)
		length += sample_has_time(&w->profile->samples[samples[i]]);
	json_object(&w->json, "markers");
	put_marker_column(w, "data", samples, nr, json_string, NULL);
	put_marker_column(w, "name", samples, nr, json_u64, first_state + s->state);
	put_marker_column(w, "startTime", samples, nr, json_double, ms(sample_start_ns(s)));
	put_marker_column(w, "endTime", samples, nr, json_double, ms(s->time_ns));
	put_marker_column(w, "phase", samples, nr, json_u64, PHASE_INTERVAL);
	put_marker_column(w, "category", samples, nr, json_u64, CATEGORY_OTHER);
	json_u64(&w->json, "length", length);
	json_object_end(&w->json);
}

static void put_thread(struct writer *w, const uint64_t *samples, uint64_t nr)
{
	uint32_t thread = w->profile->samples[samples[0]].thread;
	const struct dusk_thread *t = &w->profile->threads[thread];
	bool off = w->profile->samples[samples[0]].source == DUSK_OFF_CPU;
	struct json *j = &w->json;
	char pid[16], name[NAME_BYTES + 16];

	snprintf(pid, sizeof(pid), "%d", t->pid);
	snprintf(name, sizeof(name), off ? "%s (%s)" : "%s", w->names->thread[thread], sources[DUSK_OFF_CPU].name);
	json_object(j, NULL);
	json_string(j, "processType", "default");
	json_string(j, "processName", w->names->process[thread]);
	json_string(j, "name", name);
	json_bool(j, "isMainThread", t->pid == t->tid && !off);
	json_string(j, "pid", pid);
	json_i64(j, "tid", t->tid);
	json_double(j, "processStartupTime", 0);
	json_string(j, "processShutdownTime", NULL);
	json_double(j, "registerTime", 0);
	json_string(j, "unregisterTime", NULL);
	json_array(j, "pausedRanges");
	json_array_end(j);
	put_samples(w, samples, nr);
	put_markers(w, samples, nr);
	json_object_end(j);
}

int firefox_write(FILE *out, const struct dusk_profile *p, const struct export_options *o)
{
	_cleanup_(names_freep) struct names *names = NULL;
	_cleanup_(freep) uint64_t *order = NULL;
	struct writer w = {.profile = p, .json = {.out = out}};
	uint64_t left = p->nr_samples, nr;
	int err = names_new(&names, p);

	if (!err)
		err = samples_sort(&order, p, false);
	if (err)
		return err;
	w.names = names;
	json_object(&w.json, NULL);
	put_meta(&w);
	put_libraries(&w);
	put_shared(&w);
	json_array(&w.json, "threads");
	for (const uint64_t *at = order; left && !ferror(out); at += nr, left -= nr) {
		nr = samples_of_thread(p, at, left);
		put_thread(&w, at, nr);
	}
	json_array_end(&w.json);
	json_object_end(&w.json);
	putc('\n', out);
	return 0;
}
