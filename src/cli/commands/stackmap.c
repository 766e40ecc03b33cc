/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk stackmap: show each distinct stack once, of the live stackmap, a profile or a file. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cli/cmdline/decode.h"
#include "cli/view/load_profile.h"
#include "cli/cmdline/output.h"
#include "report/model/stackmap.h"

#define NAME_PROFILE "; a profile is named by -i"

struct options {
	const char *input, *pin, *output, *sort, *vmlinux, *kallsyms;
	uint32_t limit;
	bool kernel, user, no_symbols, modules, json, when_stopped;
};

static const char *order_choice(size_t i)
{
	return i == 0 ? "ref" : i == 1 ? "depth" : NULL;
}

static const struct option options[] = {
	{'i', "input", OPTION_TEXT, offsetof(struct options, input), "FILE",
	 "a profile; decode: a dump (default: live)"},
	{0, "pin", OPTION_TEXT, offsetof(struct options, pin), "FOLDER",
	 "where it is pinned (default: the shared one)"},
	{'o', "output", OPTION_TEXT, offsetof(struct options, output), "FILE", "dump: write to this file; - is stdout"},
	{'l', "limit", OPTION_NUMBER, offsetof(struct options, limit), "N", "at most N stacks, the most frequent", 1,
	 UINT32_MAX},
	{'s', "sort", OPTION_CHOICE, offsetof(struct options, sort), "[KEY]",
	 "ref (the most frequent first, default) or depth", .choice = order_choice},
	{0, "kernel", OPTION_FLAG, offsetof(struct options, kernel), NULL, "only stacks that end in the kernel"},
	{0, "user", OPTION_FLAG, offsetof(struct options, user), NULL, "only stacks that end in user code"},
	{0, "no-symbols", OPTION_FLAG, offsetof(struct options, no_symbols), NULL,
	 "frames as numbers; dump: without their names"},
	{0, "kallsyms", OPTION_TEXT, offsetof(struct options, kallsyms), "FILE",
	 "read, decode: names from a copy of kallsyms"},
	{0, "vmlinux", OPTION_TEXT, offsetof(struct options, vmlinux), "FILE",
	 "read, decode: names from a kernel's ELF image"},
	{0, "modules", OPTION_FLAG, offsetof(struct options, modules), NULL,
	 "read: the files of frames, with build ids"},
	{0, "json", OPTION_FLAG, offsetof(struct options, json), NULL, "as JSON"},
	{0, "when-stopped", OPTION_FLAG, offsetof(struct options, when_stopped), NULL,
	 "reset: only if nothing is recording"},
	{0},
};

static void stacks_freep(struct dusk_stacks **s)
{
	dusk_stacks_free(*s);
}

static void symbols_freep(struct dusk_symbols **s)
{
	dusk_symbols_free(*s);
}

/* Print the chosen stacks of @s, as text or JSON. */
static int print(const struct options *o, struct dusk_stacks *s, const struct stackmap_names *names)
{
	struct stackmap_choice choice = {
		.kernel = o->kernel,
		.user = o->user,
		.top = o->limit,
		.order = !o->sort		    ? (o->limit ? STACKMAP_BY_REF : STACKMAP_AS_IS)
			 : strcmp(o->sort, "depth") ? STACKMAP_BY_REF
						    : STACKMAP_BY_DEPTH,
	};
	struct output out;
	int status;

	stackmap_choose(s, &choice);
	status = output_open(&out, NULL, !o->json);
	if (status)
		return status;
	(o->json ? stackmap_json : stackmap_text)(out.file, s, names);
	return output_close(&out, 0);
}

/* The stacks of a profile or of the live stackmap, and the sources of names. */
struct source {
	struct dusk_profile *profile;
	struct dusk_stackmap *map;
	struct dusk_stacks *stacks;
	struct dusk_symbols *kernel;
};

static void source_done(struct source *s)
{
	dusk_symbols_free(s->kernel);
	dusk_stacks_free(s->stacks);
	dusk_stackmap_close(s->map);
	dusk_profile_free(s->profile);
}

