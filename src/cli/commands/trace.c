/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk trace: write the stacks of events to ftrace's ring buffer, beside the events. */
#include <dusk/unwind.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "cli/cmdline/child.h"
#include "cli/cmdline/command.h"
#include "cli/cmdline/events.h"
#include "cli/cmdline/home.h"
#include "cli/cmdline/output.h"
#include "cli/view/span.h"
#include "cli/cmdline/stop.h"
#include "cli/commands/tracer.h"

#define CHILD_S 9  /* limit for the command to end, from the request to stop */
#define DUE_MS 300 /* time for pending stacks of tasks that are about to return to user mode */
#define DEFAULT_STACKS "trace.fsmb"

struct options {
	struct text_list events;
	bool all, no_children, quiet, no_faults;
	struct number_list pids;
	uint32_t max_depth, stackmap_bits;
	uint64_t duration_ns;
	const char *stacks;
};

static const struct option options[] = {
	{'e', "event", OPTION_TEXTS, offsetof(struct options, events), "EVENTS",
	 "of tracefs: sched:sched_switch,block:*"},
	{'a', "all", OPTION_FLAG, offsetof(struct options, all), NULL, "the whole machine (default without COMMAND)"},
	{'p', "pid", OPTION_NUMBERS, offsetof(struct options, pids), "PIDS",
	 "only these processes and all that they create", 1, INT_MAX},
	{0, "no-children", OPTION_FLAG, offsetof(struct options, no_children), NULL,
	 "of -p and COMMAND nothing that they create"},
	{'d', "duration", OPTION_DURATION, offsetof(struct options, duration_ns), "TIME",
	 "end after 10s, 500ms, 2m, 1h (else at Ctrl-C)"},
	{0, "stacks", OPTION_TEXT, offsetof(struct options, stacks), "FILE",
	 "write the stacks there (default " DEFAULT_STACKS ")"},
	{'q', "quiet", OPTION_FLAG, offsetof(struct options, quiet), NULL, "print nothing but errors"},
	{0, "max-depth", OPTION_NUMBER, offsetof(struct options, max_depth), "N",
	 "maximum frames of a stack (default 512)", 1, 2048},
	{0, "stackmap-bits", OPTION_NUMBER, offsetof(struct options, stackmap_bits), "N",
	 "room for 2^N stacks of 60 frames (default 14)", 10, 20},
	{0, "no-faults", OPTION_FLAG, offsetof(struct options, no_faults), NULL, "never fault in a page of a target"},
	{0},
};

struct tracing {
	const struct options *options;
	char **command; /* NULL: none */
	struct child child;
	struct tracefs_names events;
	struct tracer *tracer;
};

/* Our own output is an event of this group: tracing it would cause an endless loop. */
#define OURS "bpf_trace:"

static int choose_event(struct tracing *t, const char *pattern)
{
	size_t kept = t->events.nr, before = kept;
	int status = events_choose(&t->events, pattern);
	bool ours = false;

	if (status)
		return status;
	for (size_t i = before; i < t->events.nr; i++) {
		if (strncmp(t->events.v[i], OURS, strlen(OURS))) {
			t->events.v[kept++] = t->events.v[i];
			continue;
		}
		free(t->events.v[i]);
		ours = true;
	}
	t->events.nr = kept;
	if (kept > before || !ours)
		return STATUS_OK;
	say("%s cannot be traced: it is what dusk trace writes", pattern);
	return STATUS_FAILED;
}

static int choose_events(struct tracing *t)
{
	const struct text_list *patterns = &t->options->events;
	int status = STATUS_OK;

	for (size_t i = 0; !status && i < patterns->nr; i++)
		status = choose_event(t, patterns->v[i]);
	if (status || t->events.nr <= TRACE_MAX_EVENTS)
		return status;
	say("these are %zu events, and at most %d can be traced at once", t->events.nr, TRACE_MAX_EVENTS);
	return STATUS_FAILED;
}

