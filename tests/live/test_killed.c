/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A recorder that is killed: what remains in the file, and does anything remain in the kernel? */
#include <bpf/bpf.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "live.h"

#define MAX_PROGRAMS 64
#define RUN_MS 2000

/* The programs that @pid has loaded and holds: their numbers. */
static size_t programs_of(pid_t pid, uint32_t *ret)
{
	char folder[64], path[512], line[256];
	struct dirent *entry;
	size_t nr = 0;
	DIR *dir;

	snprintf(folder, sizeof(folder), "/proc/%d/fdinfo", pid);
	dir = opendir(folder);
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		f = fopen(path, "r");
		while (f && fgets(line, sizeof(line), f) && nr < MAX_PROGRAMS)
			nr += sscanf(line, "prog_id: %u", &ret[nr]) == 1;
		if (f)
			fclose(f);
	}
	closedir(dir);
	return nr;
}

/* Is one of them still loaded? What is being taken down has a little time. */
static bool any_left(const uint32_t *ids, size_t nr)
{
	bool left = true;

	for (int i = 0; i < 100 && left; i++) {
		left = false;
		for (size_t n = 0; n < nr; n++) {
			int fd = bpf_prog_get_fd_by_id(ids[n]);

			left |= fd >= 0;
			if (fd >= 0)
				close(fd);
		}
		if (left)
			live_sleep_ms(50);
	}
	return left;
}

/* Tasks that sleep still hold the programs that are to walk for them: the next tool clears that away. */
static void clear_away(void)
{
	assert_int_equal(RECORD(live_file("next.dusk"), "-d", "0.1s"), 0);
}

static void the_file_stays_whole_and_the_kernel_is_left_clean(void **state)
{
	uint32_t loaded[MAX_PROGRAMS];
	size_t nr;
	pid_t victim = START(live_victim("recurse"), "60"), recorder;
	const char *file = live_file("killed.dusk");
	uint64_t last_ns = 0;
	double began, killed;
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", victim);
	began = live_now_s();
	recorder = START_RECORD(file, "-F", "499", "-p", pid);
	live_sleep_ms(RUN_MS);
	nr = programs_of(recorder, loaded);
	assert_true(nr > 0);
	kill(recorder, SIGKILL);
	killed = live_now_s();
	assert_int_equal(live_wait(recorder, 10), 128 + SIGKILL);
	live_end(victim);
	clear_away();
	assert_false(any_left(loaded, nr));

	_cleanup_profile_ p = live_read(file);
	assert_false(p->finished);
	assert_true(p->nr_samples > 0);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		assert_true(p->samples[i].time_ns >= last_ns);
		last_ns = p->samples[i].time_ns;
	}
	assert_true(live_count(p, victim).complete > 0);
	print_message("killed after %.1f s; the last sample was taken at %.1f s\n", killed - began, last_ns / 1e9);
	assert_true(last_ns / 1e9 <= killed - began);
	assert_true(last_ns > 0);
}

/* A task that will not come back to user mode, and has task work, does not keep what the work would call. */
static void a_thread_that_blocks_for_ever_does_not_keep_the_programs(void **state)
{
	uint32_t loaded[MAX_PROGRAMS];
	size_t nr;
	volatile unsigned long *returned = live_number(live_file("returned"));
	pid_t victim = START(live_victim("blocked"), live_file("returned")), recorder;
	const char *file = live_file("blocked.dusk");
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", victim);
	recorder = START_RECORD(file, "-F", "9999", "-p", pid);
	kill(victim, SIGUSR1);
	live_wait_state(victim, 'S');
	nr = programs_of(recorder, loaded);
	assert_true(nr > 0);
	kill(recorder, SIGKILL);
	assert_int_equal(live_wait(recorder, 10), 128 + SIGKILL);
	clear_away();
	assert_false(any_left(loaded, nr));
	live_wait_state(victim, 'S');
	assert_int_equal(*returned, 0);
	live_end(victim);
	munmap((void *)returned, 4096);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_stays_whole_and_the_kernel_is_left_clean),
		cmocka_unit_test(a_thread_that_blocks_for_ever_does_not_keep_the_programs),
	};

	return LIVE_MAIN(argc, argv, tests);
}
