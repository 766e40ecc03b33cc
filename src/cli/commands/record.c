/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dusk record: record the machine, or a part of it, into a profile. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/tracefs_filter.h"
#include "base/clock.h"
#include "cli/cmdline/child.h"
#include "cli/cmdline/events.h"
#include "cli/cmdline/progress.h"
#include "cli/view/load_profile.h"
#include "cli/cmdline/mode_choice.h"
#include "cli/view/span.h"
#include "cli/cmdline/stop.h"
#include "cli/commands/summary.h"

/* Limits for looking up functions, and for waiting for the command, from the first request to stop. */
#define NAMES_NS 7000000000ULL
#define CHILD_NS 9000000000ULL

#define MAX_HZ 100000

#define MIN_BLOCK_NS 1000000ULL
#define SLOW_NS 1000000000ULL /* the same, of recordings by windows */

#define LOW_PRIORITY 10 /* for looking up the functions of a recording by windows: the next one is under way */

struct options {
	bool all, no_children, stacks, quiet, verbose, no_faults, no_languages, private, kernel_threads, wakers, verify;
	double budget_percent, max_cpu_percent;
	struct text_list events, units, containers, pods, namespaces;
	struct tracefs_names tracefs; /* the tracefs events among @events */
	uint32_t sources;
	uint64_t min_block_ns;
	struct number_list pids, tids, cpus;
	uint32_t frequency_hz, max_depth, stackmap_bits, max_tasks, notify_fd;
	uint64_t duration_ns, delay_ns, window_ns, stackmap_bytes, stack_bytes;
	const char *output, *cgroup, *user, *call_graph, *count, *filter;
	const char *mode; /* NULL: full where that works */
	uid_t uid;	  /* of @user */
};

