/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Find modules with unnamed frames. See missing_symbols.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "report/model/label.h"
#include "report/model/missing_symbols.h"
#include "report/text.h"

#define MAX_SHOWN 10

/* Add @weight to each module that has an unnamed frame on the path from @node to the root. */
static void add_stack(const struct dusk_profile *p, const bool *frame, uint32_t node, uint64_t weight, uint32_t *last,
		      uint64_t *of_module)
{
	for (uint32_t at = node; at; at = p->nodes[at].parent) {
		uint32_t module = p->frames[p->nodes[at].frame].module;

		if (!frame[p->nodes[at].frame] || last[module] == node)
			continue;
		last[module] = node;
		of_module[module] += weight;
	}
}

static int by_weight(const void *a, const void *b)
{
	const struct missing_symbols *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->module < y->module ? -1 : x->module > y->module;
}

int missing_symbols_find(struct missing_symbols **ret, size_t *nr, const struct dusk_profile *p, enum time_base kind)
{
	_cleanup_(freep) bool *frame = calloc(p->nr_frames + 1UL, sizeof(*frame));
	_cleanup_(freep) uint64_t *weight = calloc(p->nr_nodes + 1UL, sizeof(*weight));
	_cleanup_(freep) uint32_t *last = calloc(p->nr_modules + 1UL, sizeof(*last));
	_cleanup_(freep) uint64_t *of_module = calloc(p->nr_modules + 1UL, sizeof(*of_module));
	struct vec(struct missing_symbols) found = {0};

	if (!frame || !weight || !last || !of_module)
		return -ENOMEM;
	for (uint32_t i = 1; i < p->nr_frames; i++)
		frame[i] = dusk_frame_lacks_symbol(p, &p->frames[i]);
	for (uint64_t i = 0; i < p->nr_samples; i++)
		if (time_base_has(kind, p->samples[i].source))
			weight[p->samples[i].node] += kind_counts(kind) ? p->samples[i].count : p->samples[i].value_ns;
	for (uint32_t i = 1; i < p->nr_nodes; i++)
		if (weight[i])
			add_stack(p, frame, i, weight[i], last, of_module);
	for (uint32_t i = 1; i < p->nr_modules; i++)
		if (of_module[i] && vec_push(&found, ((struct missing_symbols){i, of_module[i]}))) {
			vec_done(&found);
			return -ENOMEM;
		}
	if (found.nr)
		qsort(found.v, found.nr, sizeof(*found.v), by_weight);
	*nr = found.nr;
	*ret = vec_steal(&found);
	return 0;
}

static void show_module(FILE *out, const struct dusk_profile *p, const struct missing_symbols *n, enum time_base kind)
{
	const struct dusk_module *m = &p->modules[n->module];
	char remedy[512];

	if (kind_counts(kind))
		fprintf(out, "# %9" PRIu64 "  ", n->weight);
	else
		fprintf(out, "# %7.3f s  ", n->weight / 1e9);
	text_write(out, module_name(p, n->module), TEXT_TERMINAL);
	if (*m->build_id) {
		fputs(", build id ", out);
		text_write(out, m->build_id, TEXT_TERMINAL);
	}
	dusk_symbol_hint(p, n->module, remedy, sizeof(remedy));
	fputs(": ", out);
	text_write(out, remedy, TEXT_TERMINAL);
	putc('\n', out);
}

void missing_symbols_show(FILE *out, const struct dusk_profile *p, enum time_base kind)
{
	_cleanup_(freep) struct missing_symbols *found = NULL;
	size_t nr;

	if (missing_symbols_find(&found, &nr, p, kind) || !nr)
		return;
	fprintf(out, "#\n# %s with functions that have no name, and what would help:\n",
		kind == TIME_BASE_EVENT ? "Occurrences"
		: kind == TIME_BASE_CPU ? "Samples"
					: "Time");
	for (size_t i = 0; i < nr && i < MAX_SHOWN; i++)
		show_module(out, p, &found[i], kind);
	if (nr > MAX_SHOWN)
		fprintf(out, "# and in %zu modules more\n", nr - MAX_SHOWN);
}
