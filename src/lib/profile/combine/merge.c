/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One profile of several, which were recorded one after the other on one machine, or on several.
 *
 * What the parts have in common is kept once: modules, functions, frames, nodes, threads, outcomes. Parts are added one by
 * one, and nothing in the result refers to them; what is true of all of them is settled at the end.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "lib/error.h"
#include "lib/options.h"
#include "lib/profile/combine/merge.h"
#include "lib/profile/read/read.h"
#include "lib/profile/file/schema.h"

#define NS_A_S 1000000000ULL

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

/* Every table of numbers begins with "none", except those of threads, outcomes and events. */
static uint32_t *numbers(uint32_t nr)
{
	return calloc((size_t)nr + 1, sizeof(uint32_t));
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

/* What all parts have to do with: their time, their host, their state. */
static int note_part(struct dusk_merge *m, const struct dusk_profile *p)
{
	uint64_t start_ns = dusk_profile_start_ns(p), over_ns = start_ns + duration_ns(p);
	const char *host = merge_intern(m, dusk_profile_setting(p, "hostname"));

	m->undated |= !start_ns;
	m->host = !m->nr_parts || host == m->host ? host : merge_intern(m, "");
	m->begin_ns = m->nr_parts && m->begin_ns < start_ns ? m->begin_ns : start_ns;
	m->end_ns = over_ns > m->end_ns ? over_ns : m->end_ns;
	m->cut |= start_ns < m->o.from_ns || over_ns > m->o.to_ns;
	m->p->finished &= p->finished;
	m->p->symbolized &= p->symbolized;
	m->p->live |= p->live;
	m->p->bytes += p->bytes;
	m->p->period_ns = p->period_ns;
	return m->host ? 0 : -ENOMEM;
}

static int add_part(struct dusk_merge *m, const struct dusk_profile *p)
{
	_cleanup_(part_done) struct part part = {
		.p = p,
		.number = m->nr_parts,
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

	part.cut = part.start_ns < m->o.from_ns || part.start_ns + duration_ns(p) > m->o.to_ns;
	snprintf(own, sizeof(own), "%u", part.number); /* it does not say which one */
	boot = boot ?: own;
	if (!part.modules || !part.functions || !part.frames || !part.nodes || !part.cgroups || !part.threads ||
	    !part.wakers || !part.events || !part.outcomes || !part.counters ||
	    strings_number(&m->boots, boot, strlen(boot), &part.boot, NULL))
		return -ENOMEM;
	return merge_stacks(m, &part) ?: merge_threads(m, &part) ?: merge_samples(m, &part) ?: merge_counters(m, &part);
}

static struct dusk_setting *find(const struct dusk_merge *m, const char *key)
{
	for (size_t i = 0; i < m->settings.nr; i++)
		if (!strcmp(m->settings.v[i].key, key))
			return &m->settings.v[i];
	return NULL;
}

static int set(struct dusk_merge *m, const char *key, const char *value)
{
	struct dusk_setting *is = find(m, key), s = {merge_intern(m, key), merge_intern(m, value)};

	if (!s.key || !s.value)
		return -ENOMEM;
	if (!is)
		return vec_push(&m->settings, s);
	*is = s;
	return 0;
}

static int set_u64(struct dusk_merge *m, const char *key, uint64_t value)
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

/* Which one the last part was, for a sender: profiles are merged when they have been sent. That of a merged profile is its last part's. */
static int set_last_part(struct dusk_merge *m, const struct dusk_profile *last)
{
	const char *boot_id = dusk_profile_setting(last, "boot_id"),
		   *start = dusk_profile_setting(last, "start_monotonic_ns");
	char text[128];

	if (!boot_id || !start || dusk_profile_setting(last, "last_part"))
		return 0;
	snprintf(text, sizeof(text), "%.63s %.31s %" PRIu64, boot_id, start, dusk_profile_start_ns(last));
	return set(m, "last_part", text);
}

/* The settings are those of the last part, but for what settle_settings() says. */
static int take_settings(struct dusk_merge *m, const struct dusk_profile *last)
{
	int err = 0;

	m->settings.nr = 0;
	for (uint32_t i = 0; !err && i < last->nr_settings; i++)
		err = m->boots.nr > 1 && is_of_a_boot(last->settings[i].key)
			      ? 0
			      : set(m, last->settings[i].key, last->settings[i].value);
	return err ?: set_last_part(m, last);
}

/* Windows are as long as what sums are over, unless the last part has longer ones. */
static int settle_window(struct dusk_merge *m)
{
	const struct dusk_setting *window = find(m, "window_ns");

	if (!m->summing || m->o.sum_ns == UINT64_MAX || (window && strtoull(window->value, NULL, 10) > m->o.sum_ns))
		return 0;
	return set_u64(m, "window_ns", m->o.sum_ns);
}

/* The times, and what is not true of all. */
static int settle_settings(struct dusk_merge *m, uint32_t nr_hosts, uint64_t zero_ns)
{
	uint64_t end_ns = m->end_ns < m->o.to_ns ? m->end_ns : m->o.to_ns;
	time_t start_s = zero_ns / NS_A_S;
	char when[32], hosts[32];
	struct tm tm;
	int err = 0;

	snprintf(hosts, sizeof(hosts), "%u hosts", nr_hosts);
	if (nr_hosts > 1)
		err = set(m, "hostname", hosts);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&start_s, &tm));
	err = err ?: set(m, "start_time", when);
	err = err ?: set_u64(m, "start_realtime_ns", zero_ns);
	err = err ?: settle_window(m);
	if (m->alike)
		err = err ?: set(m, "threads", "alike");
	err = err ?: set_u64(m, "duration_ns", end_ns > zero_ns ? end_ns - zero_ns : 0);
	return err ?: set_u64(m, "parts", m->nr_parts);
}