/* Report if the ring buffer is off. */
static void note_ring(void)
{
	_cleanup_(freep) char *text = NULL;
	char path[64];
	size_t len;

	snprintf(path, sizeof(path), "%s/tracing_on", tracefs_folder());
	if (!file_read(&text, &len, path, 16) && *text == '0')
		say("ftrace's ring buffer is off; to turn it on: echo 1 > %s", path);
}

/* Are we in another PID namespace than the initial one, whose inode number is the same in all kernels? */
static bool has_own_numbers(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino != 0xeffffffc;
}

static int create(struct tracing *t)
{
	const struct options *o = t->options;
	bool alone = t->child.pid && !o->all && !o->pids.nr;
	struct tracer_options to = {
		.events = t->events.v,
		.nr_events = t->events.nr,
		.from_exec = alone,
		.no_faults = o->no_faults,
		.pids = alone ? &t->child.pid : o->pids.v,
		.nr_pids = alone ? 1 : o->pids.nr,
		.no_children = o->no_children,
		.max_depth = o->max_depth,
		.stackmap_bits = o->stackmap_bits,
		.self = has_own_numbers() ? 0 : getpid(),
	};
	struct dusk_error err = {""};
	int error;

	if (to.nr_pids && has_own_numbers()) {
		say("in a PID namespace of its own, as in a container, only the whole machine can be traced: --all");
		return STATUS_FAILED;
	}
	error = tracer_new(&t->tracer, &to, &err);
	if (*err.text) /* without an error: a warning */
		say("%s", err.text);
	if (error)
		return error == -EPERM || error == -EACCES || error == -EOPNOTSUPP ? STATUS_PRIVILEGE : STATUS_FAILED;
	note_ring();
	return phase_enter(PHASE_RECORDING);
}

static int follow(struct tracing *t)
{
	const struct span span = {
		.start_s = now_s(),
		.duration_ns = t->options->duration_ns,
		.child = t->command ? &t->child : NULL,
		.pids = &t->options->pids,
	};
	int error = 0;

	while (!error && !span_is_over(&span))
		error = tracer_poll(t->tracer, span_wait_ms(&span));
	tracer_detach(t->tracer);
	for (int ms = 0; !error && ms < DUE_MS; ms += SPAN_POLL_MS)
		error = tracer_poll(t->tracer, SPAN_POLL_MS);
	if (error)
		say("cannot continue the trace: %s", strerror(-error));
	return error ? STATUS_FAILED : STATUS_OK;
}

static void summary(const struct tracing *t)
{
	struct tracer_counts c;

	tracer_count(t->tracer, &c);
	say("%llu events are in ftrace's ring; dusk stackmap decode -i %s %s/trace shows their stacks",
	    (unsigned long long)c.events, t->options->stacks, tracefs_folder() ?: "tracefs");
	for (uint32_t i = 0; i < TRACE_MAX_OUTCOMES; i++)
		if (c.without[i] && dusk_outcome(i) && dusk_outcome(i)->kind != DUSK_ABSENT)
			say("%llu of them have no user stack, [%s]: %s", (unsigned long long)c.without[i],
			    dusk_outcome(i)->name, dusk_outcome(i)->sentence);
	if (c.missed)
		say("%llu events were missed: another BPF program was running on their CPU",
		    (unsigned long long)c.missed);
	if (c.untraced)
		say("%llu processes that traced ones created were not traced: there is room for %d at once",
		    (unsigned long long)c.untraced, TRACE_MAX_PROCESSES);
	if (c.unwritten)
		say("%llu lines were lost: the kernel had no buffer to write them", (unsigned long long)c.unwritten);
}

static void stacks_freep(struct dusk_stacks **s)
{
	dusk_stacks_free(*s);
}

