/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One profile of several, which were recorded one after the other on one machine, or on several.
 *
 * What the parts have in common is kept once: modules, functions, frames, nodes, threads, outcomes. Frames that were named
 * in one part have that name in all. Addresses of the kernel mean something in one boot only, and those of memory without
 * a file during one recording, so each boot has a kernel of its own, and each part its own modules of such memory.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/keys.h"
#include "base/strings.h"
#include "base/vec.h"
#include "lib/error.h"
#include "lib/profile/profile_read.h"
#include "lib/profile/profile_schema.h"

#define NS_A_S 1000000000ULL

struct merger {
	struct dusk_profile *p;
	struct strings *text;
	const char *host;		  /* that all parts are of; "": they are of several */
	uint64_t from_ns, to_ns, zero_ns; /* real time; zero_ns: where the result begins */
	bool cut;			  /* something lies outside of these */

	struct strings boots, kernels, memories, hosts;
	struct keys module_keys, function_keys, frame_keys, node_keys, cgroup_keys, thread_keys;

	struct vec(struct dusk_module) modules;
	struct vec(struct dusk_function) functions;
	struct vec(struct dusk_frame) frames;
	struct vec(struct dusk_line) lines;
	struct vec(struct dusk_node) nodes;
	struct vec(struct dusk_cgroup) cgroups;
	struct vec(struct dusk_thread) threads;
	struct vec(struct dusk_sample) samples;
	struct vec(struct dusk_waker) wakers;
	struct vec(struct dusk_event) events;
	struct vec(struct dusk_occurrence) occurrences;
	struct vec(struct dusk_thread_times) thread_times;
	struct vec(struct dusk_outcome) outcomes;
	struct vec(struct dusk_counter) counters;
	struct vec(struct dusk_window_count) window_counts;
	struct vec(struct dusk_setting) settings;
};

/* A part: where its numbers are in the result. */
struct part {
	const struct dusk_profile *p;
	const char *host; /* of what does not say its own */
	uint32_t number, boot;
	uint64_t start_ns;
	uint32_t *modules, *functions, *frames, *nodes, *cgroups, *threads, *wakers, *events, *outcomes, *counters;
	bool cut; /* some of it is outside of the time that is asked for */
};

uint64_t dusk_profile_start_ns(const struct dusk_profile *p)
{
	const char *ns = dusk_profile_setting(p, "start_realtime_ns"), *s = dusk_profile_setting(p, "start_time");
	struct tm tm = {0};
	time_t t = !ns && s && strptime(s, "%Y-%m-%dT%H:%M:%SZ", &tm) ? timegm(&tm) : 0;

	uint64_t start_ns = ns ? strtoull(ns, NULL, 10) : t > 0 ? t * NS_A_S : 0;

	return start_ns <= PROFILE_MAX_NS ? start_ns : 0;
}

static uint64_t duration_ns(const struct dusk_profile *p)
{
	const char *text = dusk_profile_setting(p, "duration_ns");

	if (text)
		return strtoull(text, NULL, 10);
	return p->nr_samples ? p->samples[p->nr_samples - 1].time_ns : 0;
}

static const char *intern(struct merger *m, const char *text)
{
	return strings_intern(m->text, text ?: "");
}

/* Every table of numbers begins with "none", except those of threads, outcomes and events. */
static uint32_t *numbers(uint32_t nr)
{
	return calloc((size_t)nr + 1, sizeof(uint32_t));
}

/*
 * Of the kernel, and of memory without a file, the generation says which boot or part it is of. It may say that already, in a
 * part that was merged before.
 */
static int tell_apart(struct merger *m, const struct part *part, struct dusk_module *to)
{
	bool kernel = to->kind == DUSK_MODULE_KERNEL;
	const uint32_t key[] = {kernel ? part->boot : part->number, to->generation};

	if (!kernel && to->kind != DUSK_MODULE_ANON)
		return 0;
	return strings_number(kernel ? &m->kernels : &m->memories, key, sizeof(key), &to->generation, NULL);
}

