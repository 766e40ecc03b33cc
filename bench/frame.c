/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does a walk cost? Each walk's own time, taken in the kernel.
 *
 *	frame dusk|cold|fp PID SECONDS
 *
 *	dusk	dusk's walks of process PID
 *	cold	the same with the row cache switched off: CFI is found and interpreted for each frame
 *	fp	the kernel's frame-pointer walk
 *
 * Prints in one line: how many walks, and their medians: frames, nanoseconds; then what the program in the timer's
 * interrupt took for each walk, in nanoseconds. The cost of a frame is the slope between two depths: what a walk
 * costs at any depth drops out.
 */
#include <bpf/bpf.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "abi/config.h"
#include "abi/event.h"
#include "base/vec.h"
#include "lib/unwinder/object.h"
#include "lib/record/sampler.h"
#include "lib/unwinder/tool.h"
#include "fpwalk.h"
#include "fpwalk.skel.h"

DECLARE_IMAGE(record);
DECLARE_IMAGE(record_impl);

#define HZ 1999
#define WARM_UP 100 /* walks that are not counted: they fill the caches */

struct bench {
	struct stackmap *stacks; /* of dusk */
	size_t seen;
	struct vec(u64) frames, ns;
};

static void add(struct bench *b, u64 frames, u64 ns)
{
	if (b->seen++ < WARM_UP)
		return;
	if (vec_push(&b->frames, frames) || vec_push(&b->ns, ns))
		errx(1, "out of memory");
}

static int take_dusk(void *ctx, void *data, size_t size)
{
	const struct event_stack *e = data;
	struct bench *b = ctx;
	u32 nr = 0;

	if (e->kind == EVENT_STACK && e->walk_ns && stackmap_frames(b->stacks, e->stack, &nr))
		add(b, nr, e->walk_ns);
	return 0;
}

static int take_fp(void *ctx, void *data, size_t size)
{
	const struct fpwalk_event *w = data;

	add(ctx, w->nr, w->walk_ns);
	return 0;
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static u64 median(u64 *v, size_t nr)
{
	qsort(v, nr, sizeof(*v), by_value);
	return nr ? v[nr / 2] : 0;
}

/* Run @prog at each tick for @seconds; what it sends goes to @take. */
static void sample(struct bench *b, struct bpf_program *prog, int events_fd, ring_buffer_sample_fn take, int seconds)
{
	struct ring_buffer *ring = ring_buffer__new(events_fd, take, b, NULL);
	time_t end = time(NULL) + seconds;
	struct dusk_error error;
	struct sampler *sampler;

	if (!ring)
		err(1, "cannot read events");
	if (sampler_new(&sampler, HZ, NULL, 0, &error) || sampler_start(sampler, prog, &error))
		errx(1, "%s", error.text);
	while (time(NULL) < end) {
		ring_buffer__poll(ring, 50);
		ring_buffer__consume(ring);
	}
	sampler_free(sampler);
	ring_buffer__free(ring);
}

static void sample_dusk(struct bench *b, pid_t pid, bool cold, int seconds, struct bpf_prog_info *info)
{
	struct service_options options = {.pin = "", .max_depth = DEFAULT_DEPTH};
	u32 wanted[2] = {pid, WANT_PROCESS}, yes = 1, size = sizeof(*info);
	struct config *config;
	struct filter *filter;
	struct bpf_program *prog;
	struct bpf_object *obj;
	struct service *s;
	struct tool *t;
	struct dusk_error error;
	int events;

	if (service_new(&s, &options, &error) || tool_open(&t, s, &IMAGE(record), &IMAGE(record_impl), &error))
		errx(1, "%s", error.text);
	obj = tool_object(t);
	config = object_variable(obj, "config", sizeof(*config));
	filter = object_variable(obj, "filter", sizeof(*filter));
	if (!config || !filter)
		errx(1, "the BPF object has no settings");
	config->no_cache = cold;
	filter->filter_tasks = 1;
	filter->verify = 1; /* an immediate stack is walked, too */
	if (tool_load(t, &error))
		errx(1, "%s", error.text);
	events = bpf_object__find_map_fd_by_name(obj, "events");
	if (bpf_map_update_elem(bpf_object__find_map_fd_by_name(obj, "wanted"), wanted, &yes, BPF_ANY))
		err(1, "cannot name the process");
	if (tool_add_consumer(t, 0, DELIVER_RING, events, -1, &error))
		errx(1, "%s", error.text);
	b->stacks = service_stacks(s);
	prog = bpf_object__find_program_by_name(obj, "sample_cpu");
	sample(b, prog, events, take_dusk, seconds);
	bpf_obj_get_info_by_fd(bpf_program__fd(prog), info, &size);
	tool_free(t);
	service_free(s);
}

static void sample_fp(struct bench *b, pid_t pid, int seconds, struct bpf_prog_info *info)
{
	struct fpwalk *skel = fpwalk__open();
	u32 size = sizeof(*info);

	if (!skel)
		err(1, "cannot open the frame-pointer walk");
	skel->rodata->wanted_tgid = pid;
	if (fpwalk__load(skel))
		errx(1, "cannot load the frame-pointer walk");
	sample(b, skel->progs.fpwalk, bpf_map__fd(skel->maps.walks), take_fp, seconds);
	bpf_obj_get_info_by_fd(bpf_program__fd(skel->progs.fpwalk), info, &size);
	fpwalk__destroy(skel);
}

int main(int argc, char **argv)
{
	struct bpf_prog_info info = {0};
	struct bench b = {0};
	pid_t pid;
	int seconds;

	if (argc != 4)
		errx(2, "usage: frame dusk|cold|fp PID SECONDS");
	pid = atoi(argv[2]);
	seconds = atoi(argv[3]);
	bpf_enable_stats(BPF_STATS_RUN_TIME); /* until we end */
	if (!strcmp(argv[1], "fp"))
		sample_fp(&b, pid, seconds, &info);
	else
		sample_dusk(&b, pid, !strcmp(argv[1], "cold"), seconds, &info);
	if (!b.ns.nr)
		errx(1, "process %d was not walked", pid);
	printf("%zu %llu %llu %llu\n", b.ns.nr, median(b.frames.v, b.frames.nr), median(b.ns.v, b.ns.nr),
	       (u64)info.run_time_ns / b.seen);
	vec_done(&b.frames);
	vec_done(&b.ns);
	return 0;
}
