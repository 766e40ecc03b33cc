/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/probes.h"
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "lib/error.h"
#include "lib/record/probe_arguments.h"
#include "lib/record/probe_file.h"
#include "lib/record/probe_names.h"
#include "lib/record/probe_place.h"
#include "lib/record/probe_word.h"
#include "lib/symbols/sites.h"

#define GROUP "dusk_"
#define GROUP_BYTES 64
#define EVENT_BYTES 40 /* of the name; a number follows */
#define PATH_ROOM 512
#define MAX_DEFINITIONS_BYTES (64 << 20)
#define MAX_PROBES 1024 /* of a pattern */

enum { KERNEL, USER, NR_FILES };
static const char *const files[NR_FILES] = {[KERNEL] = "kprobe_events", [USER] = "uprobe_events"};

struct made {
	int file;
	char *event; /* group:event */
};

struct probes {
	int fds[NR_FILES]; /* open for as long as there are events: at the end there may be no right to open them; -1: not yet */
	char group[GROUP_BYTES];
	struct vec(struct made) made;
};

/* A probe under construction. */
struct making {
	const char *word;
	const struct probe_word *w;
	char *path; /* of the file; NULL: the kernel */
	int fd;	    /* the file */
	struct dusk_error *err;
};

/* When did process @pid start, in ticks since boot? 0: there is none. */
static unsigned long long start_of(pid_t pid)
{
	_cleanup_(freep) char *text = NULL;
	unsigned long long start = 0;
	char path[64];
	const char *at;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (file_read(&text, &len, path, 4096))
		return 0;
	at = strrchr(text, ')');
	if (!at || sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
			  &start) != 1)
		return 0;
	return start;
}

int probes_new(struct probes **ret)
{
	struct probes *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	for (int i = 0; i < NR_FILES; i++)
		p->fds[i] = -1;
	snprintf(p->group, sizeof(p->group), GROUP "%d_%llu", getpid(), start_of(getpid()));
	*ret = p;
	return 0;
}

/* Remove the event "group:event" or "group/event". */
static void remove_event(int fd, const char *event)
{
	char line[2 * TRACEFS_EVENT_BYTES];
	char *colon;

	snprintf(line, sizeof(line), "-:%s", event);
	colon = strchr(line + 2, ':');
	if (colon)
		*colon = '/';
	if (write(fd, line, strlen(line)) < 0)
		return; /* in use, or removed by another one: the next recording looks again */
}

void probes_free(struct probes *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->made.nr; i++) {
		remove_event(p->fds[p->made.v[i].file], p->made.v[i].event);
		free(p->made.v[i].event);
	}
	vec_done(&p->made);
	for (int i = 0; i < NR_FILES; i++)
		closep(&p->fds[i]);
	free(p);
}

/* Is @line the definition of an event of a dusk that is gone? Then *@event is its name, "group/event". */
static bool is_left(const char *line, char *event, size_t room)
{
	unsigned long long start;
	const char *colon = strchr(line, ':');
	int pid, len = 0;

	if (!colon || sscanf(colon + 1, GROUP "%d_%llu/%n", &pid, &start, &len) != 2 || !len || start_of(pid) == start)
		return false;
	return snprintf(event, room, "%.*s", (int)strcspn(colon + 1, " "), colon + 1) < (int)room;
}

static void sweep(const char *file)
{
	_cleanup_(freep) char *text = NULL;
	_cleanup_(closep) int fd = -1;
	char path[PATH_ROOM], event[TRACEFS_EVENT_BYTES], *rest, *line;
	size_t len;

	snprintf(path, sizeof(path), "%s/%s", tracefs_folder() ?: "", file);
	if (file_read(&text, &len, path, MAX_DEFINITIONS_BYTES))
		return;
	rest = text;
	while ((line = strsep(&rest, "\n"))) {
		if (!is_left(line, event, sizeof(event)))
			continue;
		if (fd < 0)
			fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
		if (fd >= 0)
			remove_event(fd, event);
	}
}

void probes_sweep(void)
{
	for (int i = 0; i < NR_FILES; i++)
		sweep(files[i]);
}

