/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Export to OpenTelemetry profiles: a ProfilesData message of opentelemetry.proto.profiles.v1development, as of 1.10.
 *
 * The same bytes are an ExportProfilesServiceRequest. A process is a resource, and has a profile for each source.
 * Samples with the same thread and stack are merged into one, with the time of each event. As no values are given, each
 * event counts 1, and the period is the time that it stands for. The values of off-CPU intervals are their nanoseconds;
 * merged ones also have the same state. In each table index 0 means "none".
 */
#include <errno.h>
#include "base/cleanup.h"
#include "export/export.h"
#include "export/layout.h"
#include "export/names.h"
#include "export/protobuf.h"
#include "export/samples.h"
#include "report/model/thread_label.h"

enum { DATA_RESOURCE = 1, DATA_DICTIONARY };
enum { RESOURCE_RESOURCE = 1, RESOURCE_SCOPE };
enum { RESOURCE_ATTRIBUTE = 1 };
enum { SCOPE_SCOPE = 1, SCOPE_PROFILE };
enum { SCOPE_NAME = 1, SCOPE_VERSION };
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_TIME_NS,
	PROFILE_DURATION_NS,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD
};
enum { VALUE_TYPE = 1, VALUE_UNIT };
enum { SAMPLE_STACK = 1, SAMPLE_ATTRIBUTE, SAMPLE_VALUE = 4, SAMPLE_TIME_NS };
enum { TABLE_MAPPING = 1, TABLE_LOCATION, TABLE_FUNCTION, TABLE_LINK, TABLE_STRING, TABLE_ATTRIBUTE, TABLE_STACK };
enum { MAPPING_START = 1, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILE, MAPPING_ATTRIBUTE };
enum { LOCATION_MAPPING = 1, LOCATION_ADDRESS, LOCATION_LINE, LOCATION_ATTRIBUTE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_NAME = 1, FUNCTION_SYMBOL, FUNCTION_FILE };
enum { STACK_LOCATION = 1 };
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE }; /* the key is an index in the dictionary, and a string in a resource */
enum { ANY_STRING = 1, ANY_INT = 3 };

/* Indices of the attribute table: these, then two for each thread, one for each module, and one for each state. */
enum { FRAME_NATIVE = 1, FRAME_KERNEL, FIRST_THREAD };

struct writer {
	const struct dusk_profile *profile;
	struct names *names;
	struct layout_range *layout;
	FILE *out;
	struct pb pb;
	struct strings strings;	     /* number 0 is "" */
	struct vec(uint32_t) stacks; /* the place of each stack, from index 1 */
	uint32_t *stack_of;	     /* index of the stack by place; 0: it has none yet */
	bool has[DUSK_OFF_CPU + 1];  /* by source: are there samples? */
	bool failed;
};

static void flush(struct writer *w)
{
	fwrite(w->pb.v, 1, w->pb.nr, w->out);
	w->pb.nr = 0;
}

static void put_string(struct writer *w, uint32_t field, const char *text)
{
	uint32_t number = 0;

	if (strings_number(&w->strings, text, strlen(text), &number, NULL))
		w->failed = true;
	pb_u64(&w->pb, field, number);
}

static void put_nothing(struct writer *w, uint32_t field)
{
	pb_bytes(&w->pb, field, NULL, 0);
}

static void put_packed(struct writer *w, uint32_t field, uint32_t first, uint32_t nr)
{
	size_t open = pb_open(&w->pb, field);

	for (uint32_t i = 0; i < nr; i++)
		pb_varint(&w->pb, first + i);
	pb_close(&w->pb, open);
}

static void put_any(struct writer *w, const char *text, uint64_t number)
{
	size_t open = pb_open(&w->pb, ATTRIBUTE_VALUE);

	if (text)
		pb_string(&w->pb, ANY_STRING, text);
	else
		pb_u64(&w->pb, ANY_INT, number);
	pb_close(&w->pb, open);
}

/* Write an attribute with the value @text or, if that is NULL, @number. */
static void put_attribute(struct writer *w, const char *key, const char *text, uint64_t number)
{
	size_t open = pb_open(&w->pb, TABLE_ATTRIBUTE);

	put_string(w, ATTRIBUTE_KEY, key);
	put_any(w, text, number);
	pb_close(&w->pb, open);
}

static void put_resource_attribute(struct writer *w, const char *key, const char *text, uint64_t number)
{
	size_t open = pb_open(&w->pb, RESOURCE_ATTRIBUTE);

	pb_string(&w->pb, ATTRIBUTE_KEY, key);
	put_any(w, text, number);
	pb_close(&w->pb, open);
}

