/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is each CPU watched from when it is online on? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "lib/record/kernel_watch.h"

static void watch__cpus_that_come_online_are_watched(void **state)
{
	struct kernel_watch k = {.nr_lost = 0};
	size_t nr;

	(void)state;
	kernel_watch_begin(&k);
	nr = k.cpus.nr;
	if (k.refused) {
		kernel_watch_done(&k);
		skip(); /* the kernel allows no such events to this user */
	}
	assert_int_equal(nr, k.online.nr);
	assert_int_equal(kernel_watch_cpus(&k), 0);
	assert_int_equal(k.cpus.nr, nr);
	k.online.nr--; /* as if the last one had been offline */
	assert_int_equal(kernel_watch_cpus(&k), 0);
	assert_int_equal(k.cpus.nr, nr + 1);
	assert_int_equal(k.online.nr, nr);
	kernel_watch_done(&k);
}

static void cpu_list__has_the_cpus_of_the_machine(void **state)
{
	struct cpu_list online = {0}, none = {0};
	struct dusk_error err = {0};

	(void)state;
	assert_int_equal(cpu_list_read(&online, "online", &err), 0);
	assert_int_equal(online.nr, sysconf(_SC_NPROCESSORS_ONLN));
	for (int cpu = 0; cpu < 4096; cpu++) {
		char path[64];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", cpu);
		if (cpu_list_has(&online, cpu))
			assert_int_equal(access(path, F_OK), 0);
	}
	assert_int_equal(cpu_list_read(&none, "cpu0/uevent", &err), -EIO);
	assert_int_equal(cpu_list_read(&none, "no-such-list", NULL), -ENOENT);
	vec_done(&online);
	vec_done(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(watch__cpus_that_come_online_are_watched),
		cmocka_unit_test(cpu_list__has_the_cpus_of_the_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