/* Say why the file that makes such probes cannot be opened. */
static int cannot_open(const struct making *m, int file, int error)
{
	if (!tracefs_folder())
		return error_set(m->err, -ENODEV,
				 "cannot make %s: tracefs is not mounted; as root: mount -t tracefs tracefs "
				 "/sys/kernel/tracing",
				 m->word);
	if (error == -ENOENT)
		return error_set(
			m->err, -EOPNOTSUPP,
			"cannot make %s: this kernel has no %s (it was built without %s), %s/%s is not there; %s",
			m->word, file == USER ? "uprobes" : "kprobes",
			file == USER ? "CONFIG_UPROBE_EVENTS" : "CONFIG_KPROBES", tracefs_folder(), files[file],
			"'dusk list' shows the events that it has");
	if (error == -EACCES || error == -EPERM)
		return error_set(m->err, -EPERM,
				 "cannot make %s: %s/%s may not be written to (%s); only root may make probes, and a "
				 "kernel in lockdown none",
				 m->word, tracefs_folder(), files[file], strerror(-error));
	return error_set(m->err, error, "cannot make %s: %s/%s: %s", m->word, tracefs_folder(), files[file],
			 strerror(-error));
}

static int open_file(struct probes *p, const struct making *m, int file)
{
	char path[PATH_ROOM];

	if (p->fds[file] >= 0)
		return 0;
	snprintf(path, sizeof(path), "%s/%s", tracefs_folder() ?: "/sys/kernel/tracing", files[file]);
	p->fds[file] = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	return p->fds[file] < 0 ? cannot_open(m, file, -errno) : 0;
}

/* The name of an event has letters, digits and _ only; the number makes it another one. */
static char *name_event(const struct probes *p, const char *function)
{
	char name[EVENT_BYTES + 1], *ret;
	size_t i;

	for (i = 0; function[i] && i < EVENT_BYTES; i++)
		name[i] = isalnum((unsigned char)function[i]) ? function[i] : '_';
	name[i] = 0;
	return asprintf(&ret, "%s:%s%s_%zu", p->group, isdigit((unsigned char)*name) ? "_" : "", name, p->made.nr) < 0
		       ? NULL
		       : ret;
}

static int refused(const struct making *m, int error)
{
	char near[256];

	if (!probe_word_is_user(m->w) && probe_names_near_kernel(near, sizeof(near), m->w))
		return error_set(m->err, -ENOENT, "cannot make %s: the kernel has no function %s%s", m->word,
				 m->w->function, near);
	switch (error) {
	case -ENOENT:
		return error_set(m->err, error, "cannot make %s: the kernel allows no probe at this function", m->word);
	case -EADDRINUSE:
	case -EILSEQ:
		return error_set(
			m->err, error,
			"cannot make %s: this is not where an instruction begins; leave +OFFSET away, or see dusk "
			"annotate",
			m->word);
	case -EOPNOTSUPP:
		return error_set(m->err, error, "cannot make %s: the kernel cannot probe the instruction there",
				 m->word);
	default:
		return error_set(m->err, error, "cannot make %s: the kernel refuses it: %s; %s/error_log says more",
				 m->word, strerror(-error), tracefs_folder());
	}
}

/* Make the event for @place, "/bin/sh:0x1234" or "vfs_read". @shown belongs to @names from here on. */
static int make(struct probes *p, const struct making *m, const char *function, const char *place,
		const char *arguments)
{
	int file = probe_word_is_user(m->w) ? USER : KERNEL, err = open_file(p, m, file);
	struct made made = {.file = file};
	_cleanup_(freep) char *line = NULL;
	size_t group = strlen(p->group);

	if (err)
		return err;
	made.event = name_event(p, function);
	if (!made.event ||
	    asprintf(&line, "%c:%s/%s %s%s\n", probe_word_returns(m->w) ? 'r' : 'p', p->group, made.event + group + 1,
		     place, arguments) < 0 ||
	    vec_push(&p->made, made)) {
		free(made.event);
		return error_set(m->err, -ENOMEM, "cannot make %s: out of memory", m->word);
	}
	if (write(p->fds[file], line, strlen(line)) >= 0)
		return 0;
	err = -errno;
	free(made.event);
	p->made.nr--;
	return refused(m, err);
}

