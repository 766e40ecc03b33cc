/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/events.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/close_later.h"
#include "base/tracefs.h"
#include "base/vec.h"
#include "lib/error.h"
#include "lib/record/calls.h"
#include "lib/record/fetches.h"
#include "lib/record/filters.h"
#include "lib/record/probe_word.h"
#include "lib/record/probes.h"
#include "lib/unwinder/object.h"

#define MAX_EVENTS 4096

/* The program at an event. */
struct attached {
	struct bpf_link *link;
	int event; /* perf's, which belongs to @link */
	uint32_t number;
};

struct events {
	struct bpf_object *obj;
	struct fields *fields;
	struct probes *probes;
	struct tracefs_names names, shown;	/* in tracefs; as the user calls them */
	struct vec(struct record_shape) shapes; /* one for each */
	struct vec(struct probe) fetches;	/* the same */
	struct vec(struct event_filter) filters;
	struct vec(struct attached) attached;
	struct shared on;		/* the programs' on/off switch */
	uint64_t missed_before, missed; /* before the recording; during it */
};

/* Split @name into group and event. It has both. */
static void split(const char *name, char group[TRACEFS_EVENT_BYTES], const char **event)
{
	size_t len = strcspn(name, ":");

	snprintf(group, TRACEFS_EVENT_BYTES, "%s", name);
	if (len < TRACEFS_EVENT_BYTES)
		group[len] = 0;
	*event = name + len + 1;
}

static int not_found(int error, const char *name, struct dusk_error *err)
{
	switch (error) {
	case -ENODEV:
		return error_set(err, error,
				 "cannot record %s: tracefs is not mounted; as root: mount -t tracefs tracefs "
				 "/sys/kernel/tracing",
				 name);
	case -ENOENT:
		return error_set(err, error, "cannot record %s: there is no such event; %s/available_events lists them",
				 name, tracefs_folder());
	case -EINVAL:
		return error_set(err, error,
				 "cannot record %s: events are called group:event, as in sched:sched_switch", name);
	default:
		return error_set(err, error, "cannot record %s: its format in %s cannot be read: %s", name,
				 tracefs_folder() ?: "tracefs", strerror(-error));
	}
}

/* In the format of each kprobe and uprobe: __probe_ip, __probe_func, __probe_ret_ip (linux 6.18 kernel/trace/trace_probe.h). */
#define PROBE_FIELD " __probe_"

/* If the event is a probe, @shape and @probe say how its program makes its record. Where definitions are is looked at for these only. */
static int learn_probe(const struct events *e, const char *name, const char *format, struct record_shape *shape,
		       struct probe *probe)
{
	_cleanup_(freep) char *definition = NULL;
	const char *place;
	int ret = strstr(format, PROBE_FIELD) ? tracefs_definition(name, &definition) : -ENOENT;

	if (ret)
		return ret == -ENOMEM ? ret : 0;
	place = definition + strcspn(definition, " ");
	place += strspn(place, " ");
	shape->is_probe = 1;
	shape->is_user = *place == '/';
	if (fetches_parse(probe, place + strcspn(place, " "), shape->is_user, e->fields, e->shapes.nr))
		shape->unfetched = 1;
	return 0;
}

/* Learn what event @name, the next, looks like. */
static int learn(struct events *e, const char *name, struct dusk_error *err)
{
	_cleanup_(freep) char *format = NULL;
	char group[TRACEFS_EVENT_BYTES];
	struct record_shape shape;
	struct probe probe = {0};
	const char *event;
	size_t len;
	int ret = tracefs_format(name, &format, &len);

	if (ret)
		return not_found(ret, name, err);
	split(name, group, &event);
	ret = fields_learn(e->fields, group, format, len, &shape);
	if (ret == -EINVAL)
		return error_set(err, -EOPNOTSUPP,
				 "cannot record %s: what tracefs says of its fields is not understood", name);
	ret = learn_probe(e, name, format, &shape, &probe);
	if (ret || vec_push(&e->shapes, shape) || vec_push(&e->fetches, probe) || !vec_add(&e->filters))
		return error_set(err, -ENOMEM, "cannot record %s: out of memory", name);
	return 0;
}

static int add_name(struct tracefs_names *names, const char *name)
{
	char *copy = strdup(name);

	if (copy && !vec_push(names, copy))
		return 0;
	free(copy);
	return -ENOMEM;
}

