/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Labels of threads. See thread_label.h. */
#include "report/model/thread_label.h"
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

const char *thread_label_name(enum thread_label which)
{
	static const char *const names[NR_THREAD_LABELS] = {
		[LABEL_SERVICE] = "service", [LABEL_UNIT] = "unit",	      [LABEL_CONTAINER] = "container",
		[LABEL_POD] = "pod",	     [LABEL_NAMESPACE] = "namespace", [LABEL_VERSION] = "version",
		[LABEL_CGROUP] = "cgroup",
	};

	return names[which];
}

static const struct dusk_cgroup *cgroup_of(const struct dusk_profile *p, const struct dusk_thread *t)
{
	static const struct dusk_cgroup none = {"", "", "", "", "", ""};

	return t->cgroup < p->nr_cgroups ? &p->cgroups[t->cgroup] : &none;
}

static const char *first_of(const char *a, const char *b)
{
	return a && *a ? a : b;
}

const char *thread_label(const struct dusk_profile *p, const struct dusk_thread *t, enum thread_label which)
{
	const struct dusk_cgroup *c = cgroup_of(p, t);

	switch (which) {
	case LABEL_SERVICE: return first_of(t->service, first_of(c->unit, first_of(c->container_name, t->comm)));
	case LABEL_UNIT: return c->unit;
	case LABEL_CONTAINER: return first_of(c->container_name, c->container);
	case LABEL_POD: return c->pod;
	case LABEL_NAMESPACE: return c->pod_namespace;
	case LABEL_VERSION: return first_of(t->version, "");
	case LABEL_CGROUP: return c->path;
	case NR_THREAD_LABELS: break;
	}
	return "";
}

static bool matches(const char *pattern, const char *text)
{
	return !fnmatch(pattern, text, 0);
}

static bool is_service(const char *pattern, const char *unit)
{
	char name[512];

	return snprintf(name, sizeof(name), "%s.service", pattern) < (int)sizeof(name) && matches(name, unit);
}

static bool is_below(const char *path, const char *cgroup)
{
	size_t len = strlen(path);

	return len > 1 && !strncmp(cgroup, path, len) && cgroup[len] == '/';
}

bool thread_label_matches(const struct dusk_profile *p, const struct dusk_thread *t, enum thread_label which,
			  const char *pattern)
{
	const char *label = thread_label(p, t, which);

	if (matches(pattern, label))
		return true;
	if (which == LABEL_CONTAINER) {
		const char *id = cgroup_of(p, t)->container;

		return matches(pattern, id) || (strlen(pattern) >= SHORT_ID && !strncmp(id, pattern, strlen(pattern)));
	}
	if (which == LABEL_UNIT)
		return *label && is_service(pattern, label);
	return which == LABEL_CGROUP && is_below(pattern, label);
}
