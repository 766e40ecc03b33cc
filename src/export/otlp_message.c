/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Resources and their profiles. See otlp_message.h. */
#include "export/otlp_message.h"
#include "base/map.h"
#include "export/samples.h"
#include "report/model/thread_label.h"

enum { DATA_RESOURCE = 1, DATA_DICTIONARY };
enum { RESOURCE_RESOURCE = 1, RESOURCE_SCOPE };
enum { RESOURCE_ATTRIBUTE = 1 };
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE }; /* unlike in the dictionary, the key is a string */
enum { SCOPE_SCOPE = 1, SCOPE_PROFILE };
enum { SCOPE_NAME = 1, SCOPE_VERSION };
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_TIME_NS,
	PROFILE_DURATION_NS,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_ID
};
enum { VALUE_TYPE = 1, VALUE_UNIT };
enum { SAMPLE_STACK = 1, SAMPLE_ATTRIBUTE, SAMPLE_VALUE = 4, SAMPLE_TIME_NS };

/*
 * The profiles of a process. Those with @times have an entry for each event that has a time of its own; no value is the same as 1.
 * Receivers name what they store by the period's type. Pyroscope makes CPU time of samples:count:cpu:nanoseconds, and takes for
 * off-CPU time what has no period.
 */
static const struct kind {
	enum dusk_source source;
	const char *type, *unit, *period_type;
	bool count, times;
} kinds[] = {
	{DUSK_CPU, "samples", "count", "cpu", true, true},
	{DUSK_CPU, "cpu", "nanoseconds", "cpu", false, false},
	{DUSK_OFF_CPU, "off_cpu", "nanoseconds", NULL, false, true},
	{DUSK_OFF_CPU, "intervals", "count", "off_cpu", true, false},
};

int otlp_init(struct otlp *o, const struct dusk_profile *p)
{
	*o = (struct otlp){.profile = p};
	return names_new(&o->names, p) || dictionary_init(&o->dictionary, p, o->names) ? -ENOMEM : 0;
}

void otlp_done(struct otlp *o)
{
	dictionary_done(&o->dictionary);
	names_free(o->names);
}

static void put_value_type(struct otlp *o, struct pb *b, uint32_t field, const char *type, const char *unit)
{
	size_t open = pb_open(b, field);

	pb_u64(b, VALUE_TYPE, dictionary_string(&o->dictionary, type));
	pb_u64(b, VALUE_UNIT, dictionary_string(&o->dictionary, unit));
	pb_close(b, open);
}

static void put_attributes(struct otlp *o, struct pb *b, const struct dusk_sample *s)
{
	size_t open = pb_open(b, SAMPLE_ATTRIBUTE);
	struct dictionary *d = &o->dictionary;

	pb_varint(b, dictionary_attribute(d, "thread.id", NULL, o->profile->threads[s->thread].tid));
	pb_varint(b, dictionary_attribute(d, "thread.name", o->names->thread[s->thread], 0));
	if (s->source == DUSK_OFF_CPU)
		pb_varint(b, dictionary_attribute(d, "thread.state", dusk_state_name(s->state) ?: "?", 0));
	pb_close(b, open);
}

static size_t begin_sample(struct otlp *o, struct pb *b, const struct dusk_sample *s)
{
	size_t open = pb_open(b, PROFILE_SAMPLE);

	pb_u64(b, SAMPLE_STACK, dictionary_stack(&o->dictionary, place_of(o->profile, s)));
	put_attributes(o, b, s);
	return open;
}

static bool has_time(const struct kind *kind, const struct dusk_sample *s)
{
	return kind->times && s->cpu != DUSK_NO_CPU;
}

/* The sum of those that have no time. */
static void put_sum(struct otlp *o, struct pb *b, const struct kind *kind, const uint64_t *samples, uint64_t nr)
{
	const struct dusk_sample *all = o->profile->samples;
	uint64_t sum = 0;
	size_t open, values;

	for (uint64_t i = 0; i < nr; i++)
		if (!has_time(kind, &all[samples[i]]))
			sum += kind->count ? all[samples[i]].count : all[samples[i]].value_ns;
	if (!sum)
		return;
	open = begin_sample(o, b, &all[samples[0]]);
	values = pb_open(b, SAMPLE_VALUE);
	pb_varint(b, sum);
	pb_close(b, values);
	pb_close(b, open);
}

