/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does a request cost, and a walk that several consumers share?
 *
 *	request costs			lines of "KIND NS": a request by what came of it, without the clock's own time
 *	request share CONSUMERS SECONDS	"NS-A-CALL CALLS-A-SECOND LOST": system calls at which so many consumers ask; 0: none
 *	request tasks NUMBER		"BYTES": what the kernel accounts for the states of so many threads
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dusk/unwind.h>
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "request.h"

#define THREAD_STACK_BYTES (32 << 10)

extern const char _binary_bench_request_linked_o_start[], _binary_bench_request_linked_o_end[];
extern const char _binary_bench_request_linked_impl_o_start[], _binary_bench_request_linked_impl_o_end[];

static struct dusk_unwinder *unwinder;
static struct bpf_object *object;

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void take(void *ctx, const struct dusk_stack_event *e)
{
}

/* The unwinder with so many consumers, each with a ring of its own; @flags besides that. */
static void begin(unsigned int consumers, unsigned int flags)
{
	struct dusk_unwind_options options = {.sz = sizeof(options), .pin = ""};
	struct dusk_consumer_options consumer = {
		.sz = sizeof(consumer),
		.deliver = DUSK_DELIVER_RING | flags,
		.on_stack = take,
		.ring_bytes = 4 << 20,
	};
	struct dusk_image plain = {
		_binary_bench_request_linked_o_start,
		_binary_bench_request_linked_o_end - _binary_bench_request_linked_o_start,
	};
	struct dusk_image impl = {
		_binary_bench_request_linked_impl_o_start,
		_binary_bench_request_linked_impl_o_end - _binary_bench_request_linked_impl_o_start,
	};
	struct dusk_error e;

	if (dusk_unwind_open(&unwinder, &options, &e) ||
	    dusk_unwind_open_object(unwinder, &plain, &impl, &object, &e) || dusk_unwind_load(unwinder, &e))
		errx(1, "%s", e.text);
	for (unsigned int i = 0; i < consumers; i++)
		if (dusk_unwind_add_consumer(unwinder, i, &consumer, &e))
			errx(1, "%s", e.text);
}

static void attach(const char *program)
{
	if (!bpf_program__attach(bpf_object__find_program_by_name(object, program)))
		err(1, "cannot attach %s", program);
}

static void set(struct setting s)
{
	__u32 zero = 0;

	if (bpf_map_update_elem(bpf_object__find_map_fd_by_name(object, "settings"), &zero, &s, BPF_ANY))
		err(1, "cannot set");
}

/* System calls of a process of its own for @seconds, while we read what comes: how many, and ns each. */
static double call(struct setting s, double seconds, double *calls)
{
	int result[2];
	double end, r[2];
	pid_t pid;

	if (pipe(result) || (pid = fork()) < 0)
		err(1, "cannot start a process");
	if (!pid) {
		s.tgid = getpid();
		set(s);
		r[0] = 0;
		r[1] = now_s();
		for (end = r[1] + seconds; now_s() < end; r[0] += 100)
			for (int i = 0; i < 100; i++)
				syscall(SYS_getppid);
		r[1] = (now_s() - r[1]) / r[0] * 1e9;
		_exit(write(result[1], r, sizeof(r)) != sizeof(r));
	}
	close(result[1]);
	while (!waitpid(pid, NULL, WNOHANG))
		dusk_unwind_poll(unwinder, 5);
	if (read(result[0], r, sizeof(r)) != sizeof(r))
		errx(1, "the process has failed");
	*calls = r[0] / seconds;
	return r[1];
}

static int costs(void)
{
	static const char *const name[NR_COSTS] = {
		[COST_CLOCK] = "clock",	    [COST_QUEUED] = "queued",	  [COST_JOINED] = "joined",
		[COST_PENDING] = "pending", [COST_EXECUTED] = "executed",
	};
	struct cost c, clock = {};
	double calls;

	begin(2, DUSK_DELIVER_AT_ONCE);
	attach("at_syscall");
	attach("at_wakeup");
	call((struct setting){.consumers = 2, .again = 1, .after = 1, .timed = 1}, 2, &calls);
	for (__u32 i = 0; i < NR_COSTS; i++) {
		if (bpf_map_lookup_elem(bpf_object__find_map_fd_by_name(object, "costs"), &i, &c))
			err(1, "cannot read");
		if (i == COST_CLOCK)
			clock = c;
		else if (c.count)
			printf("%s %.1f\n", name[i], (double)c.ns / c.count - (double)clock.ns / clock.count);
	}
	return 0;
}

static int share(unsigned int consumers, double seconds)
{
	unsigned long long lost = 0;
	double calls, ns;

	begin(consumers, 0);
	attach("at_syscall");
	ns = call((struct setting){.consumers = consumers}, seconds, &calls);
	for (unsigned int i = 0; i < consumers; i++)
		lost += dusk_unwind_lost(unwinder, i, "lost-stacks");
	printf("%.1f %.0f %llu\n", ns, calls, lost);
	return 0;
}

static pthread_barrier_t asked, over;

static void *ask_and_wait(void *unused)
{
	syscall(SYS_getppid);
	pthread_barrier_wait(&asked);
	pthread_barrier_wait(&over);
	return NULL;
}

/* What the kernel accounts for the map of tasks; it is not ours, so found by its name among our descriptors. */
static unsigned long long task_bytes(void)
{
	unsigned long long bytes = 0;
	char path[64], line[256];

	for (int fd = 3; fd < 256 && !bytes; fd++) {
		struct bpf_map_info info = {};
		__u32 len = sizeof(info);
		FILE *f;

		if (bpf_obj_get_info_by_fd(fd, &info, &len) || strcmp(info.name, "tasks"))
			continue;
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
		f = fopen(path, "r");
		while (f && fgets(line, sizeof(line), f))
			sscanf(line, "memlock: %llu", &bytes);
		if (f)
			fclose(f);
	}
	return bytes;
}

static int tasks(unsigned int nr)
{
	pthread_attr_t attr;
	unsigned long long before;
	pthread_t thread;

	begin(1, 0);
	before = task_bytes();
	attach("at_syscall");
	set((struct setting){.tgid = getpid(), .consumers = 1});
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, THREAD_STACK_BYTES);
	pthread_barrier_init(&asked, NULL, nr + 1);
	pthread_barrier_init(&over, NULL, nr + 1);
	for (unsigned int i = 0; i < nr; i++)
		if (pthread_create(&thread, &attr, ask_and_wait, NULL))
			errx(1, "cannot make %u threads", nr);
	pthread_barrier_wait(&asked);
	printf("%llu\n", task_bytes() - before);
	fflush(stdout);
	_exit(0);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "costs"))
		return costs();
	if (argc == 4 && !strcmp(argv[1], "share"))
		return share(atoi(argv[2]), atof(argv[3]));
	if (argc == 3 && !strcmp(argv[1], "tasks"))
		return tasks(atoi(argv[2]));
	errx(2, "usage: request costs | share CONSUMERS SECONDS | tasks NUMBER");
}