/* @else_: appended to the error if none is pinned; says what to do then. */
static int open_map(struct dusk_stackmap **ret, const struct options *o, const char *else_)
{
	struct dusk_error err = {""};
	int error = dusk_stackmap_open(ret, o->pin, &err);

	if (!error)
		return STATUS_OK;
	say("%s%s", err.text, error == -ENOENT ? else_ : "");
	return error == -EPERM || error == -EACCES ? STATUS_PRIVILEGE : STATUS_FAILED;
}

static int take(struct source *s, const struct options *o, bool symbols)
{
	int status =
		    o->input ? open_profile(&s->profile, o->input, symbols, false) : open_map(&s->map, o, NAME_PROFILE),
	    error;

	if (status)
		return status;
	error = s->map ? dusk_stackmap_copy(&s->stacks, s->map) : dusk_stacks_of_profile(&s->stacks, s->profile);
	if (error) {
		say("%s", strerror(-error));
		return STATUS_FAILED;
	}
	if (s->map && symbols)
		dusk_symbols_kallsyms(&s->kernel, "/proc/kallsyms", NULL); /* if it is hidden, addresses are shown */
	return STATUS_OK;
}

static int show(const struct command *self, const struct options *o, const char *file)
{
	_cleanup_(source_done) struct source s = {0};
	struct stackmap_names names = {0};
	int status = take(&s, o, !o->no_symbols);

	if (status)
		return status;
	if (!o->no_symbols)
		names = (struct stackmap_names){
			.symbols = s.kernel,
			.profile = s.profile,
			.map = s.map,
			.name = dusk_stackmap_name,
		};
	return print(o, s.stacks, &names);
}

static int show_stat(const struct command *self, const struct options *o, const char *file)
{
	_cleanup_(source_done) struct source s = {0};
	struct dusk_stackmap_stat stat;
	struct output out;
	int status = o->input ? open_profile(&s.profile, o->input, false, false) : open_map(&s.map, o, NAME_PROFILE),
	    error;

	if (status)
		return status;
	error = s.profile ? dusk_stackmap_stat_of_profile(&stat, s.profile) : dusk_stackmap_stat(s.map, &stat);
	if (error) {
		say("%s", s.profile ? strerror(-error) : "the stackmap has just gone");
		return STATUS_FAILED;
	}
	status = output_open(&out, NULL, false);
	if (status)
		return status;
	(o->json ? stackmap_stat_json : stackmap_stat_text)(out.file, &stat);
	return output_close(&out, 0);
}

/* Add names to the stacks, since the machine that reads the file may not have them. */
static int name_all(const struct source *s)
{
	return s->map ? dusk_stacks_name_by_map(s->stacks, s->map) : dusk_stacks_name_by_profile(s->stacks, s->profile);
}

static int dump(const struct command *self, const struct options *o, const char *file)
{
	_cleanup_(source_done) struct source s = {0};
	struct output out;
	int status, error;

	if (!o->output)
		return say_usage(self, "where to? -o FILE, or -o - for standard output");
	if (!strcmp(o->output, "-") && isatty(STDOUT_FILENO))
		return say_usage(self, "FSMB is not for terminals; name a file with --output");
	status = take(&s, o, o->input && !o->no_symbols);
	if (status)
		return status;
	if (o->no_symbols)
		s.stacks->identity = 0; /* only the stacks, for other readers of the format */
	error = o->no_symbols ? 0 : name_all(&s);
	if (error) {
		say("%s", strerror(-error));
		return STATUS_FAILED;
	}
	status = output_open(&out, o->output, false);
	return status ? status : output_close(&out, dusk_stacks_write(s.stacks, fileno(out.file)));
}

static int reset(const struct command *self, const struct options *o, const char *file)
{
	_cleanup_(source_done) struct source s = {0};
	struct dusk_error err = {""};
	int status = open_map(&s.map, o, NAME_PROFILE);

	if (status)
		return status;
	if (!dusk_stackmap_reset(s.map, o->when_stopped, &err))
		return STATUS_OK;
	say("%s", err.text);
	return STATUS_FAILED;
}