static const struct option options[] = {
	{'a', "all", OPTION_FLAG, offsetof(struct options, all), NULL, "the whole machine (default without COMMAND)"},
	{'p', "pid", OPTION_NUMBERS, offsetof(struct options, pids), "PIDS",
	 "only these processes and all that they create", 1, INT_MAX},
	{'t', "tid", OPTION_NUMBERS, offsetof(struct options, tids), "TIDS", "only these threads and what they create",
	 1, INT_MAX},
	{0, "no-children", OPTION_FLAG, offsetof(struct options, no_children), NULL,
	 "of -p, -t and COMMAND nothing that they create"},
	{'F', "freq", OPTION_NUMBER_MAX, offsetof(struct options, frequency_hz), "HZ",
	 "samples a second and CPU (default 99), or max", 1, MAX_HZ},
	{'e', "event", OPTION_TEXTS, offsetof(struct options, events), "EVENTS",
	 "cpu,offcpu (default), sched:sched_switch, ..."},
	{0, "filter", OPTION_TEXT, offsetof(struct options, filter), "FILTER",
	 "events by their fields only: 'bytes > 4096'"},
	{'d', "duration", OPTION_DURATION, offsetof(struct options, duration_ns), "TIME",
	 "end after 10s, 500ms, 2m, 1h (else at Ctrl-C)"},
	{'D', "delay", OPTION_DURATION, offsetof(struct options, delay_ns), "TIME",
	 "begin after this time (without COMMAND)"},
	{'o', "output", OPTION_TEXT, offsetof(struct options, output), "FILE",
	 "the profile (default " DEFAULT_PROFILE ")"},
	{'C', "cpu", OPTION_NUMBERS, offsetof(struct options, cpus), "CPUS", "only these CPUs: 0,2-3", 0, 65535},
	{'G', "cgroup", OPTION_TEXT, offsetof(struct options, cgroup), "FOLDER",
	 "only tasks below this cgroup2 folder"},
	{0, "unit", OPTION_TEXTS, offsetof(struct options, units), "NAMES", "only these units of systemd"},
	{0, "container", OPTION_TEXTS, offsetof(struct options, containers), "NAMES", "only these containers"},
	{0, "pod", OPTION_TEXTS, offsetof(struct options, pods), "NAMES", "only these pods of Kubernetes"},
	{0, "namespace", OPTION_TEXTS, offsetof(struct options, namespaces), "NAMES", "only pods of these"},
	{'u', "user", OPTION_TEXT, offsetof(struct options, user), "USER",
	 "only tasks of this user: a name or a number"},
	{'q', "quiet", OPTION_FLAG, offsetof(struct options, quiet), NULL, "print nothing but errors"},
	{'v', "verbose", OPTION_FLAG, offsetof(struct options, verbose), NULL,
	 "print every outcome and counter at the end"},
	{0, "max-depth", OPTION_NUMBER, offsetof(struct options, max_depth), "N",
	 "maximum frames of a stack (default 512)", 1, 2048},
	{0, "min-block", OPTION_DURATION_0, offsetof(struct options, min_block_ns), "TIME",
	 "sum up shorter intervals off CPU (default 1ms)"},
	{0, "window", OPTION_DURATION, offsetof(struct options, window_ns), "TIME",
	 "keep sums, not samples; --min-block is 1s then"},
	{0, "budget", OPTION_PERCENT, offsetof(struct options, budget_percent), "P",
	 "sample short intervals: at most P % of CPU time"},
	{0, "wakers", OPTION_FLAG, offsetof(struct options, wakers), NULL, "record the waker of each off-CPU interval"},
	{0, "kernel-threads", OPTION_FLAG, offsetof(struct options, kernel_threads), NULL,
	 "also kernel threads' off-CPU intervals"},
	{0, "stackmap-bits", OPTION_NUMBER, offsetof(struct options, stackmap_bits), "N",
	 "room for 2^N stacks of 60 frames (default 14)", 10, 20},
	{0, "stackmap-mem", OPTION_SIZE, offsetof(struct options, stackmap_bytes), "SIZE",
	 "the same, as memory: 8M, 64M", 512 << 10, 512 << 20},
	{0, "max-tasks", OPTION_NUMBER, offsetof(struct options, max_tasks), "N",
	 "maximum threads with stacks (default 32768)", 1024, 4194304},
	{0, "max-cpu", OPTION_PERCENT, offsetof(struct options, max_cpu_percent), "P",
	 "likewise, with the recorder itself"},
	{0, "verify", OPTION_FLAG, offsetof(struct options, verify), NULL, "check the stack cache by walking again"},
	{0, "no-faults", OPTION_FLAG, offsetof(struct options, no_faults), NULL, "never fault in a page of a target"},
	{0, "no-lang", OPTION_FLAG, offsetof(struct options, no_languages), NULL,
	 "native frames only, not those of languages"},
	{0, "notify-fd", OPTION_NUMBER, offsetof(struct options, notify_fd), "FD",
	 "write a newline there when it has begun", 1, 65535},
	{0, "private", OPTION_FLAG, offsetof(struct options, private), NULL,
	 "do not share walks with other tools of dusk"},
	{0, "mode", OPTION_TEXT, offsetof(struct options, mode), "MODE",
	 "full (BPF), copied (no privilege), or ptrace"},
	{0, "stack-bytes", OPTION_SIZE, offsetof(struct options, stack_bytes), "SIZE",
	 "bytes of a stack in mode copied (default 16K)", 1024, 65528},
	{'g', "stacks", OPTION_FLAG, offsetof(struct options, stacks), NULL,
	 "for perf's users: stacks are always recorded"},
	{0, "call-graph", OPTION_TEXT, offsetof(struct options, call_graph), "HOW",
	 "for perf's users: stacks are walked dusk's way"},
	{'c', "count", OPTION_TEXT, offsetof(struct options, count), "N",
	 "for perf's users: says what -F can do instead"},
	{0},
};

struct recording {
	const struct options *options;
	char **command; /* NULL: none */
	struct child child;
	struct dusk_record *record;
	struct live live;
	bool passed_on; /* the request to stop was passed on to the command */
	double invoked_s, start_s;
	struct dusk_error err; /* the error that ended it early */
};

/* The agent ends a recording when the next one has begun: by SIGUSR2, or by SIGUSR1, as it takes too much memory. */
static volatile int memory_limit, handed_over;

static void on_hand_over(int signal)
{
	handed_over = 1;
	memory_limit = signal == SIGUSR1;
}

/* Join the words of the command, for the profile's settings. */
static char *join(char **words)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (; *words; words++)
		fprintf(f, "%s%s", *words, words[1] ? " " : "");
	return fclose(f) ? NULL : text;
}

/* A stack of 60 frames takes 512 bytes, with its head and slots. */
#define STACKMAP_BYTES(bits) (512ULL << (bits))

static uint32_t stackmap_bits(const struct options *o)
{
	uint32_t bits = 10;

	if (!o->stackmap_bytes)
		return o->stackmap_bits;
	while (STACKMAP_BYTES(bits + 1) <= o->stackmap_bytes)
		bits++;
	return bits;
}

