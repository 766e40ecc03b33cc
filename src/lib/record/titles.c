/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Record the titles of processes. See titles.h. */
#include "lib/record/titles.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "abi/event.h"

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Is one more title in the share of user @uid? If so, it is taken. */
static int take(struct title_shares *s, uid_t uid, bool *ret)
{
	bool fresh;
	uint32_t *own = map_at(&s->of_user, uid, &fresh);

	if (!own)
		return -ENOMEM;
	*ret = s->nr + *own + 2 <= TITLES_MAX;
	if (*ret) {
		++*own;
		s->nr++;
	}
	return 0;
}

/* May a title of @at, which has none yet, be recorded? */
static int admit(struct titles *t, struct titled *at, uid_t uid)
{
	bool may = at->title && at->title != TITLE_REFUSED;
	int err = at->title ? 0 : take(&t->alive, uid, &may);

	if (!err && !may && !at->title) {
		at->title = TITLE_REFUSED;
		t->refused++;
	}
	return err ?: may ? 0 : -EDQUOT;
}

/* Write the title of @at, which may have one, unless it is the one that it has already. */
static int set(struct titles *t, struct profile_writer *w, struct titled *at, const struct profile_process *is)
{
	char all[TITLE_BYTES + SERVICE_BYTES + VERSION_BYTES];
	uint32_t number;
	int err;

	snprintf(all, sizeof(all), "%s\n%s\n%s", is->title, is->service, is->version);
	err = strings_number(&t->texts, all, strlen(all), &number, NULL);
	if (err || number + 1 == at->title)
		return err;
	at->title = number + 1;
	profile_process(w, at->thread, is);
	return 0;
}

/* Take what was read of @at; a process that is gone keeps its title. */
static int keep(struct titles *t, struct profile_writer *w, struct cgroups *c, struct titled *at,
		const struct process_title *is)
{
	int err;

	if (*is->cgroup)
		profile_thread_cgroup(w, at->thread, cgroups_number_of(c, w, is->cgroup));
	err = *is->title ? admit(t, at, is->uid) : -EDQUOT;
	if (err)
		return err == -EDQUOT ? 0 : err;
	return set(t, w, at, &(struct profile_process){is->title, is->service, is->version});
}

/* The title of @at is the arguments with which its process began, if they are known. */
static int entitle(struct titles *t, struct profile_writer *w, struct titled *at)
{
	const struct begun *b = t->began ? &t->began[at->pid % BEGUN_MAX] : NULL;
	bool may = true;
	int err;

	if (!b || b->pid != at->pid || !*b->title || at->title == TITLE_REFUSED)
		return 0;
	err = at->title ? 0 : take(&t->begun, b->uid, &may);
	at->crowded = !may;
	return err || !may ? err : set(t, w, at, &(struct profile_process){b->title, "", ""});
}

/* Of a process that has run several programs, only the last one can be asked. */
static bool is_last(const struct titles *t, size_t i)
{
	const uint32_t *last = map_find(&t->of, t->titled.v[i].pid);

	return last && *last == i + 1;
}

/* What the last look at titled[i] has found, which is the second one if @again. */
static int take_answer(struct titles *t, struct profile_writer *w, struct cgroups *c, size_t i,
		       const struct process_title *is, bool again)
{
	struct titled *at = &t->titled.v[i];

	if (again && !*is->title && !at->gone) {
		at->gone = true;
		t->refused += at->crowded && !at->title;
	}
	return at->title && !is_last(t, i) ? 0 : keep(t, w, c, at, is);
}

/* Read titled[] from @from to @to, exclusive. That titles cannot be read ends no recording. */
static int read_from(struct titles *t, struct profile_writer *w, struct cgroups *c, size_t from, size_t to, bool again)
{
	pid_t pid[TITLES_AT_ONCE];
	int err = 0;

	for (size_t nr; from < to && !err; from += nr) {
		nr = least(to - from, TITLES_AT_ONCE);
		for (size_t i = 0; i < nr; i++)
			pid[i] = t->titled.v[from + i].pid;
		if (titles_read(&t->child, pid, nr, c != NULL, t->answer))
			continue;
		for (size_t i = 0; i < nr && !err; i++)
			err = take_answer(t, w, c, from + i, &t->answer[i], again);
	}
	return err;
}