static void put_times(struct otlp *o, struct pb *b, const struct kind *kind, const uint64_t *samples, uint64_t nr)
{
	uint64_t start_ns = dusk_profile_start_ns(o->profile), nr_times = 0;
	const struct dusk_sample *all = o->profile->samples;
	size_t open, values;

	for (uint64_t i = 0; i < nr; i++)
		nr_times += has_time(kind, &all[samples[i]]);
	if (!nr_times)
		return;
	open = begin_sample(o, b, &all[samples[0]]);
	if (!kind->count) {
		values = pb_open(b, SAMPLE_VALUE);
		for (uint64_t i = 0; i < nr; i++)
			if (has_time(kind, &all[samples[i]]))
				pb_varint(b, all[samples[i]].value_ns);
		pb_close(b, values);
	}
	values = pb_open(b, SAMPLE_TIME_NS);
	for (uint64_t i = 0; i < nr; i++)
		if (has_time(kind, &all[samples[i]]))
			pb_raw64(b, start_ns + all[samples[i]].time_ns);
	pb_close(b, values);
	pb_close(b, open);
}

uint64_t otlp_alike(const struct otlp *o, const uint64_t *samples, uint64_t nr)
{
	return samples_of_stack(o->profile, samples, nr);
}

/* 16 bytes that are the same when the same samples are written again, and for no others. */
static void put_id(struct pb *b, const struct otlp_part *part, const uint64_t *samples, uint64_t nr, size_t kind)
{
	uint64_t place = part->first + (samples - part->samples);
	uint64_t id[2] = {hash64(part->id ^ hash64(nr)), hash64(part->id ^ hash64(place * 8 + kind + 1))};

	if (part->id)
		pb_bytes(b, PROFILE_ID, id, sizeof(id));
}

/* A profile of the process whose samples these are, unless it is empty. */
static void put_profile(struct otlp *o, struct pb *b, const struct otlp_part *part, const uint64_t *samples,
			uint64_t nr, size_t which)
{
	const struct dusk_profile *p = o->profile;
	const struct kind *kind = &kinds[which];
	size_t begin = b->nr, open = pb_open(b, SCOPE_PROFILE), empty;
	const uint64_t *at = samples;

	put_value_type(o, b, PROFILE_SAMPLE_TYPE, kind->type, kind->unit);
	empty = b->nr;
	for (uint64_t left = nr, alike; left; at += alike, left -= alike) {
		alike = otlp_alike(o, at, left);
		if (sample_source(&p->samples[*at]) != kind->source)
			continue;
		put_times(o, b, kind, at, alike);
		put_sum(o, b, kind, at, alike);
	}
	if (b->nr == empty) {
		b->nr = begin;
		return;
	}
	pb_fixed64(b, PROFILE_TIME_NS, part->start_ns);
	pb_u64(b, PROFILE_DURATION_NS, part->duration_ns);
	if (kind->period_type) {
		put_value_type(o, b, PROFILE_PERIOD_TYPE, kind->period_type, "nanoseconds");
		pb_u64(b, PROFILE_PERIOD, kind->source == DUSK_CPU ? p->period_ns : 1);
	}
	put_id(b, part, samples, nr, which);
	pb_close(b, open);
	o->nr_profiles++;
}

static void put_resource_attribute(struct pb *b, const char *key, const char *text, uint64_t number)
{
	size_t open = pb_open(b, RESOURCE_ATTRIBUTE);

	pb_string(b, ATTRIBUTE_KEY, key);
	otlp_any(b, ATTRIBUTE_VALUE, text, number);
	pb_close(b, open);
}

