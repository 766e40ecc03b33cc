/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Into which foreign formats can a profile be written? See export.h. */
#include <string.h>
#include "export/export.h"

const struct export_format export_formats[] = {
	{"folded", "folded", "a line for each stack, \"comm;caller;callee count\": flamegraph.pl and many others",
	 folded_write},
	{"script", "perf", "the text of perf script: speedscope, the Firefox Profiler, stackcollapse-perf.pl",
	 script_write},
	{0},
};

const struct export_format *export_find(const char *name)
{
	for (const struct export_format *f = export_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}
