/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dusk agent: record always, a profile after the other into a store.
 *
 * The agent starts recorders, dusk record --window, and watches them. Each records one profile, and then looks up its
 * functions at a low priority, while the next one records: what fails in one of them, or takes its memory, ends with
 * it. The next one is started some seconds early, and prepares everything; when it has begun the one before ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/agent/clock.h"
#include "cli/agent/compact.h"
#include "cli/cmdline/stop.h"

#define NS_A_S 1000000000ULL
#define PREPARE_NS (3 * NS_A_S)	     /* before a recorder begins: loading the kernel side takes half a second */
#define MAX_BACKOFF_NS (60 * NS_A_S) /* between recorders that fail */
#define LATE_NS (300 * NS_A_S)	     /* a recorder ends so long after its planned end, if no other one has begun, */
#define HANGS_NS (2 * LATE_NS)	     /* ... and hangs if it is not over by then */
#define POLL_NS (NS_A_S / 5)
#define MEMORY_NS NS_A_S /* between two looks at it, and the longer the more is left until the limit */
#define MEMORY_GROWTH 4	 /* bytes a microsecond: faster than recorders grow */
#define MIN_WINDOWS 6	 /* of a recorder, however much memory it takes; and between two looks at its CPU time */

/*
 * The share of the limit of memory at which a recorder makes way for the next one: while it looks up functions it takes
 * more, and the next one is there, too.
 */
#define MEMORY_SHARE 1 / 2

struct recorder {
	pid_t pid;
	uint64_t begin_ns, end_ns; /* by now_ns(), as planned */
	int news;		   /* it says here that it has begun; -1: it has */
	bool begun;
	bool too_large;		      /* it takes too much memory, and is to end when the next one has begun */
	uint64_t used_ns, used_at_ns; /* CPU time at the last look, by now_ns(); 0: none yet */
	bool too_busy;		      /* it takes more than its share, which was said */
	bool among_too_many;	      /* while it is the newest all take more memory than they may, which was said */
	bool ended;		      /* it has had the signal to end: the next one has begun */
	bool orphan;		      /* its store is gone */
	char path[PATH_MAX];
};

struct agent {
	const struct agent_options *o;
	struct vec(struct recorder) recorders; /* the oldest first */
	uint64_t next_ns;		       /* when the next one is to begin, by now_ns() */
	uint64_t backoff_ns;
	uint64_t look_ns;	 /* at the memory again, by now_ns() */
	uint64_t map_bytes;	 /* of BPF maps, at the last look */
	uint64_t look_at_all_ns; /* at that of all processes, by now_ns() */
	struct agent_clock clock;
	bool is_settled; /* the clock is to be believed */
	struct compaction compaction;
	struct agent_senders senders;
	struct agent_metrics metrics;
	bool is_up; /* the service manager knows that we record */
	int refused; /* exit status, if the first recorder, or the store when it had to be made anew, was refused; 0: not */
	int store; /* holds it */
	uint64_t lost_stores;
};

/* Profiles end at multiples of their length, but for the first one, and when the clock is set. */
static uint64_t length_ns(uint64_t start_real_ns, uint64_t rotate_ns)
{
	uint64_t left_ns = rotate_ns - start_real_ns % rotate_ns;

	return left_ns < rotate_ns / 10 ? left_ns + rotate_ns : left_ns;
}

/* Start dusk record, which writes to @news when it has begun. Returns its pid or a negative errno. */
static pid_t start_recorder(const struct agent_options *o, const char *path, uint64_t delay_ns, uint64_t duration_ns,
			    int news)
{
	char delay[32], duration[32], window[32], slow[32], hz[16], budget[32], notify[16];
	const char *words[30] = {"dusk",     "record", "-q",  "-F",	     hz,    "-e",     o->events,
				 "--window", window,   "-o",  path,	     "-d",  duration, "--min-block",
				 slow,	     "-D",     delay, "--notify-fd", notify};
	size_t nr = 19;

	snprintf(hz, sizeof(hz), "%u", o->frequency_hz);
	snprintf(notify, sizeof(notify), "%d", news);
	snprintf(window, sizeof(window), "%.6fs", o->window_ns / 1e9);
	snprintf(slow, sizeof(slow), "%.6fs", o->slow_ns / 1e9);
	snprintf(duration, sizeof(duration), "%.6fs", duration_ns / 1e9);
	snprintf(delay, sizeof(delay), "%.6fs", delay_ns / 1e9);
	snprintf(budget, sizeof(budget), "%g", o->budget_percent ?: o->max_cpu_percent);
	if (o->mode) {
		words[nr++] = "--mode";
		words[nr++] = o->mode;
	}
	words[nr++] = o->budget_percent ? "--budget" : "--max-cpu";
	words[nr++] = budget;
	return agent_start_child(words, NULL, SIGTERM); /* if the agent is killed, profiles end in order */
}