static int add_module(struct merger *m, struct part *part, uint32_t i)
{
	struct dusk_module to = part->p->modules[i];
	struct {
		uint64_t dev, ino;
		const char *path, *build_id;
		uint32_t generation, kind, pid, zero;
	} key;
	uint32_t number;
	bool fresh;

	to.path = intern(m, to.path);
	to.build_id = intern(m, to.build_id);
	if (!to.path || !to.build_id || tell_apart(m, part, &to))
		return -ENOMEM;
	memset(&key, 0, sizeof(key));
	key.dev = to.dev;
	key.ino = to.ino;
	key.path = to.path;
	key.build_id = to.build_id;
	key.generation = to.generation;
	key.kind = to.kind;
	key.pid = to.kind == DUSK_MODULE_ANON ? to.pid : 0;
	if (keys_number(&m->module_keys, &key, sizeof(key), &number, &fresh) || (fresh && vec_push(&m->modules, to)))
		return -ENOMEM;
	part->modules[i] = number + 1;
	return 0;
}

static int add_function(struct merger *m, struct part *part, uint32_t i)
{
	const struct dusk_function *f = &part->p->functions[i];
	const struct dusk_function to = {intern(m, f->name), intern(m, f->symbol), intern(m, f->module)};
	uint32_t number;
	bool fresh;

	if (!to.name || !to.symbol || !to.module || keys_number(&m->function_keys, &to, sizeof(to), &number, &fresh) ||
	    (fresh && vec_push(&m->functions, to)))
		return -ENOMEM;
	part->functions[i] = number + 1;
	return 0;
}

/* Give @to the name and the lines of @from, a frame of @part. */
static int name_frame(struct merger *m, const struct part *part, struct dusk_frame *to, const struct dusk_frame *from)
{
	to->function = part->functions[from->function];
	to->function_offset = from->function_offset;
	to->address = from->address;
	to->first_line = m->lines.nr;
	to->nr_lines = from->nr_lines;
	for (uint32_t i = 0; i < from->nr_lines; i++) {
		struct dusk_line l = part->p->lines[from->first_line + i];

		l.function = part->functions[l.function];
		l.file = intern(m, l.file);
		if (!l.file || vec_push(&m->lines, l))
			return -ENOMEM;
	}
	return 0;
}

static int add_frame(struct merger *m, struct part *part, uint32_t i)
{
	const struct dusk_frame *from = &part->p->frames[i];
	const struct {
		uint64_t offset;
		uint32_t module;
		uint16_t is_return, method;
	} key = {from->offset, part->modules[from->module], from->is_return, from->method};
	struct dusk_frame *to;
	uint32_t number;
	bool fresh;

	if (keys_number(&m->frame_keys, &key, sizeof(key), &number, &fresh))
		return -ENOMEM;
	part->frames[i] = number + 1;
	if (fresh) {
		to = vec_add(&m->frames);
		if (!to)
			return -ENOMEM;
		*to = *from;
		to->module = key.module;
		return name_frame(m, part, to, from);
	}
	to = &m->frames.v[number + 1];
	return !to->function && from->function ? name_frame(m, part, to, from) : 0;
}

static int add_node(struct merger *m, struct part *part, uint32_t i)
{
	const struct dusk_node *from = &part->p->nodes[i];
	const struct dusk_node to = {part->nodes[from->parent], part->frames[from->frame]};
	uint32_t number;
	bool fresh;

	if (keys_number(&m->node_keys, &to, sizeof(to), &number, &fresh) || (fresh && vec_push(&m->nodes, to)))
		return -ENOMEM;
	part->nodes[i] = number + 1;
	return 0;
}

/* A name that a part knows is kept, as containers are named later than they begin. */
static const char *known(struct merger *m, const char *old, const char *new)
{
	return old && *old ? old : intern(m, new);
}

/* Its host, unless all are on one: then "". */
static int host_of(struct merger *m, const struct part *part, const struct dusk_cgroup *c, const char **ret)
{
	const char *host = c->host && *c->host ? c->host : part->host;

	host = strcmp(host, m->host) ? host : "";
	if (*host && strings_number(&m->hosts, host, strlen(host), &(uint32_t){0}, NULL))
		return -ENOMEM;
	*ret = intern(m, host);
	return *ret ? 0 : -ENOMEM;
}

static int add_cgroup(struct merger *m, struct part *part, uint32_t i)
{
	const struct dusk_cgroup *from = &part->p->cgroups[i];
	struct {
		const char *host, *path; /* texts are interned */
	} key = {NULL, intern(m, from->path)};
	struct dusk_cgroup *to;
	uint32_t number;
	bool fresh;

	if (!key.path || host_of(m, part, from, &key.host))
		return -ENOMEM;
	if (!i && !*key.host) /* nothing is known */
		return 0;
	if (keys_number(&m->cgroup_keys, &key, sizeof(key), &number, &fresh) || (fresh && !vec_add(&m->cgroups)))
		return -ENOMEM;
	part->cgroups[i] = number + 1;
	to = &m->cgroups.v[number + 1];
	to->path = key.path;
	to->host = key.host;
	to->container = known(m, to->container, from->container);
	to->container_name = known(m, to->container_name, from->container_name);
	to->pod = known(m, from->pod_namespace[0] ? NULL : to->pod, from->pod);
	to->pod_namespace = known(m, to->pod_namespace, from->pod_namespace);
	to->unit = known(m, to->unit, from->unit);
	return to->container && to->container_name && to->pod && to->pod_namespace && to->unit ? 0 : -ENOMEM;
}

