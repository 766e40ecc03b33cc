/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of dusk agent. The configuration file has the long ones, as lines "name = value". */
#include <errno.h>
#include <ini.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/address.h"
#include "base/cleanup.h"
#include "base/privilege.h"
#include "cli/agent/agent.h"
#include "cli/cmdline/mode_choice.h"

const struct option agent_option_table[] = {
	{0, "config", OPTION_TEXT, offsetof(struct agent_options, config), "FILE",
	 "options are there, too (" AGENT_CONFIG ")"},
	{0, "check-config", OPTION_FLAG, offsetof(struct agent_options, check), NULL,
	 "say what would be done, and do nothing"},
	{0, "store", OPTION_TEXT, offsetof(struct agent_options, store), "FOLDER",
	 "where profiles are kept (/var/lib/dusk)"},
	{'F', "freq", OPTION_NUMBER, offsetof(struct agent_options, frequency_hz), "HZ",
	 "samples a second and CPU (default 20)", 1, 1000},
	{'e', "event", OPTION_TEXT, offsetof(struct agent_options, events), "EVENTS", "as record -e (cpu,offcpu)"},
	{0, "mode", OPTION_TEXT, offsetof(struct agent_options, mode), "MODE", "as record --mode"},
	{0, "window", OPTION_DURATION, offsetof(struct agent_options, window_ns), "TIME",
	 "sum samples up for this time (default 10s)"},
	{0, "min-block", OPTION_DURATION, offsetof(struct agent_options, slow_ns), "TIME",
	 "longer intervals off CPU are kept singly (1s)"},
	{0, "budget", OPTION_PERCENT, offsetof(struct agent_options, budget_percent), "P", "as record --budget"},
	{0, "max-cpu", OPTION_PERCENT, offsetof(struct agent_options, max_cpu_percent), "P",
	 "the most of all CPUs that it may take (1)"},
	{0, "max-memory", OPTION_SIZE, offsetof(struct agent_options, max_memory_bytes), "SIZE",
	 "the most memory, with maps (128M); 0: no limit", 0, 1ULL << 40},
	{0, "rotate", OPTION_DURATION, offsetof(struct agent_options, rotate_ns), "TIME",
	 "begin a new profile after this time (1h)"},
	{0, "to", OPTION_TEXT, offsetof(struct agent_options, to), "URLS",
	 "also to servers: otlp://HOST,clickhouse://HOST"},
	{0, "metrics", OPTION_TEXT, offsetof(struct agent_options, metrics), "ADDRESS",
	 "answer /metrics and /healthz at a port or path"},
	{0, "keep", OPTION_DURATION, offsetof(struct agent_options, keep_ns), "TIME",
	 "remove older profiles (default 7d)"},
	{0, "keep-bytes", OPTION_SIZE, offsetof(struct agent_options, keep_bytes), "SIZE",
	 "remove the oldest above this (1G)", 1 << 20, 1ULL << 50},
	{0, "compact", OPTION_DURATION_0, offsetof(struct agent_options, compact_ns), "TIME",
	 "merge the profiles of a day this old (1d)"},
	{0, "compact-window", OPTION_DURATION, offsetof(struct agent_options, compact_window_ns), "TIME",
	 "the windows of that (default 1m)"},
	{0, "compact-size", OPTION_SIZE, offsetof(struct agent_options, compact_size), "SIZE",
	 "at most this a CPU and day (5M); 0: no limit", 0, 1ULL << 50},
	{'q', "quiet", OPTION_FLAG, offsetof(struct agent_options, quiet), NULL, "print nothing but errors"},
	{0},
};

#define DAY_NS (24 * 3600 * 1000000000ULL)
#define MIN_ROTATE_NS 1000000000ULL

struct file {
	const struct command *self;
	struct agent_options *o;
	FILE *in;
	int nr_lines;
	char error[300];
};

static bool is_flag(const char *name)
{
	for (const struct option *o = agent_option_table; o->name; o++)
		if (!strcmp(o->name, name))
			return o->kind == OPTION_FLAG;
	return false;
}

/* A line of the file, as an option of the command line. Returns 1, or 0 after an error. */
static int take_line(void *ctx, const char *section, const char *name, const char *value)
{
	struct file *f = ctx;
	struct options_result result = {0};
	char *words[] = {(char *)"agent", NULL, NULL}, *text = NULL;
	bool flag = is_flag(name);

	if (*section) {
		snprintf(f->error, sizeof(f->error), "[%s]: this file has no sections", section);
		return 0;
	}
	if (!strcmp(name, "config") || !strcmp(name, "check-config")) {
		snprintf(f->error, sizeof(f->error), "%s cannot be set in a file", name);
		return 0;
	}
	if (!strcmp(name, "store") && *value != '/') {
		snprintf(f->error, sizeof(f->error),
			 "store takes a path that begins with /, as an agent may be started anywhere");
		return 0;
	}
	if (flag && strcmp(value, "yes") && strcmp(value, "no")) {
		snprintf(f->error, sizeof(f->error), "%s takes yes or no", name);
		return 0;
	}
	if (flag && !strcmp(value, "no"))
		return 1;
	if (asprintf(&text, "--%s%s%s", name, flag ? "" : "=", flag ? "" : value) < 0)
		text = NULL;
	if (!text || vec_push(&f->o->texts, text)) {
		free(text);
		snprintf(f->error, sizeof(f->error), "out of memory");
		return 0;
	}
	words[1] = text;
	if (!options_parse(agent_option_table, 2, words, f->o, &result))
		return 1;
	snprintf(f->error, sizeof(f->error), "%s", result.error);
	return 0;
}