/* Note the event that was made last, and that it is to be called @shown. */
static int note(const struct probes *p, const struct making *m, const char *shown, struct tracefs_names *events,
		struct tracefs_names *names)
{
	char *event = strdup(p->made.v[p->made.nr - 1].event), *copy = strdup(shown);

	if (event && copy && !vec_push(events, event)) {
		if (!vec_push(names, copy))
			return 0;
		events->nr--;
	}
	free(event);
	free(copy);
	return error_set(m->err, -ENOMEM, "cannot make %s: out of memory", m->word);
}

/* The word without its arguments, with @name in place of a pattern. */
static void show(char *ret, size_t room, const struct probe_word *w, const char *name)
{
	snprintf(ret, room, "%.*s%s%s", (int)w->function_at, w->shown, name,
		 w->shown + w->function_at + strlen(w->function));
}

static int make_site(struct probes *p, const struct making *m, const struct site *s, const char *arguments,
		     struct tracefs_names *events, struct tracefs_names *shown)
{
	char place[PROBE_DEFINITION_BYTES], semaphore[32] = "", name[PROBE_TEXT_BYTES];
	int err;

	if (m->w->offset >= s->bytes && m->w->offset)
		return error_set(m->err, -EINVAL, "cannot make %s: %s has %llu bytes only", m->word, s->name,
				 (unsigned long long)s->bytes);
	if (m->w->offset && !probe_place_begins(m->fd, s->offset, m->w->offset))
		return error_set(m->err, -EILSEQ,
				 "cannot make %s: no instruction begins there, and a probe would break the program; "
				 "'dusk annotate' or objdump -d shows where they begin",
				 m->word);
	if (s->semaphore)
		snprintf(semaphore, sizeof(semaphore), "(0x%llx)", (unsigned long long)s->semaphore);
	if (snprintf(place, sizeof(place), "%s:0x%llx%s", m->path, (unsigned long long)(s->offset + m->w->offset),
		     semaphore) >= (int)sizeof(place))
		return error_set(m->err, -ENAMETOOLONG, "cannot make %s: the path of its file is too long", m->word);
	show(name, sizeof(name), m->w, s->name);
	err = make(p, m, s->name, place, arguments);
	return err ?: note(p, m, name, events, shown);
}

static bool is_wanted(const struct probe_word *w, const struct site *s)
{
	return sites_match(s, w->kind == PROBE_USDT ? SITE_USDT : SITE_FUNCTION, w->provider, w->function);
}

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[");
}

/* Has the place of function @i a shorter name that the pattern means, too? It is to be probed once. */
static bool has_other_name(const struct probe_word *w, const struct sites *sites, size_t i)
{
	const struct site *s = &sites->all.v[i];

	for (size_t k = 0; k < sites->all.nr; k++) {
		const struct site *o = &sites->all.v[k];
		size_t len = strlen(o->name), own = strlen(s->name);

		if (k != i && o->offset == s->offset && (len < own || (len == own && k < i)) && is_wanted(w, o))
			return true;
	}
	return false;
}

static int not_found(const struct making *m, const struct sites *sites)
{
	const char *what = m->w->kind == PROBE_USDT ? "USDT probe" : "function";
	char near[256];

	for (size_t i = 0; i < sites->all.nr; i++)
		if (sites->all.v[i].kind == SITE_CHOOSER && !strcmp(sites->all.v[i].name, m->w->function))
			return error_set(m->err, -ENOENT,
					 "cannot make %s: %s chooses at its first call which function runs; probe "
					 "those: 'uprobe:%s:*%s*'",
					 m->word, m->w->function, m->w->file, m->w->function);
	if (!sites->all.nr)
		return error_set(m->err, -ENOENT,
				 "cannot make %s: %s has no symbols of functions; install its debug symbols", m->word,
				 m->path);
	probe_names_near(near, sizeof(near), m->w, sites);
	return error_set(m->err, -ENOENT,
			 "cannot make %s: %s has no %s %s%s%s%s; 'dusk list %s:%s:*' shows what it has", m->word,
			 m->path, what, m->w->kind == PROBE_USDT ? m->w->provider : "",
			 m->w->kind == PROBE_USDT ? ":" : "", m->w->function, near,
			 m->w->kind == PROBE_USDT ? "usdt" : "uprobe", m->w->file);
}

