/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters by windows. See window_counts.h. */
#include "lib/profile/sums/window_counts.h"

bool window_counts_has(const char *name)
{
	/* What was taken, and what it has cost. */
	static const char *const names[] = {
		"samples",  "offcpu-intervals", "offcpu-unended", "offcpu-sampled-out", "offcpu-stood-for", "events",
		"switches", "switch-ns",	"walk-ns",	  "recorder-cpu-ns",	"memory-limit"};
	static const char full[] = "-full";
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	/* What was lost. */
	return !strncmp(name, "lost-", 5) || (len >= sizeof(full) && !strcmp(name + len + 1 - sizeof(full), full));
}

static struct window_count *count_of(struct window_counts *l, const char *name)
{
	uint32_t number;
	bool fresh;

	if (strings_number(&l->names, name, strlen(name), &number, &fresh) || (fresh && !vec_add(&l->by_name)))
		return NULL;
	return &l->by_name.v[number];
}

int window_counts_add(struct window_counts *l, const char *name, uint64_t n)
{
	struct window_count *c = count_of(l, name);

	if (!c)
		return -ENOMEM;
	c->open += n;
	return 0;
}

int window_counts_total(struct window_counts *l, const char *name, uint64_t total)
{
	struct window_count *c = count_of(l, name);

	if (!c)
		return -ENOMEM;
	if (total > c->total) {
		c->open += total - c->total;
		c->total = total;
	}
	return 0;
}

void window_counts_done(struct window_counts *l)
{
	strings_done(&l->names);
	vec_done(&l->by_name);
}