/* Save the stacks: they vanish with the last tool, and the ids in the ring buffer mean nothing without them. */
static int save(struct tracing *t)
{
	_cleanup_(stacks_freep) struct dusk_stacks *s = NULL;
	struct output out;
	int status = phase_enter(PHASE_NAMING), error;

	if (status)
		return status;
	error = tracer_stacks(t->tracer, &s);
	if (error) {
		say("cannot save the stacks: %s", strerror(-error));
		return STATUS_FAILED;
	}
	status = phase_enter(PHASE_LEAVING);
	status = status ?: output_open(&out, t->options->stacks, false);
	return status ?: output_close(&out, dusk_stacks_write(s, fileno(out.file)));
}

/*
 * Wait for a command that still runs, for example after -d. The first request to stop is passed on to it; after the
 * second one, or after CHILD_S, we leave it running.
 */
static int child_status(struct tracing *t)
{
	double asked_s = 0;

	if (!stop_count && !t->options->quiet && !child_ended(&t->child, false))
		say("waiting for %s to end", t->command[0]);
	while (!child_ended(&t->child, false)) {
		if (asked_s && (stop_count > 1 || now_s() - asked_s > CHILD_S)) {
			say("leaving %s to itself, as process %d", t->command[0], t->child.pid);
			return 128 + stop_signal;
		}
		if (stop_count && !asked_s) {
			kill(t->child.pid, stop_forward ? stop_forward : SIGTERM);
			asked_s = now_s();
		}
		usleep(SPAN_POLL_MS * 1000); /* SIGCHLD ends this early */
	}
	return t->child.status;
}

static int trace(struct tracing *t)
{
	int status = create(t), error;

	stop_at_once(false);
	if (status)
		return status;
	error = t->command ? child_start(&t->child) : 0;
	if (error)
		return child_refused(t->command[0], error);
	if (!t->command && !t->options->quiet)
		say("tracing %zu event%s", t->events.nr, t->events.nr == 1 ? "" : "s");
	status = follow(t);
	if (!t->options->quiet)
		summary(t);
	status = save(t) ?: status;
	error = t->command ? child_status(t) : 0;
	return status ?: error;
}

static int run_with(const struct options *o, char **command)
{
	struct tracing t = {.options = o, .command = command, .child = {.go = -1, .failed = -1}};
	int status = output_check(o->stacks), err;

	status = status ?: choose_events(&t);
	if (!status && command) {
		err = child_fork(&t.child, command);
		if (err) {
			say("cannot start a process: %s", strerror(-err));
			status = STATUS_FAILED;
		}
	}
	if (!status) {
		home_leave_alone(); /* after the fork: the command inherits our caller's environment */
		stop_catch();	    /* ... and signal dispositions */
		stop_at_once(true);
		status = trace(&t);
		child_done(&t.child);
	}
	tracer_free(t.tracer);
	tracefs_names_done(&t.events);
	return status;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {.stacks = DEFAULT_STACKS};
	int status, next;

	if (!command_options(self, argc, argv, &o, &next, &status))
		return status;
	if (!o.events.nr)
		status = say_usage(self, "which events? -e sched:sched_switch; they are in tracefs, events/");
	else if (o.all && o.pids.nr)
		status = say_usage(self, "--all and --pid exclude each other");
	else if (!strcmp(o.stacks, "-"))
		status = say_usage(self, "the stacks need a file; -s - cannot work");
	else
		status = run_with(&o, next < argc ? argv + next : NULL);
	options_done(options, &o);
	return status;
}

const struct command cmd_trace = {
	.name = "trace",
	.summary = "Stacks beside events in ftrace's ring buffer",
	.arguments = "-e EVENTS [options] [[--] COMMAND [ARGUMENT...]]",
	.notes = "Lines say <stack_id N> <user N>, or <cookie N> until the user stack is known;\n"
		 "'dusk stackmap decode' shows the stacks of such text.\n",
	.phase = PHASE_SETUP,
	.options = options,
	.run = run,
};
