/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Write a profile that is in memory to a file, as a recording writes it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/map.h"
#include "lib/error.h"
#include "lib/profile/file/schema.h"
#include "lib/profile/write/write.h"

/*
 * The writer numbers what is new to it in the order in which it comes, as the columns of a profile are numbered. What it
 * takes for something that it has already would shift the numbers: no profile that was read or merged has a module, frame
 * or node twice. It may have two threads with the same ids, of different boots say.
 */
static int write_stacks(struct profile_writer *w, const struct dusk_profile *p)
{
	for (uint32_t i = 1; i < p->nr_modules; i++)
		if (profile_module(w, &p->modules[i]) != i)
			return -EINVAL;
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		const struct dusk_frame *f = &p->frames[i];

		if (profile_frame(w, f->module, f->offset, f->is_return, f->method) != i)
			return -EINVAL;
	}
	for (uint32_t i = 1; i < p->nr_nodes; i++)
		if (profile_node(w, p->nodes[i].parent, p->nodes[i].frame) != i)
			return -EINVAL;
	return 0;
}

static bool is_same_process(const struct dusk_thread *a, const struct dusk_thread *b)
{
	return !strcmp(a->title, b->title) && !strcmp(a->service, b->service) && !strcmp(a->version, b->version);
}

/* The first thread of a process has what is known of the process, and others of which it is something else. */
static int write_threads(struct profile_writer *w, const struct dusk_profile *p)
{
	static const struct dusk_thread unknown = {.title = "", .service = "", .version = ""};
	struct map titled = {0}; /* pid -> its last thread */
	int err = 0;

	for (uint32_t i = 1; i < p->nr_cgroups; i++)
		if (profile_cgroup(w, &p->cgroups[i]) != i)
			return -EINVAL;
	for (uint32_t i = 0; !err && i < p->nr_threads; i++) {
		const struct dusk_thread *t = &p->threads[i];
		uint32_t *last;
		bool fresh;

		if (profile_thread_anew(w, t->cgroup, t->pid, t->tid, t->comm) != i) {
			err = -EINVAL;
			break;
		}
		last = map_at(&titled, t->pid, &fresh);
		if (!last)
			err = -ENOMEM;
		else if (!is_same_process(fresh ? &unknown : &p->threads[*last], t))
			profile_process(w, i, &(struct profile_process){t->title, t->service, t->version});
		if (last)
			*last = i;
	}
	map_done(&titled);
	return err;
}

static void write_sample(struct profile_writer *w, const struct dusk_profile *p, struct dusk_sample s)
{
	uint64_t interval;

	if (s.source == DUSK_CPU && s.value_ns == p->period_ns * s.count)
		s.value_ns = 0;
	profile_end_window(w, s.time_ns);
	if (!s.waker) {
		profile_sample(w, &s);
		return;
	}
	interval = profile_new_interval(w);
	profile_interval(w, &s, interval);
	profile_waker(w, &p->wakers[s.waker], interval);
}

/* Samples, and what was counted, in the windows that they are of. */
static void write_windows(struct profile_writer *w, const struct dusk_profile *p)
{
	uint64_t next = 0;

	for (uint64_t i = 0; i <= p->nr_samples; i++) {
		uint64_t until_ns = i < p->nr_samples ? p->samples[i].time_ns : UINT64_MAX;

		for (; next < p->nr_window_counts && p->window_counts[next].time_ns <= until_ns; next++) {
			const struct dusk_window_count *c = &p->window_counts[next];

			profile_end_window(w, c->time_ns);
			profile_counted(w, p->counters[c->counter].name, c->value);
		}
		if (i < p->nr_samples)
			write_sample(w, p, p->samples[i]);
	}
}

static int write_all(struct profile_writer *w, const struct dusk_profile *p, uint64_t window_ns, struct dusk_error *err)
{
	int rc;

	for (uint32_t i = 0; i < p->nr_settings; i++)
		if (strcmp(p->settings[i].key, "finished"))
			profile_set(w, p->settings[i].key, p->settings[i].value);
	if (window_ns) {
		profile_set_u64(w, "window_ns", window_ns);
		profile_sum_windows(w, window_ns);
	}
	rc = write_stacks(w, p) ?: write_threads(w, p);
	if (rc)
		return error_set(err, rc, "cannot write a profile: %s",
				 rc == -EINVAL ? "it has the same module or stack twice" : strerror(-rc));
	write_windows(w, p);
	for (uint32_t i = 0; i < p->nr_events; i++)
		profile_event(w, p->events[i].name);
	for (uint64_t i = 0; i < p->nr_occurrences; i++)
		profile_occurrence(w, &p->occurrences[i]);
	for (uint32_t i = 0; i < p->nr_thread_times; i++)
		profile_thread_times(w, &p->thread_times[i]);
	for (uint32_t i = 0; i < p->nr_counters; i++)
		profile_counter(w, p->counters[i].name, p->counters[i].sentence, p->counters[i].value);
	return profile_save_names(w, p, err);
}

static bool has_sums(const struct dusk_profile *p)
{
	for (uint64_t i = 0; i < p->nr_samples; i++)
		if (p->samples[i].source == DUSK_CPU && p->samples[i].count > 1)
			return true;
	return false;
}

/* Without @window_ns the windows are as long as those of @p. */
static int choose_window(uint64_t *window_ns, const struct dusk_profile *p, const char *path, struct dusk_error *err)
{
	const char *as_before = dusk_profile_setting(p, "window_ns");

	if (!*window_ns && as_before)
		*window_ns = strtoull(as_before, NULL, 10);
	if (!*window_ns && has_sums(p))
		return error_set(err, -EINVAL, "cannot write %s: samples that are sums need windows (--window)", path);
	if (*window_ns > PROFILE_MAX_NS)
		return error_set(err, -EINVAL, "cannot write %s: its windows are too long", path);
	return 0;
}

static int write_and_close(struct profile_writer *w, const struct dusk_profile *p, uint64_t window_ns,
			   struct dusk_error *err)
{
	int rc = write_all(w, p, window_ns, err);

	if (!rc)
		return profile_close(w, p->finished, err);
	profile_discard(w);
	return rc;
}

int dusk_profile_write(const struct dusk_profile *p, const char *path, uint64_t window_ns, struct dusk_error *err)
{
	struct profile_writer *w;
	int rc = choose_window(&window_ns, p, path, err);

	rc = rc ?: profile_create(&w, path, -1, -1, err);
	return rc ?: write_and_close(w, p, window_ns, err);
}

int dusk_profile_write_fd(const struct dusk_profile *p, int fd, uint64_t window_ns, struct dusk_error *err)
{
	struct profile_writer *w;
	int rc = choose_window(&window_ns, p, "a file without a name", err);

	rc = rc ?: profile_create_unnamed(&w, fd, err);
	return rc ?: write_and_close(w, p, window_ns, err);
}