/* Make a probe of each site that the word means; several names of one place are one, but for USDT probes. */
static int make_sites(struct probes *p, const struct making *m, const struct sites *sites, struct tracefs_names *events,
		      struct tracefs_names *shown)
{
	char arguments[PROBE_DEFINITION_BYTES];
	size_t nr = 0;
	int err = 0;

	for (size_t i = 0; !err && i < sites->all.nr; i++) {
		const struct site *s = &sites->all.v[i];

		if (!is_wanted(m->w, s) || (s->kind != SITE_USDT && has_other_name(m->w, sites, i)))
			continue;
		if (nr++ == MAX_PROBES)
			return error_set(m->err, -E2BIG, "cannot make %s: these are more than %d probes", m->word,
					 MAX_PROBES);
		err = probe_arguments(arguments, m->w, s->kind == SITE_USDT ? s->arguments : NULL, m->err);
		err = err ?: make_site(p, m, s, arguments, events, shown);
	}
	return err ?: nr ? err : not_found(m, sites);
}

static int find_file(struct making *m)
{
	struct dusk_error why;
	int err = probe_file_find(&m->path, m->w->file, &why);

	if (err)
		return error_set(m->err, err, "cannot make %s: %s%s", m->word, why.text,
				 err == -ENOEXEC ? "; name what runs it" : "");
	if (strpbrk(m->path, " \t\n"))
		return error_set(m->err, -EINVAL,
				 "cannot make %s: the path %s has a blank, which tracefs does not take; a link to it "
				 "without one does not help, but a copy",
				 m->word, m->path);
	return 0;
}

/* Arguments of 32-bit functions are on the stack, not in the registers of the 64-bit convention. */
static bool has_other_arguments(const struct making *m)
{
	char class = 0;

	return m->w->kind == PROBE_UPROBE && *m->w->arguments && pread(m->fd, &class, 1, EI_CLASS) == 1 &&
	       class == ELFCLASS32;
}

static int add_user(struct probes *p, struct making *m, struct tracefs_names *events, struct tracefs_names *shown)
{
	_cleanup_(closep) int fd = -1;
	struct sites sites = {0};
	int err = find_file(m);

	if (err)
		return err;
	fd = open(m->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error_set(m->err, -errno, "cannot make %s: %s: %s", m->word, m->path, strerror(errno));
	m->fd = fd;
	if (has_other_arguments(m))
		return error_set(
			m->err, -EOPNOTSUPP,
			"cannot make %s: %s is of 32 bits, whose arguments are on the stack and are not fetched; leave "
			"(%s) away",
			m->word, m->path, m->w->arguments);
	err = sites_read(&sites, fd, m->path);
	if (err)
		error_set(m->err, err, "cannot make %s: the symbols of %s cannot be read: %s", m->word, m->path,
			  strerror(-err));
	err = err ?: make_sites(p, m, &sites, events, shown);
	sites_done(&sites);
	return err;
}

static int add_kernel(struct probes *p, const struct making *m, struct tracefs_names *events,
		      struct tracefs_names *shown)
{
	char arguments[PROBE_DEFINITION_BYTES], place[PROBE_TEXT_BYTES];
	int err = probe_arguments(arguments, m->w, NULL, m->err);

	if (err)
		return err;
	if (is_pattern(m->w->function))
		return error_set(m->err, -EINVAL,
				 "cannot make %s: functions of the kernel are probed by their names, not by patterns",
				 m->word);
	snprintf(place, sizeof(place), m->w->offset ? "%s+%llu" : "%s", m->w->function,
		 (unsigned long long)m->w->offset);
	err = make(p, m, m->w->function, place, arguments);
	return err ?: note(p, m, m->w->shown, events, shown);
}

int probes_add(struct probes *p, const char *word, struct tracefs_names *events, struct tracefs_names *shown,
	       struct dusk_error *err)
{
	struct probe_word w;
	struct making m = {.word = word, .w = &w, .err = err};
	int ret = probe_word_parse(&w, word, err);

	if (ret)
		return ret;
	ret = probe_word_is_user(&w) ? add_user(p, &m, events, shown) : add_kernel(p, &m, events, shown);
	free(m.path);
	return ret;
}
