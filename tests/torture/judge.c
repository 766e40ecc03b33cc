/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * judge PROFILE LOG: is what the profile says of the victims true?
 *
 * Prints what it counted, one "kind name number" a line, and the first wrong stacks on standard error. Fails if there
 * is a wrong one, or the profile's counters do not add up.
 *
 * A sample is looked up by thread and time. In an entry of the log it must have that entry's functions, all of them and
 * in that order; in an entry of a handler, the interrupted functions must be right as well. Between two entries it may
 * have what leads from one to the other. A stack that was cut must be the inner part of one that would be right.
 * One with frames in modules of which the profile knows nothing cannot be judged, and is counted as unnamed if it is
 * whole.
 */
#include <dusk/dusk.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "history.h"
#include "shape.h"

#define SHOWN 5
#define MAX_LEVELS 16

struct count {
	uint64_t samples, right, between, wrong, unnamed;
	uint64_t unresolved[256];
};

struct hearing {
	struct dusk_profile *profile;
	struct shapes *shapes;
	struct history *history;
	struct count count;
};

/* What the log says of a sample. */
struct expected {
	int nr;					  /* levels with an entry that covers it */
	const struct truth_entry *at[MAX_LEVELS]; /* by level; NULL: between entries */
	const struct truth_entry *before, *after; /* of level 0, where at[0] is NULL */
};

static bool is_worker(const char *comm)
{
	return !strncmp(comm, "iou-", 4);
}

/* May the segment of @level be as it is? */
static bool segment_fits(const struct segment *s, const struct expected *e, int level)
{
	const struct truth_entry *entry = level < MAX_LEVELS ? e->at[level] : NULL;

	if (entry)
		return segment_is(s, entry->path, level > 0);
	if (!segment_is_legal(s, level > 0))
		return false;
	if (level || !e->before || !e->after || e->before->pid != e->after->pid)
		return true;
	return segment_leads_to(s, e->before->path) || segment_leads_to(s, e->after->path);
}

/*
 * Do the segments from @i on fit the levels from @level on? A handler that is interrupted at its very beginning or end
 * does not count itself: its segment may be skipped.
 */
static bool rest_fits(const struct shape *shape, int i, const struct expected *e, int level)
{
	if (i == shape->nr)
		return level >= e->nr;
	return (segment_fits(&shape->segment[i], e, level) && rest_fits(shape, i + 1, e, level + 1)) ||
	       (i && segment_is_bare(&shape->segment[i]) && rest_fits(shape, i + 1, e, level));
}

/* The outermost segment that is there is the inner part of one; how many are missing outside is not known. */
static bool part_fits(const struct shape *shape, const struct expected *e)
{
	for (int missing = 0; missing + shape->nr <= MAX_LEVELS; missing++) {
		int path = e->at[missing] ? e->at[missing]->path : ANY_PATH;

		if (segment_ends(&shape->segment[0], path, missing > 0) && rest_fits(shape, 1, e, missing + 1))
			return true;
	}
	return false;
}

static void show(const struct hearing *c, const struct dusk_sample *s, const struct expected *e)
{
	const struct dusk_thread *t = &c->profile->threads[s->thread];

	fprintf(stderr, "WRONG: %s, pid %d, tid %d, at %.6f s, %s\n", t->comm, t->pid, t->tid, s->time_ns / 1e9,
		c->profile->outcomes[s->outcome].name);
	for (int i = 0; i < e->nr; i++)
		if (e->at[i]) {
			fprintf(stderr, "  truth, level %d, for %.6f s, until %.6f s: ", i,
				(history_time(c->history, s) - e->at[i]->start_ns) / 1e9,
				((double)e->at[i]->end_ns - history_time(c->history, s)) / 1e9);
			path_print(stderr, e->at[i]->path, i > 0);
		}
	if (!e->nr && e->before) {
		fprintf(stderr, "  truth, before: ");
		path_print(stderr, e->before->path, false);
	}
	if (!e->nr && e->after) {
		fprintf(stderr, "  truth, after: ");
		path_print(stderr, e->after->path, false);
	}
	fprintf(stderr, "  profile: ");
	shapes_print(stderr, c->shapes, s->node);
}

static void judge(struct hearing *c, const struct dusk_sample *s)
{
	const struct dusk_thread *t = &c->profile->threads[s->thread];
	const struct dusk_outcome *outcome = &c->profile->outcomes[s->outcome];
	bool whole = outcome->kind == DUSK_COMPLETE, cut = outcome->kind == DUSK_CUT, right;
	struct shape shape;
	struct expected e = {0};

	c->count.samples++;
	shapes_get(c->shapes, s->node, &shape);
	if (shape.unnamed) {
		c->count.unnamed += whole;
		c->count.unresolved[s->outcome] += !whole;
		return;
	}
	if (!whole)
		c->count.unresolved[s->outcome]++;
	e.nr = history_at(c->history, s, e.at, MAX_LEVELS, &e.before, &e.after);
	if (is_worker(t->comm))
		right = !shape.frames;
	else if (whole)
		right = rest_fits(&shape, 0, &e, 0);
	else if (cut && shape.frames)
		right = part_fits(&shape, &e);
	else
		right = !shape.frames;
	if (!right || shape.misplaced) {
		if (c->count.wrong++ < SHOWN)
			show(c, s, &e);
	} else if (whole && e.at[0]) {
		c->count.right++;
	} else if (whole) {
		c->count.between++;
	}
}

