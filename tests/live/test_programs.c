/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* BPF programs that come and go have their own names, and no other code has them. */
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "live.h"

#define MAX_CPUS 64

struct counts {
	size_t right, without;
};

static const char *name_of(const struct dusk_profile *p, uint32_t node)
{
	return p->functions[p->frames[p->nodes[node].frame].function].name;
}

/* What bpf_test_run() calls from a function of the victim is that one's program, if it is no function of the kernel. */
static void count_stack(const struct dusk_profile *p, uint32_t node, struct counts *n)
{
	const char *called = NULL, *in = NULL;

	for (; node; node = p->nodes[node].parent) {
		uint32_t caller = p->nodes[node].parent;

		if (caller && !called && !strcmp(name_of(p, caller), "bpf_test_run"))
			called = name_of(p, node);
		if (!strncmp(name_of(p, node), "run_", 4))
			in = name_of(p, node) + 4;
	}
	if (!called || !in)
		return;
	n->without += !*called;
	if (strncmp(called, "bpf_prog_", 9))
		return;
	n->right++;
	if (!strrchr(called, '_') || strcmp(strrchr(called, '_') + 1, in))
		fail_msg("run_%s() runs %s", in, called);
}

static struct counts count(const struct dusk_profile *p)
{
	struct counts n = {0};

	for (uint64_t i = 0; i < p->nr_samples; i++)
		count_stack(p, p->samples[i].node, &n);
	print_message("%zu with the name of their program, %zu without\n", n.right, n.without);
	return n;
}

/* Events that get what the kernel says of its code, as other recorders have them; before @others on each CPU. */
static void watch(int others[MAX_CPUS])
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_TID,
		.sample_id_all = 1,
		.ksymbol = 1,
	};

	for (int cpu = 0; cpu < MAX_CPUS; cpu++) {
		others[cpu] = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		if (others[cpu] >= 0)
			assert_ptr_not_equal(mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, others[cpu], 0),
					     MAP_FAILED);
	}
	assert_true(others[0] >= 0);
}

static struct counts record(const char *mode, int ms)
{
	pid_t pid = START(live_victim("programs")), recorder;
	const char *file = live_file("programs.dusk");
	int others[MAX_CPUS];
	char number[16];

	snprintf(number, sizeof(number), "%d", pid);
	recorder = START_RECORD(file, "--mode", mode, "-p", number, "-F", "997");
	watch(others);
	usleep(ms * 1000);
	for (int cpu = 0; cpu < MAX_CPUS; cpu++)
		if (others[cpu] >= 0)
			close(others[cpu]); /* what is mapped keeps it */
	live_end(pid);			    /* all programs are gone when they are named */
	assert_int_equal(live_stop_record(recorder), 0);
	_cleanup_profile_ p = live_read(file);
	return count(p);
}

static void programs__are_named_by_the_time(void **state)
{
	struct counts n = record("full", 2500);

	assert_true(n.right > 100);
	assert_true(n.without < n.right / 50);
}

static void programs__are_named_in_mode_copied(void **state)
{
	struct counts n = record("copied", 1500);

	assert_true(n.right > 50);
	assert_true(n.without < n.right / 50);
}

/* While the recorder stands still, more programs come and go than a ring has room for. */
static void programs__that_a_full_ring_lost_are_counted(void **state)
{
	pid_t pid = START(live_victim("programs"), "20"), recorder;
	const char *file = live_file("many.dusk");

	recorder = START_RECORD(file, "-a", "-e", "offcpu");
	kill(recorder, SIGSTOP);
	kill(pid, SIGUSR1);
	assert_int_equal(live_wait(pid, 60), 0);
	kill(recorder, SIGCONT);
	assert_int_equal(live_stop_record(recorder), 0);
	_cleanup_profile_ p = live_read(file);
	assert_true(live_counter(p, "lost-kernel-code") > 100);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs__are_named_by_the_time),
		cmocka_unit_test(programs__are_named_in_mode_copied),
		cmocka_unit_test(programs__that_a_full_ring_lost_are_counted),
	};

	return LIVE_MAIN(argc, argv, tests);
}
