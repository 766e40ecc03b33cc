/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of export formats. See export.h. */
#include <string.h>
#include "export/export.h"

const struct export_format export_formats[] = {
	{"folded",
	 {"folded"},
	 "a line for each stack, \"comm;caller;callee count\": flamegraph.pl and many others",
	 NULL,
	 NULL,
	 false,
	 true,
	 TIME_BASE_USUAL,
	 folded_write},
	{"script",
	 {"perf"},
	 "the text of perf script: stackcollapse-perf.pl and what else reads it",
	 NULL,
	 NULL,
	 false,
	 true,
	 TIME_BASE_WALL,
	 script_write},
	{"perf",
	 {"data"},
	 "a perf.data for perf report and perf script",
	 "names, which perf looks up by build id",
	 "their states",
	 true,
	 false,
	 TIME_BASE_WALL,
	 perf_write},
	{"pprof",
	 {"pb.gz", "pprof"},
	 "for go tool pprof, Pyroscope, Parca",
	 "times and CPUs",
	 "how long they only waited for a CPU",
	 true,
	 false,
	 TIME_BASE_WALL,
	 pprof_write},
	{"otlp",
	 {"otlp"},
	 "OpenTelemetry profiles (v1development) in protocol buffers",
	 "CPUs",
	 "how long they only waited for a CPU",
	 true,
	 false,
	 TIME_BASE_WALL,
	 otlp_write},
	{"perfetto",
	 {"pftrace", "perfetto-trace"},
	 "for ui.perfetto.dev and trace_processor",
	 NULL,
	 "sums, which have no time",
	 true,
	 false,
	 TIME_BASE_WALL,
	 perfetto_write},
	{"firefox",
	 {"firefox.json"},
	 "for profiler.firefox.com",
	 "CPUs",
	 "how long they only waited for a CPU",
	 false,
	 false,
	 TIME_BASE_WALL,
	 firefox_write},
	{"speedscope",
	 {"speedscope.json"},
	 "for speedscope.app, by thread",
	 "times, CPUs and addresses",
	 "their states",
	 false,
	 false,
	 TIME_BASE_WALL,
	 speedscope_write},
	{"nested-set",
	 {"nested.json"},
	 "the call tree as rows, depth first: the flame graph panel of Grafana",
	 "times, CPUs, addresses, and threads but by name",
	 "their states",
	 false,
	 false,
	 TIME_BASE_USUAL,
	 nested_set_write},
	{"jsonl",
	 {"jsonl", "ndjson"},
	 "all of it, an object a line; --schema describes them",
	 NULL,
	 NULL,
	 false,
	 false,
	 TIME_BASE_WALL,
	 jsonl_write},
	{0},
};

const struct export_format *export_find(const char *name)
{
	for (const struct export_format *f = export_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

static bool has_suffix(const char *path, const char *suffix)
{
	size_t len = strlen(path), tail = strlen(suffix);

	return len > tail && path[len - tail - 1] == '.' && !strcmp(path + len - tail, suffix);
}

const struct export_format *export_find_suffix(const char *path)
{
	for (const struct export_format *f = export_formats; f->name; f++)
		for (size_t i = 0; i < EXPORT_SUFFIXES && f->suffixes[i]; i++)
			if (has_suffix(path, f->suffixes[i]))
				return f;
	return NULL;
}
