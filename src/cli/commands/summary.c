/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Summarize a recording. See summary.h. The file is read again, so that the summary is of what it contains. */
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"
#include "cli/view/load_profile.h"
#include "cli/commands/summary.h"
#include "report/model/time_balance.h"
#include "report/model/cost.h"
#include "report/model/missing_frame_pointers.h"
#include "report/model/completeness.h"
#include "report/model/setting.h"
#include "report/show/show.h"

#define MAX_ADVICE 3 /* listed programs with JIT code without frame pointers */

static double duration_s(const struct dusk_profile *p)
{
	return setting_u64(p, "duration_ns") / 1e9;
}

/* @only: the profile has only samples. */
static void say_size(const struct dusk_profile *p, const struct completeness *l, bool only)
{
	char each[48] = "";

	if (l->samples && only)
		snprintf(each, sizeof(each), " (%.0f bytes a sample)", (double)p->bytes / l->samples);
	say("%" PRIu64 " samples in %.1f s, %" PRIu64 " distinct stacks, %.1f KiB%s", l->samples, duration_s(p),
	    l->stacks, p->bytes / 1024.0, each);
}

/* @what: of which samples these are the stacks. */
static void say_stacks(const struct dusk_profile *p, const struct completeness *l, const char *what, bool verbose)
{
	char text[16], unsure[UNSURE_TEXT_BYTES];

	if (l->samples > l->absent)
		say("%s: %s %% of %" PRIu64 " user stacks complete%s", what, percent_text(text, complete_percent(l)),
		    l->samples - l->absent, unsure_text(unsure, l));
	for (uint32_t i = 0; i < p->nr_outcomes; i++)
		if (verbose || (l->outcome[i] && outcome_is_loss(&p->outcomes[i])))
			say("  %9" PRIu64 "  %s: %s", l->outcome[i], p->outcomes[i].name, p->outcomes[i].sentence);
}

static void say_missing_fp(const struct dusk_profile *p)
{
	_cleanup_(freep) struct missing_fp *found = NULL;
	size_t nr;

	if (missing_fp_find(&found, &nr, p, time_base_of(p, TIME_BASE_USUAL)))
		return;
	for (size_t i = 0; i < nr && i < MAX_ADVICE; i++)
		say("  %s: JIT code without frame pointers; %s", found[i].program, found[i].remedy);
}

static void say_counters(const struct dusk_profile *p, bool verbose)
{
	for (uint32_t i = 0; i < p->nr_counters; i++)
		if (verbose || (p->counters[i].value && counter_is_loss(&p->counters[i])))
			say("  %9" PRIu64 "  %s: %s", p->counters[i].value, p->counters[i].name,
			    p->counters[i].sentence);
}

static void say_cost(const struct dusk_profile *p)
{
	struct cost c;

	cost_of(&c, p);
	if (c.switches)
		say("following switches took %.0f ns each, %.2f %% of the CPUs", c.ns_a_switch, c.percent);
	if (c.left_out)
		say("to hold the budget, %" PRIu64 " of %" PRIu64
		    " off-CPU intervals were left out, all under %.3f ms; others stand for them",
		    c.left_out, c.intervals, c.certain_ns / 1e6);
}

static void say_off_cpu(const struct dusk_profile *p, const struct completeness *l, bool verbose)
{
	_cleanup_(time_balance_done) struct time_balance a = {0};
	char text[16];

	say("%" PRIu64 " off-CPU intervals, %.3f s, %" PRIu64 " distinct stacks", l->samples, l->ns / 1e9, l->stacks);
	say_stacks(p, l, "off-CPU intervals", verbose);
	say_cost(p);
	if (!time_balance_init(&a, p) && a.nr)
		say("accounted: %s %% of %.3f thread-seconds", percent_text(text, time_balance_percent(&a)),
		    a.life_ns / 1e9);
}

