/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a program notice that it is recorded? No system call may end earlier than it would: there is no signal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "live.h"

#define KINDS 7

static const char *const kind[KINDS] = {"wait_epoll", "wait_semaphore", "wait_message", "wait_sleep",
					"wait_poll",  "wait_signal",	"wait_futex"};

static void no_system_call_is_interrupted(void **state)
{
	volatile unsigned long *count = live_number(live_file("waits"));
	pid_t pid = START(live_victim("waits"), live_file("waits"));
	const char *file = live_file("waits.dusk");
	size_t asked[KINDS] = {0};
	char number[16];

	snprintf(number, sizeof(number), "%d", pid);
	assert_int_equal(RECORD(file, "-F", "9999", "-d", "3s", "-p", number), 0);
	live_end(pid);
	_cleanup_profile_ p = live_read(file);

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		char *sentence;

		sentence = live_sentence_at(p, p->samples[i].node);
		for (int k = 0; k < KINDS; k++)
			asked[k] += !!strstr(sentence, kind[k]);
		free(sentence);
	}
	for (int k = 0; k < KINDS; k++) {
		print_message("%-14s %5lu times, interrupted %lu times; %zu samples\n", kind[k], count[k],
			      count[KINDS + k], asked[k]);
		assert_true(count[k] > 20);
		assert_int_equal(count[KINDS + k], 0);
		assert_true(asked[k] > 0);
	}
	munmap((void *)count, 4096);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_system_call_is_interrupted),
	};

	return LIVE_MAIN(argc, argv, tests);
}
