/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The mappings of processes and the names of threads. See processes.h. Maps of a process are sorted and do not overlap.
 * Both limits are far above what programs need; they bound the work that a forged recording can cause.
 */
#include <errno.h>
#include <string.h>

#include "lib/process/processes.h"

#define MAX_MAPS 16384	     /* per process; usually about a hundred, as only code is mapped here */
#define MAX_COPIED (1 << 22) /* maps, after forks without execve(), if child or parent maps more */

struct process_maps {
	uint32_t refs;
	struct vec(struct process_map) v;
};

static void release(struct process_maps *m)
{
	if (!m || --m->refs)
		return;
	vec_done(&m->v);
	free(m);
}

/* Return the slot for the maps of @pid, which may hold NULL. NULL: memory is short. */
static struct process_maps **place_of(struct processes *p, uint32_t pid)
{
	bool fresh;
	uint32_t *index = map_at(&p->maps_of, pid, &fresh);

	if (!index)
		return NULL;
	if (fresh) {
		if (vec_push(&p->all, NULL))
			return NULL;
		*index = p->all.nr - 1;
	}
	/* After vec_push() has failed, *index is wrong: 0. The caller gives up on -ENOMEM, so it is not used. */
	return *index < p->all.nr ? &p->all.v[*index] : NULL;
}

static const struct process_maps *maps_of(const struct processes *p, uint32_t pid)
{
	uint32_t *index = map_find(&p->maps_of, pid);

	return index && *index < p->all.nr ? p->all.v[*index] : NULL;
}

/* Give the process at @place maps of its own. Returns 0 or -ENOMEM. */
static int own(struct processes *p, struct process_maps **place)
{
	struct process_maps *old = *place, *m;

	if (old && old->refs == 1)
		return 0;
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	m->refs = 1;
	if (old && p->copied + old->v.nr > MAX_COPIED) {
		p->refused += old->v.nr;
	} else if (old) {
		if (vec_append(&m->v, old->v.v, old->v.nr)) {
			release(m);
			return -ENOMEM;
		}
		p->copied += old->v.nr;
	}
	release(old);
	*place = m;
	return 0;
}

/* Return how many maps end at or before @address. */
static size_t nr_before(const struct process_maps *m, uint64_t address)
{
	size_t low = 0, high = m->v.nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->v.v[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Replace maps @first to @last - 1, which overlap @new, by what is left before @new, @new if @keep, and what is left
 * after it.
 */
static int replace(struct process_maps *m, size_t first, size_t last, const struct process_map *new, bool keep)
{
	struct process_map pieces[3];
	size_t nr = 0, old = last - first;

	if (old && m->v.v[first].start < new->start) {
		pieces[nr] = m->v.v[first];
		pieces[nr++].end = new->start;
	}
	if (keep)
		pieces[nr++] = *new;
	if (old && m->v.v[last - 1].end > new->end) {
		pieces[nr] = m->v.v[last - 1];
		pieces[nr].offset += new->end - pieces[nr].start;
		pieces[nr++].start = new->end;
	}
	if (vec_reserve(&m->v, nr))
		return -ENOMEM;
	memmove(m->v.v + first + nr, m->v.v + last, (m->v.nr - last) * sizeof(*m->v.v));
	memcpy(m->v.v + first, pieces, nr * sizeof(*pieces));
	m->v.nr = m->v.nr - old + nr;
	return 0;
}

/* Find the maps that overlap @m: @first to @last - 1. */
static void overlapping(const struct process_maps *maps, const struct process_map *m, size_t *first, size_t *last)
{
	*first = *last = nr_before(maps, m->start);
	while (*last < maps->v.nr && maps->v.v[*last].start < m->end)
		(*last)++;
}

int processes_map(struct processes *p, uint32_t pid, const struct process_map *m)
{
	struct process_maps **place = place_of(p, pid);
	size_t first, last;

	if (!place || own(p, place))
		return -ENOMEM;
	if (m->start >= m->end)
		return 0;
	if ((*place)->v.nr >= MAX_MAPS) {
		p->refused++;
		return 0;
	}
	overlapping(*place, m, &first, &last);
	return replace(*place, first, last, m, true);
}

int processes_unmap(struct processes *p, uint32_t pid, uint64_t start, uint64_t end)
{
	const struct process_map gap = {.start = start, .end = end};
	const struct process_maps *maps = maps_of(p, pid);
	struct process_maps **place;
	size_t first, last;

	if (!maps || start >= end)
		return 0;
	overlapping(maps, &gap, &first, &last);
	if (first == last)
		return 0;
	place = place_of(p, pid);
	if (!place || own(p, place))
		return -ENOMEM;
	overlapping(*place, &gap, &first, &last); /* there may have been no room for copies */
	return first < last ? replace(*place, first, last, &gap, false) : 0;
}

void processes_end(struct processes *p, uint32_t pid)
{
	uint32_t *index = map_find(&p->maps_of, pid);

	if (!index || *index >= p->all.nr)
		return;
	release(p->all.v[*index]);
	p->all.v[*index] = NULL;
}

int processes_fork(struct processes *p, const struct process_fork *f)
{
	uint32_t *name = map_find(&p->name_of, f->ptid), number = name ? *name : 0;
	struct process_maps **place, *of_parent;
	bool fresh;

	name = map_at(&p->name_of, f->tid, &fresh);
	if (!name)
		return -ENOMEM;
	*name = number;
	if (f->pid == f->ppid)
		return 0;
	place = place_of(p, f->pid);
	if (!place)
		return -ENOMEM;
	of_parent = f->exec ? NULL : (struct process_maps *)maps_of(p, f->ppid);
	if (of_parent)
		of_parent->refs++;
	release(*place);
	*place = of_parent;
	return 0;
}

int processes_name(struct processes *p, uint32_t pid, uint32_t tid, const char *name, bool exec)
{
	struct process_maps **place;
	uint32_t number, *known;
	bool fresh;

	if (strings_number(&p->names, name, strlen(name), &number, NULL))
		return -ENOMEM;
	known = map_at(&p->name_of, tid, &fresh);
	if (!known)
		return -ENOMEM;
	*known = number + 1;
	if (!exec)
		return 0;
	place = place_of(p, pid);
	if (!place)
		return -ENOMEM;
	release(*place);
	*place = NULL;
	return 0;
}

const struct process_map *processes_find(const struct processes *p, uint32_t pid, uint64_t address)
{
	const struct process_maps *m = maps_of(p, pid);
	size_t at = m ? nr_before(m, address) : 0;

	return m && at < m->v.nr && m->v.v[at].start <= address ? &m->v.v[at] : NULL;
}

bool processes_has_maps(const struct processes *p, uint32_t pid)
{
	const struct process_maps *m = maps_of(p, pid);

	return m && m->v.nr;
}

const char *processes_name_of(const struct processes *p, uint32_t tid)
{
	uint32_t *number = map_find(&p->name_of, tid);

	return number && *number ? strings_text(&p->names, *number - 1) : "";
}

void processes_done(struct processes *p)
{
	for (size_t i = 0; i < p->all.nr; i++)
		release(p->all.v[i]);
	vec_done(&p->all);
	map_done(&p->maps_of);
	map_done(&p->name_of);
	strings_done(&p->names);
}