static bool differ(const char *a, const char *b)
{
	return *a && *b && a != b; /* texts are interned */
}

#define MAX_USES 64 /* of a PID by programs of one name in one boot; later ones are taken for the last */

/* PIDs are used again, after a boot at the latest: a thread of another service, or of another version, is another one. */
static int add_thread(struct merger *m, struct part *part, uint32_t i)
{
	struct dusk_thread to = part->p->threads[i];
	struct {
		const char *comm;
		pid_t pid, tid;
		uint32_t cgroup, boot, use, zero;
	} key = {NULL, to.pid, to.tid, part->cgroups[to.cgroup], part->boot, 0, 0};
	struct dusk_thread *is;
	uint32_t number;
	bool fresh;

	to.comm = intern(m, to.comm);
	to.title = intern(m, to.title);
	to.service = intern(m, to.service);
	to.version = intern(m, to.version);
	if (!to.comm || !to.title || !to.service || !to.version)
		return -ENOMEM;
	to.cgroup = key.cgroup;
	key.comm = to.comm;
	do {
		if (keys_number(&m->thread_keys, &key, sizeof(key), &number, &fresh) ||
		    (fresh && vec_push(&m->threads, to)))
			return -ENOMEM;
		is = &m->threads.v[number];
	} while ((differ(is->service, to.service) || differ(is->version, to.version)) && ++key.use < MAX_USES);
	is->title = known(m, is->title, to.title);
	is->service = known(m, is->service, to.service);
	is->version = known(m, is->version, to.version);
	part->threads[i] = number;
	return 0;
}

static int add_outcome(struct merger *m, struct part *part, uint32_t i)
{
	struct dusk_outcome to = part->p->outcomes[i];
	uint32_t at = 0;

	while (at < m->outcomes.nr && strcmp(m->outcomes.v[at].name, to.name))
		at++;
	part->outcomes[i] = at;
	if (at < m->outcomes.nr)
		return 0;
	if (at > UINT8_MAX)
		return -E2BIG;
	to.name = intern(m, to.name);
	to.sentence = intern(m, to.sentence);
	return !to.name || !to.sentence ? -ENOMEM : vec_push(&m->outcomes, to);
}

static int add_event(struct merger *m, struct part *part, uint32_t i)
{
	struct dusk_event to = {intern(m, part->p->events[i].name)};
	uint32_t at = 0;

	if (!to.name)
		return -ENOMEM;
	while (at < m->events.nr && m->events.v[at].name != to.name)
		at++;
	part->events[i] = at;
	return at < m->events.nr ? 0 : vec_push(&m->events, to);
}

static int count(struct merger *m, uint32_t counter, uint64_t n)
{
	uint64_t *sum = &m->counters.v[counter].value;

	if (__builtin_add_overflow(*sum, n, sum))
		*sum = UINT64_MAX;
	return 0;
}

/*
 * Counters are summed up. Of a part that is cut those are left out that are not kept by windows, as nothing says how much
 * of them belongs here.
 */
static int add_counter(struct merger *m, struct part *part, uint32_t i)
{
	const struct dusk_counter *from = &part->p->counters[i];
	struct dusk_counter to = {intern(m, from->name), intern(m, from->sentence), 0};
	bool by_windows = part->cut && part->p->nr_window_counts;
	uint32_t at = 0;

	if (!to.name || !to.sentence)
		return -ENOMEM;
	while (at < m->counters.nr && m->counters.v[at].name != to.name)
		at++;
	part->counters[i] = at;
	if (at == m->counters.nr && vec_push(&m->counters, to))
		return -ENOMEM;
	return by_windows ? 0 : count(m, at, from->value);
}

static bool is_meant(const struct merger *m, uint64_t time_ns)
{
	return time_ns >= m->from_ns && time_ns < m->to_ns;
}