/* Report if a shared table does not have the requested size: the first tool chose it. */
static void note_size(const struct recording *r)
{
	uint32_t wanted = stackmap_bits(r->options);
	struct dusk_record_status status;

	dusk_record_status(r->record, &status);
	if (wanted && status.stackmap_bits != wanted)
		say("the stackmap is shared with other tools and has %u bits already, not %u; --private makes one of "
		    "your own",
		    status.stackmap_bits, wanted);
	if (r->options->max_tasks && status.max_tasks != r->options->max_tasks)
		say("the table of threads is shared with other tools and has room for %u already, not %u; --private "
		    "makes one "
		    "of your own",
		    status.max_tasks, r->options->max_tasks);
}

/* Do not reveal the content of folders that the user may not access, even if we may. */
static bool is_hidden(const char *path)
{
	return path && access(path, F_OK) && errno == EACCES;
}

static bool by_label(const struct options *o)
{
	return o->units.nr || o->containers.nr || o->pods.nr || o->namespaces.nr;
}

/* What to record: the options, and @command as text, or NULL. They refer to @r and @command. */
static struct dusk_record_options record_options(const struct recording *r, const char *command)
{
	const struct options *o = r->options;
	bool alone = r->child.pid && !o->all && !o->pids.nr && !o->tids.nr && !o->cgroup && !by_label(o) && !o->user;

	return (struct dusk_record_options){
		.sz = sizeof(struct dusk_record_options),
		.path = o->output,
		.frequency_hz = o->frequency_hz,
		.max_depth = o->max_depth,
		.no_faults = o->no_faults,
		.no_languages = o->no_languages,
		.no_sharing = o->private,
		.sources = o->sources,
		.min_block_ns = o->min_block_ns,
		.kernel_threads = o->kernel_threads,
		.budget = o->budget_percent / 100,
		.verify = o->verify,
		.stackmap_bits = stackmap_bits(o),
		.max_tasks = o->max_tasks,
		.pids = alone ? &r->child.pid : o->pids.v,
		.nr_pids = alone ? 1 : o->pids.nr,
		.from_exec = alone,
		.tids = o->tids.v,
		.nr_tids = o->tids.nr,
		.no_children = o->no_children,
		.only_user = o->user,
		.user = o->uid,
		.cgroup = o->cgroup,
		.units = o->units.v,
		.nr_units = o->units.nr,
		.containers = o->containers.v,
		.nr_containers = o->containers.nr,
		.pods = o->pods.v,
		.nr_pods = o->pods.nr,
		.namespaces = o->namespaces.v,
		.nr_namespaces = o->namespaces.nr,
		.cpus = o->cpus.v,
		.nr_cpus = o->cpus.nr,
		.command = command,
		.stack_bytes = o->stack_bytes,
		.window_ns = o->window_ns,
		.stops = &stop_count,
		.max_cpu = o->max_cpu_percent / 100,
		.memory_limit = &memory_limit,
		.filter = o->filter,
		.events = (const char *const *)o->tracefs.v,
		.nr_events = o->tracefs.nr,
		.owner_uid = sudo_id("SUDO_UID"),
		.owner_gid = sudo_id("SUDO_GID"),
	};
}

static int create(struct recording *r)
{
	const struct options *o = r->options;
	_cleanup_(freep) char *command = r->command ? join(r->command) : NULL;
	struct dusk_record_options ro = record_options(r, command);
	const struct mode_choice choice = {
		.name = o->mode,
		.quiet = o->quiet,
		.sources_by_name = o->events.nr,
		.wakers_may_lack = !o->wakers,
		.needs_full = o->tracefs.nr || o->wakers || o->verify || o->user || by_label(o) || o->budget_percent,
	};
	struct dusk_error err = {""};
	int error;

	if (is_hidden(o->output) || is_hidden(o->cgroup)) {
		say("cannot open %s: %s", is_hidden(o->output) ? o->output : o->cgroup, strerror(EACCES));
		return STATUS_FAILED;
	}
	error = mode_choose(&r->record, &ro, &choice, &err);
	live_end(&r->live);
	/* Without an error it is a warning, e.g. of a late start. That it was stopped is no news: see give_up(). */
	if (*err.text && !(error == -EINTR && o->quiet))
		say("%s", err.text);
	if (!error) {
		if (ro.mode == DUSK_MODE_FULL)
			note_size(r);
		return STATUS_OK;
	}
	if (error == -EINTR)
		return 128 + stop_signal;
	return error == -EPERM || error == -EOPNOTSUPP ? STATUS_PRIVILEGE : STATUS_FAILED;
}

