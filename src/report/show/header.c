/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The comment lines above and below a view: what was recorded, and what was lost. See show.h. */
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"
#include "report/model/completeness.h"
#include "report/model/setting.h"
#include "report/show/show.h"
#include "report/text.h"

const char *event_sentence(const char *event)
{
	return !strcmp(event, "cpu-clock") ? "cpu-clock (this machine has no PMU)" : event;
}

static void show_setting(FILE *out, const struct dusk_profile *p, const char *title, const char *key)
{
	const char *value = dusk_profile_setting(p, key);

	if (!value || !*value)
		return;
	fprintf(out, "# %-10s ", title);
	text_write(out, value, TEXT_TERMINAL);
	putc('\n', out);
}

/* Events of tracefs and off-CPU intervals have no rate. */
static bool is_sampled(const char *event)
{
	return strcmp(event, "tracefs") != 0 && strcmp(event, "off-cpu") != 0;
}

static void show_event(FILE *out, const struct dusk_profile *p)
{
	const char *event = dusk_profile_setting(p, "event"), *rate = dusk_profile_setting(p, "frequency_hz");

	if (!event)
		return;
	fprintf(out, "# %-10s ", "event:");
	/* In a recording of another profiler, cpu-clock does not mean that there is no PMU. */
	text_write(out, dusk_profile_setting(p, "recorded_by") ? event : event_sentence(event), TEXT_TERMINAL);
	if (rate && is_sampled(event)) {
		fputs(", ", out);
		text_write(out, rate, TEXT_TERMINAL);
		fputs(" samples a second and CPU", out);
	}
	putc('\n', out);
}

static void show_duration(FILE *out, const struct dusk_profile *p)
{
	uint64_t ns = setting_u64(p, "duration_ns");

	if (!ns && p->nr_samples)
		ns = p->samples[p->nr_samples - 1].time_ns;
	fprintf(out, "# %-10s %.1f s%s\n", "duration:", ns / 1e9,
		p->finished ? ""
		: p->live   ? " so far; the recording goes on"
			    : "; the recording did not end in order, and its last second may be missing");
}

static const char *const titles[] = {
	[DUSK_CPU] = "samples:", [DUSK_OFF_CPU] = "intervals:", [DUSK_EVENT] = "occurred:"};

/* Samples of @source: their number, how many of them the view shows, and the share with a complete stack. */
static void show_source(FILE *out, const struct dusk_profile *p, enum dusk_source source, const struct amount *selected)
{
	_cleanup_(completeness_done) struct completeness l = {0};
	bool off = source == DUSK_OFF_CPU;
	char text[16], unsure[UNSURE_TEXT_BYTES];

	if (completeness_of(&l, p, source))
		return;
	fprintf(out, "# %-10s %" PRIu64, titles[source], l.samples);
	if (!l.samples) {
		fputs("; nothing of this kind was recorded\n", out);
		return;
	}
	if (off)
		fprintf(out, ", %.3f s off CPU", l.ns / 1e9);
	if (selected->count != l.samples)
		fprintf(out, ", %" PRIu64 " of them selected", selected->count);
	if (off && selected->count != l.samples)
		fprintf(out, ", %.3f s", selected->ns / 1e9);
	fprintf(out, "; %s %% of the user stacks complete%s\n", percent_text(text, complete_percent(&l)),
		unsure_text(unsure, &l));
}

static void show_tracefs_event(FILE *out, const struct dusk_profile *p)
{
	if (!p->nr_events)
		return;
	fprintf(out, "# %-10s ", "event:");
	text_write(out, p->events[0].name, TEXT_TERMINAL);
	putc('\n', out);
}

/* Of which time is there more than the view shows? */
static void show_left_out(FILE *out, enum time_base kind, const struct filtered *seen, bool hint)
{
	if (hint && kind == TIME_BASE_CPU && seen->off_cpu.ns > seen->cpu.ns)
		fprintf(out, "# %-10s %.1f s are not in this view: see --off-cpu, --wall\n",
			"off CPU:", seen->off_cpu.ns / 1e9);
	if (seen->idle.count)
		fprintf(out, "# %-10s %" PRIu64 " intervals of idle threads, %.3f s, are left out\n",
			"idle:", seen->idle.count, seen->idle.ns / 1e9);
}

void header_show(FILE *out, const struct dusk_profile *p, enum time_base kind, const struct amount selected[2],
		 const struct filtered *seen, bool hint)
{
	show_setting(out, p, "command:", "command");
	show_setting(out, p, "host:", "hostname");
	show_setting(out, p, "kernel:", "kernel");
	show_setting(out, p, "started:", "start_time");
	show_duration(out, p);
	if (time_base_has(kind, DUSK_CPU))
		show_event(out, p);
	for (enum dusk_source s = DUSK_CPU; s <= DUSK_OFF_CPU; s++)
		if (time_base_has(kind, s))
			show_source(out, p, s, &selected[s]);
	if (kind == TIME_BASE_EVENT) {
		show_tracefs_event(out, p);
		show_source(out, p, DUSK_EVENT, &(struct amount){.count = seen->profile.nr_occurrences});
		if (selected[DUSK_CPU].count != seen->profile.nr_occurrences)
			fprintf(out, "# %-10s %" PRIu64 "\n", "weight:", selected[DUSK_CPU].count);
	}
	show_left_out(out, kind, seen, hint);
	fputs("#\n", out);
}

static void show_loss(FILE *out, const char **title, uint64_t nr, const char *name, const char *sentence)
{
	fprintf(out, "%s# %9" PRIu64 "  ", *title, nr);
	*title = "";
	text_write(out, name, TEXT_TERMINAL);
	fputs(": ", out);
	text_write(out, sentence, TEXT_TERMINAL);
	putc('\n', out);
}

static void show_source_losses(FILE *out, const char **title, const struct dusk_profile *p, enum dusk_source source)
{
	_cleanup_(completeness_done) struct completeness l = {0};

	if (completeness_of(&l, p, source))
		return;
	for (uint32_t i = 0; i < p->nr_outcomes; i++) {
		if (!l.outcome[i] || !outcome_is_loss(&p->outcomes[i]))
			continue;
		show_loss(out, title, l.outcome[i], p->outcomes[i].name, p->outcomes[i].sentence);
	}
}

void losses_show(FILE *out, const struct dusk_profile *p, enum time_base kind)
{
	const char *title = "#\n# Not complete, or lost:\n";

	if (time_base_has(kind, DUSK_CPU))
		show_source_losses(out, &title, p, DUSK_CPU);
	if (kind == TIME_BASE_WALL)
		title = "#\n# The same of off-CPU intervals:\n";
	if (time_base_has(kind, DUSK_OFF_CPU))
		show_source_losses(out, &title, p, DUSK_OFF_CPU);
	if (kind == TIME_BASE_EVENT)
		show_source_losses(out, &title, p, DUSK_EVENT);
	if (kind == TIME_BASE_WALL)
		title = "#\n# Lost:\n";
	for (uint32_t i = 0; i < p->nr_counters; i++) {
		const struct dusk_counter *c = &p->counters[i];

		if (!c->value || !counter_is_loss(c))
			continue;
		show_loss(out, &title, c->value, c->name, c->sentence);
	}
}