static struct recorder *newest(const struct agent *a)
{
	return a->recorders.nr ? &a->recorders.v[a->recorders.nr - 1] : NULL;
}

/* One at a time is set up: on a machine that is too busy for one there would be ever more. */
static bool is_time_for_next(const struct agent *a, uint64_t now)
{
	const struct recorder *r = newest(a);

	return now + PREPARE_NS >= a->next_ns && (!r || r->begun || r->orphan);
}

/*
 * Recorders that are over look up functions. Those that still do when the one after the next is set up leave the rest to views: on a
 * machine that is too busy for them there would be ever more.
 */
static void hurry(const struct agent *a)
{
	for (size_t i = 0; i < a->recorders.nr; i++)
		if (a->recorders.v[i].ended)
			kill(a->recorders.v[i].pid, SIGTERM);
}

/* Once the newest recorder has begun, those before it end. So there is no gap, however long it takes to set one up. */
static void hand_over(struct agent *a, uint64_t now)
{
	const struct recorder *last = newest(a);

	if (!last || !last->begun)
		return;
	for (struct recorder *r = a->recorders.v; r < last; r++) {
		if (r->ended || r->orphan || !r->begun)
			continue;
		r->ended = true;
		r->end_ns = now;
		kill(r->pid, r->too_large ? SIGUSR1 : SIGUSR2);
	}
}

/* Sleep for a while, or until the newest recorder begins. */
static void wait_a_while(const struct agent *a)
{
	const struct recorder *r = newest(a);
	struct pollfd news = {.fd = r ? r->news : -1, .events = POLLIN};

	poll(&news, 1, POLL_NS / 1000000);
}

static void forget_news(struct recorder *r)
{
	closep(&r->news);
	r->news = -1;
}

/* Start the recorder of what is from next_ns on, which is not over. */
static int start(struct agent *a, uint64_t now)
{
	uint64_t delay_ns = a->next_ns > now + NS_A_S / 10 ? a->next_ns - now : NS_A_S,
		 start_real_ns = clock_ns(CLOCK_REALTIME) + delay_ns;
	uint64_t duration_ns = length_ns(start_real_ns, a->o->rotate_ns);
	struct recorder *r = vec_add(&a->recorders), *before = a->recorders.nr > 1 ? r - 1 : NULL;
	int news[2] = {-1, -1};

	if (!r)
		return -ENOMEM;
	agent_profile_path(r->path, sizeof(r->path), a->o->store, (start_real_ns + NS_A_S / 2) / NS_A_S,
			   before ? before->path : NULL);
	r->begin_ns = now + delay_ns;
	r->end_ns = a->next_ns = r->begin_ns + duration_ns;
	if (pipe2(news, O_CLOEXEC | O_NONBLOCK) || fcntl(news[1], F_SETFD, 0))
		r->pid = -errno;
	else
		r->pid = start_recorder(a->o, r->path, delay_ns, duration_ns + LATE_NS, news[1]);
	r->news = news[0];
	closep(&news[1]);
	if (r->pid > 0)
		return 0;
	forget_news(r);
	a->recorders.nr--;
	return r->pid;
}

static void remove_recorder(struct agent *a, size_t i)
{
	forget_news(&a->recorders.v[i]);
	memmove(&a->recorders.v[i], &a->recorders.v[i + 1], (--a->recorders.nr - i) * sizeof(*a->recorders.v));
}

static void say_failure(const struct recorder *r, int status)
{
	if (WIFSIGNALED(status))
		say("the recorder of %s was killed by signal %d", r->path, WTERMSIG(status));
	else if (status)
		say("the recorder of %s ended with status %d", r->path, WEXITSTATUS(status));
	else
		say("the recorder of %s was ended", r->path);
}

/* The newest recorder has failed: the next one begins after a while, when none records. */
static void begin_later(struct agent *a, uint64_t now)
{
	a->backoff_ns = a->backoff_ns ? a->backoff_ns * 2 : NS_A_S;
	if (a->backoff_ns > MAX_BACKOFF_NS)
		a->backoff_ns = MAX_BACKOFF_NS;
	a->next_ns = now + a->backoff_ns;
	if (newest(a) && newest(a)->end_ns > a->next_ns)
		a->next_ns = newest(a)->end_ns;
	say("the next recorder begins in %.0f s", (a->next_ns - now) / 1e9);
}