static void put_label(struct otlp *o, struct pb *b, const char *key, const char *text)
{
	const char *clean = names_clean(o->names, text);

	o->dictionary.failed |= !clean;
	if (clean && *clean)
		put_resource_attribute(b, key, clean, 0);
}

/* Where the process belongs, by OpenTelemetry's names as far as it has some, which is not so of units. */
static void put_labels(struct otlp *o, struct pb *b, uint32_t thread)
{
	const struct dusk_profile *p = o->profile;
	const struct dusk_thread *t = &p->threads[thread];
	const char *service = thread_label(p, t, LABEL_SERVICE), *version = thread_label(p, t, LABEL_VERSION),
		   *cgroup = thread_label(p, t, LABEL_CGROUP);
	const struct dusk_cgroup *c = t->cgroup ? &p->cgroups[t->cgroup] : NULL;
	char line[1040];

	put_label(o, b, "service.name", service == t->comm ? o->names->process[thread] : service);
	put_label(o, b, "service.version", version);
	put_label(o, b, "process.executable.build_id.gnu", version);
	put_label(o, b, "host.name", thread_label(p, t, LABEL_HOST));
	if (!c)
		return;
	put_label(o, b, "container.id", c->container);
	put_label(o, b, "container.name", c->container_name);
	put_label(o, b, *c->pod_namespace ? "k8s.pod.name" : "k8s.pod.uid", c->pod);
	put_label(o, b, "k8s.namespace.name", c->pod_namespace);
	put_label(o, b, "systemd.unit", c->unit);
	snprintf(line, sizeof(line), "0::%s", cgroup); /* as a line of /proc/PID/cgroup */
	put_label(o, b, "process.linux.cgroup", *cgroup ? line : "");
}

static void put_resource(struct otlp *o, struct pb *b, uint32_t thread)
{
	size_t open = pb_open(b, RESOURCE_RESOURCE);

	put_labels(o, b, thread);
	put_resource_attribute(b, "process.executable.name", o->names->process[thread], 0);
	put_resource_attribute(b, "process.pid", NULL, o->profile->threads[thread].pid);
	put_resource_attribute(b, "os.type", "linux", 0);
	pb_close(b, open);
}

static void put_scope(struct pb *b)
{
	size_t open = pb_open(b, SCOPE_SCOPE);

	pb_string(b, SCOPE_NAME, "dusk");
	pb_string(b, SCOPE_VERSION, DUSK_VERSION);
	pb_close(b, open);
}

/* PIDs come round, and threads of a process may be in other cgroups. */
static bool same_resource(const struct dusk_profile *p, uint64_t sample, uint64_t other)
{
	const struct dusk_thread *a = &p->threads[p->samples[sample].thread],
				 *b = &p->threads[p->samples[other].thread];

	/* Equal text of a profile is one string. */
	return a->pid == b->pid && a->cgroup == b->cgroup && a->service == b->service && a->version == b->version;
}

static uint64_t samples_of_resource(const struct dusk_profile *p, const uint64_t *samples, uint64_t nr)
{
	uint64_t i = 1;

	while (i < nr && same_resource(p, samples[0], samples[i]))
		i++;
	return i;
}

static void put_process(struct otlp *o, struct pb *b, const struct otlp_part *part, const uint64_t *samples,
			uint64_t nr)
{
	size_t open = pb_open(b, DATA_RESOURCE), scope;

	put_resource(o, b, o->profile->samples[samples[0]].thread);
	scope = pb_open(b, RESOURCE_SCOPE);
	put_scope(b);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		put_profile(o, b, part, samples, nr, i);
	pb_close(b, scope);
	pb_close(b, open);
}

int otlp_message(struct otlp *o, struct pb *b, const struct otlp_part *part)
{
	o->nr_profiles = 0;
	for (uint64_t i = 0, nr; i < part->nr; i += nr) {
		nr = samples_of_resource(o->profile, part->samples + i, part->nr - i);
		put_process(o, b, part, part->samples + i, nr);
	}
	dictionary_write(&o->dictionary, b, DATA_DICTIONARY);
	return b->failed || o->dictionary.failed ? -ENOMEM : 0;
}
