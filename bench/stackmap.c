/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does it cost to keep a stack once, and which stacks are lost?
 *
 *	stackmap costs		lines of "MAP-DEPTH-FILL-hit NS" and "...-insert NS"; FILL in percent of its room
 *	stackmap stackid	lines of "stackid-DEPTH-hit NS" and "...-insert NS": that, less bpf_get_stack()
 *				and of "again-one NS", "again-many NS": a reference to a stack that is remembered
 *	stackmap losses		"MAP LOST OF": distinct stacks of real calls, as many as both maps have entries
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dusk/stackmap.h>
#include <dusk/unwind.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/bpf.h>
#include "stackmap.h"

#define HITS 20000
#define INSERTS 200 /* at a time */
#define ROUNDS 5    /* the least counts: what else the machine does only adds */
#define ENTRIES 16384
#define STACKID_BITS 11 /* at most so many of its stacks are put, 2^bits */

extern const char _binary_bench_stackmap_linked_o_start[], _binary_bench_stackmap_linked_o_end[];
extern const char _binary_bench_stackmap_linked_impl_o_start[], _binary_bench_stackmap_linked_impl_o_end[];

static struct dusk_unwinder *unwinder;
static struct bpf_object *object;

static void begin(void)
{
	struct dusk_unwind_options options = {.sz = sizeof(options), .pin = ""};
	struct dusk_image plain = {
		_binary_bench_stackmap_linked_o_start,
		_binary_bench_stackmap_linked_o_end - _binary_bench_stackmap_linked_o_start,
	};
	struct dusk_image impl = {
		_binary_bench_stackmap_linked_impl_o_start,
		_binary_bench_stackmap_linked_impl_o_end - _binary_bench_stackmap_linked_impl_o_start,
	};
	struct dusk_error e;

	if (dusk_unwind_open(&unwinder, &options, &e) ||
	    dusk_unwind_open_object(unwinder, &plain, &impl, &object, &e) || dusk_unwind_load(unwinder, &e))
		errx(1, "%s", e.text);
}

static int map(const char *name)
{
	return bpf_object__find_map_fd_by_name(object, name);
}

static int program(const char *name)
{
	return bpf_program__fd(bpf_object__find_program_by_name(object, name));
}

static struct bench_job run(const char *name, struct bench_job job)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	__u32 zero = 0;

	if (bpf_map_update_elem(map("jobs"), &zero, &job, BPF_ANY) || bpf_prog_test_run_opts(program(name), &opts) ||
	    bpf_map_lookup_elem(map("jobs"), &zero, &job))
		err(1, "cannot run %s", name);
	return job;
}

/* A stack of @depth frames in the programs' memory, zero behind them: struct stack begins with 16 bytes. */
static void lay_stack(__u32 depth)
{
	size_t bytes = bpf_map__value_size(bpf_object__find_map_by_name(object, "stack"));
	__u64 *s = calloc(1, bytes);
	__u32 zero = 0;

	for (__u32 i = 0; i < depth; i++)
		s[2 + i] = 0xffffffff83000000 + i * 64;
	if (bpf_map_update_elem(map("stack"), &zero, s, BPF_ANY))
		err(1, "cannot lay a stack");
	free(s);
}

/* Nanoseconds for one of the job's stacks, without the loop; @rounds times, the least. */
static double cost(const char *name, struct bench_job job, int rounds)
{
	double least = 1e9;

	for (int i = 0; i < rounds; i++) {
		double ns = ((double)run(name, job).ns - run("bench_put_nothing", job).ns) / job.nr;

		if (ns < least)
			least = ns;
	}
	return least;
}

/* Fill a map that takes @room stacks, and measure on the way. */
static void fill(const char *label, const char *name, __u32 depth, __u32 room)
{
	static const int fills[] = {10, 50, 90, 100};
	struct bench_job job;
	__u32 there = 0;

	for (size_t i = 0; i < sizeof(fills) / sizeof(fills[0]); i++) {
		__u32 until = (__u64)room * fills[i] / 100;
		double insert = 1e9;

		if (until > there + ROUNDS * INSERTS) {
			job = (struct bench_job){
				.nr = until - there - ROUNDS * INSERTS,
				.depth = depth,
				.first = there,
				.stride = 1,
			};
			run(name, job);
			there = until - ROUNDS * INSERTS;
		}
		for (; there < until; there += INSERTS) {
			double ns;

			job = (struct bench_job){.nr = INSERTS, .depth = depth, .first = there, .stride = 1};
			ns = cost(name, job, 1);
			insert = ns < insert ? ns : insert;
		}
		printf("%s-%u-%d-insert %.1f\n", label, depth, fills[i], insert);
		job = (struct bench_job){.nr = HITS, .depth = depth, .stride = 7919, .span = until};
		printf("%s-%u-%d-hit %.1f\n", label, depth, fills[i], cost(name, job, ROUNDS));
	}
	job = (struct bench_job){.nr = INSERTS, .depth = depth, .first = 10000000, .stride = 1};
	printf("%s-%u-refused %.1f\n", label, depth, cost(name, job, ROUNDS));
}

/* References to what is remembered: to one stack, and to so many in turn that each pushes another out. */
static void count_references(void)
{
	struct bench_job job = {.nr = 1, .depth = 30, .stride = 1};

	begin();
	lay_stack(30);
	job.id = run("bench_put_stackmap", job).id;
	job.nr = HITS;
	printf("again-one %.1f\n", cost("bench_put_again", job, ROUNDS));
	job.stride = 1000;
	printf("again-many %.1f\n", cost("bench_put_again", job, ROUNDS));
	dusk_unwind_close(unwinder);
}

