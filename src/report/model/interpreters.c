/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Find interpreters with stacks that show nothing of what they interpret. See interpreters.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/map.h"
#include "base/vec.h"
#include "report/model/interpreters.h"
#include "report/model/label.h"
#include "report/model/native.h"
#include "report/text.h"

#define MAX_SHOWN 10
#define PERF_PYTHON 12 /* the first 3.x with trampolines for each function */

enum interpreted { PYTHON, PERL, PHP, RUBY, NR_INTERPRETED };

/* By the beginning of a file's name. The second one is of Python before 3.12. */
static const struct {
	const char *file, *remedy;
	enum interpreted language;
} interpreters[] = {
	{"python3.", "python3 -X perf, or PYTHONPERFSUPPORT=1 in its environment", PYTHON},
	{"python", "Python 3.12 and newer shows its functions (python3 -X perf), this one does not", PYTHON},
	{"perl", "nothing: functions of Perl 5.36, 5.40 and 5.42 are shown, if it is built with threads", PERL},
	{"php",
	 "nothing: functions of PHP 8.2 and 8.4 are shown, built without threads, but not what the JIT of 8.2 made "
	 "code of",
	 PHP},
	{"ruby", "nothing: functions of Ruby 3.1 and 3.3 are shown", RUBY},
};

#define NR_INTERPRETERS (sizeof(interpreters) / sizeof(interpreters[0]))

/* The number of the interpreter whose file is called @name; NR_INTERPRETERS: it is none. */
static size_t find_interpreter(const char *name)
{
	size_t i = 0;

	if (!strncmp(name, "lib", 3))
		name += 3;
	while (i < NR_INTERPRETERS && strncmp(name, interpreters[i].file, strlen(interpreters[i].file)))
		i++;
	if (!i && atoi(name + strlen(interpreters[0].file)) < PERF_PYTHON)
		i++;
	return i;
}

struct finder {
	const struct dusk_profile *p;
	const char **remedy;   /* by module */
	uint32_t *interpreter; /* by node: the module of the outermost frame of one; 0: there is none */
	bool *named; /* by node: it, or a caller, is a function of the language, by itself or as code of a JIT */
	struct map says_names;	    /* by PID */
	uint64_t *weight;	    /* by module */
	bool shown[NR_INTERPRETED]; /* code of the language was recorded */
};

/* Find the languages whose code was recorded. */
static int find_shown(struct finder *f)
{
	const struct dusk_profile *p = f->p;
	_cleanup_(freep) bool *interprets = calloc(p->nr_modules + 1UL, sizeof(*interprets));

	if (!interprets)
		return -ENOMEM;
	native_interpreters(p, interprets);
	for (uint32_t i = 1; i < p->nr_modules; i++) {
		size_t which = interprets[i] ? find_interpreter(module_name(p, i)) : NR_INTERPRETERS;

		if (which < NR_INTERPRETERS)
			f->shown[interpreters[which].language] = true;
	}
	return 0;
}

/* NULL: the file @name is no interpreter, or one of a language whose functions are shown. */
static const char *remedy_of(const struct finder *f, const char *name)
{
	size_t i = find_interpreter(name);

	return i == NR_INTERPRETERS || f->shown[interpreters[i].language] ? NULL : interpreters[i].remedy;
}

/* Does @frame show a function of a language? */
static bool names_function(const struct dusk_profile *p, const struct dusk_frame *frame)
{
	enum dusk_module_kind kind = p->modules[frame->module].kind;

	return kind == DUSK_MODULE_SOURCE || (kind == DUSK_MODULE_ANON && !dusk_frame_lacks_symbol(p, frame));
}