static int add_window_counts(struct merger *m, const struct part *part)
{
	const struct dusk_profile *p = part->p;

	if (vec_reserve(&m->window_counts, p->nr_window_counts))
		return -ENOMEM;
	for (uint64_t i = 0; i < p->nr_window_counts; i++) {
		struct dusk_window_count c = p->window_counts[i];
		uint64_t time_ns = part->start_ns + c.time_ns;

		if (!is_meant(m, time_ns))
			continue;
		c.time_ns = time_ns - m->zero_ns;
		c.counter = part->counters[c.counter];
		vec_push(&m->window_counts, c);
		if (part->cut)
			count(m, c.counter, c.value);
	}
	return 0;
}

static int add_waker(struct merger *m, struct part *part, uint32_t i)
{
	struct dusk_waker to = part->p->wakers[i];

	to.node = part->nodes[to.node];
	if (to.kind == DUSK_WAKER_TASK) {
		to.thread = part->threads[to.thread];
		to.outcome = part->outcomes[to.outcome];
	}
	part->wakers[i] = m->wakers.nr;
	return vec_push(&m->wakers, to);
}

/* Is @s, of @part, within the time that is asked for? Then it is as in the result. */
static bool take_sample(struct merger *m, const struct part *part, struct dusk_sample *s)
{
	uint64_t time_ns = part->start_ns + s->time_ns;

	if (!is_meant(m, time_ns)) {
		m->cut = true;
		return false;
	}
	s->time_ns = time_ns - m->zero_ns;
	s->thread = part->threads[s->thread];
	s->node = part->nodes[s->node];
	s->outcome = part->outcomes[s->outcome];
	s->waker = part->wakers[s->waker];
	return true;
}

static int add_samples(struct merger *m, const struct part *part)
{
	const struct dusk_profile *p = part->p;

	if (vec_reserve(&m->samples, p->nr_samples) || vec_reserve(&m->occurrences, p->nr_occurrences))
		return -ENOMEM;
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		struct dusk_sample s = p->samples[i];

		if (take_sample(m, part, &s))
			vec_push(&m->samples, s);
	}
	for (uint64_t i = 0; i < p->nr_occurrences; i++) {
		struct dusk_occurrence o = p->occurrences[i];

		o.event = part->events[o.event];
		o.fields = intern(m, o.fields);
		if (!o.fields)
			return -ENOMEM;
		if (take_sample(m, part, &o.sample))
			vec_push(&m->occurrences, o);
	}
	return 0;
}

static int add_thread_times(struct merger *m, const struct part *part, uint32_t i)
{
	struct dusk_thread_times to = part->p->thread_times[i];

	to.thread = part->threads[to.thread];
	to.start_ns += part->start_ns - m->zero_ns;
	to.end_ns += part->start_ns - m->zero_ns;
	return vec_push(&m->thread_times, to);
}

static void part_done(struct part *part)
{
	free(part->modules);
	free(part->functions);
	free(part->frames);
	free(part->nodes);
	free(part->cgroups);
	free(part->threads);
	free(part->wakers);
	free(part->events);
	free(part->outcomes);
	free(part->counters);
}

/* Are there threads of which no cgroup is known? Then "none" needs a host. */
static bool some_are_nowhere(const struct dusk_profile *p)
{
	for (uint32_t i = 0; i < p->nr_threads; i++)
		if (!p->threads[i].cgroup)
			return true;
	return false;
}

