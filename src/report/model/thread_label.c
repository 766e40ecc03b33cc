/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Labels of threads. See thread_label.h. */
#include "report/model/thread_label.h"
#include "base/label_pattern.h"

const char *thread_label_name(enum thread_label which)
{
	static const char *const names[NR_THREAD_LABELS] = {
		[LABEL_SERVICE] = "service", [LABEL_UNIT] = "unit",	      [LABEL_CONTAINER] = "container",
		[LABEL_POD] = "pod",	     [LABEL_NAMESPACE] = "namespace", [LABEL_VERSION] = "version",
		[LABEL_CGROUP] = "cgroup",   [LABEL_HOST] = "host",
	};

	return names[which];
}

static const struct dusk_cgroup *cgroup_of(const struct dusk_profile *p, const struct dusk_thread *t)
{
	static const struct dusk_cgroup none = {"", "", "", "", "", "", ""};

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
	case LABEL_HOST: return first_of(c->host, first_of(dusk_profile_setting(p, "hostname"), ""));
	case NR_THREAD_LABELS: break;
	}
	return "";
}

bool thread_label_matches(const struct dusk_profile *p, const struct dusk_thread *t, enum thread_label which,
			  const char *pattern)
{
	const struct dusk_cgroup *c = cgroup_of(p, t);

	switch (which) {
	case LABEL_UNIT: return pattern_is_unit(pattern, c->unit);
	case LABEL_CONTAINER: return pattern_is_container(pattern, c->container, c->container_name);
	case LABEL_CGROUP: return pattern_is_cgroup(pattern, c->path);
	default: return pattern_is(pattern, thread_label(p, t, which));
	}
}
