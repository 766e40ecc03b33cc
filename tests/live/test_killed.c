/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A recorder that is killed: what remains in the file, and does anything remain in the kernel? */
#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "live.h"

#define MAX_PROGRAMS 64
#define RUN_MS 3000

/* Programs called sample_cpu that the kernel has: their numbers. */
static size_t programs(uint32_t *ret)
{
	size_t nr = 0;
	uint32_t id = 0;

	while (nr < MAX_PROGRAMS && !bpf_prog_get_next_id(id, &id)) {
		struct bpf_prog_info info = {0};
		uint32_t len = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len) && !strcmp(info.name, "sample_cpu"))
			ret[nr++] = id;
		if (fd >= 0)
			close(fd);
	}
	return nr;
}

static bool is_among(uint32_t id, const uint32_t *ids, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (ids[i] == id)
			return true;
	return false;
}

/* Is one of @during, which was not among @before, still loaded? */
static bool any_left(const uint32_t *before, size_t nr_before, const uint32_t *during, size_t nr_during)
{
	uint32_t now[MAX_PROGRAMS];
	size_t nr = programs(now);

	for (size_t i = 0; i < nr_during; i++)
		if (!is_among(during[i], before, nr_before) && is_among(during[i], now, nr))
			return true;
	return false;
}

static void the_file_stays_whole_and_the_kernel_is_left_clean(void **state)
{
	uint32_t before[MAX_PROGRAMS], during[MAX_PROGRAMS];
	size_t nr_before = programs(before), nr_during;
	pid_t victim = START(live_victim("recurse"), "60"), recorder;
	const char *file = live_file("killed.dusk");
	uint64_t last_ns = 0;
	double began, killed;
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", victim);
	began = live_now_s();
	recorder = live_spawn_record(file, (const char *const[]){"-F", "499", "-p", pid, NULL});
	live_sleep_ms(RUN_MS);
	nr_during = programs(during);
	assert_true(any_left(before, nr_before, during, nr_during));
	kill(recorder, SIGKILL);
	killed = live_now_s();
	assert_int_equal(live_wait(recorder, 10), 128 + SIGKILL);
	live_end(victim);
	/* Tasks that sleep still hold the programs that are to walk for them: whoever comes next clears that away. */
	assert_int_equal(RECORD(live_file("next.dusk"), "-d", "0.1s"), 0);
	for (int i = 0; i < 100 && any_left(before, nr_before, during, nr_during); i++)
		live_sleep_ms(50);
	assert_false(any_left(before, nr_before, during, nr_during));

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

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_stays_whole_and_the_kernel_is_left_clean),
	};

	return LIVE_MAIN(argc, argv, tests);
}