/* The library would take the rest of a line that is too long for its room for one of its own. */
static char *read_line(char *text, int room, void *ctx)
{
	struct file *f = ctx;

	if (!fgets(text, room, f->in))
		return NULL;
	f->nr_lines++;
	if (strchr(text, '\n') || strlen(text) < room - 1)
		return text;
	snprintf(f->error, sizeof(f->error), "longer than %d bytes", room - 2);
	return NULL;
}

/* It is the user that names the file, so it is the user's right to it that counts. */
static FILE *open_file(const char *path)
{
	uint64_t had;
	FILE *in;
	int err;

	if (privilege_lower(&had))
		return NULL;
	in = fopen(path, "re");
	err = errno;
	privilege_raise(had);
	errno = err;
	return in;
}

/* Take the options of the file at @path. Returns STATUS_OK, or STATUS_FAILED after an error. */
static int take_file(const struct command *self, struct agent_options *o, const char *path)
{
	_cleanup_(fclosep) FILE *in = open_file(path);
	struct file f = {.self = self, .o = o, .in = in};
	int line = in ? ini_parse_stream(read_line, &f, take_line, &f) : -1;

	if (!line && *f.error)
		line = f.nr_lines;
	if (line < 0 || (!line && ferror(in)))
		say("cannot read %s: %s", path, strerror(errno));
	else if (line)
		say("%s, line %d: %s", path, line, *f.error ? f.error : "not a line such as \"store = /var/lib/dusk\"");
	return line || ferror(in) ? STATUS_FAILED : STATUS_OK;
}

static int check(const struct command *self, const struct agent_options *o)
{
	union address a;

	if (o->mode && !mode_is_known(o->mode))
		return say_usage(self, "--mode takes full, copied or ptrace, not '%s'", o->mode);
	if (o->metrics && *o->metrics != '/' && (address_parse(&a, o->metrics) || !address_is_local(&a)))
		return say_usage(self,
				 "--metrics takes an address of this machine with a port, or a path that begins with "
				 "/, not '%s'",
				 o->metrics);
	if (o->window_ns < 100000000)
		return say_usage(self, "--window takes at least 100ms");
	if (o->rotate_ns < MIN_ROTATE_NS || o->rotate_ns < o->window_ns)
		return say_usage(self, "--rotate takes at least 1s, and a window");
	if (o->keep_ns < o->rotate_ns)
		return say_usage(self,
				 "--keep of %g s would remove each profile of %g s (--rotate) when it is made; without "
				 "a unit it is "
				 "seconds, and a week is 7d",
				 o->keep_ns / 1e9, o->rotate_ns / 1e9);
	return STATUS_OK;
}

bool agent_options(const struct command *self, int argc, char **argv, struct agent_options *o, int *status)
{
	struct agent_options line = {0};
	const char *file;

	*o = (struct agent_options){
		.store = "/var/lib/dusk",
		.events = "cpu,offcpu",
		.frequency_hz = 20,
		.window_ns = 10000000000ULL,
		.slow_ns = 1000000000ULL,
		.rotate_ns = DAY_NS / 24,
		.keep_ns = 7 * DAY_NS,
		.compact_ns = DAY_NS,
		.compact_window_ns = 60000000000ULL,
		.compact_size = 5 << 20,
		.keep_bytes = 1ULL << 30,
		.max_cpu_percent = 1,
		.max_memory_bytes = 128 << 20,
	};
	if (!command_options(self, argc, argv, &line, NULL, status))
		return false;
	file = line.config ?: access(AGENT_CONFIG, F_OK) ? line.config : AGENT_CONFIG;
	*status = file ? take_file(self, o, file) : STATUS_OK;
	/* Once more, now over what the file says. */
	if (*status || !command_options(self, argc, argv, o, NULL, status))
		return false;
	if (line.max_cpu_percent && !line.budget_percent)
		o->budget_percent = 0; /* either instead of the other */
	*status = check(self, o);
	return !*status;
}

void agent_options_done(struct agent_options *o)
{
	for (size_t i = 0; i < o->texts.nr; i++)
		free(o->texts.v[i]);
	vec_done(&o->texts);
}

/* Read again it is the same: sizes are in K where they have no rest. */
static void print_size(const char *name, uint64_t bytes)
{
	bool whole = !(bytes & 1023);

	printf("%s = %llu%s\n", name, (unsigned long long)(whole ? bytes >> 10 : bytes), whole ? "K" : "");
}

void agent_options_print(const struct agent_options *o)
{
	printf("store = %s\nfreq = %u\nevent = %s\n", o->store, o->frequency_hz, o->events);
	if (o->mode)
		printf("mode = %s\n", o->mode);
	if (o->budget_percent)
		printf("budget = %g\n", o->budget_percent);
	else
		printf("max-cpu = %g\n", o->max_cpu_percent);
	print_size("max-memory", o->max_memory_bytes);
	if (o->to)
		printf("to = %s\n", o->to);
	if (o->metrics)
		printf("metrics = %s\n", o->metrics);
	printf("window = %gs\nmin-block = %gs\nrotate = %gs\nkeep = %gs\n", o->window_ns / 1e9, o->slow_ns / 1e9,
	       o->rotate_ns / 1e9, o->keep_ns / 1e9);
	print_size("keep-bytes", o->keep_bytes);
	printf("compact = %gs\ncompact-window = %gs\n", o->compact_ns / 1e9, o->compact_window_ns / 1e9);
	print_size("compact-size", o->compact_size);
}
