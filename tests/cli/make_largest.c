/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Write a profile with the largest of everything that the writer can be given: what it writes each command must read.
 * usage: make_largest FILE [windows]
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "abi/offcpu.h"
#include "abi/outcome.h"
#include "lib/profile/read/read.h"
#include "lib/profile/write/write.h"

#define TEXT_BYTES (17 << 20) /* beyond what a reader lets SQLite read */
#define DEPTH 100
#define NR_SUMS 70000 /* more than a block has */
#define NR_LINES 100
#define LARGEST_TIMES ((struct dusk_thread_times){0, UINT64_MAX, 1, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX})

/* Bytes of all values but 0, that are no UTF-8; each text begins otherwise, and differs from others beyond what is kept of it. */
static const char *text(void)
{
	static unsigned int nr;
	char *ret = malloc(TEXT_BYTES + 1), digits[16];
	uint64_t x = 88172645463325252ULL + nr;

	for (size_t i = 0; i < TEXT_BYTES; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		ret[i] = x % 255 + 1;
	}
	ret[TEXT_BYTES] = 0;
	memcpy(ret, digits, snprintf(digits, sizeof(digits), "%u", nr++));
	return ret;
}

static struct dusk_sample sample(enum dusk_source source, uint32_t thread, uint32_t node)
{
	return (struct dusk_sample){
		.time_ns = UINT64_MAX,
		.value_ns = UINT64_MAX - 1,
		.runnable_ns = UINT64_MAX,
		.thread = thread,
		.node = node,
		.count = UINT32_MAX,
		.cpu = UINT16_MAX - 1,
		.outcome = NR_OUTCOMES - 1,
		.source = source,
		.state = source == DUSK_OFF_CPU ? NR_OFFCPU_REASONS - 1 : 0,
	};
}

static uint32_t stack(struct profile_writer *w)
{
	struct dusk_module m = {DUSK_MODULE_FILE, INT_MAX, text(), text(), UINT64_MAX, UINT64_MAX, UINT32_MAX};
	uint32_t module = profile_module(w, &m), node = 0;

	m.kind = DUSK_MODULE_ANON;
	m.pid = -1;
	module = profile_module(w, &m);
	for (uint32_t i = 0; i < DEPTH; i++)
		node = profile_node(w, node, profile_frame(w, module, UINT64_MAX - i, true, DUSK_BY_CODE));
	return node;
}

/* A stack of one frame, made last: what is printed for each of many samples is small. */
static uint32_t short_stack(struct profile_writer *w)
{
	uint32_t module = profile_module(w, &(struct dusk_module){DUSK_MODULE_ANON, 1, "", "", 0, 0, 0});

	return profile_node(w, 0, profile_frame(w, module, UINT64_MAX, false, DUSK_BY_CODE));
}

static uint32_t threads(struct profile_writer *w)
{
	struct dusk_cgroup c = {text(), text(), text(), text(), text(), text(), text()};
	uint32_t cgroup = profile_cgroup(w, &c), thread = profile_thread_in(w, cgroup, INT_MAX, INT_MAX, text());

	profile_process(w, thread, &(struct profile_process){text(), text(), text()});
	profile_thread_cgroup(w, profile_thread_anew(w, 0, -1, -1, ""), cgroup);
	return thread;
}

static void take(struct profile_writer *w, uint32_t thread, uint32_t node, bool windows)
{
	struct dusk_sample cpu = sample(DUSK_CPU, thread, node), off = sample(DUSK_OFF_CPU, thread, node);
	uint64_t interval = profile_new_interval(w);

	profile_sample(w, &cpu);
	profile_interval(w, &off, interval);
	profile_waker(w, &(struct dusk_waker){node, thread, DUSK_WAKER_TASK, NR_OUTCOMES - 1}, interval);
	off.cpu = DUSK_NO_CPU;
	off.node = short_stack(w);
	for (uint32_t i = 0; windows && i < NR_SUMS; i++) {
		off.thread = profile_thread_anew(w, 0, i, i, "x");
		profile_sample(w, &off);
	}
	profile_event(w, text());
	profile_event(w, "");
	profile_occurrence(w, &(struct dusk_occurrence){sample(DUSK_EVENT, thread, node), 0, text()});
	profile_thread_times(w, &LARGEST_TIMES);
	profile_counter(w, text(), text(), UINT64_MAX);
	profile_count(w, "lost-largest", text(), UINT64_MAX);
}

/* A function with such names, and lines, for each frame. */
static void name(struct dusk_profile *p)
{
	struct dusk_function *f = calloc(3, sizeof(*f));
	struct dusk_line *lines = calloc((size_t)NR_LINES * p->nr_frames, sizeof(*lines));

	f[1] = (struct dusk_function){text(), text(), text()};
	f[2] = (struct dusk_function){"", "", ""};
	p->functions = f;
	p->nr_functions = 3;
	p->lines = lines;
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		p->frames[i].function = i + 1 < p->nr_frames ? 1 + i % 2 : 2; /* of the short stack: the empty name */
		p->frames[i].function_offset = UINT32_MAX;
		p->frames[i].first_line = p->nr_lines;
		p->frames[i].nr_lines = i < 10 ? NR_LINES : 0;
		for (uint32_t k = 0; k < p->frames[i].nr_lines; k++)
			lines[p->nr_lines++] = (struct dusk_line){1 + k % 2, UINT32_MAX, k ? "" : text()};
	}
	p->symbolized = true;
}

int main(int argc, char **argv)
{
	struct dusk_error err = {""};
	struct profile_writer *w;
	struct dusk_profile *p;
	bool windows = argc > 2;

	if (argc < 2 || profile_create(&w, argv[1], -1, -1, &err))
		return 2;
	profile_set(w, "start_realtime_ns", "1795575600000000000");
	profile_set(w, "period_ns", "18446744073709551615");
	profile_set(w, "duration_ns", "18446744073709551615");
	profile_set(w, text(), text());
	profile_set(w, "command", text());
	profile_set(w, "", "");
	if (windows) {
		profile_set(w, "window_ns", "1000000000");
		profile_sum_windows(w, 1000000000);
	}
	take(w, threads(w), stack(w), windows);
	if (profile_commit(w, &err) || profile_read_so_far(w, &p, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	name(p);
	if (profile_save_names(w, p, &err) || profile_close(w, true, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	return 0;
}