static uint32_t thread_attribute(uint32_t thread)
{
	return FIRST_THREAD + 2 * thread;
}

static uint32_t module_attribute(const struct writer *w, uint32_t module)
{
	return thread_attribute(w->profile->nr_threads) + module - 1;
}

static uint32_t state_attribute(const struct writer *w, uint8_t state)
{
	return module_attribute(w, w->profile->nr_modules) + state;
}

/* The index of the stack that ends at @place, which is added if it has none. */
static uint32_t stack_at(struct writer *w, uint32_t place)
{
	if (!w->stack_of[place]) {
		if (vec_push(&w->stacks, place))
			w->failed = true;
		w->stack_of[place] = w->stacks.nr;
	}
	return w->stack_of[place];
}

static void put_attributes_of(struct writer *w, const struct dusk_sample *s)
{
	size_t open = pb_open(&w->pb, SAMPLE_ATTRIBUTE);

	pb_varint(&w->pb, thread_attribute(s->thread));
	pb_varint(&w->pb, thread_attribute(s->thread) + 1);
	if (s->source == DUSK_OFF_CPU)
		pb_varint(&w->pb, state_attribute(w, s->state));
	pb_close(&w->pb, open);
}

static void put_values(struct writer *w, const uint64_t *samples, uint64_t nr)
{
	size_t open = pb_open(&w->pb, SAMPLE_VALUE);

	for (uint64_t i = 0; i < nr; i++)
		pb_varint(&w->pb, w->profile->samples[samples[i]].value_ns);
	pb_close(&w->pb, open);
}

/* Merge samples of one thread and stack. */
static void put_samples(struct writer *w, const uint64_t *samples, uint64_t nr, uint64_t start_ns)
{
	const struct dusk_profile *p = w->profile;
	const struct dusk_sample *s = &p->samples[samples[0]];
	size_t open = pb_open(&w->pb, PROFILE_SAMPLE), times;

	pb_u64(&w->pb, SAMPLE_STACK, stack_at(w, place_of(p, s)));
	put_attributes_of(w, s);
	if (s->source == DUSK_OFF_CPU)
		put_values(w, samples, nr);
	times = pb_open(&w->pb, SAMPLE_TIME_NS);
	for (uint64_t i = 0; i < nr; i++)
		pb_raw64(&w->pb, start_ns + p->samples[samples[i]].time_ns);
	pb_close(&w->pb, times);
	pb_close(&w->pb, open);
}

static void put_value_type(struct writer *w, uint32_t field, const char *type, const char *unit)
{
	size_t open = pb_open(&w->pb, field);

	put_string(w, VALUE_TYPE, type);
	put_string(w, VALUE_UNIT, unit);
	pb_close(&w->pb, open);
}

/* The profile of one process and @source. */
static void put_profile(struct writer *w, const uint64_t *samples, uint64_t nr, uint32_t source)
{
	const struct dusk_profile *p = w->profile;
	uint64_t start_ns = samples_start_ns(p), alike;
	size_t open = pb_open(&w->pb, SCOPE_PROFILE);

	if (source == DUSK_OFF_CPU)
		put_value_type(w, PROFILE_SAMPLE_TYPE, sources[source].name, "nanoseconds");
	else
		put_value_type(w, PROFILE_SAMPLE_TYPE, sources[source].events, "count");
	for (; nr; samples += alike, nr -= alike) {
		alike = samples_of_stack(p, samples, nr);
		if (sample_source(&p->samples[samples[0]]) == source)
			put_samples(w, samples, alike, start_ns);
	}
	pb_fixed64(&w->pb, PROFILE_TIME_NS, start_ns);
	pb_u64(&w->pb, PROFILE_DURATION_NS, samples_duration_ns(p));
	put_value_type(w, PROFILE_PERIOD_TYPE, sources[source].name, "nanoseconds");
	pb_u64(&w->pb, PROFILE_PERIOD, source == DUSK_OFF_CPU ? 1 : p->period_ns);
	pb_close(&w->pb, open);
}

static void put_label(struct writer *w, const char *key, const char *text)
{
	const char *clean = names_clean(w->names, text);

	w->failed |= !clean;
	if (clean && *clean)
		put_resource_attribute(w, key, clean, 0);
}

