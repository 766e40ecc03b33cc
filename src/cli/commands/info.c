/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk info: show what is in a profile, how complete it is, and the outcomes and counters. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/json.h"
#include "cli/view/load_profile.h"
#include "cli/cmdline/output.h"
#include "report/model/time_balance.h"
#include "report/model/cost.h"
#include "report/model/missing_frame_pointers.h"
#include "report/model/completeness.h"
#include "report/text.h"

struct options {
	const char *input;
	bool json, verbose;
};

static const struct option options[] = {
	{'i', "input", OPTION_TEXT, offsetof(struct options, input), "FILE",
	 "the profile (default " DEFAULT_PROFILE ")"},
	{'v', "verbose", OPTION_FLAG, offsetof(struct options, verbose), NULL, "also what is zero"},
	{0, "json", OPTION_FLAG, offsetof(struct options, json), NULL, "one JSON object"},
	{0},
};

static const char *class_name(enum dusk_outcome_class class)
{
	static const char *const names[] = {"complete", "cut", "no-stack", "absent"};

	return names[class];
}

#define MAX_LISTED 10 /* listed threads with missing time */

/* Numbers of occurrences, by event and in total. */
struct events {
	struct completeness *of; /* by event, without outcomes */
	struct completeness all;
};

static void events_done(struct events *e)
{
	completeness_done(&e->all);
	free(steal(e->of));
}

static void add_occurrence(struct completeness *l, const struct dusk_outcome *o)
{
	l->samples++;
	l->complete += o->kind == DUSK_COMPLETE;
	l->cut += o->kind == DUSK_CUT;
	l->no_stack += o->kind == DUSK_NO_STACK;
	l->absent += o->kind == DUSK_ABSENT;
}

static int events_init(struct events *e, const struct dusk_profile *p)
{
	e->of = calloc(p->nr_events + 1UL, sizeof(*e->of));
	if (!e->of)
		return -ENOMEM;
	for (uint64_t i = 0; i < p->nr_occurrences; i++)
		add_occurrence(&e->of[p->occurrences[i].event], &p->outcomes[p->occurrences[i].sample.outcome]);
	return completeness_of(&e->all, p, DUSK_EVENT);
}

/* All sums of the profile: of samples, off-CPU intervals, thread times and events. */
struct sums {
	struct completeness cpu, off_cpu;
	struct time_balance account;
	struct events events;
};

static int sums_init(struct sums *s, const struct dusk_profile *p)
{
	int err = completeness_of(&s->cpu, p, DUSK_CPU);

	if (!err)
		err = completeness_of(&s->off_cpu, p, DUSK_OFF_CPU);
	if (!err)
		err = time_balance_init(&s->account, p);
	return err ? err : events_init(&s->events, p);
}

static void sums_done(struct sums *s)
{
	completeness_done(&s->cpu);
	completeness_done(&s->off_cpu);
	time_balance_done(&s->account);
	events_done(&s->events);
}

static void write_cost_json(struct json *j, const struct dusk_profile *p)
{
	struct cost c;

	cost_of(&c, p);
	json_double(j, "ns_a_switch", c.ns_a_switch);
	json_double(j, "cost_percent", c.percent);
	json_double(j, "budget_percent", c.budget_percent);
	json_u64(j, "certain_ns", c.certain_ns);
	json_u64(j, "left_out", c.left_out);
}

