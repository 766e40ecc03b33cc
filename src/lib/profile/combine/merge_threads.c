/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Threads of several profiles as those of one, with their processes, cgroups and hosts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "lib/profile/combine/merge.h"

/* A name that a part knows is kept, as containers are named later than they begin. */
static const char *known(struct dusk_merge *m, const char *old, const char *new)
{
	return old && *old ? old : merge_intern(m, new);
}

static int add_cgroup(struct dusk_merge *m, struct part *part, uint32_t i)
{
	const struct dusk_cgroup *from = &part->p->cgroups[i];
	struct {
		const char *host, *path; /* texts are interned */
	} key = {merge_intern(m, from->host && *from->host ? from->host : part->host), merge_intern(m, from->path)};
	struct dusk_cgroup *to;
	uint32_t number;
	bool fresh;

	if (!key.path || !key.host)
		return -ENOMEM;
	if (!i && !*key.host) /* nothing is known */
		return 0;
	if (keys_number(&m->cgroup_keys, &key, sizeof(key), &number, &fresh) || (fresh && !vec_add(&m->cgroups)))
		return -ENOMEM;
	part->cgroups[i] = number + 1;
	if (!i)
		m->nowhere = number + 1;
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

/* Find or add @to among threads that differ by their PIDs. */
static int number_thread(struct dusk_merge *m, const struct dusk_thread *to, uint32_t boot, uint32_t *ret)
{
	struct {
		const char *comm, *service, *version;
		pid_t pid, tid;
		uint32_t cgroup, boot, use, zero;
	} key = {to->comm, NULL, NULL, to->pid, to->tid, to->cgroup, boot, 0, 0};
	struct dusk_thread *is;
	bool fresh;

	if (!to->pid) { /* it stands for several that are alike: dusk_profile_reduce() */
		key.service = to->service;
		key.version = to->version;
	}
	/* PIDs are used again, after a boot at the latest: a thread of another service, or of another version, is another one. */
	do {
		if (keys_number(&m->thread_keys, &key, sizeof(key), ret, &fresh) ||
		    (fresh && vec_push(&m->threads, *to)))
			return -ENOMEM;
		is = &m->threads.v[*ret];
	} while ((differ(is->service, to->service) || differ(is->version, to->version)) && ++key.use < MAX_USES);
	is->title = known(m, is->title, to->title);
	is->service = known(m, is->service, to->service);
	is->version = known(m, is->version, to->version);
	return 0;
}

/* Find or add @to among threads that differ by what is in the key. */
static int number_alike(struct dusk_merge *m, const struct dusk_thread *to, uint32_t *ret)
{
	const struct {
		const char *comm, *service, *version;
		uint64_t cgroup;
	} key = {to->comm, to->service, to->version, to->cgroup};
	struct dusk_thread *is;
	bool fresh;

	if (keys_number(&m->alike_keys, &key, sizeof(key), ret, &fresh) || (fresh && vec_push(&m->threads, *to)))
		return -ENOMEM;
	is = &m->threads.v[*ret];
	is->pid = is->pid == to->pid ? is->pid : 0;
	is->tid = is->tid == to->tid ? is->tid : 0;
	is->title = is->title == to->title ? is->title : merge_intern(m, "");
	return is->title ? 0 : -ENOMEM;
}

static int add_thread(struct dusk_merge *m, struct part *part, uint32_t i)
{
	struct dusk_thread to = part->p->threads[i];

	to.comm = merge_intern(m, to.comm);
	to.title = merge_intern(m, to.title);
	to.service = merge_intern(m, to.service);
	to.version = merge_intern(m, to.version);
	to.cgroup = part->cgroups[to.cgroup];
	if (!to.comm || !to.title || !to.service || !to.version)
		return -ENOMEM;
	return m->alike ? number_alike(m, &to, &part->threads[i])
			: number_thread(m, &to, part->boot, &part->threads[i]);
}

/* What refers to a thread gets its @number. */
static int renumber(struct dusk_merge *m, const uint32_t *number)
{
	for (size_t i = 0; i < m->samples.nr; i++)
		m->samples.v[i].thread = number[m->samples.v[i].thread];
	for (size_t i = 0; i < m->occurrences.nr; i++)
		m->occurrences.v[i].sample.thread = number[m->occurrences.v[i].sample.thread];
	for (size_t i = 0; i < m->wakers.nr; i++)
		if (m->wakers.v[i].kind == DUSK_WAKER_TASK)
			m->wakers.v[i].thread = number[m->wakers.v[i].thread];
	m->thread_times.nr = 0;
	return m->summing ? merge_sum_again(m) : 0;
}

int merge_reduce_threads(struct dusk_merge *m)
{
	_cleanup_(freep) uint32_t *number = NULL;
	size_t nr = m->threads.nr;
	struct dusk_thread *all;
	int err = 0;

	if (!m->o.alike || m->alike || nr <= m->o.max_threads)
		return 0;
	m->alike = true;
	number = calloc(nr, sizeof(*number));
	if (!number)
		return -ENOMEM;
	all = vec_steal(&m->threads);
	m->threads.nr = 0;
	for (size_t i = 0; i < nr && !err; i++)
		err = number_alike(m, &all[i], &number[i]);
	free(all);
	keys_done(&m->thread_keys);
	return err ?: renumber(m, number);
}

/* Are there threads of which no cgroup is known? Then "none" needs a host. */
static bool some_are_nowhere(const struct dusk_profile *p)
{
	for (uint32_t i = 0; i < p->nr_threads; i++)
		if (!p->threads[i].cgroup)
			return true;
	return false;
}

int merge_threads(struct dusk_merge *m, struct part *part)
{
	const struct dusk_profile *p = part->p;
	int err = 0;

	for (uint32_t i = some_are_nowhere(p) ? 0 : 1; !err && i < p->nr_cgroups; i++)
		err = add_cgroup(m, part, i);
	for (uint32_t i = 0; !err && i < p->nr_threads; i++)
		err = add_thread(m, part, i);
	return err;
}

static bool is_nowhere(const struct dusk_cgroup *c)
{
	return !*c->host && !*c->path && !*c->container && !*c->pod && !*c->unit;
}

/* Where all is on one host, the setting says so, and "none" needs no cgroup of its own. */
int merge_settle_hosts(struct dusk_merge *m, uint32_t *nr_hosts)
{
	_cleanup_(strings_done) struct strings hosts = {0};
	const char *none = merge_intern(m, "");

	for (size_t i = 1; i < m->cgroups.nr; i++) {
		struct dusk_cgroup *c = &m->cgroups.v[i];

		if (c->host == m->host)
			c->host = none;
		else if (*c->host && strings_number(&hosts, c->host, strlen(c->host), &(uint32_t){0}, NULL))
			return -ENOMEM;
	}
	*nr_hosts = hosts.nr;
	if (!m->nowhere || !is_nowhere(&m->cgroups.v[m->nowhere]))
		return 0;
	memmove(&m->cgroups.v[m->nowhere], &m->cgroups.v[m->nowhere + 1],
		(--m->cgroups.nr - m->nowhere) * sizeof(*m->cgroups.v));
	for (size_t i = 0; i < m->threads.nr; i++) {
		uint32_t *cgroup = &m->threads.v[i].cgroup;

		*cgroup = *cgroup == m->nowhere ? 0 : *cgroup - (*cgroup > m->nowhere);
	}
	return 0;
}