/* Where the process belongs, by OpenTelemetry's names as far as it has some, which is not so of units. */
static void put_labels(struct writer *w, uint32_t thread)
{
	const struct dusk_profile *p = w->profile;
	const struct dusk_thread *t = &p->threads[thread];
	const char *service = thread_label(p, t, LABEL_SERVICE), *cgroup = thread_label(p, t, LABEL_CGROUP);
	const struct dusk_cgroup *c = t->cgroup ? &p->cgroups[t->cgroup] : NULL;
	char line[1040];

	put_label(w, "service.name", service == t->comm ? w->names->process[thread] : service);
	put_label(w, "process.executable.build_id.gnu", thread_label(p, t, LABEL_VERSION));
	put_label(w, "host.name", thread_label(p, t, LABEL_HOST));
	if (!c)
		return;
	put_label(w, "container.id", c->container);
	put_label(w, "container.name", c->container_name);
	put_label(w, *c->pod_namespace ? "k8s.pod.name" : "k8s.pod.uid", c->pod);
	put_label(w, "k8s.namespace.name", c->pod_namespace);
	put_label(w, "systemd.unit", c->unit);
	snprintf(line, sizeof(line), "0::%s", cgroup); /* as a line of /proc/PID/cgroup */
	put_label(w, "process.linux.cgroup", *cgroup ? line : "");
}

static void put_resource(struct writer *w, uint32_t thread)
{
	const struct dusk_profile *p = w->profile;
	size_t open = pb_open(&w->pb, RESOURCE_RESOURCE);

	put_labels(w, thread);
	put_resource_attribute(w, "process.executable.name", w->names->process[thread], 0);
	put_resource_attribute(w, "process.pid", NULL, p->threads[thread].pid);
	put_resource_attribute(w, "os.type", "linux", 0);
	pb_close(&w->pb, open);
}

static void put_scope(struct writer *w)
{
	size_t open = pb_open(&w->pb, SCOPE_SCOPE);

	pb_string(&w->pb, SCOPE_NAME, "dusk");
	pb_string(&w->pb, SCOPE_VERSION, DUSK_VERSION);
	pb_close(&w->pb, open);
}

static void put_process(struct writer *w, const uint64_t *samples, uint64_t nr)
{
	size_t open = pb_open(&w->pb, DATA_RESOURCE), scope;

	put_resource(w, w->profile->samples[samples[0]].thread);
	scope = pb_open(&w->pb, RESOURCE_SCOPE);
	put_scope(w);
	for (uint32_t i = 0; i < nr_sources; i++)
		if (w->has[i])
			put_profile(w, samples, nr, i);
	pb_close(&w->pb, scope);
	pb_close(&w->pb, open);
	flush(w);
}

static int put_processes(struct writer *w)
{
	_cleanup_(freep) uint64_t *order = NULL;
	uint64_t left = w->profile->nr_samples, nr;
	int err = samples_sort(&order, w->profile, true);

	for (const uint64_t *at = order; !err && left && !ferror(w->out); at += nr, left -= nr) {
		nr = samples_of_process(w->profile, at, left);
		put_process(w, at, nr);
	}
	return err;
}

static void put_mapping(struct writer *w, uint32_t module)
{
	size_t open = pb_open(&w->pb, TABLE_MAPPING);

	pb_u64(&w->pb, MAPPING_START, w->layout[module].start);
	pb_u64(&w->pb, MAPPING_LIMIT, w->layout[module].limit);
	pb_u64(&w->pb, MAPPING_OFFSET, w->layout[module].offset);
	put_string(w, MAPPING_FILE, w->names->path[module]);
	if (*w->profile->modules[module].build_id)
		put_packed(w, MAPPING_ATTRIBUTE, module_attribute(w, module), 1);
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
	const struct dusk_profile *p = w->profile;
	const struct dusk_frame *f = &p->frames[frame];
	bool kernel = p->modules[f->module].kind == DUSK_MODULE_KERNEL;
	size_t open = pb_open(&w->pb, TABLE_LOCATION);

	pb_u64(&w->pb, LOCATION_MAPPING, f->module);
	pb_u64(&w->pb, LOCATION_ADDRESS, layout_address(w->layout, p, frame));
	if (f->function)
		put_line(w, w->names->labels->of_frame[frame], frame_line(p, f)->line);
	put_packed(w, LOCATION_ATTRIBUTE, kernel ? FRAME_KERNEL : FRAME_NATIVE, 1);
	pb_close(&w->pb, open);
}

