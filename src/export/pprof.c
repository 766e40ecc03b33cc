/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Export to a pprof profile: gzipped protocol buffers, as described by profile.proto of google/pprof.
 *
 * Samples with the same thread and stack are merged into one; off-CPU intervals only if their state, which is a label,
 * is the same. Each source in the profile has two values: the number of events and their nanoseconds. Ids of functions
 * come from labels, and those of locations from frames. A sample without a stack has one location without an address,
 * whose function names the outcome.
 */
#include <errno.h>
#include "base/cleanup.h"
#include "base/gzip.h"
#include "export/export.h"
#include "export/layout.h"
#include "export/names.h"
#include "export/protobuf.h"
#include "export/samples.h"
#include "report/model/program.h"
#include "report/model/thread_label.h"

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_TIME_NS = 9,
	PROFILE_DURATION_NS,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_COMMENT,
	PROFILE_DEFAULT_TYPE
};
enum { VALUE_TYPE = 1, VALUE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STRING, LABEL_NUMBER };
enum {
	MAPPING_ID = 1,
	MAPPING_START,
	MAPPING_LIMIT,
	MAPPING_OFFSET,
	MAPPING_FILE,
	MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYMBOL, FUNCTION_FILE };

#define FLUSH_BYTES 65536

struct writer {
	const struct dusk_profile *profile;
	struct names *names;
	struct layout_range *layout;
	FILE *out;
	struct gzip *gzip; /* writes to @out */
	struct pb pb;
	struct strings strings;	    /* number 0 is "" */
	bool has[DUSK_OFF_CPU + 1]; /* by source: are there samples? */
	uint32_t program;	    /* its module, or 0 */
	bool failed;
};

static void flush(struct writer *w)
{
	gzip_write(w->gzip, w->pb.v, w->pb.nr);
	w->pb.nr = 0;
}

static void put_string(struct writer *w, uint32_t field, const char *text)
{
	uint32_t number = 0;

	if (strings_number(&w->strings, text, strlen(text), &number, NULL))
		w->failed = true;
	pb_u64(&w->pb, field, number);
}

static void put_value_type(struct writer *w, uint32_t field, const char *type, const char *unit)
{
	size_t open = pb_open(&w->pb, field);

	put_string(w, VALUE_TYPE, type);
	put_string(w, VALUE_UNIT, unit);
	pb_close(&w->pb, open);
}

static void put_head(struct writer *w)
{
	const struct dusk_profile *p = w->profile;

	for (uint32_t i = 0; i < nr_sources; i++) {
		w->has[i] = samples_have(p, i);
		if (!w->has[i])
			continue;
		put_value_type(w, PROFILE_SAMPLE_TYPE, sources[i].events, "count");
		put_value_type(w, PROFILE_SAMPLE_TYPE, sources[i].name, "nanoseconds");
	}
	pb_u64(&w->pb, PROFILE_TIME_NS, samples_start_ns(p));
	pb_u64(&w->pb, PROFILE_DURATION_NS, samples_duration_ns(p));
	put_value_type(w, PROFILE_PERIOD_TYPE, sources[DUSK_CPU].name, "nanoseconds");
	pb_u64(&w->pb, PROFILE_PERIOD, p->period_ns);
	put_string(w, PROFILE_COMMENT, names_setting(w->names, "command"));
	/* The value that viewers show by default; without this field it would be the last one. */
	put_string(w, PROFILE_DEFAULT_TYPE, sources[w->has[DUSK_CPU] ? DUSK_CPU : DUSK_OFF_CPU].name);
}

static void put_mapping(struct writer *w, uint32_t module)
{
	size_t open = pb_open(&w->pb, PROFILE_MAPPING);

	pb_u64(&w->pb, MAPPING_ID, module);
	pb_u64(&w->pb, MAPPING_START, w->layout[module].start);
	pb_u64(&w->pb, MAPPING_LIMIT, w->layout[module].limit);
	pb_u64(&w->pb, MAPPING_OFFSET, w->layout[module].offset);
	put_string(w, MAPPING_FILE, w->names->path[module]);
	put_string(w, MAPPING_BUILD_ID, w->names->build_id[module]);
	pb_u64(&w->pb, MAPPING_HAS_FUNCTIONS, w->profile->symbolized);
	pb_close(&w->pb, open);
}

