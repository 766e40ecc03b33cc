/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Find programs with stacks that end in JIT code without frame pointers. See missing_frame_pointers.h.
 *
 * Such a stack may have nothing but code without a file. So the runtime of a process is recognized by the files in all
 * of its stacks.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/map.h"
#include "base/vec.h"
#include "report/model/missing_frame_pointers.h"
#include "report/model/label.h"
#include "report/text.h"

/* By prefix of a file's name; the last one is for all other files. */
static const struct {
	const char *file, *remedy;
} runtimes[] = {
	{"libjvm.so", "Java 17, 21 and 25 need none; others: java -XX:+PreserveFramePointer"},
	{"node", "node --interpreted-frames-native-stack --perf-basic-prof"},
	{"libnode.so", "node --interpreted-frames-native-stack --perf-basic-prof"},
	{"luajit", "LuaJIT's traces have none: luajit -joff"},
	{"libluajit", "LuaJIT's traces have none: jit.off()"},
	{"libpcre", "PCRE makes code of patterns: php -d pcre.jit=0"},
	{"", "have its compiler keep frame pointers"},
};

#define NR_RUNTIMES (sizeof(runtimes) / sizeof(runtimes[0]))

static uint32_t runtime_of_file(const struct dusk_profile *p, uint32_t module)
{
	const char *name = module_name(p, module);
	uint32_t i = 0;

	while (strncmp(name, runtimes[i].file, strlen(runtimes[i].file)))
		i++;
	return i;
}

/* Find the runtime of each process: the first of the table with a file in any of its stacks. @of: by PID. */
static int find_runtimes(struct map *of, const struct dusk_profile *p)
{
	_cleanup_(freep) uint32_t *file = calloc(p->nr_modules + 1UL, sizeof(*file));
	_cleanup_(freep) uint32_t *stack = calloc(p->nr_nodes + 1UL, sizeof(*stack));

	if (!file || !stack)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->nr_modules; i++)
		file[i] = runtime_of_file(p, i);
	stack[0] = NR_RUNTIMES - 1;
	for (uint32_t i = 1; i < p->nr_nodes; i++) {
		uint32_t own = file[p->frames[p->nodes[i].frame].module], outer = stack[p->nodes[i].parent];

		stack[i] = own < outer ? own : outer;
	}
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		bool fresh;
		uint32_t *runtime = map_at(of, (uint32_t)p->threads[s->thread].pid, &fresh);

		if (!runtime)
			return -ENOMEM;
		if (fresh || stack[s->node] < *runtime)
			*runtime = stack[s->node];
	}
	return 0;
}

static const char *program_name(const struct dusk_profile *p, const struct dusk_thread *t)
{
	for (uint32_t i = 0; i < p->nr_threads; i++)
		if (p->threads[i].pid == t->pid && p->threads[i].tid == t->pid)
			t = &p->threads[i];
	return t->comm;
}

static int by_weight(const void *a, const void *b)
{
	const struct missing_fp *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return strcmp(x->program, y->program);
}

struct finder {
	const struct dusk_profile *p;
	struct map runtime, row; /* by PID: of runtimes, of found */
	struct vec(struct missing_fp) found;
};

/* The row of @t's program, which several processes may share. NULL: out of memory. */
static struct missing_fp *row_of(struct finder *f, const struct dusk_thread *t)
{
	struct missing_fp new = {0};
	bool fresh;
	uint32_t *row = map_at(&f->row, (uint32_t)t->pid, &fresh);

	if (!row)
		return NULL;
	if (!fresh)
		return &f->found.v[*row];
	new.program = program_name(f->p, t);
	new.remedy = runtimes[*map_find(&f->runtime, (uint32_t)t->pid)].remedy;
	for (*row = 0; *row < f->found.nr; ++*row)
		if (!strcmp(f->found.v[*row].program, new.program) && f->found.v[*row].remedy == new.remedy)
			return &f->found.v[*row];
	return vec_push(&f->found, new) ? NULL : &f->found.v[*row];
}

static int find(struct finder *f, uint32_t outcome, enum time_base kind)
{
	int err = 0;

	for (uint64_t i = 0; i < f->p->nr_samples; i++) {
		const struct dusk_sample *s = &f->p->samples[i];
		struct missing_fp *row;

		if (s->outcome != outcome || !time_base_has(kind, s->source))
			continue;
		if (!f->runtime.nr)
			err = find_runtimes(&f->runtime, f->p);
		row = err ? NULL : row_of(f, &f->p->threads[s->thread]);
		if (!row)
			return -ENOMEM;
		row->weight += kind_counts(kind) ? s->count : s->value_ns;
	}
	if (f->found.nr)
		qsort(f->found.v, f->found.nr, sizeof(*f->found.v), by_weight);
	return 0;
}

int missing_fp_find(struct missing_fp **ret, size_t *nr, const struct dusk_profile *p, enum time_base kind)
{
	struct finder f = {.p = p};
	uint32_t jit = 0;
	int err;

	while (jit < p->nr_outcomes && strcmp(p->outcomes[jit].name, "jit"))
		jit++;
	err = find(&f, jit, kind);
	if (!err) {
		*nr = f.found.nr;
		*ret = vec_steal(&f.found);
	}
	map_done(&f.runtime);
	map_done(&f.row);
	vec_done(&f.found);
	return err;
}

#define MAX_SHOWN 10

void missing_fp_show(FILE *out, const struct dusk_profile *p, enum time_base kind, const char *mark)
{
	_cleanup_(freep) struct missing_fp *found = NULL;
	const char *blank = *mark ? " " : "";
	size_t nr;

	if (missing_fp_find(&found, &nr, p, kind) || !nr)
		return;
	fprintf(out, "%s\n%s%s%s whose stack ends in JIT code without frame pointers, and what would help:\n", mark,
		mark, blank,
		kind == TIME_BASE_EVENT ? "Occurrences"
		: kind == TIME_BASE_CPU ? "Samples"
					: "Time");
	for (size_t i = 0; i < nr && i < MAX_SHOWN; i++) {
		if (kind_counts(kind))
			fprintf(out, "%s%s%9" PRIu64 "  ", mark, blank, found[i].weight);
		else
			fprintf(out, "%s%s%7.3f s  ", mark, blank, found[i].weight / 1e9);
		text_write(out, found[i].program, TEXT_TERMINAL);
		fprintf(out, ": %s\n", found[i].remedy);
	}
	if (nr > MAX_SHOWN)
		fprintf(out, "%s%sand %zu programs more\n", mark, blank, nr - MAX_SHOWN);
}