/* A recorder that was killed, just now, leaves a recording: make it a profile. */
static void keep_rest(const struct recorder *r)
{
	struct dusk_error err = {""};
	int failed = agent_recover_profile(r->path, now_ns(), &err);

	if (failed && failed != -ENOENT && failed != -ENODATA)
		say("%s", err.text);
}

/* Has @r begun? The service is up when the first recorder has, as it has everything that it needs. */
static void look_at(struct agent *a, struct recorder *r)
{
	char newline;

	if (r->begun || read(r->news, &newline, 1) != 1)
		return;
	r->begun = true;
	forget_news(r);
	if (a->is_up)
		return;
	a->is_up = true;
	agent_notify("READY=1");
	if (!a->o->quiet)
		say("recording into %s", a->o->store);
}

static void reap(struct agent *a, uint64_t now)
{
	for (size_t i = 0; i < a->recorders.nr; i++) {
		struct recorder r = a->recorders.v[i];
		bool is_newest = i + 1 == a->recorders.nr, failed;
		int status;

		if (now > r.end_ns + HANGS_NS)
			kill(r.pid, SIGKILL);
		if (waitpid(r.pid, &status, WNOHANG) != r.pid)
			continue;
		if (!r.orphan)
			look_at(a, &a->recorders.v[i]);
		remove_recorder(a, i--);
		if (r.orphan)
			continue;
		failed = !stop_count && (status || now + NS_A_S < r.end_ns);
		if (status)
			keep_rest(&r);
		if (failed)
			say_failure(&r, status);
		if (failed && !a->is_up && WIFEXITED(status) && status)
			a->refused = WEXITSTATUS(status);
		else if (failed && is_newest)
			begin_later(a, now);
		else if (!failed && a->backoff_ns && !stop_count) {
			agent_recover_store(a->o->store); /* what there was no space for */
			a->backoff_ns = 0;
		}
		agent_clean_store(a->o->store, a->is_settled ? a->o->keep_ns : 0, a->o->keep_bytes);
	}
}

/* Let the newest recorder end early if it takes more than its share of the memory, when the next one begins. */
static void look_at_memory(struct agent *a, uint64_t now)
{
	struct recorder *r = newest(a);
	uint64_t limit = a->o->max_memory_bytes * MEMORY_SHARE, bytes;
	struct agent_memory m = {.map_bytes = 0};

	if (!limit || !r || now < a->look_ns)
		return;
	a->look_ns = now + MEMORY_NS;
	if (r->too_large || now < r->begin_ns + MIN_WINDOWS * a->o->window_ns || now + 2 * PREPARE_NS > r->end_ns)
		return;
	bytes = agent_memory_of(&m, r->pid) + m.map_bytes;
	a->map_bytes = m.map_bytes;
	vec_done(&m.maps);
	if (bytes <= limit) {
		a->look_ns += (limit - bytes) * 1000 / MEMORY_GROWTH;
		return;
	}
	say("the recorder of %s takes %llu MiB: the next one begins", r->path, (unsigned long long)bytes >> 20);
	r->too_large = true;
	r->end_ns = a->next_ns = now + PREPARE_NS;
}

/*
 * All processes together, as several may look up functions at a time, which can take more than recording, and another one may merge
 * profiles: they are asked to leave that when it is too much. What records goes on.
 */
static void look_at_all_memory(struct agent *a, uint64_t now)
{
	uint64_t limit = a->o->max_memory_bytes, bytes;
	struct recorder *r = newest(a);

	if (!limit || now < a->look_at_all_ns)
		return;
	a->look_at_all_ns = now + MEMORY_NS;
	bytes = agent_memory_of_all() + a->map_bytes;
	if (bytes <= limit)
		return;
	hurry(a);
	compact_put_off(&a->compaction, now);
	if (!r || !r->begun || r->among_too_many)
		return;
	say("all processes take %llu MiB, more than --max-memory of %llu MiB: merging waits, and "
	    "functions that are not looked up are left to views",
	    (unsigned long long)bytes >> 20, (unsigned long long)limit >> 20);
	r->among_too_many = true;
}