static void put_function(struct writer *w, uint32_t label)
{
	size_t open = pb_open(&w->pb, PROFILE_FUNCTION);

	pb_u64(&w->pb, FUNCTION_ID, label + 1);
	put_string(w, FUNCTION_NAME, w->names->function[label]);
	put_string(w, FUNCTION_SYMBOL, w->names->symbol[label]);
	if (*w->names->file[label])
		put_string(w, FUNCTION_FILE, w->names->file[label]);
	pb_close(&w->pb, open);
}

static void put_line(struct writer *w, uint32_t label, uint32_t line)
{
	size_t open = pb_open(&w->pb, LOCATION_LINE);

	pb_u64(&w->pb, LINE_FUNCTION, label + 1);
	if (line)
		pb_u64(&w->pb, LINE_LINE, line);
	pb_close(&w->pb, open);
}

/* Code without a name gets no function: readers can find its name if they have the file with the build id. */
static void put_location(struct writer *w, uint32_t frame)
{
	const struct dusk_frame *f = &w->profile->frames[frame];
	size_t open = pb_open(&w->pb, PROFILE_LOCATION);

	pb_u64(&w->pb, LOCATION_ID, frame);
	if (layout_has(w->profile, frame)) {
		pb_u64(&w->pb, LOCATION_MAPPING, f->module);
		pb_u64(&w->pb, LOCATION_ADDRESS, layout_address(w->layout, w->profile, frame));
	}
	if (f->function)
		put_line(w, w->names->labels->of_frame[frame], frame_line(w->profile, f)->line);
	pb_close(&w->pb, open);
}

static void put_reason(struct writer *w, uint32_t outcome)
{
	size_t open = pb_open(&w->pb, PROFILE_LOCATION);

	pb_u64(&w->pb, LOCATION_ID, w->profile->nr_frames + outcome);
	put_line(w, w->names->labels->of_outcome[outcome], 0);
	pb_close(&w->pb, open);
}

/* Readers take the first mapping for the profiled program. The kernel comes last. */
static void put_mappings(struct writer *w)
{
	const struct dusk_profile *p = w->profile;

	if (w->program && w->layout[w->program].limit)
		put_mapping(w, w->program);
	for (int kernel = 0; kernel <= 1; kernel++)
		for (uint32_t i = 1; i < p->nr_modules; i++)
			if (i != w->program && w->layout[i].limit &&
			    (p->modules[i].kind == DUSK_MODULE_KERNEL) == kernel)
				put_mapping(w, i);
}

static void put_tables(struct writer *w)
{
	const struct dusk_profile *p = w->profile;

	put_mappings(w);
	for (uint32_t i = 0; i < w->names->labels->names.nr; i++)
		put_function(w, i);
	for (uint32_t i = 1; i < p->nr_frames; i++)
		put_location(w, i);
	for (uint32_t i = 0; i < p->nr_outcomes; i++)
		put_reason(w, i);
}

static void put_text_label(struct writer *w, const char *key, const char *text)
{
	size_t open = pb_open(&w->pb, SAMPLE_LABEL);

	put_string(w, LABEL_KEY, key);
	put_string(w, LABEL_STRING, text);
	pb_close(&w->pb, open);
}

static void put_number_label(struct writer *w, const char *key, uint64_t number)
{
	size_t open = pb_open(&w->pb, SAMPLE_LABEL);

	put_string(w, LABEL_KEY, key);
	pb_u64(&w->pb, LABEL_NUMBER, number);
	pb_close(&w->pb, open);
}

