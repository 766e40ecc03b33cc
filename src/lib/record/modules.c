/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/modules.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/map.h"
#include "lib/buildid.h"
#include "lib/process/module_event.h"
#include "lib/record/module_fds.h"
#include "lib/unwinder/probe.h"

struct modules_known {
	struct profile_writer *writer;
	struct map by_id; /* module number -> index; and ANON_KEY(pid) -> index */
	struct jits *jits;
	struct module_fds fds;
	uint64_t allowed, left_out; /* files */
	uint32_t kernel;
	int named; /* module events by module number, or -1 */
};

#define ANON_KEY(pid) (1ULL << 32 | (uint32_t)(pid))

struct modules_known *modules_new(struct profile_writer *w, struct jits *jits)
{
	struct modules_known *m = calloc(1, sizeof(*m));
	char build_id[BUILDID_TEXT_BYTES];
	struct dusk_module kernel = {.kind = DUSK_MODULE_KERNEL, .path = "[kernel]", .build_id = build_id};

	if (!m)
		return NULL;
	module_fds_init(&m->fds);
	m->jits = jits;
	m->allowed = UINT64_MAX;
	m->named = -1;
	m->writer = w;
	probe_kernel_build_id(build_id, sizeof(build_id));
	m->kernel = profile_module(w, &kernel);
	return m;
}

void modules_free(struct modules_known *m)
{
	if (!m)
		return;
	module_fds_done(&m->fds);
	map_done(&m->by_id);
	free(m);
}

void modules_ask(struct modules_known *m, int named)
{
	m->named = named;
}

/* When names are looked up, the file may be deleted, or its mount namespace gone. */
static int open_file(struct modules_known *m, struct module_event *met, const struct event_module *e)
{
	if (!m->allowed) {
		m->left_out++;
		return -EDQUOT;
	}
	m->allowed--;
	return module_event_open(met, e);
}

void modules_learn(struct modules_known *m, const struct event_module *e)
{
	_cleanup_(closep) int fd = -1;
	struct module_event met;
	uint32_t *index;
	bool added;

	module_event_read(&met, e);
	fd = open_file(m, &met, e);
	index = map_at(&m->by_id, e->id, &added);
	if (!index)
		return;
	if (added)
		*index = profile_module(m->writer, &met.module);
	else
		profile_module_update(m->writer, *index, &met.module);
	module_fds_keep(&m->fds, *index, steal_fd(&fd));
}

static uint32_t anon_index(struct modules_known *m, pid_t pid)
{
	struct dusk_module mod = {.kind = DUSK_MODULE_ANON, .pid = pid, .path = "[anon]", .build_id = ""};
	bool added;
	uint32_t *index = map_at(&m->by_id, ANON_KEY(pid), &added);

	if (!index)
		return 0;
	if (added)
		*index = profile_module(m->writer, &mod);
	return *index;
}

uint32_t modules_index(struct modules_known *m, uint32_t id, pid_t pid)
{
	char name[32];
	struct dusk_module mod = {.kind = DUSK_MODULE_FILE, .pid = pid, .path = name, .build_id = ""};
	struct event_module e;
	uint32_t *index;
	bool added;

	if (id == FRAME_KERNEL)
		return m->kernel;
	if (id == FRAME_ANON)
		return anon_index(m, pid);
	if (!map_find(&m->by_id, id) && m->named >= 0 && !bpf_map_lookup_elem(m->named, &id, &e))
		modules_learn(m, &e);
	index = map_at(&m->by_id, id, &added);
	if (!index)
		return 0;
	if (added) { /* it is not known there, either */
		snprintf(name, sizeof(name), "[module %u]", id);
		*index = profile_module(m->writer, &mod);
	}
	return *index;
}

void modules_open_jit(struct modules_known *m, pid_t pid)
{
	if (m->jits)
		jits_look(m->jits, pid);
}

void modules_allow(struct modules_known *m, uint64_t files)
{
	m->allowed = files;
}

uint64_t modules_left_out(const struct modules_known *m)
{
	return m->left_out;
}

const int *modules_fds(const struct modules_known *m, uint32_t *nr)
{
	*nr = m->fds.fds.nr;
	return m->fds.fds.v;
}