static int read_symbols(struct dusk_symbols **ret, const struct options *o)
{
	struct dusk_error err = {""};
	int error = o->kallsyms	 ? dusk_symbols_kallsyms(ret, o->kallsyms, &err)
		    : o->vmlinux ? dusk_symbols_vmlinux(ret, o->vmlinux, &err)
				 : 0;

	if (error)
		say("%s", *err.text ? err.text : strerror(-error));
	return error ? STATUS_FAILED : STATUS_OK;
}

static int print_modules(const struct options *o, const struct dusk_stacks *s)
{
	struct output out;
	int status = output_open(&out, NULL, !o->json);

	if (status)
		return status;
	(o->json ? stackmap_modules_json : stackmap_modules)(out.file, s);
	return output_close(&out, 0);
}

static int print_file(const struct options *o, struct dusk_stacks *s, const struct dusk_symbols *kernel)
{
	struct stackmap_names names = {.symbols = kernel};

	if (o->modules)
		return print_modules(o, s);
	if (s->names && !o->no_symbols)
		names.stacks = s;
	return print(o, s, &names);
}

static int check_symbols(const struct command *self, const struct options *o)
{
	if (o->kallsyms && o->vmlinux)
		return say_usage(self, "--kallsyms and --vmlinux exclude each other");
	if (o->no_symbols && (o->kallsyms || o->vmlinux))
		return say_usage(self, "--no-symbols and --%s exclude each other",
				 o->kallsyms ? "kallsyms" : "vmlinux");
	return STATUS_OK;
}

static int read_file(const struct command *self, const struct options *o, const char *file)
{
	_cleanup_(symbols_freep) struct dusk_symbols *symbols = NULL;
	_cleanup_(stacks_freep) struct dusk_stacks *s = NULL;
	struct dusk_error err = {""};
	int status = check_symbols(self, o);

	if (status)
		return status;
	if (!file)
		return say_usage(self, "which file? dusk stackmap read FILE");
	if (dusk_stacks_read(&s, file, &err)) {
		say("%s", err.text);
		return STATUS_FAILED;
	}
	status = read_symbols(&symbols, o);
	if (status)
		return status;
	status = print_file(o, s, symbols);
	if (s->merged)
		say("%s: %llu entries hold a stack that another one has; they were added to that", file,
		    (unsigned long long)s->merged);
	if (!*s->damage)
		return status;
	say("%s: %s; what comes before is shown", file, s->damage);
	return STATUS_FAILED;
}

static int find_in_map(void *ctx, uint32_t id, struct dusk_stack *ret)
{
	*ret = (struct dusk_stack){.id = id};
	return dusk_stackmap_frames(ctx, id, &ret->frame, &ret->nr);
}

static int find_in_file(void *ctx, uint32_t id, struct dusk_stack *ret)
{
	const struct dusk_stack *found;
	int err = dusk_stacks_by_id(ctx, id, &found);

	if (!err)
		*ret = *found;
	return err;
}

/* Decode with the stacks of a file. */
static int decode_by_file(const struct options *o, const char *text)
{
	_cleanup_(symbols_freep) struct dusk_symbols *symbols = NULL;
	_cleanup_(stacks_freep) struct dusk_stacks *s = NULL;
	_cleanup_(decode_done) struct decode d = {0};
	struct stackmap_names names = {0};
	struct dusk_error err = {""};
	int status = read_symbols(&symbols, o);

	if (status)
		return status;
	if (dusk_stacks_read(&s, o->input, &err)) {
		say("%s", err.text);
		return STATUS_FAILED;
	}
	if (*s->damage)
		say("%s: %s; what comes before is known", o->input, s->damage);
	names.symbols = symbols;
	names.stacks = s->names && !o->no_symbols ? s : NULL;
	d.find = find_in_file;
	d.ctx = s;
	d.names = &names;
	d.identity = s->identity;
	return decode_file(&d, text);
}

