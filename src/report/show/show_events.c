/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How often each event of tracefs has occurred, for a view that is of one event. See show.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "report/show/show.h"
#include "report/text.h"

struct counted {
	const char *name;
	uint64_t nr;
};

static int by_number(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;

	return x->nr > y->nr ? -1 : x->nr < y->nr;
}

int events_show(FILE *out, const struct dusk_profile *p)
{
	_cleanup_(freep) struct counted *all = calloc(p->nr_events + 1UL, sizeof(*all));

	if (!all)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->nr_events; i++)
		all[i].name = p->events[i].name;
	for (uint64_t i = 0; i < p->nr_occurrences; i++)
		all[p->occurrences[i].event].nr++;
	qsort(all, p->nr_events, sizeof(*all), by_number);
	fputs("# These events have occurred; a view is of one of them: --event NAME\n#\n#      Nr  Event\n", out);
	for (uint32_t i = 0; i < p->nr_events && all[i].nr; i++) {
		fprintf(out, "%9" PRIu64 "  ", all[i].nr);
		text_write(out, all[i].name, TEXT_TERMINAL);
		putc('\n', out);
	}
	return 0;
}
