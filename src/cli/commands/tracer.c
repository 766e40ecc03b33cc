/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cli/commands/tracer.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dusk/unwind.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/procs.h"
#include "base/vec.h"

extern const struct dusk_image trace_plain, trace_impl; /* made by dusk-link from bpf/trace/trace.bpf.c */

struct tracer {
	struct dusk_unwinder *unwinder;
	struct bpf_object *object;
	struct dusk_stackmap *map;
	struct vec(struct bpf_link *) links;
	const uint64_t *events, *untraced, *unwritten, *without; /* counters of the BPF programs */
};

__attribute__((format(printf, 3, 4))) static int failed(struct dusk_error *err, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(err->text, sizeof(err->text), format, arguments);
	va_end(arguments);
	return error;
}

/* Set the variable @name of the BPF programs, before they are loaded. */
static int set(struct tracer *t, const char *name, uint32_t value)
{
	uint32_t *variable = dusk_unwind_variable(t->unwinder, name, sizeof(*variable));

	if (!variable)
		return -EINVAL;
	*variable = value;
	return 0;
}

static int name_events(struct tracer *t, const struct tracer_options *o)
{
	char(*names)[TRACE_EVENT_BYTES] =
		dusk_unwind_variable(t->unwinder, "trace_event_names", TRACE_MAX_EVENTS * TRACE_EVENT_BYTES);

	if (!names || o->nr_events > TRACE_MAX_EVENTS)
		return -EINVAL;
	for (size_t i = 0; i < o->nr_events; i++)
		snprintf(names[i], TRACE_EVENT_BYTES, "%s", o->events[i]);
	return 0;
}

/* Set the texts that follow stacks that are not complete. */
static int name_outcomes(struct tracer *t)
{
	char(*names)[TRACE_OUTCOME_BYTES] =
		dusk_unwind_variable(t->unwinder, "trace_outcome_names", TRACE_MAX_OUTCOMES * TRACE_OUTCOME_BYTES);
	const struct dusk_outcome *outcome;

	if (!names)
		return -EINVAL;
	for (uint32_t i = 0; i < TRACE_MAX_OUTCOMES && (outcome = dusk_outcome(i)); i++)
		if (outcome->kind != DUSK_COMPLETE)
			snprintf(names[i], TRACE_OUTCOME_BYTES, " [%s]", outcome->name);
	return 0;
}

static int configure(struct tracer *t, const struct tracer_options *o)
{
	int ret = set(t, "trace_self", o->self);

	ret = ret ?: set(t, "trace_only_wanted", o->nr_pids > 0);
	ret = ret ?: set(t, "trace_no_children", o->no_children);
	ret = ret ?: set(t, "trace_map", dusk_stackmap_identity(t->map));
	ret = ret ?: name_events(t, o);
	ret = ret ?: name_outcomes(t);
	t->events = dusk_unwind_variable(t->unwinder, "trace_events", sizeof(*t->events));
	t->untraced = dusk_unwind_variable(t->unwinder, "trace_untraced", sizeof(*t->untraced));
	t->unwritten = dusk_unwind_variable(t->unwinder, "trace_unwritten", sizeof(*t->unwritten));
	t->without = dusk_unwind_variable(t->unwinder, "trace_without", TRACE_MAX_OUTCOMES * sizeof(*t->without));
	return !t->events || !t->untraced || !t->unwritten || !t->without ? -EINVAL : ret;
}

static int load(struct tracer *t, const struct tracer_options *o, struct dusk_error *err)
{
	int ret = dusk_unwind_open_object(t->unwinder, &trace_plain, &trace_impl, &t->object, err);

	if (ret)
		return ret;
	ret = configure(t, o);
	if (ret)
		return failed(err, ret,
			      "the BPF programs of dusk trace do not fit dusk: they were built from something else");
	return dusk_unwind_load(t->unwinder, err);
}

static int want(struct tracer *t, pid_t pid, uint32_t wish, struct dusk_error *err)
{
	int fd = bpf_object__find_map_fd_by_name(t->object, "trace_wanted");

	if (!bpf_map_update_elem(fd, &pid, &wish, BPF_ANY))
		return 0;
	return failed(err, -errno, "cannot trace process %d: %s", pid,
		      errno == E2BIG ? "too many are traced already" : strerror(errno));
}

static void unwant(struct tracer *t, pid_t pid)
{
	bpf_map_delete_elem(bpf_object__find_map_fd_by_name(t->object, "trace_wanted"), &pid);
}

static int want_all(struct tracer *t, const struct tracer_options *o, struct dusk_error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < o->nr_pids; i++) {
		pid_t pid = o->pids[i], process = procs_of_thread(pid);

		if (process < 0)
			return failed(err, -ESRCH, "cannot trace process %d: there is no such process", pid);
		if (process != pid)
			return failed(err, -ESRCH,
				      "cannot trace process %d: it is a thread of process %d; -p %d traces that", pid,
				      process, process);
		ret = want(t, pid, o->from_exec ? TRACE_FROM_EXEC : TRACE_WANTED, err);
	}
	return ret;
}

/*
 * Trace also what the processes have created: those born before our programs were attached. Children of these are
 * traced from their birth on, so it is done when nothing new is found.
 */
static int want_descendants(struct tracer *t, const struct tracer_options *o, struct dusk_error *err)
{
	struct pids known = {0};
	size_t before = 0;
	int ret = vec_append(&known, o->pids, o->nr_pids);

	while (!ret && known.nr > before) {
		before = known.nr;
		ret = procs_add_children(&known);
		for (size_t i = before; !ret && i < known.nr; i++) {
			ret = want(t, known.v[i], TRACE_WANTED, err);
			if (!ret &&
			    procs_of_thread(known.v[i]) < 0) /* its number may be that of another process later */
				unwant(t, known.v[i]);
		}
	}
	vec_done(&known);
	return ret;
}