/* Decode with the live stackmap. */
static int decode_by_map(const struct options *o, const char *text)
{
	_cleanup_(source_done) struct source s = {0};
	_cleanup_(decode_done) struct decode d = {0};
	struct stackmap_names names = {0};
	int status = open_map(&s.map, o, "; -i FILE takes the stacks that dusk trace has saved");

	if (status)
		return status;
	if (!o->no_symbols) {
		dusk_symbols_kallsyms(&s.kernel, "/proc/kallsyms", NULL); /* if it is hidden, addresses are shown */
		names = (struct stackmap_names){.symbols = s.kernel, .map = s.map, .name = dusk_stackmap_name};
	}
	d.find = find_in_map;
	d.ctx = s.map;
	d.names = &names;
	d.identity = dusk_stackmap_identity(s.map);
	return decode_file(&d, text);
}

static int decode(const struct command *self, const struct options *o, const char *file)
{
	int status = check_symbols(self, o);

	if (status)
		return status;
	if (!o->input && (o->kallsyms || o->vmlinux))
		return say_usage(self, "--%s is for the stacks of a file: -i FILE",
				 o->kallsyms ? "kallsyms" : "vmlinux");
	if ((!file || !strcmp(file, "-")) && isatty(STDIN_FILENO))
		return say_usage(self, "which text? dusk stackmap decode FILE, as /sys/kernel/tracing/trace");
	return o->input ? decode_by_file(o, file) : decode_by_map(o, file);
}

/* The verbs, each with its options. */
static const struct verb {
	const char *name, *options;
	int (*run)(const struct command *self, const struct options *o, const char *file);
} verbs[] = {
	{"show", " input pin limit sort kernel user no-symbols json ", show},
	{"stat", " input pin json ", show_stat},
	{"dump", " input pin output no-symbols ", dump},
	{"reset", " pin when-stopped ", reset},
	{"decode", " input pin no-symbols kallsyms vmlinux ", decode},
	{"read", " limit sort kernel user no-symbols kallsyms vmlinux modules json ", read_file},
};
#define NR_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static const struct verb *find_verb(const struct command *self, const char *name)
{
	const char *names[NR_VERBS + 1] = {NULL}, *near;

	for (size_t i = 0; i < NR_VERBS; i++) {
		names[i] = verbs[i].name;
		if (name && !strcmp(name, names[i]))
			return &verbs[i];
	}
	near = name ? suggest(name, names) : NULL;
	if (!name)
		say_usage(self, "a verb is missing: show, stat, dump, read, decode or reset");
	else if (near)
		say_usage(self, "unknown word '%s'; did you mean '%s'?", name, near);
	else
		say_usage(self, "unknown word '%s'", name);
	return NULL;
}

static int run(const struct command *self, int argc, char **argv)
{
	const char *words[2] = {NULL};
	const struct verb *verb;
	struct options o = {0};
	size_t nr;
	int status;

	if (!command_words(self, argc, argv, &o, words, 2, &nr, &status))
		return status;
	verb = find_verb(self, words[0]);
	if (!verb)
		return STATUS_USAGE;
	status = command_refuse(self, &o, verb->name, verb->options);
	if (status)
		return status;
	if (o.input && o.pin)
		return say_usage(self, "--input and --pin exclude each other");
	if (words[1] && verb->run != read_file && verb->run != decode)
		return say_usage(self, "unexpected argument '%s'%s", words[1], "; a profile is named by -i");
	status = o.input || verb->run == read_file ? phase_enter(PHASE_VIEW) : STATUS_OK;
	return status ?: verb->run(self, &o, words[1]);
}

const struct command cmd_stackmap = {
	.name = "stackmap",
	.summary = "Show each distinct stack once",
	.arguments = "show|stat|dump|read|decode|reset [options] [FILE]",
	.notes = "  show        the stacks, with names\n"
		 "  stat        how many there are, and what was lost and why\n"
		 "  dump        the stacks to a file in the format FSMB\n"
		 "  read FILE   what is in such a file, from dusk or a kernel\n"
		 "  decode FILE text of ftrace, with the stacks that dusk trace names in it\n"
		 "  reset       begin anew, while recordings go on\n",
	.phase = PHASE_MAPS,
	.options = options,
	.run = run,
};