void dusk_merge_free(struct dusk_merge *m)
{
	if (!m)
		return;
	strings_done(&m->boots);
	strings_done(&m->kernels);
	strings_done(&m->memories);
	keys_done(&m->module_keys);
	keys_done(&m->function_keys);
	keys_done(&m->frame_keys);
	keys_done(&m->node_keys);
	keys_done(&m->cgroup_keys);
	keys_done(&m->thread_keys);
	keys_done(&m->alike_keys);
	map_done(&m->event_numbers);
	map_done(&m->counter_numbers);
	keys_done(&m->sums);
	vec_done(&m->sum_row);
	profile_columns_done(m);
	dusk_profile_free(m->p);
	free(m);
}

static int add_none(struct dusk_merge *m)
{
	if (vec_push(&m->modules, ((struct dusk_module){.path = "", .build_id = ""})) ||
	    vec_push(&m->functions, ((struct dusk_function){"", "", ""})) ||
	    vec_push(&m->cgroups, ((struct dusk_cgroup){"", "", "", "", "", "", ""})) || !vec_add(&m->frames) ||
	    !vec_add(&m->nodes) || !vec_add(&m->wakers))
		return -ENOMEM;
	return 0;
}

static int cannot_merge(int rc, struct dusk_error *err)
{
	switch (rc) {
	case -E2BIG: return error_set(err, rc, "cannot merge profiles: they have more than 256 outcomes");
	case -EINVAL: return error_set(err, rc, "cannot merge profiles: one of them does not say when it began");
	case -ENODATA: return error_set(err, -EINVAL, "cannot merge profiles: there are none");
	default: return error_complete(err, rc, "cannot merge profiles");
	}
}

int dusk_merge_new(struct dusk_merge **ret, const struct dusk_merge_options *o, struct dusk_error *err)
{
	struct dusk_merge *m = calloc(1, sizeof(*m));
	int rc = m ? options_take(&m->o, sizeof(m->o), o, "cannot merge profiles", err) : -ENOMEM;

	if (!rc && m->o.sum_ns && m->o.sum_ns < NS_A_S)
		rc = error_set(err, -EINVAL, "cannot merge profiles: sums are over a second at least");
	if (!rc) {
		m->o.to_ns = m->o.to_ns ?: UINT64_MAX;
		m->p = calloc(1, sizeof(*m->p));
		m->text = m->p ? profile_strings(m->p) : NULL;
		rc = m->text ? add_none(m) : -ENOMEM;
	}
	if (rc) {
		dusk_merge_free(m);
		return error_complete(err, rc, "cannot merge profiles");
	}
	m->p->finished = m->p->symbolized = true;
	*ret = m;
	return 0;
}

/* Can @part be added? If not nothing is changed, so that others can be. */
static int check_part(const struct dusk_merge *m, const struct dusk_profile *part)
{
	if (m->nr_parts && (m->undated || !dusk_profile_start_ns(part)))
		return -EINVAL;
	return merge_has_room(m, part) ? 0 : -E2BIG;
}

int dusk_merge_add(struct dusk_merge *m, const struct dusk_profile *part, struct dusk_error *err)
{
	int rc = check_part(m, part);

	if (rc)
		return cannot_merge(rc, err);
	rc = note_part(m, part) ?: add_part(m, part) ?: take_settings(m, part);
	rc = rc ?: merge_reduce_threads(m) ?: merge_reduce_sums(m);
	m->nr_parts++;
	return rc ? cannot_merge(rc, err) : 0;
}

void dusk_merge_leave_out(struct dusk_merge *m)
{
	m->nr_left_out++;
}

int dusk_merge_end(struct dusk_profile **ret, struct dusk_merge *m, struct dusk_error *err)
{
	uint64_t zero_ns = m->begin_ns < m->o.from_ns ? m->o.from_ns : m->begin_ns;
	uint32_t nr_hosts;
	int rc = m->nr_parts ? merge_settle_hosts(m, &nr_hosts) ?: settle_settings(m, nr_hosts, zero_ns) : -ENODATA;

	if (!rc && m->nr_left_out)
		rc = merge_count(m, "lost-profiles", "profiles that cannot be read, and are left out", m->nr_left_out);

	if (rc)
		return cannot_merge(rc, err);
	merge_settle_times(m, zero_ns);
	profile_columns_move(m->p, m);
	*ret = steal(m->p);
	return 0;
}

static void merge_freep(struct dusk_merge **m)
{
	dusk_merge_free(*m);
}

int dusk_profile_merge(struct dusk_profile **ret, const struct dusk_profile *const *parts, uint32_t nr,
		       uint64_t from_ns, uint64_t to_ns, struct dusk_error *err)
{
	_cleanup_(merge_freep) struct dusk_merge *m = NULL;
	const struct dusk_merge_options o = {.sz = sizeof(o), .from_ns = from_ns, .to_ns = to_ns};
	int rc = dusk_merge_new(&m, &o, err);

	for (uint32_t i = 0; !rc && i < nr; i++)
		rc = dusk_merge_add(m, parts[i], err);
	return rc ?: dusk_merge_end(ret, m, err);
}