static int add_part(struct merger *m, const struct dusk_profile *p, uint32_t number)
{
	_cleanup_(part_done) struct part part = {
		.p = p,
		.number = number,
		.host = dusk_profile_setting(p, "hostname") ?: "",
		.start_ns = dusk_profile_start_ns(p),
		.modules = numbers(p->nr_modules),
		.functions = numbers(p->nr_functions),
		.frames = numbers(p->nr_frames),
		.nodes = numbers(p->nr_nodes),
		.cgroups = numbers(p->nr_cgroups),
		.threads = numbers(p->nr_threads),
		.wakers = numbers(p->nr_wakers),
		.events = numbers(p->nr_events),
		.outcomes = numbers(p->nr_outcomes),
		.counters = numbers(p->nr_counters),
	};
	const char *boot = dusk_profile_setting(p, "boot_id");
	char own[16];
	int err = 0;

	part.cut = part.start_ns < m->from_ns || part.start_ns + duration_ns(p) > m->to_ns;

	snprintf(own, sizeof(own), "%u", number); /* it does not say which one */
	boot = boot ?: own;

	if (!part.modules || !part.functions || !part.frames || !part.nodes || !part.cgroups || !part.threads ||
	    !part.wakers || !part.events || !part.outcomes || !part.counters ||
	    strings_number(&m->boots, boot, strlen(boot), &part.boot, NULL))
		return -ENOMEM;
#define EACH(first, column, add)                                    \
	for (uint32_t i = (first); !err && i < p->nr_##column; i++) \
	err = add
	EACH(1, modules, add_module(m, &part, i));
	EACH(1, functions, add_function(m, &part, i));
	EACH(1, frames, add_frame(m, &part, i));
	EACH(1, nodes, add_node(m, &part, i));
	EACH(some_are_nowhere(p) ? 0 : 1, cgroups, add_cgroup(m, &part, i));
	EACH(0, threads, add_thread(m, &part, i));
	EACH(0, outcomes, add_outcome(m, &part, i));
	EACH(0, events, add_event(m, &part, i));
	EACH(1, wakers, add_waker(m, &part, i));
	EACH(0, counters, add_counter(m, &part, i));
	err = err ?: add_window_counts(m, &part);
	err = err ?: add_samples(m, &part);
	EACH(0, thread_times, add_thread_times(m, &part, i));
#undef EACH
	return err;
}

static int set(struct merger *m, const char *key, const char *value)
{
	for (size_t i = 0; i < m->settings.nr; i++)
		if (!strcmp(m->settings.v[i].key, key)) {
			m->settings.v[i].value = intern(m, value);
			return m->settings.v[i].value ? 0 : -ENOMEM;
		}
	struct dusk_setting s = {intern(m, key), intern(m, value)};

	return !s.key || !s.value ? -ENOMEM : vec_push(&m->settings, s);
}

static int set_u64(struct merger *m, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return set(m, key, text);
}

/* What is true in one boot only. */
static bool is_of_a_boot(const char *key)
{
	return !strcmp(key, "boot_id") || !strcmp(key, "kernel_text") || !strcmp(key, "start_monotonic_ns");
}

/* The settings are those of the last part, but for the times, and for what is not true of all. */
static int add_settings(struct merger *m, const struct dusk_profile *last, uint32_t nr_parts, uint64_t end_ns)
{
	time_t start_s = m->zero_ns / NS_A_S;
	char when[32];
	char hosts[32];
	struct tm tm;
	int err = 0;

	for (uint32_t i = 0; !err && i < last->nr_settings; i++)
		err = m->boots.nr > 1 && is_of_a_boot(last->settings[i].key)
			      ? 0
			      : set(m, last->settings[i].key, last->settings[i].value);
	snprintf(hosts, sizeof(hosts), "%zu hosts", m->hosts.nr);
	if (m->hosts.nr > 1)
		err = err ?: set(m, "hostname", hosts);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&start_s, &tm));
	err = err ?: set(m, "start_time", when);
	err = err ?: set_u64(m, "start_realtime_ns", m->zero_ns);
	err = err ?: set_u64(m, "duration_ns", end_ns - m->zero_ns);
	return err ?: set_u64(m, "parts", nr_parts);
}