/* How many stacks of this depth fit, until one does not. */
static __u32 room_for(__u32 depth)
{
	struct bench_job job = {.nr = 1, .depth = depth, .stride = 1};
	__u32 low = 0, high = 2 * ENTRIES;

	while (low < high) {
		begin();
		lay_stack(depth);
		job.nr = (low + high + 1) / 2;
		if (run("bench_put_stackmap", job).refused)
			high = job.nr - 1;
		else
			low = job.nr;
		dusk_unwind_close(unwinder);
	}
	return low;
}

static void costs(void)
{
	static const __u32 depths[] = {10, 30, 120};

	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		__u32 room = room_for(depths[i]);

		printf("room-%u %u\n", depths[i], room);
		begin();
		lay_stack(depths[i]);
		fill("dusk", "bench_put_stackmap", depths[i], room);
		fill("hash", "bench_put_hash", depths[i], ENTRIES);
		dusk_unwind_close(unwinder);
	}
}

/* Run program @fd from here, without a function of a library between us and the kernel. */
static __attribute__((noinline)) long enter(int fd)
{
	union bpf_attr attr = {.test = {.prog_fd = fd}};
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(SYS_bpf), "D"(BPF_PROG_TEST_RUN), "S"(&attr), "d"(sizeof(attr))
			 : "rcx", "r11", "memory");
	return ret;
}

/* One of 2^@bits ways to call, each a stack of its own. */
static long even(int fd, __u32 path, int bits);
static __attribute__((noinline)) long odd(int fd, __u32 path, int bits)
{
	return (bits ? (path & 1 ? odd : even)(fd, path >> 1, bits - 1) : enter(fd)) + 1;
}

static __attribute__((noinline)) long even(int fd, __u32 path, int bits)
{
	return (bits ? (path & 1 ? odd : even)(fd, path >> 1, bits - 1) : enter(fd)) + 2;
}

static void set_job(__u32 nr)
{
	struct bench_job job = {.nr = nr};
	__u32 zero = 0;

	bpf_map_update_elem(map("jobs"), &zero, &job, BPF_ANY);
}

static struct bench_job get_job(void)
{
	struct bench_job job = {};
	__u32 zero = 0;

	bpf_map_lookup_elem(map("jobs"), &zero, &job);
	return job;
}

/* What program @name takes for  times the stack of @path, below so many calls. */
static double time_of(const char *name, __u32 nr, __u32 path, int calls)
{
	set_job(nr);
	odd(program(name), path, calls);
	return (double)get_job().ns / nr;
}

static __attribute__((noinline)) double least_of(const char *name, int calls)
{
	double least = 1e9;

	for (int round = 0; round < ROUNDS; round++) {
		double ns = time_of(name, HITS / 10, 0, calls);

		least = ns < least ? ns : least;
	}
	return least;
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The median over stacks that differ: the program meets each once. */
static __attribute__((noinline)) double median_of(const char *name, int calls)
{
	__u32 nr = calls < STACKID_BITS ? 1 << calls : 1 << STACKID_BITS;
	double ns[1 << STACKID_BITS];

	for (__u32 path = 0; path < nr; path++)
		ns[path] = time_of(name, 1, path, calls);
	qsort(ns, nr, sizeof(ns[0]), by_size);
	return ns[nr / 2];
}

static void stackid(void)
{
	static const __u32 depths[] = {10, 30, 120};

	begin();
	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		int calls = depths[i] - 1; /* less what main() is called by */
		__u32 depth;

		do {
			least_of("bench_take_stack", calls);
			depth = get_job().id;
			calls -= depth > depths[i];
		} while (depth > depths[i]);
		printf("stackid-%u-insert %.1f\n", depth,
		       median_of("bench_put_stackid", calls) - median_of("bench_take_stack", calls));
		printf("stackid-%u-hit %.1f\n", depth,
		       least_of("bench_put_stackid", calls) - least_of("bench_take_stack", calls));
	}
	dusk_unwind_close(unwinder);
}

static void losses(void)
{
	static const char *const names[] = {"bench_put_taken", "bench_put_stackid"};
	static const char *const labels[] = {"dusk", "stackid"};
	struct dusk_stackmap_stat stat;
	struct dusk_stackmap *m;

	begin();
	for (int k = 0; k < 2; k++) {
		unsigned int lost = 0;

		for (__u32 path = 0; path < ENTRIES; path++) {
			set_job(1);
			odd(program(names[k]), path, 14);
			lost += get_job().refused;
		}
		printf("%s %u %u\n", labels[k], lost, ENTRIES);
	}
	if (!dusk_stackmap_of(&m, unwinder) && !dusk_stackmap_stat(m, &stat))
		fprintf(stderr, "%llu stacks of %.1f frames\n", (unsigned long long)stat.entries,
			(double)stat.frames / stat.entries);
	dusk_stackmap_close(m);
	dusk_unwind_close(unwinder);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "costs")) {
		costs();
		count_references();
	} else if (!strcmp(what, "stackid"))
		stackid();
	else if (!strcmp(what, "losses"))
		losses();
	else
		errx(2, "usage: stackmap costs|stackid|losses");
	return 0;
}