/* A thread is new in the profile: does its process have to be asked for its title? */
static int note(struct titles *t, struct profile_writer *w, uint32_t thread, pid_t pid, pid_t tid)
{
	bool fresh;
	uint32_t *last;

	if (pid <= 0)
		return 0;
	if (t->titled.nr >= TITLED_MAX) {
		t->refused++;
		return 0;
	}
	last = map_at(&t->of, pid, &fresh);
	if (!last)
		return -ENOMEM;
	if (!fresh && tid != pid)
		return 0;
	*last = t->titled.nr + 1;
	if (vec_push(&t->titled, ((struct titled){.pid = pid, .thread = thread})))
		return -ENOMEM;
	return entitle(t, w, &t->titled.v[t->titled.nr - 1]);
}

/* Forget those that have been read, and are gone or have no title, so that there is room for others. */
static int forget(struct titles *t)
{
	size_t nr = 0, read = 0, again = 0, waited = 0;
	bool fresh;

	map_clear(&t->of);
	for (size_t i = 0; i < t->titled.nr; i++) {
		struct titled at = t->titled.v[i];
		uint32_t *last;

		if (i < t->read && (!at.title || at.title == TITLE_REFUSED || at.gone))
			continue;
		last = map_at(&t->of, at.pid, &fresh);
		if (!last)
			return -ENOMEM;
		read += i < t->read;
		again += i < t->again;
		waited += i < t->waited;
		t->titled.v[nr++] = at;
		*last = nr;
	}
	t->titled.nr = nr;
	t->read = read;
	t->again = again;
	t->waited = waited;
	return 0;
}

void titles_begin(struct titles *t)
{
	ask_begin(&t->child);
}

/* Note the threads that are new in @w's profile. */
static int note_all(struct titles *t, struct profile_writer *w)
{
	int err = t->titled.nr >= TITLED_MAX ? forget(t) : 0;
	pid_t pid, tid;

	for (; !err && profile_thread_ids(w, t->next, &pid, &tid); t->next++)
		err = note(t, w, t->next, pid, tid);
	return err;
}

int titles_begun(struct titles *t, struct profile_writer *w, const struct process_begun *p)
{
	int err = note_all(t, w);
	const uint32_t *last;
	struct titled *at;
	struct begun *b;

	if (!err && !t->began)
		t->began = calloc(BEGUN_MAX, sizeof(*t->began));
	if (err || !t->began)
		return err ?: -ENOMEM;
	b = &t->began[p->pid % BEGUN_MAX];
	b->pid = p->pid;
	b->uid = p->uid;
	title_of(b->title, p->text, p->bytes);
	last = p->executed ? map_find(&t->of, p->pid) : NULL;
	at = last ? &t->titled.v[*last - 1] : NULL;
	return at && !strncmp(profile_thread_comm(w, at->thread), p->comm, COMM_BYTES) ? entitle(t, w, at) : 0;
}

int titles_follow(struct titles *t, struct profile_writer *w, struct cgroups *c)
{
	int err = note_all(t, w);
	size_t from = t->read;

	if (t->held) {
		t->waited = t->titled.nr;
		return err;
	}
	t->read = least(t->titled.nr, from + TITLES_A_LOOK);
	if (t->waited > from)
		t->late += least(t->waited, t->read) - from;
	return err ? err : read_from(t, w, c, from, t->read, false);
}

uint64_t titles_late(const struct titles *t)
{
	return t->late + (t->waited > t->read ? t->waited - t->read : 0);
}

/* Can titled[i] have another title by now? */
static bool may_change(const struct titles *t, size_t i)
{
	return is_last(t, i) && !t->titled.v[i].gone;
}

int titles_look_again(struct titles *t, struct profile_writer *w, struct cgroups *c, bool all)
{
	size_t from = all ? 0 : t->again, to = all ? t->read : least(t->read, from + TITLES_A_LOOK);
	int err = 0;

	if (t->held && !all)
		return 0;
	t->again = to;
	while (from < to && !err) {
		size_t end = from;

		while (end < to && may_change(t, end))
			end++;
		err = read_from(t, w, c, from, end, true);
		from = end + 1;
	}
	return err;
}

void titles_done(struct titles *t)
{
	map_done(&t->of);
	map_done(&t->alive.of_user);
	map_done(&t->begun.of_user);
	free(steal(t->began));
	vec_done(&t->titled);
	strings_done(&t->texts);
	ask_end(&t->child);
}
