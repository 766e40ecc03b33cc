/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which program is a profile of? See program.h. */
#include "report/model/program.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/map.h"
#include "base/strings.h"

static const char *function_of(const struct dusk_profile *p, uint32_t node)
{
	const struct dusk_frame *f = &p->frames[p->nodes[node].frame];

	return f->function ? p->functions[f->function].name : "";
}

static uint32_t module_of(const struct dusk_profile *p, uint32_t node)
{
	uint32_t module = p->frames[p->nodes[node].frame].module;

	return p->modules[module].kind == DUSK_MODULE_FILE ? module : 0;
}

/* Does @node show what the program is? Returns its module, or 0. */
static uint32_t shown_by(const struct dusk_profile *p, uint32_t node)
{
	static const char *const mains[] = {"main", "main.main", "runtime.main", "runtime.goexit"};
	uint32_t parent = p->nodes[node].parent;
	const char *function = function_of(p, node);

	for (size_t i = 0; i < sizeof(mains) / sizeof(mains[0]); i++)
		if (!strncmp(function, mains[i], strlen(mains[i])) && strchr(".", function[strlen(mains[i])]))
			return module_of(p, node);
	return parent && !strncmp(function, "__libc_start", strlen("__libc_start")) &&
			       module_of(p, parent) != module_of(p, node)
		       ? module_of(p, parent)
		       : 0;
}

/* The program of each process, by what any of its threads shows: in @of, by PID. */
static int find_programs(struct map *of, const struct dusk_profile *p, const uint32_t *shown)
{
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		uint32_t *module;
		bool fresh;

		if (!shown[s->node])
			continue;
		module = map_at(of, p->threads[s->thread].pid, &fresh);
		if (!module)
			return -ENOMEM;
		*module = shown[s->node];
	}
	return 0;
}

static int weigh(uint32_t *ret, const struct dusk_profile *p, struct map *of, uint32_t source)
{
	_cleanup_(freep) uint64_t *ns = calloc((size_t)p->nr_modules + 1, sizeof(*ns));
	uint32_t best = 0;

	if (!ns)
		return -ENOMEM;
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		const uint32_t *module = map_find(of, p->threads[s->thread].pid);

		if (module && s->source == source)
			ns[*module] += s->value_ns;
	}
	for (uint32_t i = 1; i < p->nr_modules; i++)
		if (ns[i] > ns[best])
			best = i;
	*ret = best;
	return 0;
}

int program_of(uint32_t *ret, const struct dusk_profile *p)
{
	_cleanup_(freep) uint32_t *shown = calloc((size_t)p->nr_nodes + 1, sizeof(*shown));
	_cleanup_(map_done) struct map of = {0};
	int err = shown ? 0 : -ENOMEM;

	for (uint32_t i = 1; i < p->nr_nodes && !err; i++) { /* callers come before */
		shown[i] = p->nodes[i].frame ? shown_by(p, i) : 0;
		shown[i] = shown[i] ?: shown[p->nodes[i].parent];
	}
	*ret = 0;
	err = err ?: find_programs(&of, p, shown);
	err = err ?: weigh(ret, p, &of, DUSK_CPU);
	return err || *ret ? err : weigh(ret, p, &of, DUSK_OFF_CPU);
}

const char *program_name(const struct dusk_profile *p, uint32_t module)
{
	const char *path = p->modules[module].path, *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Return the name of frame @i, if it is a function of @module that not each program has; else NULL. */
static const char *own_function(const struct dusk_profile *p, uint32_t i, uint32_t module)
{
	const struct dusk_frame *f = &p->frames[i];
	const char *name = f->function ? p->functions[f->function].name : "";

	return f->module == module && *name && *name != '_' && strcmp(name, "main") != 0 ? name : NULL;
}

int program_shares(bool *ret, const struct dusk_profile *p, uint32_t a, const struct dusk_profile *q, uint32_t b)
{
	_cleanup_(strings_done) struct strings known = {0};
	uint32_t number, nr;
	const char *name;
	int err = 0;

	for (uint32_t i = 1; i < p->nr_frames && !err; i++) {
		name = own_function(p, i, a);
		err = name ? strings_number(&known, name, strlen(name), &number, NULL) : 0;
	}
	nr = known.nr;
	*ret = false;
	for (uint32_t i = 1; i < q->nr_frames && !err && !*ret; i++) {
		name = own_function(q, i, b);
		err = name ? strings_number(&known, name, strlen(name), &number, NULL) : 0;
		*ret = name && !err && number < nr;
	}
	return err;
}