static int load_log(const char *path, const struct truth **ret)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	const struct truth *truth;

	if (fd < 0)
		return -errno;
	truth = mmap(NULL, sizeof(*truth), PROT_READ, MAP_SHARED, fd, 0);
	if (truth == MAP_FAILED)
		return -errno;
	if (truth->magic != TRUTH_MAGIC)
		return -EINVAL;
	*ret = truth;
	return 0;
}

static uint64_t counter(const struct dusk_profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->nr_counters; i++)
		if (!strcmp(p->counters[i].name, name))
			return p->counters[i].value;
	return 0;
}

/* Is everything that was lost counted, and under its reason? (src/abi/counter.h) */
static bool counters_add_up(const struct dusk_profile *p)
{
	uint64_t refused = 0, without_stack = 0;

	if (!p->finished)
		return true;
	for (uint32_t i = 0; i < p->nr_counters; i++)
		if (!strncmp(p->counters[i].name, "refused-", 8))
			refused += p->counters[i].value;
	for (uint64_t i = 0; i < p->nr_samples; i++)
		without_stack += !strcmp(p->outcomes[p->samples[i].outcome].name, "ring-lost");
	return p->nr_samples + counter(p, "lost-samples") == counter(p, "samples") &&
	       counter(p, "samples") == counter(p, "no-user") + counter(p, "requests") &&
	       counter(p, "requests") == refused + counter(p, "cached") + counter(p, "walked-nofault") +
						 counter(p, "joined") + counter(p, "afterwards") +
						 counter(p, "scheduled") &&
	       (!without_stack || counter(p, "lost-stacks"));
}

static void print(const struct hearing *c)
{
	const struct dusk_profile *p = c->profile;

	printf("count samples %llu\ncount right %llu\ncount between %llu\ncount wrong %llu\n",
	       (unsigned long long)c->count.samples, (unsigned long long)c->count.right,
	       (unsigned long long)c->count.between, (unsigned long long)c->count.wrong);
	if (c->count.unnamed)
		printf("unresolved unnamed %llu\n", (unsigned long long)c->count.unnamed);
	for (uint32_t i = 0; i < p->nr_outcomes && i < 256; i++)
		if (c->count.unresolved[i])
			printf("unresolved %s %llu\n", p->outcomes[i].name, (unsigned long long)c->count.unresolved[i]);
	for (uint32_t i = 0; i < p->nr_counters; i++) {
		const char *name = p->counters[i].name;

		if (p->counters[i].value &&
		    (!strncmp(name, "lost-", 5) || !strncmp(name, "refused-", 8) || !strncmp(name, "closed-", 7) ||
		     !strcmp(name, "stacks-inline") || !strcmp(name, "modules-full")))
			printf("lost %s %llu\n", name, (unsigned long long)p->counters[i].value);
	}
}

static void free_all(struct hearing *c)
{
	shapes_free(c->shapes);
	history_free(c->history);
	dusk_profile_free(c->profile);
}

int main(int argc, char **argv)
{
	struct dusk_symbol_options symbols = {.sz = sizeof(symbols)};
	_cleanup_(free_all) struct hearing c = {0};
	const struct truth *truth = NULL;
	struct dusk_error err = {""};
	struct dusk_profile *p;

	if (argc != 3)
		return 2;
	if (load_log(argv[2], &truth)) {
		fprintf(stderr, "%s is no log of a victim\n", argv[2]);
		return 1;
	}
	if (dusk_profile_read(&c.profile, argv[1], &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	p = c.profile;
	if (!p->symbolized && dusk_profile_symbolize(p, &symbols, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	c.shapes = shapes_new(p);
	c.history = history_new(truth, p);
	if (!c.shapes || !c.history) {
		fprintf(stderr, "%s does not say when it began, or memory is short\n", argv[1]);
		return 1;
	}
	for (uint64_t i = 0; i < p->nr_samples; i++)
		if (history_knows(c.history, p->threads[p->samples[i].thread].pid))
			judge(&c, &p->samples[i]);
	print(&c);
	if (!counters_add_up(p)) {
		fprintf(stderr, "the counters of %s do not add up\n", argv[1]);
		return 1;
	}
	return c.count.wrong > 0;
}