/* Where the process belongs, as far as that is known. */
static void put_labels(struct writer *w, const struct dusk_thread *t)
{
	for (enum thread_label i = 0; i < NR_THREAD_LABELS; i++) {
		const char *text = names_clean(w->names, thread_label(w->profile, t, i));

		w->failed |= !text;
		if (text && *text)
			put_text_label(w, thread_label_name(i), text);
	}
}

static void put_values(struct writer *w, const uint64_t *samples, uint64_t nr)
{
	const struct dusk_profile *p = w->profile;
	uint32_t source = sample_source(&p->samples[samples[0]]);
	size_t open = pb_open(&w->pb, SAMPLE_VALUE);
	uint64_t ns = 0, events = 0;

	for (uint64_t i = 0; i < nr; i++) {
		ns += p->samples[samples[i]].value_ns;
		events += p->samples[samples[i]].count;
	}
	for (uint32_t i = 0; i < nr_sources; i++) {
		if (!w->has[i])
			continue;
		pb_varint(&w->pb, i == source ? events : 0);
		pb_varint(&w->pb, i == source ? ns : 0);
	}
	pb_close(&w->pb, open);
}

/* Merge samples of one thread and stack. */
static void put_samples(struct writer *w, const uint64_t *samples, uint64_t nr)
{
	const struct dusk_profile *p = w->profile;
	const struct dusk_sample *s = &p->samples[samples[0]];
	size_t open = pb_open(&w->pb, PROFILE_SAMPLE), locations = pb_open(&w->pb, SAMPLE_LOCATION);

	if (!s->node)
		pb_varint(&w->pb, p->nr_frames + s->outcome);
	for (uint32_t n = s->node; n; n = p->nodes[n].parent)
		pb_varint(&w->pb, p->nodes[n].frame);
	pb_close(&w->pb, locations);
	put_values(w, samples, nr);
	put_text_label(w, "process", w->names->process[s->thread]);
	put_number_label(w, "pid", p->threads[s->thread].pid);
	put_text_label(w, "thread", w->names->thread[s->thread]);
	put_number_label(w, "tid", p->threads[s->thread].tid);
	put_labels(w, &p->threads[s->thread]);
	if (s->source == DUSK_OFF_CPU)
		put_text_label(w, "state", dusk_state_name(s->state));
	pb_close(&w->pb, open);
}

static int put_all_samples(struct writer *w)
{
	_cleanup_(freep) uint64_t *order = NULL;
	uint64_t left = w->profile->nr_samples, nr;
	int err = samples_sort(&order, w->profile, true);

	for (const uint64_t *at = order; !err && left && !ferror(w->out); at += nr, left -= nr) {
		nr = samples_of_stack(w->profile, at, left);
		put_samples(w, at, nr);
		if (w->pb.nr > FLUSH_BYTES)
			flush(w);
	}
	return err;
}

static int put_profile(struct writer *w)
{
	uint32_t none;
	int err = strings_number(&w->strings, "", 0, &none, NULL);

	if (err)
		return err;
	put_head(w);
	put_tables(w);
	flush(w);
	err = put_all_samples(w);
	for (size_t i = 0; i < w->strings.nr; i++)
		pb_bytes(&w->pb, PROFILE_STRING, w->strings.entries[i].text, w->strings.entries[i].len_bytes);
	flush(w);
	return err ? err : w->pb.failed || w->failed ? -ENOMEM : 0;
}

int pprof_write(FILE *out, const struct dusk_profile *p, const struct export_options *o)
{
	_cleanup_(names_freep) struct names *names = NULL;
	_cleanup_(freep) struct layout_range *layout = NULL;
	_cleanup_(gzip_freep) struct gzip *gzip = NULL;
	struct writer w = {.profile = p, .out = out};
	int err = names_new(&names, p);

	if (!err)
		err = layout_new(&layout, p);
	if (!err)
		err = program_of(&w.program, p);
	if (!err)
		err = gzip_new(&gzip, out);
	if (err)
		return err;
	w.names = names;
	w.layout = layout;
	w.gzip = gzip;
	err = put_profile(&w);
	pb_done(&w.pb);
	strings_done(&w.strings);
	return err;
}
