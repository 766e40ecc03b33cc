/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Thousands of threads sleep, each with a walk that is due. What if no tool waits for it any more? */
#include <bpf/bpf.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include "live.h"

#define THREADS 2000
#define LOTS "2000"

struct loaded {
	unsigned int programs, maps;
};

static struct loaded loaded(void)
{
	struct loaded ret = {0};

	for (uint32_t id = 0; !bpf_prog_get_next_id(id, &id);)
		ret.programs++;
	for (uint32_t id = 0; !bpf_map_get_next_id(id, &id);)
		ret.maps++;
	return ret;
}

static void nothing_stays_loaded(void)
{
	struct loaded l = loaded();
	double end = live_now_s() + 60;

	while ((l.programs || l.maps) && live_now_s() < end) {
		live_sleep_ms(50);
		l = loaded();
	}
	print_message("still loaded: %u programs, %u maps\n", l.programs, l.maps);
	assert_int_equal(l.programs + l.maps, 0);
}

/* A recording of the machine under which the threads fall asleep. */
static pid_t fall_asleep(const char *file, const char *option, pid_t *victim)
{
	pid_t recorder = START_RECORD(file, "-a", "-F", "2999", option);

	*victim = START(live_victim("blocked"), LOTS);
	live_sleep_ms(1500);
	assert_true(loaded().programs > 0);
	return recorder;
}

static void all_wake_up(pid_t victim)
{
	kill(victim, SIGTERM);
	assert_int_equal(live_wait(victim, 120), 0);
}

static void sleepers_are_pending_at_the_end(void **state)
{
	const char *file = live_file("asleep.dusk");
	pid_t victim, recorder = fall_asleep(file, "-q", &victim);

	assert_int_equal(live_stop_record(recorder), 0);
	nothing_stays_loaded();
	all_wake_up(victim);

	_cleanup_profile_ p = live_read(file);
	live_check_counters(p);
	print_message("%llu walks were due\n",
		      (unsigned long long)(live_counter(p, "scheduled") - live_counter(p, "walks")));
	assert_true(live_counter(p, "scheduled") - live_counter(p, "walks") > THREADS / 4);
}

static pid_t killed_while_they_sleep(const char *option)
{
	pid_t victim, recorder = fall_asleep(live_file("killed.dusk"), option, &victim);

	kill(recorder, SIGKILL);
	assert_int_equal(live_wait(recorder, 60), 128 + SIGKILL);
	return victim;
}

static void what_a_killed_recorder_leaves_the_next_one_clears_away(void **state)
{
	pid_t victim = killed_while_they_sleep("-q");

	assert_int_equal(RECORD(live_file("next.dusk"), "-d", "0.1s"), 0);
	nothing_stays_loaded();
	all_wake_up(victim);
}

static void a_killed_private_recorder_leaves_nothing(void **state)
{
	pid_t victim = killed_while_they_sleep("--private");

	nothing_stays_loaded();
	all_wake_up(victim);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sleepers_are_pending_at_the_end),
		cmocka_unit_test(what_a_killed_recorder_leaves_the_next_one_clears_away),
		cmocka_unit_test(a_killed_private_recorder_leaves_nothing),
	};

	return LIVE_MAIN(argc, argv, tests);
}
