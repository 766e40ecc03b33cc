/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The cgroups of a recording. See cgroups.h. */
#include "lib/record/cgroups.h"
#include <errno.h>
#include <fts.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "lib/process/cgroup_path.h"
#include "lib/process/container_name.h"

#define MAX_LOOKS 10 /* for the name of a container; one a second */

int cgroups_learn(struct cgroups *c, uint64_t id, const char *path)
{
	struct known_cgroup k = {.path = ""};
	uint32_t *at;
	bool fresh;

	if (c->known.nr >= CGROUPS_MAX) {
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
	return 0;
}

int cgroups_scan_folder(struct cgroups *c, const char *folder)
{
	char *const roots[] = {(char *)folder, NULL};
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	int ret = tree ? 0 : -errno;
	struct stat st;
	FTSENT *e;

	while (!ret && (e = fts_read(tree)))
		if (e->fts_info == FTS_D && !stat(e->fts_accpath, &st))
			ret = cgroups_learn(c, st.st_ino, e->fts_path + strlen(folder));
	if (tree)
		fts_close(tree);
	return ret;
}

int cgroups_scan(struct cgroups *c)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *m;
	int ret = -ENOENT;

	while (mounts && ret && (m = getmntent(mounts)))
		if (!strcmp(m->mnt_type, "cgroup2"))
			ret = cgroups_scan_folder(c, m->mnt_dir);
	if (mounts)
		endmntent(mounts);
	return ret;
}

/* Write what is known of @k by now. */
static void write(const struct cgroups *c, struct profile_writer *w, struct known_cgroup *k)
{
	struct container_name name = {""};
	struct cgroup_place place;

	cgroup_parse(&place, k->path);
	k->named = !*place.container || container_find_name(&name, c->root ? c->root : "", place.container);
	if (k->number && !k->named)
		return;
	k->number = profile_cgroup(w, &(struct dusk_cgroup){
					      .path = k->path,
					      .container = place.container,
					      .container_name = name.container,
					      .pod = *name.pod ? name.pod : place.pod,
					      .pod_namespace = name.pod_namespace,
					      .unit = place.unit,
				      });
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
}

void cgroups_done(struct cgroups *c)
{
	map_done(&c->of);
	vec_done(&c->known);
	vec_done(&c->unnamed);
	strings_done(&c->paths);
}