/* Take in samples until the recording is over. After a failure, finish() reports it and completes the file. */
static int follow(struct recording *r)
{
	const struct options *o = r->options;
	const struct span span = {
		.start_s = r->start_s,
		.duration_ns = o->duration_ns,
		.child = r->command ? &r->child : NULL,
		.pids = &o->pids,
		.tids = &o->tids,
	};
	int error = 0;

	while (!error && !handed_over && !span_is_over(&span)) {
		error = dusk_record_poll(r->record, span_wait_ms(&span), &r->err);
		if (error == -EINTR)
			error = 0;
		live_step(&r->live, r->record);
	}
	live_end(&r->live);
	return error ? STATUS_FAILED : STATUS_OK;
}

/* A request to stop is meant for the command, too. */
static void pass_on(struct recording *r)
{
	if (r->child.pid && stop_count && !r->passed_on)
		kill(r->child.pid, stop_forward ? stop_forward : SIGTERM);
	r->passed_on = stop_count;
}

/* We were asked to stop before anything was recorded: leave no file, so that an older one stays where it is. */
static int give_up(struct recording *r)
{
	dusk_record_discard(steal(r->record));
	if (!r->options->quiet)
		say("stopped before anything was recorded; no file is written");
	return 128 + stop_signal;
}

static int finish(struct recording *r)
{
	struct dusk_error err = {""};
	struct progress progress;
	int error = dusk_record_stop(r->record, &err);

	if (error) {
		say("%s", err.text);
		return STATUS_FAILED;
	}
	if (stop_count && !live_rows(r->record))
		return give_up(r);
	if (*r->err.text)
		say("%s", r->err.text);
	if (stop_forward)
		pass_on(r);
	if (phase_enter(PHASE_NAMING))
		return STATUS_FAILED;
	if (r->options->window_ns)
		setpriority(PRIO_PROCESS, 0, LOW_PRIORITY);
	progress_begin(&progress, r->options->quiet);
	progress.stops = &stop_count;
	progress.max = 2;
	progress.stopped_ns = &stop_ns;
	progress.patience_ns = NAMES_NS;
	error = dusk_record_symbolize(r->record, progress_step, &progress, &err);
	progress_end(&progress);
	if (phase_enter(PHASE_LEAVING))
		return STATUS_FAILED;
	if (error && error != -ECANCELED) {
		say("%s", err.text);
		return STATUS_FAILED;
	}
	if (!r->options->quiet && (error || *err.text)) /* some names are missing */
		say("%s", error ? "stopped looking up functions; dusk report looks them up" : err.text);
	return STATUS_OK;
}

/* A shell would say so; a command that dusk started has no other to say it. */
static void say_killed(const struct recording *r)
{
	int signal = r->child.signal;

	say("%s was ended by signal %d (%s)%s", r->command[0], signal, strsignal(signal),
	    signal == SIGKILL ? ": by somebody, or by the kernel for lack of memory, which dmesg tells" : "");
}

/*
 * Wait for a command that still runs, for example after -d. The first request to stop is passed on to it; after another
 * one, or after CHILD_NS, we leave it running. If Ctrl-C has reached the command as well, waiting gives us its own exit
 * status.
 */
static int child_status(struct recording *r)
{
	int asked = stop_count, patience = stop_count ? 1 : 2;

	pass_on(r);
	if (r->child.pid && !stop_count && !r->options->quiet)
		say("waiting for %s to end", r->command[0]);
	while (!child_ended(&r->child, false)) {
		usleep(SPAN_POLL_MS * 1000); /* SIGCHLD ends this early */
		if (stop_count >= asked + patience || (stop_ns && now_ns() > stop_ns + CHILD_NS)) {
			say("leaving %s to itself, as process %d", r->command[0], r->child.pid);
			return 128 + stop_signal;
		}
		pass_on(r);
	}
	if (r->child.signal && !r->passed_on && !r->options->quiet)
		say_killed(r);
	return r->child.status;
}

/* Wait until it is time to begin, or until we are asked to stop. */
static void wait_to_begin(const struct recording *r)
{
	const struct span span = {.start_s = r->invoked_s, .duration_ns = r->options->delay_ns};

	while (r->options->delay_ns && !span_is_over(&span))
		usleep(span_wait_ms(&span) * 1000);
}

/* Tell what waits at --notify-fd, if anything does. If that is gone, the recording goes on. */
static void say_begun(int fd)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;

	if (!fd)
		return;
	sigaction(SIGPIPE, &ignore, &before);
	if (write(fd, "\n", 1) != 1)
		say("cannot write to --notify-fd %d: %s", fd, strerror(errno));
	sigaction(SIGPIPE, &before, NULL);
	close(fd);
}