/* @only: the profile has only events. */
static void say_events(const struct dusk_profile *p, const struct completeness *l, bool only, bool verbose)
{
	char rest[64] = "", where[64] = "";

	if (only) {
		snprintf(where, sizeof(where), " in %.1f s", duration_s(p));
		snprintf(rest, sizeof(rest), ", %.1f KiB", p->bytes / 1024.0);
	}
	say("%" PRIu64 " occurrence%s of %" PRIu32 " event%s of tracefs%s, %" PRIu64 " distinct stacks%s", l->samples,
	    l->samples == 1 ? "" : "s", p->nr_events, p->nr_events == 1 ? "" : "s", where, l->stacks, rest);
	say_stacks(p, l, "events", verbose);
}

static uint64_t counter(const struct dusk_profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->nr_counters; i++)
		if (!strcmp(p->counters[i].name, name))
			return p->counters[i].value;
	return 0;
}

/* What mode ptrace has cost the threads, and what would do more for less. */
static void say_stops(const struct dusk_profile *p)
{
	uint64_t stops = counter(p, "stops"), stopped_us = counter(p, "stopped-us"), cpu_us = counter(p, "sampled-us");

	say("threads were stopped %" PRIu64 " times, for %.0f us each and %" PRIu64
	    " us at most: %.2f %% of their CPU time",
	    stops, stops ? (double)stopped_us / stops : 0, counter(p, "longest-stop-us"),
	    cpu_us ? 100.0 * stopped_us / cpu_us : 0);
	say("perf events would record more for less: sysctl kernel.perf_event_paranoid=2, a seccomp filter that allows "
	    "them, or cap_perfmon");
}

static void say_kernel(const struct dusk_profile *p, bool off_cpu)
{
	const char *kernel = dusk_profile_setting(p, "kernel_mode"), *mode = dusk_profile_setting(p, "mode");

	if (mode && !strcmp(mode, "ptrace")) {
		say_stops(p);
		return;
	}
	if (kernel && strcmp(kernel, "sampled")) {
		say("only user mode was sampled%s: kernel.perf_event_paranoid allows the kernel to privileged users "
		    "only",
		    off_cpu ? ", and off-CPU intervals have no stacks" : "");
		return;
	}
	if (!dusk_profile_setting(p, "kernel_text"))
		say("the kernel shows no addresses, for lack of cap_syslog or by kernel.kptr_restrict: its functions "
		    "have no "
		    "names%s",
		    off_cpu ? ", and its stack was walked anew for each off-CPU interval" : "");
}

static void say_next(const char *path)
{
	if (strcmp(path, DEFAULT_PROFILE))
		say("wrote %s; next: dusk report -i %s, or dusk flame -i %s", path, path, path);
	else
		say("wrote %s; next: dusk report, or dusk flame", path);
}

void summary_say(const char *path, const char *event, bool verbose)
{
	_cleanup_(profile_freep) struct dusk_profile *p = NULL;
	_cleanup_(completeness_done) struct completeness l = {0}, off_cpu = {0}, events = {0};
	bool only_events = !strcmp(event, "tracefs");
	struct dusk_error err = {""};

	if (dusk_profile_read(&p, path, &err)) {
		say("%s", err.text);
		return;
	}
	if (completeness_of(&l, p, DUSK_CPU) || completeness_of(&off_cpu, p, DUSK_OFF_CPU) ||
	    completeness_of(&events, p, DUSK_EVENT))
		return;
	if (!only_events) {
		say_size(p, &l, !off_cpu.samples && !p->nr_events);
		say_stacks(p, &l, "samples", verbose);
	}
	if (off_cpu.samples)
		say_off_cpu(p, &off_cpu, verbose);
	if (p->nr_events)
		say_events(p, &events, only_events, verbose);
	say_kernel(p, off_cpu.samples);
	say_missing_fp(p);
	say_counters(p, verbose);
	if (!only_events)
		say("sampled by %s", event_sentence(event));
	else if (!events.samples)
		say("none of these events has occurred in what was to be recorded");
	if (!l.samples && !off_cpu.samples && !only_events)
		say("nothing ran on the CPU that was to be recorded");
	say_next(path);
}
