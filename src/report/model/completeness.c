/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Count the samples of a profile by how complete their stacks are. See completeness.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "report/model/time_base.h"
#include "report/model/completeness.h"
#include "report/model/unsure.h"

/* @outcome: by index of outcomes; @met, @unsure: by node. */
static void add_sample(struct completeness *l, const struct dusk_profile *p, const struct dusk_sample *s,
		       uint64_t *outcome, bool *met, const bool *unsure)
{
	outcome[s->outcome] += s->count;
	if (unsure[s->node] && p->outcomes[s->outcome].kind == DUSK_COMPLETE)
		l->unsure += s->count;
	l->samples += s->count;
	l->ns += s->value_ns;
	l->stacks += s->node && !met[s->node];
	met[s->node] = true;
}

int completeness_of(struct completeness *ret, const struct dusk_profile *p, enum dusk_source source)
{
	_cleanup_(freep) uint64_t *outcome = calloc(p->nr_outcomes + 1, sizeof(*outcome));
	_cleanup_(freep) bool *met = calloc(p->nr_nodes + 1, sizeof(*met));
	_cleanup_(freep) bool *unsure = unsure_nodes(p);
	struct completeness l = {0};

	if (!outcome || !met || !unsure)
		return -ENOMEM;
	for (uint64_t i = 0; source != DUSK_EVENT && i < p->nr_samples; i++)
		if (p->samples[i].source == source)
			add_sample(&l, p, &p->samples[i], outcome, met, unsure);
	for (uint64_t i = 0; source == DUSK_EVENT && i < p->nr_occurrences; i++)
		add_sample(&l, p, &p->occurrences[i].sample, outcome, met, unsure);
	for (uint32_t i = 0; i < p->nr_outcomes; i++)
		switch (p->outcomes[i].kind) {
		case DUSK_COMPLETE: l.complete += outcome[i]; break;
		case DUSK_CUT: l.cut += outcome[i]; break;
		case DUSK_NO_STACK: l.no_stack += outcome[i]; break;
		case DUSK_ABSENT: l.absent += outcome[i]; break;
		}
	l.outcome = steal(outcome);
	*ret = l;
	return 0;
}

int completeness_init(struct completeness *ret, const struct dusk_profile *p)
{
	enum time_base kind = time_base_of(p, TIME_BASE_USUAL);

	return completeness_of(ret, p,
			       kind == TIME_BASE_OFF_CPU ? DUSK_OFF_CPU
			       : kind == TIME_BASE_EVENT ? DUSK_EVENT
							 : DUSK_CPU);
}

void completeness_done(struct completeness *l)
{
	free(steal(l->outcome));
}

double complete_percent(const struct completeness *l)
{
	uint64_t user = l->samples - l->absent;

	return user ? 100.0 * l->complete / user : 100;
}

const char *unsure_text(char *text, const struct completeness *l)
{
	*text = 0;
	if (l->unsure)
		snprintf(text, UNSURE_TEXT_BYTES, " (%" PRIu64 " of them unsure)", l->unsure);
	return text;
}

bool outcome_is_loss(const struct dusk_outcome *o)
{
	return o->kind == DUSK_CUT || o->kind == DUSK_NO_STACK;
}

/* These counters count things that are in no sample. What the other counters of refusals count is also an outcome. */
bool counter_is_loss(const struct dusk_counter *c)
{
	return !strncmp(c->name, "lost-", 5) || !strcmp(c->name, "modules-full") || !strcmp(c->name, "titles-full") ||
	       !strcmp(c->name, "stacks-shortened");
}

const char *percent_text(char *text, double percent)
{
	if (percent < 100 && percent > 99.99)
		percent = 99.99;
	if (percent > 0 && percent < 0.01)
		percent = 0.01;
	snprintf(text, 16, "%.2f", percent);
	return text;
}