static struct bpf_link *attach_as(struct tracer *t, const char *program, const char *event, uint64_t number)
{
	LIBBPF_OPTS(bpf_tracepoint_opts, opts, .bpf_cookie = number);
	struct bpf_program *p = bpf_object__find_program_by_name(t->object, program);
	const char *colon = strchr(event, ':');
	char group[TRACE_EVENT_BYTES];

	if (!p || !colon) {
		errno = EINVAL;
		return NULL;
	}
	snprintf(group, sizeof(group), "%.*s", (int)(colon - event), event);
	return bpf_program__attach_tracepoint_opts(p, group, colon + 1, &opts);
}

/* An event that is a kprobe or uprobe needs another type of program: the kernel then returns EINVAL. */
static int attach(struct tracer *t, const char *event, uint64_t number, struct dusk_error *err)
{
	struct bpf_link *link = attach_as(t, "trace_event", event, number);

	if (!link && errno == EINVAL)
		link = attach_as(t, "trace_probe", event, number);
	if (!link && errno == EMFILE)
		return failed(err, -EMFILE,
			      "cannot trace %s: too many files are open, each event takes two; see ulimit -n", event);
	if (!link)
		return failed(err, -errno, "cannot trace %s: %s", event, strerror(errno));
	if (!vec_push(&t->links, link))
		return 0;
	bpf_link__destroy(link);
	return failed(err, -ENOMEM, "cannot trace %s: %s", event, strerror(ENOMEM));
}

static bool is_of_syscall(const char *event)
{
	return !strncmp(event, "syscalls:", strlen("syscalls:"));
}

static int start(struct tracer *t, const struct tracer_options *o, struct dusk_error *err)
{
	static const struct dusk_consumer_options opts = {.sz = sizeof(opts), .deliver = DUSK_DELIVER_CALLBACK};
	int ret = dusk_unwind_add_consumer(t->unwinder, TRACE_CONSUMER, &opts, err);

	ret = ret ?: want_all(t, o, err);
	ret = ret ?: dusk_unwind_attach(t->unwinder, err);
	if (!ret && !o->from_exec && !o->no_children)
		ret = want_descendants(t, o, err);
	for (size_t i = 0; !ret && i < o->nr_events; i++)
		ret = attach(t, o->events[i], i | (is_of_syscall(o->events[i]) ? TRACE_IN_SYSCALL : 0), err);
	return ret;
}

int tracer_new(struct tracer **ret, const struct tracer_options *o, struct dusk_error *err)
{
	struct dusk_unwind_options opts = {
		.sz = sizeof(opts),
		.max_depth = o->max_depth,
		.no_faults = o->no_faults,
		.stackmap_bits = o->stackmap_bits,
	};
	struct dusk_error warning = {""};
	struct tracer *t = calloc(1, sizeof(*t));
	int error;

	if (!t)
		return failed(err, -ENOMEM, "cannot trace: %s", strerror(ENOMEM));
	libbpf_set_print(NULL);
	error = dusk_unwind_open(&t->unwinder, &opts, err);
	if (!error) {
		warning = *err;
		error = dusk_stackmap_of(&t->map, t->unwinder);
		if (error)
			failed(err, error, "cannot read the stackmap: %s", strerror(-error));
	}
	error = error ?: load(t, o, err);
	error = error ?: start(t, o, err);
	if (error) {
		tracer_free(t);
		return error;
	}
	*err = warning;
	*ret = t;
	return 0;
}

int tracer_poll(struct tracer *t, int timeout_ms)
{
	int ret = dusk_unwind_poll(t->unwinder, timeout_ms);

	return ret < 0 ? ret : 0;
}

static uint64_t missed_by(const struct tracer *t, const char *program)
{
	struct bpf_program *p = bpf_object__find_program_by_name(t->object, program);
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);

	return p && !bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &len) ? info.recursion_misses : 0;
}

void tracer_detach(struct tracer *t)
{
	for (size_t i = 0; i < t->links.nr; i++)
		bpf_link__destroy(t->links.v[i]);
	vec_done(&t->links);
}

int tracer_stacks(struct tracer *t, struct dusk_stacks **ret)
{
	struct dusk_stacks *stacks;
	int err = dusk_stackmap_copy_all(&stacks, t->map);

	if (err)
		return err;
	err = dusk_stacks_name_by_map(stacks, t->map);
	if (err)
		dusk_stacks_free(stacks);
	else
		*ret = stacks;
	return err;
}

void tracer_count(const struct tracer *t, struct tracer_counts *ret)
{
	*ret = (struct tracer_counts){
		.events = *(const volatile uint64_t *)t->events,
		.untraced = *(const volatile uint64_t *)t->untraced,
		.unwritten = *(const volatile uint64_t *)t->unwritten,
		.missed = missed_by(t, "trace_event") + missed_by(t, "trace_probe"),
	};
	for (size_t i = 0; i < TRACE_MAX_OUTCOMES; i++)
		ret->without[i] = ((const volatile uint64_t *)t->without)[i];
}

void tracer_free(struct tracer *t)
{
	if (!t)
		return;
	tracer_detach(t);
	dusk_stackmap_close(t->map);
	dusk_unwind_close(t->unwinder);
	free(t);
}