static void put_reason(struct writer *w, uint32_t outcome)
{
	size_t open = pb_open(&w->pb, TABLE_LOCATION);

	put_line(w, w->names->labels->of_outcome[outcome], 0);
	pb_close(&w->pb, open);
}

static void put_function(struct writer *w, uint32_t label)
{
	size_t open = pb_open(&w->pb, TABLE_FUNCTION);

	put_string(w, FUNCTION_NAME, w->names->function[label]);
	put_string(w, FUNCTION_SYMBOL, w->names->symbol[label]);
	if (*w->names->file[label])
		put_string(w, FUNCTION_FILE, w->names->file[label]);
	pb_close(&w->pb, open);
}

static void put_stack(struct writer *w, uint32_t place)
{
	const struct dusk_profile *p = w->profile;
	size_t open = pb_open(&w->pb, TABLE_STACK), locations = pb_open(&w->pb, STACK_LOCATION);

	if (place >= p->nr_nodes)
		pb_varint(&w->pb, p->nr_frames + place - p->nr_nodes);
	for (uint32_t n = place < p->nr_nodes ? place : 0; n; n = p->nodes[n].parent)
		pb_varint(&w->pb, p->nodes[n].frame);
	pb_close(&w->pb, locations);
	pb_close(&w->pb, open);
}

static void put_attributes(struct writer *w)
{
	const struct dusk_profile *p = w->profile;

	put_nothing(w, TABLE_ATTRIBUTE);
	put_attribute(w, "profile.frame.type", "native", 0);
	put_attribute(w, "profile.frame.type", "kernel", 0);
	for (uint32_t i = 0; i < p->nr_threads; i++) {
		put_attribute(w, "thread.id", NULL, p->threads[i].tid);
		put_attribute(w, "thread.name", w->names->thread[i], 0);
	}
	for (uint32_t i = 1; i < p->nr_modules; i++)
		put_attribute(w, "process.executable.build_id.gnu", w->names->build_id[i], 0);
	for (uint32_t i = 0; w->has[DUSK_OFF_CPU] && dusk_state_name(i); i++)
		put_attribute(w, "thread.state", dusk_state_name(i), 0);
}

static void put_dictionary(struct writer *w)
{
	const struct dusk_profile *p = w->profile;
	size_t open = pb_open(&w->pb, DATA_DICTIONARY);

	put_nothing(w, TABLE_MAPPING);
	for (uint32_t i = 1; i < p->nr_modules; i++)
		put_mapping(w, i);
	put_nothing(w, TABLE_LOCATION);
	for (uint32_t i = 1; i < p->nr_frames; i++)
		put_location(w, i);
	for (uint32_t i = 0; i < p->nr_outcomes; i++)
		put_reason(w, i);
	put_nothing(w, TABLE_FUNCTION);
	for (uint32_t i = 0; i < w->names->labels->names.nr; i++)
		put_function(w, i);
	put_nothing(w, TABLE_LINK);
	put_attributes(w);
	put_nothing(w, TABLE_STACK);
	for (size_t i = 0; i < w->stacks.nr; i++)
		put_stack(w, w->stacks.v[i]);
	for (size_t i = 0; i < w->strings.nr; i++)
		pb_bytes(&w->pb, TABLE_STRING, w->strings.entries[i].text, w->strings.entries[i].len_bytes);
	pb_close(&w->pb, open);
	flush(w);
}

static int put_data(struct writer *w)
{
	uint32_t none;
	int err = strings_number(&w->strings, "", 0, &none, NULL);

	if (!err)
		err = put_processes(w);
	if (!err)
		put_dictionary(w);
	return err ? err : w->pb.failed || w->failed ? -ENOMEM : 0;
}

int otlp_write(FILE *out, const struct dusk_profile *p, const struct export_options *o)
{
	_cleanup_(names_freep) struct names *names = NULL;
	_cleanup_(freep) struct layout_range *layout = NULL;
	_cleanup_(freep) uint32_t *stack_of = calloc((size_t)nr_places(p) + 1, sizeof(*stack_of));
	struct writer w = {.profile = p, .out = out, .stack_of = stack_of};
	int err = stack_of ? names_new(&names, p) : -ENOMEM;

	if (!err)
		err = layout_new(&layout, p);
	if (err)
		return err;
	w.names = names;
	w.layout = layout;
	for (uint32_t i = 0; i < nr_sources; i++)
		w.has[i] = samples_have(p, i);
	err = put_data(&w);
	pb_done(&w.pb);
	strings_done(&w.strings);
	vec_done(&w.stacks);
	return err;
}