/* Add the event @word, or the probes that it means, which are made. */
static int add(struct events *e, const char *word, struct dusk_error *err)
{
	size_t before = e->names.nr;
	int ret;

	if (probe_word_is(word))
		ret = probes_add(e->probes, word, &e->names, &e->shown, err);
	else if (add_name(&e->names, word) || add_name(&e->shown, word))
		ret = error_set(err, -ENOMEM, "cannot record %s: out of memory", word);
	else
		ret = 0;
	for (size_t i = before; !ret && i < e->names.nr; i++)
		ret = learn(e, e->names.v[i], err);
	return ret;
}

static bool has_probes(const struct events *e, bool user)
{
	for (size_t i = 0; i < e->shapes.nr; i++)
		if (e->shapes.v[i].is_probe && e->shapes.v[i].is_user == user)
			return true;
	return false;
}

static void load_if(const struct events *e, const char *program, bool wanted)
{
	bpf_program__set_autoload(bpf_object__find_program_by_name(e->obj, program), wanted);
}

/* Programs for events of system calls see all of these; and each takes its time to be verified: load what there are events for. */
static void leave_out(const struct events *e)
{
	bool any[2] = {false, false}, ends;

	for (size_t i = 0; i < e->names.nr; i++)
		if (calls_number(e->names.v[i], &e->shapes.v[i], &ends) >= 0)
			any[ends] = true;
	load_if(e, "on_call", any[0]);
	load_if(e, "on_call_end", any[1]);
	load_if(e, "on_kprobe", has_probes(e, false));
	load_if(e, "on_uprobe", has_probes(e, true));
}

/* What the programs know by event; user space writes it before they are attached. */
static const char *const maps[] = {"shapes", "probes", "filters"};
#define NR_MAPS (sizeof(maps) / sizeof(maps[0]))

static int make_room(const struct events *e, struct dusk_error *err)
{
	for (size_t i = 0; i < NR_MAPS; i++) {
		struct bpf_map *m = bpf_object__find_map_by_name(e->obj, maps[i]);

		if (!m || bpf_map__set_max_entries(m, e->names.nr))
			return error_set(err, -EINVAL, "cannot record events: the BPF object has no map %s", maps[i]);
	}
	return 0;
}

int events_new(struct events **ret, const char *const *names, size_t nr, struct bpf_object *obj, struct dusk_error *err)
{
	struct events *e;
	int error;

	if (nr > MAX_EVENTS)
		return error_set(err, -E2BIG, "these are %zu events, and at most %d can be recorded at once", nr,
				 MAX_EVENTS);
	e = calloc(1, sizeof(*e));
	if (!e)
		return error_set(err, -ENOMEM, "cannot record events: out of memory");
	e->obj = obj;
	error = fields_new(&e->fields) ?: probes_new(&e->probes);
	if (error)
		error_set(err, error, "cannot record events: out of memory");
	for (size_t i = 0; !error && i < nr; i++)
		error = add(e, names[i], err);
	if (!error)
		error = make_room(e, err);
	if (error) {
		events_free(e);
		return error;
	}
	leave_out(e);
	*ret = e;
	return 0;
}

int events_filter(struct events *e, const char *text, struct dusk_error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < e->names.nr; i++) {
		const struct record_shape *s = &e->shapes.v[i];

		if (s->unfetched)
			ret = error_set(err, -EINVAL, "cannot filter %s: its fields are not understood", e->shown.v[i]);
		else
			ret = filters_compile(&e->filters.v[i], text, e->fields, i, e->shown.v[i], err);
	}
	return ret;
}

/*
 * Detach from all events, of which the kernel takes its time to close each. When one is closed, a grace period is over
 * in which programs that had begun have ended.
 */
static void detach(struct events *e)
{
	struct vec(int) fds = {0};

	for (size_t i = 0; i < e->attached.nr; i++) {
		const struct attached *a = &e->attached.v[i];

		/* The kernel removes no event that is in use. */
		if (i && !e->shapes.v[a->number].is_probe && !vec_push(&fds, bpf_link__fd(a->link)) &&
		    !vec_push(&fds, a->event))
			bpf_link__disconnect(a->link);
		else
			fds.nr &= ~1UL;
		bpf_link__destroy(a->link);
	}
	close_later(fds.v, fds.nr);
	vec_done(&fds);
	vec_done(&e->attached);
}

void events_free(struct events *e)
{
	if (!e)
		return;
	detach(e);
	shared_unmap(&e->on);
	tracefs_names_done(&e->names);
	tracefs_names_done(&e->shown);
	vec_done(&e->shapes);
	vec_done(&e->fetches);
	vec_done(&e->filters);
	probes_free(e->probes); /* what was attached to them is closed */
	fields_free(e->fields);
	free(e);
}

