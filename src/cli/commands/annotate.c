/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk annotate: show the samples of a function by source line or instruction. */
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "cli/commands/disassemble.h"
#include "cli/view/filter.h"
#include "cli/view/load_profile.h"
#include "cli/cmdline/output.h"

#define MAX_MEANT 8    /* listed functions of the same name */
#define MAX_NAMES 4096 /* functions considered for "did you mean" */

struct options {
	const char *input, *dso;
	bool source, instructions, csv, json;
	struct filter_options filter;
};

static const struct option options[] = {
	{'i', "input", OPTION_TEXT, offsetof(struct options, input), "FILE",
	 "the profile (default " DEFAULT_PROFILE ")"},
	{0, "dso", OPTION_TEXT, offsetof(struct options, dso), "NAME", "the function in this module"},
	{0, "source", OPTION_FLAG, offsetof(struct options, source), NULL, "source lines (default, if there are any)"},
	{0, "disassembly", OPTION_FLAG, offsetof(struct options, instructions), NULL, "instructions"},
	THREAD_OPTIONS(struct options, filter),
	STACK_OPTIONS(struct options, filter),
	{0, "csv", OPTION_FLAG, offsetof(struct options, csv), NULL, "comma-separated values"},
	{0, "json", OPTION_FLAG, offsetof(struct options, json), NULL, "one JSON object a line"},
	{0},
};

static void code_freep(struct dusk_code **c)
{
	dusk_code_free(*c);
}

static int refuse_name(const struct dusk_profile *p, const char *name)
{
	const char *names[MAX_NAMES + 1], *near;
	size_t nr = 0;

	for (uint32_t i = 1; i < p->nr_functions && nr < MAX_NAMES; i++)
		names[nr++] = p->functions[i].name;
	names[nr] = NULL;
	near = suggest(name, names);
	if (near)
		say("no function '%s' in the profile; did you mean '%s'?", name, near);
	else
		say("no function '%s' in the profile; 'dusk report' lists them", name);
	return STATUS_FAILED;
}

static int refuse_choice(const struct dusk_profile *p, const char *name, const uint32_t *meant, size_t nr)
{
	say("%zu functions are called '%s'; choose one by its full name or by --dso:", nr, name);
	for (size_t i = 0; i < nr && i < MAX_MEANT; i++)
		say("  %s  (%s)", p->functions[meant[i]].name, p->functions[meant[i]].module);
	return STATUS_FAILED;
}

/* Cut "@0x1234" off the name of a function, the address where it begins. */
static uint64_t take_start(char *name)
{
	char *at = strrchr(name, '@'), *end;
	uint64_t start;

	if (!at || strncmp(at, "@0x", 3) || !at[3])
		return ANNOTATE_ANY;
	start = strtoull(at + 1, &end, 16);
	if (*end)
		return ANNOTATE_ANY;
	*at = 0;
	return start;
}

/* Find the function @asked, and count its samples. */
static int find(struct annotation *ret, const struct dusk_profile *p, const struct options *o, const char *asked)
{
	_cleanup_(freep) char *name = strdup(asked);
	uint64_t start = name ? take_start(name) : ANNOTATE_ANY;
	uint32_t meant[MAX_MEANT];
	size_t nr = name ? annotation_find(p, name, o->dso, meant, MAX_MEANT) : 0;

	if (!nr)
		return refuse_name(p, name);
	if (nr > 1)
		return refuse_choice(p, name, meant, nr);
	if (annotation_init(ret, p, meant[0], start)) {
		say("cannot count samples: out of memory");
		return STATUS_FAILED;
	}
	if (ret->nr)
		return STATUS_OK;
	say("no sample was taken in %s itself; 'dusk report --tree --focus' shows what it called",
	    p->functions[meant[0]].name);
	return STATUS_FAILED;
}

/* Show source lines if the function has some, unless instructions are requested. */
static int show(const struct options *o, const struct dusk_profile *p, const struct annotation *a,
		const struct dusk_code *c)
{
	bool source = !o->instructions && (o->source || c->nr_files);
	struct show_options show = {.form = o->csv ? SHOW_CSV : o->json ? SHOW_NDJSON : SHOW_TEXT};
	struct instruction *v = NULL;
	struct output out;
	size_t nr = 0;
	int status, err = 0;

	if (source && !c->nr_files) {
		say("%s has no line tables here; install its debug information, or leave out --source",
		    p->modules[a->module].path);
		return STATUS_FAILED;
	}
	status = source ? STATUS_OK : disassemble(&v, &nr, c->fd, c->start, c->end);
	if (!status)
		status = output_open(&out, NULL, show.form == SHOW_TEXT);
	if (!status) {
		show.color = out.color;
		if (show.form == SHOW_TEXT)
			annotation_header(out.file, p, a, c, p->nr_samples);
		if (source)
			err = source_show(out.file, a, c, &show);
		else
			instructions_show(out.file, a, c, v, nr, &show);
		status = output_close(&out, err);
	}
	instructions_free(v, nr);
	return status;
}

static int show_source(const struct options *o, const struct dusk_profile *p, const struct annotation *a)
{
	_cleanup_(annotated_source_done) struct annotated_source s = {.file = ""};

	if (o->instructions) {
		say("%s is run by an interpreter, and has no instructions; leave out --disassembly",
		    p->functions[a->function].name);
		return STATUS_FAILED;
	}
	if (!annotated_source_init(&s, a, p))
		return show(o, p, a, &s.code);
	say("cannot count samples: out of memory");
	return STATUS_FAILED;
}

static int annotate(const struct command *self, const struct options *o, const char *name, char *const *argv)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	_cleanup_(filtered_done) struct filtered seen = {0};
	_cleanup_(annotation_done) struct annotation a = {0};
	_cleanup_(code_freep) struct dusk_code *c = NULL;
	struct dusk_error err = {""};
	struct filter filter = {.kind = TIME_BASE_CPU}; /* off CPU, the innermost frame is always in the kernel */
	int status = filter_choose(self, &o->filter, &filter);

	if (!status)
		status = open_profile(&p, o->input, true, false);
	if (!status)
		status = filter_apply(&seen, p, &filter);
	if (!status)
		status = filter_check_empty(&seen, p, o->input, &o->filter, NULL, argv);
	if (!status)
		status = find(&a, &seen.profile, o, name);
	if (status)
		return status;
	if (annotation_is_source(&a, p))
		return show_source(o, &seen.profile, &a);
	if (dusk_code_read(&c, p, a.frame, &err)) {
		say("cannot annotate %s: %s", p->functions[a.function].name, err.text);
		return STATUS_FAILED;
	}
	return show(o, &seen.profile, &a, c);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.input = DEFAULT_PROFILE};
	const char *name;
	size_t nr;
	int status;

	if (!command_words(self, argc, argv, &o, &name, 1, &nr, &status))
		return status;
	if (!nr)
		status = say_usage(self, "which function?");
	else if (o.csv && o.json)
		status = say_usage(self, "--csv and --json exclude each other");
	else if (o.source && o.instructions)
		status = say_usage(self, "--source and --disassembly exclude each other");
	else
		status = annotate(self, &o, name, argv);
	options_done(options, &o);
	return status;
}

const struct command cmd_annotate = {
	.name = "annotate",
	.summary = "Which lines, or instructions, of a function took the time",
	.arguments = "[options] FUNCTION",
	.options = options,
	.run = run,
};