static void write_off_cpu_json(struct json *j, const struct dusk_profile *p, const struct sums *s)
{
	const struct completeness *l = &s->off_cpu;
	const struct time_balance *a = &s->account;

	json_object(j, "off_cpu");
	json_u64(j, "intervals", l->samples);
	json_u64(j, "stacks", l->stacks);
	json_u64(j, "ns", l->ns);
	json_double(j, "complete_percent", complete_percent(l));
	json_u64(j, "unsure", l->unsure);
	json_object(j, "states");
	for (uint32_t i = 0; i < a->nr_states; i++) {
		json_object(j, dusk_state_name(i));
		json_u64(j, "intervals", a->states[i].count);
		json_u64(j, "ns", a->states[i].ns);
		json_u64(j, "runnable_ns", a->states[i].runnable_ns);
		json_object_end(j);
	}
	json_object_end(j);
	json_object(j, "outcomes");
	for (uint32_t i = 0; i < p->nr_outcomes; i++)
		json_u64(j, p->outcomes[i].name, l->outcome[i]);
	json_object_end(j);
	write_cost_json(j, p);
	json_u64(j, "threads", a->nr);
	json_u64(j, "life_ns", a->life_ns);
	json_double(j, "accounted_percent", time_balance_percent(a));
	json_array(j, "missing");
	for (uint32_t i = 0; i < a->nr_missing; i++) {
		const struct time_balance_thread *t = &a->threads[i];

		json_object(j, NULL);
		json_i64(j, "pid", p->threads[t->thread].pid);
		json_i64(j, "tid", p->threads[t->thread].tid);
		json_string(j, "comm", p->threads[t->thread].comm);
		json_u64(j, "life_ns", t->life_ns);
		json_u64(j, "on_cpu_ns", t->on_cpu_ns);
		json_u64(j, "off_cpu_ns", t->off_cpu_ns);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

static void write_events_json(struct json *j, const struct dusk_profile *p, const struct events *e)
{
	json_object(j, "events");
	json_u64(j, "occurrences", e->all.samples);
	json_u64(j, "stacks", e->all.stacks);
	json_double(j, "complete_percent", complete_percent(&e->all));
	json_u64(j, "unsure", e->all.unsure);
	json_object(j, "event");
	for (uint32_t i = 0; i < p->nr_events; i++) {
		json_object(j, p->events[i].name);
		json_u64(j, "occurrences", e->of[i].samples);
		json_u64(j, "complete", e->of[i].complete);
		json_u64(j, "cut", e->of[i].cut);
		json_u64(j, "no_stack", e->of[i].no_stack);
		json_u64(j, "absent", e->of[i].absent);
		json_object_end(j);
	}
	json_object_end(j);
	json_object(j, "outcomes");
	for (uint32_t i = 0; i < p->nr_outcomes; i++)
		json_u64(j, p->outcomes[i].name, e->all.outcome[i]);
	json_object_end(j);
	json_object_end(j);
}

static bool has_off_cpu(const struct sums *s)
{
	return s->off_cpu.samples || s->account.nr;
}

static void write_json(FILE *out, const struct dusk_profile *p, const struct sums *s, const char *path)
{
	const struct completeness *l = &s->cpu;
	struct json j = {.out = out, .indent = 2};

	json_object(&j, NULL);
	json_string(&j, "file", path);
	json_u64(&j, "bytes", p->bytes);
	json_bool(&j, "finished", p->finished);
	json_bool(&j, "live", p->live);
	json_bool(&j, "symbolized", p->symbolized);
	json_u64(&j, "samples", l->samples);
	json_u64(&j, "stacks", l->stacks);
	json_double(&j, "complete_percent", complete_percent(l));
	json_u64(&j, "complete", l->complete);
	json_u64(&j, "unsure", l->unsure);
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
	if (has_off_cpu(s))
		write_off_cpu_json(&j, p, s);
	if (p->nr_events)
		write_events_json(&j, p, &s->events);
	json_object_end(&j);
	putc('\n', out);
}

/* The text, and what of it is shown. */
struct sheet {
	FILE *out;
	bool verbose;	/* also rows of zero */
	uint32_t zeros; /* rows that were left out */
};

static void write_row(struct sheet *sheet, uint64_t value, const char *name, const char *sentence)
{
	size_t width = text_width(name, TEXT_TERMINAL);
	FILE *out = sheet->out;

	if (!value && !sheet->verbose) {
		sheet->zeros++;
		return;
	}
	fprintf(out, "%14" PRIu64 "  ", value);
	text_write(out, name, TEXT_TERMINAL);
	fprintf(out, "%*s  ", width < 20 ? 20 - (int)width : 0, "");
	text_write(out, sentence, TEXT_TERMINAL);
	putc('\n', out);
}

static void write_outcomes(struct sheet *sheet, const char *title, const struct dusk_profile *p,
			   const struct completeness *l)
{
	if (l->samples || sheet->verbose)
		fprintf(sheet->out, "\n%s\n", title);
	for (uint32_t i = 0; i < p->nr_outcomes; i++)
		write_row(sheet, l->outcome[i], p->outcomes[i].name, p->outcomes[i].sentence);
}

static void write_missing(FILE *out, const struct dusk_profile *p, const struct time_balance *a)
{
	if (!a->nr_missing)
		return;
	fprintf(out, "\nThreads of whose time more than 0.1 %% is not accounted for, or twice: %" PRIu32 "\n",
		a->nr_missing);
	for (uint32_t i = 0; i < a->nr_missing && i < MAX_LISTED; i++) {
		const struct time_balance_thread *t = &a->threads[i];
		const struct dusk_thread *thread = &p->threads[t->thread];

		fprintf(out, "  %d/%d  ", thread->pid, thread->tid);
		text_write(out, thread->comm, TEXT_TERMINAL);
		fprintf(out, ": on CPU %.3f s and off CPU %.3f s, of %.3f s\n", t->on_cpu_ns / 1e9, t->off_cpu_ns / 1e9,
			t->life_ns / 1e9);
	}
}

static void write_off_cpu(struct sheet *sheet, const struct dusk_profile *p, const struct sums *s)
{
	const struct time_balance *a = &s->account;
	FILE *out = sheet->out;
	char text[16];

	fputs("\nTime off CPU by state: seconds, of these runnable, intervals\n", out);
	for (uint32_t i = 0; i < a->nr_states; i++)
		if (a->states[i].count)
			fprintf(out, "%14.3f %12.3f %12" PRIu64 "  %s\n", a->states[i].ns / 1e9,
				a->states[i].runnable_ns / 1e9, a->states[i].count, dusk_state_name(i));
	if (a->nr)
		fprintf(out, "\naccounted: %s %% of %.3f thread-seconds, of %" PRIu32 " threads\n",
			percent_text(text, time_balance_percent(a)), a->life_ns / 1e9, a->nr);
	write_missing(out, p, a);
	write_outcomes(sheet, "Off-CPU intervals by how their user stack ended", p, &s->off_cpu);
}

static void write_events(struct sheet *sheet, const struct dusk_profile *p, const struct events *e)
{
	FILE *out = sheet->out;
	char text[16];

	fputs("\nEvents of tracefs: how often they occurred, % of their user stacks complete\n", out);
	for (uint32_t i = 0; i < p->nr_events; i++) {
		if (!e->of[i].samples && !sheet->verbose) {
			sheet->zeros++;
			continue;
		}
		fprintf(out, "%14" PRIu64 " %8s  ", e->of[i].samples,
			e->of[i].samples > e->of[i].absent ? percent_text(text, complete_percent(&e->of[i])) : "");
		text_write(out, p->events[i].name, TEXT_TERMINAL);
		putc('\n', out);
	}
	write_outcomes(sheet, "Occurrences by how their user stack ended", p, &e->all);
}

static void write_cost(FILE *out, const struct dusk_profile *p)
{
	struct cost c;

	cost_of(&c, p);
	if (!c.switches)
		return;
	fprintf(out, "%-14s %.0f ns a switch, %.2f %% of the CPUs with the walks", "cost", c.ns_a_switch, c.percent);
	if (c.budget_percent)
		fprintf(out, ", of a budget of %g %%", c.budget_percent);
	putc('\n', out);
	if (c.left_out)
		fprintf(out,
			"%-14s of the off-CPU intervals under %.3f ms %" PRIu64 " of all %" PRIu64
			" were left out, and others stand "
			"for them: sums are estimates\n",
			"sampled", c.certain_ns / 1e6, c.left_out, c.intervals);
}

static const char *recording_state(const struct dusk_profile *p)
{
	if (p->live)
		return p->finished ? "finished; its functions are being looked up"
				   : "still running; its last second is not in it yet";
	return p->finished ? "finished" : "killed: its last second may be missing";
}

static void write_state(FILE *out, const struct dusk_profile *p)
{
	const char *why = p->live || p->finished ? NULL : dusk_profile_setting(p, "ended_by");

	fprintf(out, "%-14s %s", "recording", why ? "ended early: " : recording_state(p));
	text_write(out, why ? why : "", TEXT_TERMINAL);
	fputs(why ? "; what came last is missing\n" : "\n", out);
}

static void write_unsure(FILE *out, const struct completeness *l)
{
	if (l->unsure)
		fprintf(out,
			"%-14s %" PRIu64
			" of these: interrupted in code that has no CFI, and left by the frame pointer alone; "
			"a caller may be missing\n",
			"unsure", l->unsure);
}

static void write_numbers(FILE *out, const struct dusk_profile *p, const struct sums *s)
{
	const struct completeness *l = &s->cpu;
	char text[16];

	fprintf(out, "%-14s %" PRIu64 "\n", "samples", l->samples);
	fprintf(out, "%-14s %" PRIu64 "\n", "stacks", l->stacks);
	fprintf(out, "%-14s %s %% of the samples that have a user stack, or should\n", "complete",
		percent_text(text, complete_percent(l)));
	write_unsure(out, l);
	if (has_off_cpu(s)) {
		fprintf(out, "%-14s %" PRIu64 ", %.3f s off CPU\n", "intervals", s->off_cpu.samples,
			s->off_cpu.ns / 1e9);
		fprintf(out, "%-14s %" PRIu64 "\n", "their stacks", s->off_cpu.stacks);
		fprintf(out, "%-14s %s %% of the off-CPU intervals that have a user stack, or should\n", "complete",
			percent_text(text, complete_percent(&s->off_cpu)));
		write_unsure(out, &s->off_cpu);
	}
	if (p->nr_events) {
		fprintf(out, "%-14s %" PRIu64 " occurrences of %" PRIu32 " event%s of tracefs\n", "events",
			s->events.all.samples, p->nr_events, p->nr_events == 1 ? "" : "s");
		fprintf(out, "%-14s %" PRIu64 "\n", "their stacks", s->events.all.stacks);
		fprintf(out, "%-14s %s %% of the occurrences that have a user stack, or should\n", "complete",
			percent_text(text, complete_percent(&s->events.all)));
		write_unsure(out, &s->events.all);
	}
}

static void write_settings(FILE *out, const struct dusk_profile *p)
{
	fputs("\nSettings\n", out);
	for (uint32_t i = 0; i < p->nr_settings; i++) {
		fputs("  ", out);
		text_write(out, p->settings[i].key, TEXT_TERMINAL);
		fputs(" = ", out);
		text_write(out, p->settings[i].value, TEXT_TERMINAL);
		putc('\n', out);
	}
}

static void write_text(FILE *out, const struct dusk_profile *p, const struct sums *s, const struct options *o)
{
	struct sheet sheet = {out, o->verbose, 0};

	fprintf(out, "%-14s ", "file");
	text_write(out, o->input, TEXT_TERMINAL);
	fprintf(out, ", %" PRIu64 " bytes", p->bytes);
	if (s->cpu.samples && !has_off_cpu(s) && !p->nr_events)
		fprintf(out, ", %.1f a sample", (double)p->bytes / s->cpu.samples);
	putc('\n', out);
	write_state(out, p);
	write_numbers(out, p, s);
	write_cost(out, p);
	fprintf(out, "%-14s %s\n", "functions", p->symbolized ? "looked up" : "not looked up");
	write_settings(out, p);
	write_outcomes(&sheet, "Samples by how their user stack ended", p, &s->cpu);
	missing_fp_show(out, p, TIME_BASE_CPU, "");
	if (has_off_cpu(s))
		write_off_cpu(&sheet, p, s);
	if (p->nr_events)
		write_events(&sheet, p, &s->events);
	fputs("\nCounters\n", out);
	for (uint32_t i = 0; i < p->nr_counters; i++)
		write_row(&sheet, p->counters[i].value, p->counters[i].name, p->counters[i].sentence);
	if (sheet.zeros)
		fprintf(out, "\n%" PRIu32 " outcomes, events and counters of zero are left out; -v shows them\n",
			sheet.zeros);
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {0};
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	_cleanup_(sums_done) struct sums sums = {0};
	struct output out;
	int status;

	if (!command_profile(self, argc, argv, &o, &o.input, &status))
		return status;
	status = open_profile(&p, o.input, false, false);
	if (!status && sums_init(&sums, p)) {
		say("out of memory");
		status = STATUS_FAILED;
	}
	if (!status)
		status = output_open(&out, NULL, !o.json);
	if (status)
		return status;
	if (o.json)
		write_json(out.file, p, &sums, o.input);
	else
		write_text(out.file, p, &sums, &o);
	return output_close(&out, 0);
}

const struct command cmd_info = {
	.name = "info",
	.summary = "What is in a profile: settings, completeness, outcomes and counters",
	.arguments = "[options] [FILE]",
	.options = options,
	.run = run,
};
