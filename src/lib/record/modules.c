/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/modules.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "base/cleanup.h"
#include "base/map.h"
#include "base/vec.h"
#include "lib/buildid.h"
#include "lib/process/jitdump.h"
#include "lib/process/module_event.h"
#include "lib/process/perfmap.h"
#include "lib/shared/probe.h"

#define SPARE_FDS 64 /* descriptors left for the rest of this process */

struct modules_known {
	struct profile_writer *writer;
	struct map by_id;    /* module number -> index; and ANON_KEY(pid) -> index */
	struct vec(int) fds; /* by index */
	size_t nr_open, max_open;
	uint32_t kernel;
};

#define ANON_KEY(pid) (1ULL << 32 | (uint32_t)(pid))

struct modules_known *modules_new(struct profile_writer *w)
{
	struct modules_known *m = calloc(1, sizeof(*m));
	char build_id[BUILDID_TEXT_BYTES];
	struct dusk_module kernel = {.kind = DUSK_MODULE_KERNEL, .path = "[kernel]", .build_id = build_id};
	struct rlimit limit;

	if (!m)
		return NULL;
	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
		m->max_open = limit.rlim_cur > 2 * SPARE_FDS ? limit.rlim_cur - SPARE_FDS : 0;
	}
	m->writer = w;
	probe_kernel_build_id(build_id, sizeof(build_id));
	m->kernel = profile_module(w, &kernel);
	return m;
}

void modules_free(struct modules_known *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->fds.nr; i++)
		closep(&m->fds.v[i]);
	vec_done(&m->fds);
	map_done(&m->by_id);
	free(m);
}

/* Keep @fd, which may be -1, for module @index. */
static void keep(struct modules_known *m, uint32_t index, int fd)
{
	while (m->fds.nr <= index)
		if (vec_push(&m->fds, -1)) {
			closep(&fd);
			return;
		}
	if (fd < 0)
		return;
	if (m->fds.v[index] >= 0 || m->nr_open >= m->max_open) {
		close(fd);
		return;
	}
	m->fds.v[index] = fd;
	m->nr_open++;
}

static bool is_open(const struct modules_known *m, uint32_t index)
{
	return index < m->fds.nr && m->fds.v[index] >= 0;
}

void modules_learn(struct modules_known *m, const struct event_module *e)
{
	struct module_event met;
	uint32_t *index;
	bool added;

	module_event_read(&met, e);
	index = map_at(&m->by_id, e->id, &added);
	if (!index)
		return;
	if (added)
		*index = profile_module(m->writer, &met.module);
	else
		profile_module_update(m->writer, *index, &met.module);
	/* When names are looked up, the file may be deleted, or its mount namespace gone. */
	keep(m, *index, module_event_open(&met, e));
}

/*
 * Open what a JIT writes about the code of @pid. A dump exists before the code does, and is more expensive to look for
 * than a map, which may come later; so look for it only the @first time.
 */
static int open_names(pid_t pid, bool first)
{
	int fd = first ? jitdump_open(pid) : -ENOENT;

	return fd < 0 ? perfmap_open(pid) : fd;
}

static uint32_t anon_index(struct modules_known *m, pid_t pid, bool *first)
{
	struct dusk_module mod = {.kind = DUSK_MODULE_ANON, .pid = pid, .path = "[anon]", .build_id = ""};
	uint32_t *index = map_at(&m->by_id, ANON_KEY(pid), first);

	if (!index)
		return 0;
	if (*first)
		*index = profile_module(m->writer, &mod);
	return *index;
}

uint32_t modules_index(struct modules_known *m, uint32_t id, pid_t pid)
{
	char name[32];
	struct dusk_module mod = {.kind = DUSK_MODULE_FILE, .pid = pid, .path = name, .build_id = ""};
	uint32_t *index, anon;
	bool added;

	if (id == FRAME_KERNEL)
		return m->kernel;
	if (id == FRAME_ANON) {
		anon = anon_index(m, pid, &added);
		if (anon && !is_open(m, anon))
			keep(m, anon, open_names(pid, added));
		return anon;
	}
	index = map_at(&m->by_id, id, &added);
	if (!index)
		return 0;
	if (added) { /* its event was lost, or is still to come */
		snprintf(name, sizeof(name), "[module %u]", id);
		*index = profile_module(m->writer, &mod);
	}
	return *index;
}

const int *modules_fds(const struct modules_known *m, uint32_t *nr)
{
	*nr = m->fds.nr;
	return m->fds.v;
}