static int by_time(const void *a, const void *b)
{
	const struct dusk_sample *x = a, *y = b;

	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

/* Parts that come one after the other are in order already. */
static void sort_samples(struct merger *m)
{
	for (size_t i = 1; i < m->samples.nr; i++) {
		if (by_time(&m->samples.v[i - 1], &m->samples.v[i]) > 0) {
			qsort(m->samples.v, m->samples.nr, sizeof(*m->samples.v), by_time);
			return;
		}
	}
}

static int counted_before(const void *a, const void *b)
{
	const struct dusk_window_count *x = a, *y = b;

	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

static void hand_over(struct merger *m, const struct dusk_profile *last)
{
	struct dusk_profile *p = m->p;

	if (m->cut)
		m->thread_times.nr = 0; /* of whole parts only */
	sort_samples(m);
	if (m->window_counts.nr)
		qsort(m->window_counts.v, m->window_counts.nr, sizeof(*m->window_counts.v), counted_before);
#define COLUMN(name)                           \
	do {                                   \
		p->nr_##name = m->name.nr;     \
		p->name = vec_steal(&m->name); \
	} while (0)
	COLUMN(modules);
	COLUMN(functions);
	COLUMN(frames);
	COLUMN(lines);
	COLUMN(nodes);
	COLUMN(cgroups);
	COLUMN(threads);
	COLUMN(samples);
	COLUMN(events);
	COLUMN(occurrences);
	COLUMN(thread_times);
	COLUMN(wakers);
	COLUMN(outcomes);
	COLUMN(counters);
	COLUMN(window_counts);
	COLUMN(settings);
#undef COLUMN
	p->period_ns = last->period_ns;
}

static void merger_done(struct merger *m)
{
	strings_done(&m->boots);
	strings_done(&m->kernels);
	strings_done(&m->memories);
	keys_done(&m->module_keys);
	keys_done(&m->function_keys);
	keys_done(&m->frame_keys);
	keys_done(&m->thread_keys);
	keys_done(&m->cgroup_keys);
	strings_done(&m->hosts);
	keys_done(&m->node_keys);
	vec_done(&m->modules);
	vec_done(&m->functions);
	vec_done(&m->frames);
	vec_done(&m->lines);
	vec_done(&m->nodes);
	vec_done(&m->cgroups);
	vec_done(&m->threads);
	vec_done(&m->samples);
	vec_done(&m->events);
	vec_done(&m->occurrences);
	vec_done(&m->thread_times);
	vec_done(&m->wakers);
	vec_done(&m->outcomes);
	vec_done(&m->counters);
	vec_done(&m->window_counts);
	vec_done(&m->settings);
	dusk_profile_free(m->p);
}

static int add_none(struct merger *m)
{
	if (vec_push(&m->modules, ((struct dusk_module){.path = "", .build_id = ""})) ||
	    vec_push(&m->functions, ((struct dusk_function){"", "", ""})) ||
	    vec_push(&m->cgroups, ((struct dusk_cgroup){"", "", "", "", "", "", ""})) || !vec_add(&m->frames) ||
	    !vec_add(&m->nodes) || !vec_add(&m->wakers))
		return -ENOMEM;
	return 0;
}

static const char *common_host(const struct dusk_profile *const *parts, uint32_t nr)
{
	const char *host = dusk_profile_setting(parts[0], "hostname") ?: "";

	for (uint32_t i = 1; i < nr; i++)
		if (strcmp(dusk_profile_setting(parts[i], "hostname") ?: "", host))
			return "";
	return host;
}

static int merge(struct merger *m, const struct dusk_profile *const *parts, uint32_t nr)
{
	uint64_t end_ns = 0;
	int err = add_none(m);

	m->p->finished = m->p->symbolized = true;
	m->host = common_host(parts, nr);
	m->zero_ns = UINT64_MAX;
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t start_ns = dusk_profile_start_ns(parts[i]), over_ns = start_ns + duration_ns(parts[i]);

		m->zero_ns = start_ns < m->zero_ns ? start_ns : m->zero_ns;
		end_ns = over_ns > end_ns ? over_ns : end_ns;
		m->cut |= start_ns < m->from_ns || over_ns > m->to_ns;
		m->p->finished &= parts[i]->finished;
		m->p->symbolized &= parts[i]->symbolized;
		m->p->live |= parts[i]->live;
		m->p->bytes += parts[i]->bytes;
	}
	m->zero_ns = m->zero_ns < m->from_ns ? m->from_ns : m->zero_ns;
	end_ns = end_ns < m->to_ns ? end_ns : m->to_ns;
	for (uint32_t i = 0; !err && i < nr; i++)
		err = add_part(m, parts[i], i);
	err = err ?: add_settings(m, parts[nr - 1], nr, end_ns > m->zero_ns ? end_ns : m->zero_ns);
	if (!err)
		hand_over(m, parts[nr - 1]);
	return err;
}

int dusk_profile_merge(struct dusk_profile **ret, const struct dusk_profile *const *parts, uint32_t nr,
		       uint64_t from_ns, uint64_t to_ns, struct dusk_error *err)
{
	_cleanup_(merger_done) struct merger m = {.from_ns = from_ns, .to_ns = to_ns ?: UINT64_MAX};
	int rc;

	if (!nr)
		return error_set(err, -EINVAL, "cannot merge profiles: there are none");
	for (uint32_t i = 0; i < nr && nr > 1; i++)
		if (!dusk_profile_start_ns(parts[i]))
			return error_set(err, -EINVAL, "cannot merge profiles: one of them does not say when it began");
	m.p = calloc(1, sizeof(*m.p));
	m.text = m.p ? profile_strings(m.p) : NULL;
	rc = m.text ? merge(&m, parts, nr) : -ENOMEM;
	if (rc == -E2BIG)
		return error_set(err, rc, "cannot merge profiles: they have more than 256 outcomes");
	if (rc)
		return error_complete(err, rc, "cannot merge profiles");
	*ret = steal(m.p);
	return 0;
}
