/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The cgroups of a recording. See cgroups.h. */
#include "lib/record/cgroups.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/cgroup_tree.h"
#include "lib/process/cgroup_path.h"
#include "lib/process/container_name.h"

#define MAX_LOOKS 10 /* for the name of a container; one a second */

/* What is known of a cgroup by now. */
struct facts {
	struct cgroup_place place;
	struct container_name name;
	struct dusk_cgroup is;
	bool named; /* or there is nothing to name */
};

static void look_up(const struct cgroups *c, const char *path, struct facts *ret)
{
	memset(&ret->name, 0, sizeof(ret->name));
	cgroup_parse(&ret->place, path);
	ret->named =
		!*ret->place.container || container_find_name(&ret->name, c->root ? c->root : "", ret->place.container);
	ret->is = (struct dusk_cgroup){
		.path = path,
		.container = ret->place.container,
		.container_name = ret->name.container,
		.pod = *ret->name.pod ? ret->name.pod : ret->place.pod,
		.pod_namespace = ret->name.pod_namespace,
		.unit = ret->place.unit,
	};
}

/* Returns false if it must be asked again. */
static bool ask(struct cgroups *c, uint64_t id, const struct facts *known)
{
	int ret = c->choose(c->ctx, id, &known->is);

	c->refused += ret < 0;
	c->chosen += ret > 0;
	return ret || known->named;
}

/* Returns 0 or -ENOMEM. */
static int choose(struct cgroups *c, uint64_t id, const char *path)
{
	struct facts known;

	look_up(c, path, &known);
	return ask(c, id, &known) ? 0 : vec_push(&c->later, ((struct later_cgroup){id, path, 0}));
}

int cgroups_learn(struct cgroups *c, uint64_t id, const char *path)
{
	struct known_cgroup k = {.path = ""};
	uint32_t *at;
	bool fresh;

	if (c->known.nr >= CGROUPS_MAX || c->paths_bytes > PATHS_MAX_BYTES) {
		c->refused++;
		return 0;
	}
	at = map_at(&c->of, id, &fresh);
	if (!at)
		return -ENOMEM;
	if (!fresh)
		return 0;
	k.path = strings_intern(&c->paths, *path ? path : "/");
	if (!k.path || vec_push(&c->known, k))
		return -ENOMEM;
	*at = c->known.nr;
	c->paths_bytes += strlen(path);
	return c->choose ? choose(c, id, k.path) : 0;
}

struct scan {
	struct cgroups *cgroups;
	size_t root_bytes; /* of the path of where the hierarchy is mounted */
};

static int learn_folder(void *ctx, const char *path, uint64_t id)
{
	const struct scan *s = ctx;

	return cgroups_learn(s->cgroups, id, path + s->root_bytes);
}

int cgroups_scan_folder(struct cgroups *c, const char *folder)
{
	return cgroup_tree_each(folder, learn_folder, &(struct scan){c, strlen(folder)});
}

int cgroups_scan(struct cgroups *c)
{
	char folder[PATH_MAX];

	return cgroup_tree_find(folder) ? cgroups_scan_folder(c, folder) : -ENOENT;
}

/* Write what is known of @k by now. */
static void write(const struct cgroups *c, struct profile_writer *w, struct known_cgroup *k)
{
	struct facts known;

	look_up(c, k->path, &known);
	k->named = known.named;
	if (!k->number || k->named)
		k->number = profile_cgroup(w, &known.is);
}

static uint32_t number_at(struct cgroups *c, struct profile_writer *w, uint32_t at)
{
	struct known_cgroup *k = &c->known.v[at];

	if (!k->number) {
		write(c, w, k);
		if (!k->named && vec_push(&c->unnamed, at))
			k->named = true;
	}
	return k->number;
}

uint32_t cgroups_number(struct cgroups *c, struct profile_writer *w, uint64_t id)
{
	const uint32_t *at = id ? map_find(&c->of, id) : NULL;

	return at && *at ? number_at(c, w, *at - 1) : 0;
}

uint32_t cgroups_number_of(struct cgroups *c, struct profile_writer *w, const char *path)
{
	const char *text = strings_intern(&c->paths, path);

	for (size_t i = 0; text && i < c->known.nr; i++)
		if (c->known.v[i].path == text)
			return number_at(c, w, i);
	return text && c->known.nr < CGROUPS_MAX && !vec_push(&c->known, (struct known_cgroup){.path = text})
		       ? number_at(c, w, c->known.nr - 1)
		       : 0;
}

/* Look again at containers that were not chosen, and had no name by which they could be. */
static void choose_later(struct cgroups *c)
{
	size_t left = 0;

	for (size_t i = 0; i < c->later.nr; i++) {
		struct later_cgroup l = c->later.v[i];
		struct facts known;

		look_up(c, l.path, &known);
		if (!known.named && ++l.looks < MAX_LOOKS)
			c->later.v[left++] = l;
		else if (known.named)
			ask(c, l.id, &known);
	}
	c->later.nr = left;
}

void cgroups_name(struct cgroups *c, struct profile_writer *w)
{
	size_t left = 0;

	for (size_t i = 0; i < c->unnamed.nr; i++) {
		struct known_cgroup *k = &c->known.v[c->unnamed.v[i]];

		write(c, w, k);
		if (!k->named && ++k->looks < MAX_LOOKS)
			c->unnamed.v[left++] = c->unnamed.v[i];
	}
	c->unnamed.nr = left;
	choose_later(c);
}

void cgroups_done(struct cgroups *c)
{
	map_done(&c->of);
	vec_done(&c->known);
	vec_done(&c->unnamed);
	vec_done(&c->later);
	strings_done(&c->paths);
}