static double began_s(const struct recording *r)
{
	struct dusk_record_status status;

	dusk_record_status(r->record, &status);
	return status.start_ns / 1e9;
}

static int record(struct recording *r)
{
	struct dusk_error err = {""};
	char event[64];
	int status, error;

	sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_hand_over}, NULL);
	sigaction(SIGUSR2, &(struct sigaction){.sa_handler = on_hand_over}, NULL);
	live_load(&r->live, r->options->quiet);
	status = create(r);
	stop_at_once(false);
	if (status)
		return status;
	malloc_trim(0); /* loading takes more than recording does */
	wait_to_begin(r);
	if (stop_count)
		return give_up(r);
	error = dusk_record_start(r->record, &err);
	/* To begin may take its time; one that begins at a certain time ends at one, too. */
	r->start_s = r->options->delay_ns ? r->invoked_s + r->options->delay_ns / 1e9 : began_s(r);
	if (error) {
		dusk_record_discard(steal(r->record));
		say("%s", err.text);
		return error == -EPERM || error == -EOPNOTSUPP ? STATUS_PRIVILEGE : STATUS_FAILED;
	}
	say_begun(r->options->notify_fd);
	status = phase_enter(PHASE_RECORDING);
	if (status) {
		dusk_record_discard(steal(r->record));
		return status;
	}
	error = r->command ? child_start(&r->child) : 0;
	if (error) {
		dusk_record_discard(steal(r->record));
		return child_refused(r->command[0], error);
	}
	live_begin(&r->live);
	if (!r->command && !r->options->quiet)
		say("recording%s", r->options->duration_ns ? "" : "; Ctrl-C ends it");
	status = follow(r);
	snprintf(event, sizeof(event), "%s", dusk_record_event(r->record));
	error = finish(r);
	if (error)
		status = error;
	dusk_record_free(steal(r->record));
	if (!r->options->quiet && !error)
		summary_say(r->options->output, event, r->options->verbose);
	error = r->command ? child_status(r) : 0;
	return status ? status : error;
}

static int run_with(const struct options *o, char **command)
{
	struct recording r = {
		.options = o, .command = command, .child = {.go = -1, .failed = -1}, .invoked_s = now_s()};
	int status = STATUS_FAILED, err = command ? child_fork(&r.child, command) : 0;

	if (err) {
		say("cannot start a process: %s", strerror(-err));
		return STATUS_FAILED;
	}
	stop_catch(); /* after the fork: the command inherits our caller's signal dispositions */
	stop_at_once(true);
	status = record(&r);
	child_done(&r.child);
	dusk_record_free(r.record);
	return status;
}

/*
 * Find the number of the user @text, a name or a number. By the file, not by getpwnam(), for which a static program
 * would need the machine's libraries.
 */
static int find_user(const char *text, uid_t *ret)
{
	FILE *f = fopen("/etc/passwd", "re");
	const struct passwd *user = NULL;
	unsigned long number;
	char *end;

	while (f && (user = fgetpwent(f)) && strcmp(user->pw_name, text))
		;
	if (user)
		*ret = user->pw_uid;
	if (f)
		fclose(f);
	if (user)
		return STATUS_OK;
	errno = 0;
	number = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || number >= (uid_t)-1) {
		say("there is no user %s in /etc/passwd; for other users give the number, as id -u prints it", text);
		return STATUS_FAILED;
	}
	*ret = number;
	return STATUS_OK;
}

/* The highest rate that this machine allows. */
static uint32_t highest_rate(void)
{
	_cleanup_(fclosep) FILE *f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	unsigned int rate;

	return f && fscanf(f, "%u", &rate) == 1 && rate && rate < MAX_HZ ? rate : MAX_HZ;
}

/* Do what options mean that perf's users know, or say what dusk does instead. */
static int translate(const struct command *self, struct options *o)
{
	static const char *const ways[] = {"fp", "dwarf", "lbr"};
	size_t i = 0;

	if (o->count)
		return say_usage(self,
				 "-c %s cannot be done: dusk samples by time, not by a count of events; -F HZ sets "
				 "the rate, and -F max is the highest",
				 o->count);
	while (o->call_graph && i < 3 && strncmp(o->call_graph, ways[i], strlen(ways[i])))
		i++;
	if (i == 3)
		return say_usage(self, "--call-graph takes fp, dwarf or lbr, not '%s'", o->call_graph);
	if (o->call_graph && !o->quiet)
		say("--call-graph %s makes no difference: stacks are always recorded, and walked by the unwind tables "
		    "of "
		    "each program, else by frame pointers",
		    o->call_graph);
	if (o->frequency_hz == UINT32_MAX) {
		o->frequency_hz = highest_rate();
		if (!o->quiet)
			say("-F max is %u Hz here", o->frequency_hz);
	}
	return o->user ? find_user(o->user, &o->uid) : STATUS_OK;
}

