/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long was a thread off the CPU in a function, and how often did it leave it? By the records that the kernel writes
 * when it switches the thread out and in (PERF_RECORD_SWITCH), and not by the thread's CPU clock: that runs from the
 * wakeup on, some 10 us before the thread is switched in where a timer or a disk woke it, and not while a hypervisor
 * has the CPU.
 *
 * A line of the truth: FUNCTION TID NS RUNNABLE_NS SLEEPS PREEMPTIONS PREEMPTED_NS, "-" for what is not known. The last
 * line of a thread: "life" TID WALL_NS ON_CPU_NS RUNNABLE_NS PREEMPTIONS PREEMPTED_NS, from its first instructions to
 * that line.
 *
 * RUNNABLE_NS is from schedstat, which takes a thread to be off the CPU already when another one is meant to have it
 * next.
 */
#pragma once
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include "victim.h"

#define RECORDS_BYTES (1UL << 20) /* of 32,768 off-CPU intervals */

/* A thread that is watched. */
struct watch {
	struct perf_event_mmap_page *page;
	unsigned long begin_ns, begin_records;
	long tid;
};

/* A moment of a thread that is watched: up to which record, and for how long it had only been waiting for a CPU. */
struct moment {
	unsigned long records, runnable_ns;
};

struct switches {
	unsigned long ns, sleeps, preemptions, preempted_ns;
};

static int truth_fd = -1;

static inline unsigned long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000UL + t.tv_nsec;
}

static inline void sleep_ns(unsigned long ns)
{
	struct timespec t = {ns / 1000000000, ns % 1000000000};

	nanosleep(&t, NULL);
}

static inline void give_up(const char *what)
{
	perror(what);
	exit(1);
}

static inline unsigned long records_of(const struct watch *w)
{
	return __atomic_load_n(&w->page->data_head, __ATOMIC_ACQUIRE);
}

/* Watch the calling thread, to its end. */
static inline void watch_me(struct watch *w)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.context_switch = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		give_up("perf_event_open");
	w->page = mmap(NULL, getpagesize() + RECORDS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (w->page == MAP_FAILED)
		give_up("mmap of a perf event");
	w->tid = syscall(SYS_gettid);
	do { /* both at once: not switched in between */
		w->begin_records = records_of(w);
		w->begin_ns = now_ns();
	} while (records_of(w) != w->begin_records);
}

/* Of the calling thread. */
static inline unsigned long runnable_ns(void)
{
	char text[128] = "";
	unsigned long run, ns;
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 || sscanf(text, "%lu %lu", &run, &ns) != 2)
		give_up("schedstat");
	close(fd);
	return ns;
}

/* The last before a function of the calling thread. */
static inline struct moment moment_before(const struct watch *w)
{
	struct moment m = {.runnable_ns = runnable_ns()};

	m.records = records_of(w);
	return m;
}

/* And the first after it. */
static inline struct moment moment_after(const struct watch *w)
{
	struct moment m = {.records = records_of(w)};

	m.runnable_ns = runnable_ns();
	return m;
}

/* From @from to @to; if the thread is off the CPU at @to, up to now. */
static inline struct switches switches_between(const struct watch *w, const struct moment *from,
					       const struct moment *to)
{
	const char *data = (const char *)w->page + getpagesize();
	struct switches s = {0};
	unsigned long out_ns = 0;
	int preempted = 0;

	for (unsigned long at = from->records; at < to->records;) {
		const struct perf_event_header *h = (const void *)(data + at);
		unsigned long ns = *(const unsigned long *)(h + 1);

		if (to->records > RECORDS_BYTES || h->type != PERF_RECORD_SWITCH)
			give_up("too many off-CPU intervals");
		if (h->misc & PERF_RECORD_MISC_SWITCH_OUT) {
			preempted = !!(h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
			s.preemptions += preempted;
			s.sleeps += !preempted;
			out_ns = ns;
		} else if (out_ns) {
			s.ns += ns - out_ns;
			s.preempted_ns += preempted ? ns - out_ns : 0;
			out_ns = 0;
		}
		at += h->size;
	}
	s.ns += out_ns ? now_ns() - out_ns : 0;
	return s;
}

static inline int open_truth(const char *path)
{
	truth_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	return truth_fd < 0 ? -1 : 0;
}

static inline void write_truth(const char *line)
{
	if (write(truth_fd, line, strlen(line)) < 0)
		give_up("truth");
}

/* The calling thread was in @function since @before. */
static inline void tell_truth(const char *function, const struct watch *w, const struct moment *before)
{
	struct moment after = moment_after(w);
	struct switches s = switches_between(w, before, &after);
	char line[256];

	snprintf(line, sizeof(line), "%s %ld %lu %lu %lu %lu %lu\n", function, w->tid, s.ns,
		 after.runnable_ns - before->runnable_ns, s.sleeps, s.preemptions, s.preempted_ns);
	write_truth(line);
}

/* Another thread has been in @function since @before, and is about to end. */
static inline void tell_truth_of(const char *function, const struct watch *w, const struct moment *before)
{
	struct moment after = {.records = records_of(w)};
	struct switches s = switches_between(w, before, &after);
	char line[256];

	snprintf(line, sizeof(line), "%s %ld %lu - - - -\n", function, w->tid, s.ns);
	write_truth(line);
}

/* The calling thread ends. */
static inline void tell_life(const struct watch *w)
{
	struct moment begin = {.records = w->begin_records}, end = moment_after(w);
	struct switches s = switches_between(w, &begin, &end);
	unsigned long wall_ns = now_ns() - w->begin_ns;
	char line[256];

	snprintf(line, sizeof(line), "life %ld %lu %lu %lu %lu %lu\n", w->tid, wall_ns, wall_ns - s.ns, end.runnable_ns,
		 s.preemptions, s.preempted_ns);
	write_truth(line);
}
