/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cli/cmdline/event_words.h"
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/path.h"

#define DEVICES "/sys/bus/event_source/devices/"

/* Has this machine a PMU that Linux shows? */
static bool has_pmu(void)
{
	static const char *const folders[] = {DEVICES "cpu", DEVICES "cpu_core", DEVICES "armv8*"};
	glob_t found;
	bool any = false;

	for (size_t i = 0; !any && i < sizeof(folders) / sizeof(folders[0]); i++) {
		any = !glob(folders[i], GLOB_NOSORT, NULL, &found);
		globfree(&found);
	}
	return any;
}

/* By cycles the CPU is sampled where there is a PMU (dusk record -e cpu); else by its clock. */
static bool samples_cpu(const char *word)
{
	static const char *const clocks[] = {"cpu", "cpu-clock", "task-clock"};

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (!strcmp(word, clocks[i]))
			return true;
	return (!strcmp(word, "cycles") || !strcmp(word, "cpu-cycles")) && has_pmu();
}

const char *event_word_means(const char *word)
{
	static const struct {
		const char *word, *event;
	} others[] = {
		{"offcpu", "offcpu"},
		{"page-faults", "exceptions:page_fault_user"},
		{"faults", "exceptions:page_fault_user"},
		{"context-switches", "sched:sched_switch"},
		{"cs", "sched:sched_switch"},
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(word, others[i].word))
			return others[i].event;
	return samples_cpu(word) ? "cpu" : NULL;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool is_of_pmu(const char *text)
{
	static const char *const words[] = {
		"cycles", "cpu-cycles", "instructions", "cache-", "branch", "bus-cycles", "ref-cycles", "stalled-",
		"L1-",	  "LLC-",	"dTLB-",	"iTLB-",  "node-",  "mem-",	  "topdown-",	"slots"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (begins(text, words[i]))
			return true;
	return false;
}

/* A probe as other tools name it: "uprobe:/bin/bash:readline". */
struct probe {
	char program[256], group[64], function[128], provider[64];
};

/* perf calls a group of probes after the program, up to the first of these (linux 6.18 tools/perf/util/probe-event.c). */
static void name_group(struct probe *p)
{
	const char *base = path_name(p->program);

	snprintf(p->group, sizeof(p->group), "probe_%.*s", (int)strcspn(base, "-._"), base);
}

/* With too few parts, names stand for what is missing. */
static struct probe take_probe(const char *text, bool usdt)
{
	struct probe p = {.program = "PROGRAM", .function = "FUNCTION", .provider = "PROVIDER"};

	text += strcspn(text, ":") + 1;
	if (usdt)
		sscanf(text, "%255[^:]:%63[^:]:%127[^:]", p.program, p.provider, p.function);
	else
		sscanf(text, "%255[^:]:%127[^:]", p.program, p.function);
	name_group(&p);
	return p;
}

static void explain_probe(FILE *out, const char *text)
{
	struct probe p = take_probe(text, begins(text, "usdt:"));
	const char *back = begins(text, "kret") || begins(text, "uret") ? "%return" : "";

	if (begins(text, "k"))
		fprintf(out, "perf probe --add '%s%s', then dusk record -e 'probe:%s*'", p.program, back, p.program);
	else if (begins(text, "usdt:"))
		fprintf(out, "perf buildid-cache --add %s && perf probe --add sdt_%s:%s, then dusk record -e sdt_%s:%s",
			p.program, p.provider, p.function, p.provider, p.function);
	else
		fprintf(out, "perf probe -x %s --add '%s%s', then dusk record -e '%s:%s*'", p.program, p.function, back,
			p.group, p.function);
}

bool event_word_is_probe(const char *text)
{
	static const char *const kinds[] = {"kprobe:", "kretprobe:", "uprobe:", "uretprobe:", "usdt:"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (begins(text, kinds[i]))
			return true;
	return false;
}

bool event_word_explain(const char *text, char *ret, size_t room)
{
	_cleanup_(fclosep) FILE *out = fmemopen(ret, room, "w");

	if (!out)
		return false;
	if (event_word_is_probe(text)) {
		fprintf(out, "%s: probes are recorded once they are defined; as root: ", text);
		explain_probe(out, text);
	} else if (is_of_pmu(text) && has_pmu()) {
		fprintf(out,
			"%s: of what the PMU counts, dusk samples by cycles only (-e cpu); "
			"others: perf record -g -e %s, then dusk import",
			text, text);
	} else if (is_of_pmu(text)) {
		fprintf(out,
			"%s: this machine shows no PMU, as most virtual ones, so nothing here can count that; "
			"-e cpu samples by time",
			text);
	} else if (!strcmp(text, "minor-faults") || !strcmp(text, "major-faults")) {
		fprintf(out, "%s: the kernel has one event for all of them: -e page-faults", text);
	} else if (begins(text, "syscalls:") && !begins(text, "syscalls:sys_")) {
		text += strlen("syscalls:");
		fprintf(out, "a system call has two events: syscalls:sys_enter_%s and syscalls:sys_exit_%s", text,
			text);
	} else if (!strchr(text, ':')) {
		fprintf(out,
			"-e takes cpu, offcpu, and events of tracefs as sched:sched_switch, with commas between them; "
			"of a function, -e uprobe:FILE:%s makes an event, where FILE is its program or library",
			text);
	} else {
		return false;
	}
	return true;
}
