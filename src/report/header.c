/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What was recorded, and what was lost: the lines above and below a view. See show.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "report/ledger.h"
#include "report/show.h"
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

static void show_event(FILE *out, const struct dusk_profile *p)
{
	const char *event = dusk_profile_setting(p, "event"), *rate = dusk_profile_setting(p, "frequency_hz");

	if (!event)
		return;
	fprintf(out, "# %-10s ", "event:");
	text_write(out, event_sentence(event), TEXT_TERMINAL);
	if (rate) {
		fputs(", ", out);
		text_write(out, rate, TEXT_TERMINAL);
		fputs(" samples a second and CPU", out);
	}
	putc('\n', out);
}

static void show_duration(FILE *out, const struct dusk_profile *p)
{
	const char *set = dusk_profile_setting(p, "duration_ns");
	uint64_t ns = set ? strtoull(set, NULL, 10) : 0;

	if (!ns && p->nr_samples)
		ns = p->samples[p->nr_samples - 1].time_ns;
	fprintf(out, "# %-10s %.1f s%s\n", "duration:", ns / 1e9,
		p->finished ? "" : "; the recording did not end in order, and its last second may be missing");
}

void header_show(FILE *out, const struct dusk_profile *p, uint64_t selected)
{
	_cleanup_(ledger_done) struct ledger l = {0};
	char text[16];

	show_setting(out, p, "command:", "command");
	show_setting(out, p, "host:", "hostname");
	show_setting(out, p, "kernel:", "kernel");
	show_setting(out, p, "started:", "start_time");
	show_duration(out, p);
	show_event(out, p);
	fprintf(out, "# %-10s %" PRIu64, "samples:", p->nr_samples);
	if (selected != p->nr_samples)
		fprintf(out, ", %" PRIu64 " of them selected", selected);
	if (!ledger_init(&l, p))
		fprintf(out, "; %s %% of the user stacks complete", ledger_percent(text, ledger_complete_percent(&l)));
	fputs("\n#\n", out);
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

void losses_show(FILE *out, const struct dusk_profile *p)
{
	_cleanup_(ledger_done) struct ledger l = {0};
	const char *title = "#\n# Not complete, or lost:\n";

	if (ledger_init(&l, p))
		return;
	for (uint32_t i = 0; i < p->nr_outcomes; i++) {
		if (!l.outcome[i] || !ledger_is_loss(&p->outcomes[i]))
			continue;
		show_loss(out, &title, l.outcome[i], p->outcomes[i].name, p->outcomes[i].sentence);
	}
	for (uint32_t i = 0; i < p->nr_counters; i++) {
		const struct dusk_counter *c = &p->counters[i];

		if (!c->value || !ledger_is_lost_counter(c))
			continue;
		show_loss(out, &title, c->value, c->name, c->sentence);
	}
}
