/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk info: what is in a profile, how much of it is complete, and every outcome and counter by name. */
#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/json.h"
#include "cli/open.h"
#include "cli/output.h"
#include "report/ledger.h"
#include "report/text.h"

struct options {
	const char *input;
	bool json;
};

static const struct option options[] = {
	{'i', "input", OPTION_TEXT, offsetof(struct options, input), "FILE",
	 "the profile (default " DEFAULT_PROFILE ")"},
	{0, "json", OPTION_FLAG, offsetof(struct options, json), NULL, "one JSON object"},
	{0},
};

static const char *class_name(enum dusk_outcome_class class)
{
	static const char *const names[] = {"complete", "cut", "no-stack", "absent"};

	return names[class];
}

static uint64_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (uint64_t)st.st_size;
}

static void write_json(FILE *out, const struct dusk_profile *p, const struct ledger *l, const char *path)
{
	struct json j = {.out = out, .indent = 2};

	json_object(&j, NULL);
	json_string(&j, "file", path);
	json_u64(&j, "bytes", size_of(path));
	json_bool(&j, "finished", p->finished);
	json_bool(&j, "symbolized", p->symbolized);
	json_u64(&j, "samples", l->samples);
	json_u64(&j, "stacks", l->stacks);
	json_double(&j, "complete_percent", ledger_complete_percent(l));
	json_u64(&j, "complete", l->complete);
	json_u64(&j, "cut", l->cut);
	json_u64(&j, "no_stack", l->no_stack);
	json_u64(&j, "absent", l->absent);
	json_u64(&j, "period_ns", p->period_ns);
	json_object(&j, "settings");
	for (uint32_t i = 0; i < p->nr_settings; i++)
		json_string(&j, p->settings[i].key, p->settings[i].value);
	json_object_end(&j);
	json_object(&j, "outcomes");
	for (uint32_t i = 0; i < p->nr_outcomes; i++) {
		json_object(&j, p->outcomes[i].name);
		json_u64(&j, "samples", l->outcome[i]);
		json_string(&j, "class", class_name(p->outcomes[i].kind));
		json_string(&j, "sentence", p->outcomes[i].sentence);
		json_object_end(&j);
	}
	json_object_end(&j);
	json_object(&j, "counters");
	for (uint32_t i = 0; i < p->nr_counters; i++) {
		json_object(&j, p->counters[i].name);
		json_u64(&j, "value", p->counters[i].value);
		json_string(&j, "sentence", p->counters[i].sentence);
		json_object_end(&j);
	}
	json_object_end(&j);
	json_object_end(&j);
	putc('\n', out);
}

static void write_row(FILE *out, uint64_t value, const char *name, const char *sentence)
{
	size_t width = text_width(name, TEXT_TERMINAL);

	fprintf(out, "%14" PRIu64 "  ", value);
	text_write(out, name, TEXT_TERMINAL);
	fprintf(out, "%*s  ", width < 20 ? 20 - (int)width : 0, "");
	text_write(out, sentence, TEXT_TERMINAL);
	putc('\n', out);
}

static void write_text(FILE *out, const struct dusk_profile *p, const struct ledger *l, const char *path)
{
	uint64_t bytes = size_of(path);
	char text[16];

	fprintf(out, "%-14s ", "file");
	text_write(out, path, TEXT_TERMINAL);
	fprintf(out, ", %" PRIu64 " bytes", bytes);
	if (l->samples)
		fprintf(out, ", %.1f a sample", (double)bytes / l->samples);
	fprintf(out, "\n%-14s %s\n", "recording", p->finished ? "finished" : "killed: its last second may be missing");
	fprintf(out, "%-14s %" PRIu64 "\n", "samples", l->samples);
	fprintf(out, "%-14s %" PRIu64 "\n", "stacks", l->stacks);
	fprintf(out, "%-14s %s %% of the samples that have a user stack, or should\n", "complete",
		ledger_percent(text, ledger_complete_percent(l)));
	fprintf(out, "%-14s %s\n", "functions", p->symbolized ? "looked up" : "not looked up");

	fputs("\nSettings\n", out);
	for (uint32_t i = 0; i < p->nr_settings; i++) {
		fputs("  ", out);
		text_write(out, p->settings[i].key, TEXT_TERMINAL);
		fputs(" = ", out);
		text_write(out, p->settings[i].value, TEXT_TERMINAL);
		putc('\n', out);
	}
	fputs("\nSamples by how their user stack ended\n", out);
	for (uint32_t i = 0; i < p->nr_outcomes; i++)
		write_row(out, l->outcome[i], p->outcomes[i].name, p->outcomes[i].sentence);
	fputs("\nCounters\n", out);
	for (uint32_t i = 0; i < p->nr_counters; i++)
		write_row(out, p->counters[i].value, p->counters[i].name, p->counters[i].sentence);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.input = DEFAULT_PROFILE};
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	_cleanup_(ledger_done) struct ledger l = {0};
	struct output out;
	int status;

	if (!command_options(self, argc, argv, &o, NULL, &status))
		return status;
	status = open_profile(&p, o.input, false, false);
	if (!status && ledger_init(&l, p)) {
		say("out of memory");
		status = STATUS_FAILED;
	}
	if (!status)
		status = output_open(&out, NULL, !o.json);
	if (status)
		return status;
	if (o.json)
		write_json(out.file, p, &l, o.input);
	else
		write_text(out.file, p, &l, o.input);
	return output_close(&out, 0);
}

const struct command cmd_info = {
	.name = "info",
	.summary = "What is in a profile: settings, completeness, every outcome and counter",
	.arguments = "[options]",
	.options = options,
	.run = run,
};