/* Choose the sources that -e names. */
static int choose_sources(const struct command *self, struct options *o)
{
	uint32_t sources = 0;
	int status = STATUS_OK;

	for (size_t i = 0; !status && i < o->events.nr; i++)
		status = events_take(self, o->events.v[i], &sources, &o->tracefs);
	if (o->tracefs.nr)
		sources |= DUSK_RECORD_EVENTS;
	if (o->events.nr)
		o->sources = sources;
	/* By windows few intervals have a waker, the slow ones, and it is what one asks of them. */
	if (o->wakers || (o->window_ns && o->sources & DUSK_RECORD_OFF_CPU && (!o->mode || !strcmp(o->mode, "full"))))
		o->sources |= DUSK_RECORD_WAKERS;
	return status;
}

/* Show where the filter is none. */
static bool filter_is_wrong(const char *text)
{
	struct tracefs_filter f;
	const char *why;
	size_t at;

	if (!tracefs_filter_parse(&f, text, &at, &why))
		return false;
	say("--filter: %s", why);
	fprintf(stderr, "  %s\n  %*s^\n", text, (int)at, "");
	return true;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct options o = {
		.output = DEFAULT_PROFILE,
		.min_block_ns = UINT64_MAX,
		.sources = DUSK_RECORD_CPU | DUSK_RECORD_OFF_CPU,
	};
	int status, next;

	if (!command_options(self, argc, argv, &o, &next, &status))
		return status;
	if (o.min_block_ns == UINT64_MAX)
		o.min_block_ns = o.window_ns ? SLOW_NS : MIN_BLOCK_NS;
	status = choose_sources(self, &o) ?: translate(self, &o);
	if (status)
		; /* the error is printed */
	else if (o.stackmap_bits && o.stackmap_bytes)
		status = say_usage(self, "--stackmap-bits and --stackmap-mem exclude each other");
	else if (o.mode && !mode_is_known(o.mode))
		status = say_usage(self, "--mode takes full, copied or ptrace, not '%s'", o.mode);
	else if (o.filter && !o.tracefs.nr)
		status = say_usage(self, "--filter is for events: -e block:block_rq_issue --filter 'bytes > 4096'");
	else if (o.filter && filter_is_wrong(o.filter))
		status = STATUS_USAGE;
	else if (o.budget_percent && o.max_cpu_percent)
		status = say_usage(self, "--budget and --max-cpu exclude each other");
	else if (o.wakers && !(o.sources & DUSK_RECORD_OFF_CPU))
		status = say_usage(self, "--wakers is about off-CPU intervals: -e offcpu records them");
	else if (o.delay_ns && next < argc)
		status = say_usage(self, "-D is for recordings without COMMAND, which begins when the recording does");
	else if (o.window_ns && o.window_ns < 100000000)
		status = say_usage(self, "--window takes at least 100ms");
	else if (o.cgroup && by_label(&o))
		status = say_usage(self, "--cgroup goes without --unit, --container, --pod and --namespace");
	else if (o.notify_fd && fcntl(o.notify_fd, F_SETFD, FD_CLOEXEC)) /* it is not COMMAND's */
		status = say_usage(self, "--notify-fd %u: %s", o.notify_fd, strerror(errno));
	else if (!strcmp(o.output, "-"))
		status = say_usage(self, "a profile is a database and needs a file; -o - cannot work");
	else
		status = run_with(&o, next < argc ? argv + next : NULL);
	tracefs_names_done(&o.tracefs);
	options_done(options, &o);
	return status;
}

const struct command cmd_record = {
	.name = "record",
	.summary = "Sample the machine, or a part of it, into a profile",
	.arguments = "[options] [[--] COMMAND [ARGUMENT...]]",
	.notes = "With COMMAND the recording lasts as long as it, and the exit status is its own.\n"
		 "Ctrl-C ends a recording and leaves a whole file; a second one gives up names.\n",
	.phase = PHASE_SETUP,
	.options = options,
	.run = run,
};