static int examine_nodes(struct finder *f)
{
	const struct dusk_profile *p = f->p;

	f->remedy = calloc(p->nr_modules + 1UL, sizeof(*f->remedy));
	f->weight = calloc(p->nr_modules + 1UL, sizeof(*f->weight));
	f->interpreter = calloc(p->nr_nodes + 1UL, sizeof(*f->interpreter));
	f->named = calloc(p->nr_nodes + 1UL, sizeof(*f->named));
	if (!f->remedy || !f->weight || !f->interpreter || !f->named)
		return -ENOMEM;
	for (uint32_t i = 1; i < p->nr_modules; i++)
		f->remedy[i] = p->modules[i].kind == DUSK_MODULE_FILE ? remedy_of(f, module_name(p, i)) : NULL;
	for (uint32_t i = 1; i < p->nr_nodes; i++) {
		const struct dusk_frame *frame = &p->frames[p->nodes[i].frame];
		uint32_t up = p->nodes[i].parent;

		f->interpreter[i] = f->interpreter[up] ?: f->remedy[frame->module] ? frame->module : 0;
		f->named[i] = f->named[up] || names_function(p, frame);
	}
	return 0;
}

static pid_t pid_of(const struct finder *f, const struct dusk_sample *s)
{
	return f->p->threads[s->thread].pid;
}

static int find_names(struct finder *f)
{
	bool fresh;

	for (uint64_t i = 0; i < f->p->nr_samples; i++)
		if (f->named[f->p->samples[i].node] &&
		    !map_at(&f->says_names, (uint32_t)pid_of(f, &f->p->samples[i]), &fresh))
			return -ENOMEM;
	return 0;
}

static void add_up(struct finder *f, enum time_base kind)
{
	for (uint64_t i = 0; i < f->p->nr_samples; i++) {
		const struct dusk_sample *s = &f->p->samples[i];

		if (f->interpreter[s->node] && time_base_has(kind, s->source) &&
		    !map_find(&f->says_names, (uint32_t)pid_of(f, s)))
			f->weight[f->interpreter[s->node]] += kind_counts(kind) ? s->count : s->value_ns;
	}
}

static int by_weight(const void *a, const void *b)
{
	const struct interpreter *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->module < y->module ? -1 : x->module > y->module;
}

static int list(struct interpreter **ret, size_t *nr, const struct finder *f)
{
	struct vec(struct interpreter) found = {0};

	for (uint32_t i = 1; i < f->p->nr_modules; i++)
		if (f->weight[i] && vec_push(&found, ((struct interpreter){i, f->remedy[i], f->weight[i]}))) {
			vec_done(&found);
			return -ENOMEM;
		}
	if (found.nr)
		qsort(found.v, found.nr, sizeof(*found.v), by_weight);
	*nr = found.nr;
	*ret = vec_steal(&found);
	return 0;
}

int interpreters_find(struct interpreter **ret, size_t *nr, const struct dusk_profile *p, enum time_base kind)
{
	struct finder f = {.p = p};
	int err = find_shown(&f) ?: examine_nodes(&f) ?: find_names(&f);

	if (!err) {
		add_up(&f, kind);
		err = list(ret, nr, &f);
	}
	free(f.remedy);
	free(f.weight);
	free(f.interpreter);
	free(f.named);
	map_done(&f.says_names);
	return err;
}

void interpreters_show(FILE *out, const struct dusk_profile *p, enum time_base kind)
{
	_cleanup_(freep) struct interpreter *found = NULL;
	size_t nr;

	if (interpreters_find(&found, &nr, p, kind) || !nr)
		return;
	fprintf(out,
		"#\n# %s in interpreters, without the functions of the programs that these run, and what would help:\n",
		kind == TIME_BASE_EVENT ? "Occurrences"
		: kind == TIME_BASE_CPU ? "Samples"
					: "Time");
	for (size_t i = 0; i < nr && i < MAX_SHOWN; i++) {
		if (kind_counts(kind))
			fprintf(out, "# %9" PRIu64 "  ", found[i].weight);
		else
			fprintf(out, "# %7.3f s  ", found[i].weight / 1e9);
		text_write(out, module_name(p, found[i].module), TEXT_TERMINAL);
		fprintf(out, ": %s\n", found[i].remedy);
	}
	if (nr > MAX_SHOWN)
		fprintf(out, "# and in %zu modules more\n", nr - MAX_SHOWN);
}
