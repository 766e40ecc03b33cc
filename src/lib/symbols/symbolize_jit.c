/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Name code in memory without a file, by what its JIT wrote (jitdump.h, perfmap.h). */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/descriptor.h"
#include "lib/process/jitdump.h"
#include "lib/process/perfmap.h"
#include "lib/symbols/symbolizer.h"

static void note_time(uint64_t *of_node, const struct dusk_sample *s)
{
	if (s->time_ns > of_node[s->node])
		of_node[s->node] = s->time_ns;
}

/*
 * Find when each frame was sampled last: if memory was reused, the time says which function it was. Computed once for
 * all modules, as it reads all samples.
 */
static int find_times(struct symbolizer *s)
{
	const struct dusk_profile *p = s->p;
	const char *start = dusk_profile_setting(p, "start_monotonic_ns");
	uint64_t start_ns = start ? strtoull(start, NULL, 10) : 0;
	_cleanup_(freep) uint64_t *of_node = calloc(p->nr_nodes + 1UL, sizeof(*of_node));
	_cleanup_(freep) uint64_t *of_frame = calloc(p->nr_frames + 1UL, sizeof(*of_frame));

	if (!of_node || !of_frame)
		return -ENOMEM;
	for (uint64_t i = 0; i < p->nr_samples; i++)
		note_time(of_node, &p->samples[i]);
	for (uint64_t i = 0; i < p->nr_occurrences; i++)
		note_time(of_node, &p->occurrences[i].sample);
	for (uint32_t i = p->nr_nodes; i-- > 1;) {
		const struct dusk_node *n = &p->nodes[i];

		if (of_node[i] > of_node[n->parent])
			of_node[n->parent] = of_node[i];
		if (of_node[i] + start_ns > of_frame[n->frame])
			of_frame[n->frame] = of_node[i] + start_ns;
	}
	s->seen_ns = steal(of_frame);
	return 0;
}

static int name_by_dump(struct symbolizer *s, const struct jitdump *dump, const struct group *g)
{
	int rc = s->seen_ns ? 0 : find_times(s);

	for (uint32_t i = 0; !rc && i < g->nr; i++) {
		struct dusk_frame *f = &s->p->frames[g->frames[i]];
		uint64_t start;
		const char *name = jitdump_find(dump, f->offset - f->is_return, s->seen_ns[g->frames[i]], &start);

		if (name)
			rc = symbolizer_name(s, f, name, "[anon]", start);
		rc = rc ?: symbolizer_step(s);
	}
	return rc;
}

static int name_by_map(struct symbolizer *s, const struct perfmap *map, const struct group *g)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < g->nr; i++) {
		struct dusk_frame *f = &s->p->frames[g->frames[i]];
		uint64_t start;
		const char *name = perfmap_find(map, f->offset - f->is_return, &start);

		if (name)
			rc = symbolizer_name(s, f, name, "[anon]", start);
		rc = rc ?: symbolizer_step(s);
	}
	return rc;
}

/* Open what the JIT of @pid wrote, preferably the jitdump. Returns a descriptor or a negative errno. */
static int open_names(pid_t pid)
{
	int fd = jitdump_open(pid);

	return fd < 0 ? perfmap_open(pid) : fd;
}

static uint64_t *addresses_of(const struct symbolizer *s, const struct group *g)
{
	uint64_t *ret = calloc(g->nr + 1UL, sizeof(*ret));

	for (uint32_t i = 0; ret && i < g->nr; i++)
		ret[i] = s->p->frames[g->frames[i]].offset - s->p->frames[g->frames[i]].is_return;
	return ret;
}

/* Use @fd as a jitdump or, if it is none, as a perf map. */
static int name_by_file(struct symbolizer *s, int fd, const struct group *g)
{
	_cleanup_(freep) uint64_t *addresses = addresses_of(s, g);
	struct jitdump *dump;
	struct perfmap *map;
	int rc = addresses ? jitdump_read(&dump, fd, addresses, g->nr) : -ENOMEM;

	if (!rc) {
		rc = name_by_dump(s, dump, g);
		jitdump_free(dump);
		return rc;
	}
	if (rc != -EINVAL)
		return rc;
	rc = perfmap_read(&map, fd, addresses, g->nr);
	if (!rc) {
		rc = name_by_map(s, map, g);
		perfmap_free(map);
	}
	return rc;
}

int symbolize_anon(struct symbolizer *s, uint32_t module, const struct group *g)
{
	int given = s->opts->module_fd ? s->opts->module_fd[module] : -1;
	_cleanup_(closep) int fd = given >= 0 ? descriptor_copy(given) : open_names(s->p->modules[module].pid);
	int rc = fd < 0 ? fd : name_by_file(s, fd, g);

	if (rc == -EFBIG) {
		s->first_large = s->large++ ? s->first_large : s->p->modules[module].pid;
		rc = 0;
	}
	return rc == -ENOMEM || rc == -ECANCELED ? rc : 0;
}