/* A recorder leaves out what it can when it takes too much CPU time. Say so if that is not enough. */
static void look_at_cpu(struct agent *a, uint64_t now)
{
	struct recorder *r = newest(a);
	uint64_t used_ns, passed_ns;
	double percent;

	if (a->o->budget_percent || !a->o->max_cpu_percent || !r || !r->begun || r->too_busy ||
	    (r->used_at_ns && now < r->used_at_ns + MIN_WINDOWS * a->o->window_ns))
		return;
	used_ns = agent_cpu_of(r->pid);
	passed_ns = now - r->used_at_ns;
	percent = 100.0 * (double)(used_ns - r->used_ns) / (double)passed_ns / (double)sysconf(_SC_NPROCESSORS_ONLN);
	r->too_busy = r->used_at_ns && used_ns > r->used_ns && percent > a->o->max_cpu_percent;
	if (r->too_busy)
		say("the recorder of %s took %.2f %% of all CPUs in %.0f s, more than --max-cpu of %g %%: titles of "
		    "processes and files of JITs and modules are left out, and counted; samples and stacks are not",
		    r->path, percent, passed_ns / 1e9, a->o->max_cpu_percent);
	r->used_ns = used_ns;
	r->used_at_ns = now;
}

/* The store was removed, or moved: make it anew, and record into that. What is being recorded goes where the old one is, if it is still somewhere. */
static void renew_store(struct agent *a)
{
	a->lost_stores++;
	say("the store %s was removed or moved (%llu so far): it is made anew. What was being recorded is in the "
	    "moved one, or lost",
	    a->o->store, (unsigned long long)a->lost_stores);
	closep(&a->store);
	compact_stop(&a->compaction);
	for (size_t i = 0; i < a->recorders.nr; i++) {
		a->recorders.v[i].orphan = true;
		kill(a->recorders.v[i].pid, SIGTERM);
	}
	a->refused = agent_take_store(a->o->store, &a->store);
	if (a->refused)
		return;
	agent_clock_begin(&a->clock, a->o->store);
	a->next_ns = now_ns();
}

static void tell(struct agent *a)
{
	agent_notify("WATCHDOG=1");
	for (size_t i = 0; i < a->recorders.nr; i++)
		if (!a->recorders.v[i].orphan)
			look_at(a, &a->recorders.v[i]);
}

static int follow(struct agent *a)
{
	while (!stop_count && !a->refused) {
		uint64_t now = now_ns();

		if (!agent_has_store(a->o->store, a->store))
			renew_store(a);
		a->is_settled = agent_clock_follow(&a->clock, a->o->store);
		reap(a, now);
		hand_over(a, now);
		look_at_memory(a, now);
		look_at_all_memory(a, now);
		look_at_cpu(a, now);
		if (!a->refused && is_time_for_next(a, now)) {
			int err = start(a, now);

			hurry(a);
			if (err) {
				say("cannot start a recorder: %s", strerror(-err));
				begin_later(a, now);
			}
		}
		if (!a->refused)
			compact_follow(&a->compaction, a->o, now);
		if (a->is_up)
			agent_follow_senders(&a->senders, a->o, now);
		agent_follow_metrics(&a->metrics, a->o, now);
		tell(a);
		wait_a_while(a);
	}
	return a->refused;
}

/* End the recorders, which look up the functions of what they have, within a time of their own. */
static void end(struct agent *a)
{
	agent_notify("STOPPING=1");
	compact_stop(&a->compaction);
	for (size_t i = 0; i < a->recorders.nr; i++)
		kill(a->recorders.v[i].pid, SIGTERM);
	while (a->recorders.nr) {
		reap(a, now_ns());
		usleep(POLL_NS / 1000);
	}
	agent_end_senders(&a->senders, a->o);
	agent_end_metrics(&a->metrics);
}

static int run(const struct command *self, int argc, char **argv)
{
	_cleanup_(agent_options_done) struct agent_options o = {.store = NULL};
	struct agent a = {.o = &o, .store = -1};
	int status;

	if (!agent_options(self, argc, argv, &o, &status))
		return status;
	if (o.check) {
		status = agent_check(self, &o);
		if (!status)
			agent_options_print(&o);
		return status;
	}
	if (agent_prepare_senders(&a.senders, &o) || agent_take_store(o.store, &a.store))
		return STATUS_FAILED;
	agent_clock_begin(&a.clock, o.store);
	/* A service is asked so to read its configuration anew, which this one does when it is started. */
	if (!isatty(STDIN_FILENO))
		signal(SIGHUP, SIG_IGN);
	stop_catch();
	a.next_ns = now_ns() + NS_A_S;
	status = follow(&a);
	end(&a);
	vec_done(&a.recorders);
	closep(&a.store);
	return status;
}

const struct command cmd_agent = {
	.name = "agent",
	.summary = "Record always, into a store of profiles",
	.arguments = "[options]",
	.notes = "The file has the options as lines \"name = value\".\n"
		 "'dusk report -i /var/lib/dusk@-1h' shows the last hour; so with each command.\n",
	.phase = PHASE_SETUP,
	.options = agent_option_table,
	.run = run,
};
