/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A thread that may not run, since its cgroup has used up its quota, is throttled and not preempted. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "live.h"

static const char folder_v1[] = "/sys/fs/cgroup/cpu/dusk-throttled", folder_v2[] = "/sys/fs/cgroup/dusk-throttled";

static bool put(const char *folder, const char *file, const char *text)
{
	char path[128];
	bool done;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	f = fopen(path, "r+");
	if (!f)
		return false;
	done = fputs(text, f) >= 0;
	return !fclose(f) && done;
}

/* Make a cgroup that may run for a fifth of the time. Returns its folder, or NULL: there is no controller for that. */
static const char *make_cgroup(void)
{
	if (!mkdir(folder_v1, 0755) && put(folder_v1, "cpu.cfs_quota_us", "20000"))
		return folder_v1;
	rmdir(folder_v1);
	if (!mkdir(folder_v2, 0755) && put(folder_v2, "cpu.max", "20000 100000"))
		return folder_v2;
	rmdir(folder_v2);
	return NULL;
}

static void throttled__is_a_state_of_its_own(void **state)
{
	uint64_t throttled = 0, preempted = 0, runnable = 0;
	const char *folder = make_cgroup(), *file = live_file("throttled.dusk");
	char number[16];
	pid_t pid;
	int status;

	if (!folder) {
		print_message("no cgroup with a quota\n");
		skip();
	}
	pid = START("sh", "-c", "echo ready; while :; do :; done");
	snprintf(number, sizeof(number), "%d", pid);
	put(folder, "cgroup.procs", number);
	status = RECORD_PROCESS(file, pid, 2000, "-e", "offcpu");
	live_end(pid);
	rmdir(folder);
	assert_int_equal(status, 0);
	_cleanup_profile_ p = live_read(file);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const char *name = dusk_state_name(p->samples[i].state);

		throttled += strcmp(name, "throttled") ? 0 : p->samples[i].value_ns;
		runnable += strcmp(name, "throttled") ? 0 : p->samples[i].runnable_ns;
		preempted += strcmp(name, "preempted") ? 0 : p->samples[i].value_ns;
	}
	print_message("throttled for %.0f ms, %.0f of them runnable; preempted for %.0f ms\n", throttled / 1e6,
		      runnable / 1e6, preempted / 1e6);
	if (!live_has_kernel_function("throttle_cfs_rq_work")) {
		assert_int_equal(throttled, 0);
		skip();
	}
	assert_true(throttled > 600000000);
	assert_int_equal(runnable, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(throttled__is_a_state_of_its_own)};

	return LIVE_MAIN(argc, argv, tests);
}