void events_write(const struct events *e, struct profile_writer *w)
{
	for (size_t i = 0; i < e->names.nr; i++)
		profile_event(w, e->shown.v[i]);
}

size_t events_nr(const struct events *e)
{
	return e->names.nr;
}

struct fields *events_fields(const struct events *e)
{
	return e->fields;
}

/* Returns a descriptor, or -1 with errno. */
static int open_event(const char *name)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = tracefs_event(name)};

	return syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

static struct bpf_link *attach_as(const struct events *e, const char *program, uint32_t number, int event)
{
	LIBBPF_OPTS(bpf_perf_event_opts, opts, .bpf_cookie = number);
	struct bpf_program *p = bpf_object__find_program_by_name(e->obj, program);

	return bpf_program__attach_perf_event_opts(p, event, &opts);
}

/* Returns 1 if the event is one of a system call, for which its programs are attached already; or 0; or -1 with errno. */
static int add_call(const struct events *e, uint32_t number)
{
	int fd = bpf_object__find_map_fd_by_name(e->obj, "calls");
	struct call_events c = {0};
	bool ends;
	int nr = calls_number(e->names.v[number], &e->shapes.v[number], &ends);

	if (nr < 0)
		return 0;
	if (bpf_map_lookup_elem(fd, &nr, &c))
		return -1;
	*(ends ? &c.exit : &c.enter) = number + 1;
	return bpf_map_update_elem(fd, &nr, &c, BPF_ANY) ? -1 : 1;
}

static const char *program_of(const struct record_shape *s)
{
	return !s->is_probe ? "on_event" : s->is_user ? "on_uprobe" : "on_kprobe";
}

/* Tell the programs about event @number. Returns 0, or -1 with errno. */
static int describe(const struct events *e, uint32_t number)
{
	const void *values[NR_MAPS] = {&e->shapes.v[number], &e->fetches.v[number], &e->filters.v[number]};

	for (size_t i = 0; i < NR_MAPS; i++)
		if (bpf_map_update_elem(bpf_object__find_map_fd_by_name(e->obj, maps[i]), &number, values[i], BPF_ANY))
			return -1;
	return 0;
}

static int attach(struct events *e, uint32_t number, struct dusk_error *err)
{
	const char *name = e->shown.v[number];
	struct attached a = {.event = -1, .number = number};
	int done = describe(e, number) ?: add_call(e, number);

	if (done > 0)
		return 0;
	if (!done)
		a.event = open_event(e->names.v[number]);
	if (a.event >= 0)
		a.link = attach_as(e, program_of(&e->shapes.v[number]), number, a.event);
	if (!a.link) {
		int error = errno;

		closep(&a.event);
		errno = error;
	}
	if (!a.link && errno == EMFILE)
		return error_set(err, -EMFILE,
				 "cannot record %s: too many files are open, each event takes two; see ulimit -n",
				 name);
	if (!a.link)
		return error_set(err, -errno, "cannot record %s: %s", name, strerror(errno));
	if (!vec_push(&e->attached, a))
		return 0;
	bpf_link__destroy(a.link);
	return error_set(err, -ENOMEM, "cannot record %s: out of memory", name);
}

static uint64_t missed_by(const struct events *e, const char *program)
{
	struct bpf_program *p = bpf_object__find_program_by_name(e->obj, program);
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);

	return p && !bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &len) ? info.recursion_misses : 0;
}

static uint64_t missed(const struct events *e)
{
	return missed_by(e, "on_event") + missed_by(e, "on_kprobe") + missed_by(e, "on_uprobe") +
	       missed_by(e, "on_call") + missed_by(e, "on_call_end");
}

int events_attach(struct events *e, struct dusk_error *err)
{
	int ret = shared_map(&e->on, e->obj, ".bss.switch", true);

	if (ret)
		return error_set(err, ret, "cannot record events: %s", strerror(-ret));
	for (size_t i = 0; !ret && i < e->names.nr; i++)
		ret = attach(e, i, err);
	return ret;
}

static void turn(struct events *e, uint32_t on)
{
	__atomic_store_n((uint32_t *)e->on.elements, on, __ATOMIC_RELAXED);
}

void events_start(struct events *e)
{
	e->missed_before = missed(e);
	turn(e, 1);
}

void events_stop(struct events *e)
{
	turn(e, 0);
	e->missed = missed(e) - e->missed_before;
	detach(e);
}

uint64_t events_missed(const struct events *e)
{
	return e->missed;
}
