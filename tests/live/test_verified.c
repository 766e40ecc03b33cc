/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does this kernel's verifier take our objects, and with how much room left? argv: the object for kernels with
 * bpf_task_work_schedule_resume(), the one for its older name; the same for what other tools may do; the one for
 * walks that cannot sleep; the one for walks of other tasks; and those of dusk trace, as the first two.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "live.h"
#include "test_arch.h"

static const char *deferred, *other_tools, *now, *remote, *tracing;

static void load(const char *path)
{
	struct bpf_object *o = bpf_object__open_file(path, NULL);
	struct bpf_program *program;

	if (!o)
		fail_msg("cannot open %s: %s", path, strerror(errno));
	if (bpf_object__load(o))
		fail_msg("the kernel refuses %s", path);
	bpf_object__for_each_program(program, o)
	{
		struct bpf_prog_info info = {0};
		uint32_t len = sizeof(info);

		assert_int_equal(bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &len), 0);
		print_message("%-16s %u instructions verified\n", info.name, info.verified_insns);
		assert_true(info.verified_insns > 0);
		assert_true(info.verified_insns < TEST_MAX_INSTRUCTIONS);
	}
	bpf_object__close(o);
}

static void programs_that_defer_are_verified_within_the_budget(void **state)
{
	load(deferred);
}

static void programs_of_each_type_may_ask(void **state)
{
	load(other_tools);
}

static void programs_that_cannot_sleep_are_verified_within_the_budget(void **state)
{
	load(now);
}

static void programs_that_walk_other_tasks_are_verified_within_the_budget(void **state)
{
	load(remote);
}

static void programs_that_trace_events_are_verified_within_the_budget(void **state)
{
	load(tracing);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_that_defer_are_verified_within_the_budget),
		cmocka_unit_test(programs_of_each_type_may_ask),
		cmocka_unit_test(programs_that_cannot_sleep_are_verified_within_the_budget),
		cmocka_unit_test(programs_that_walk_other_tasks_are_verified_within_the_budget),
		cmocka_unit_test(programs_that_trace_events_are_verified_within_the_budget),
	};

	bool older = !live_has_kernel_function("bpf_task_work_schedule_resume");

	if (argc < 9)
		return 2;
	deferred = argv[1 + older];
	other_tools = argv[3 + older];
	now = argv[5];
	remote = argv[6];
	tracing = argv[7 + older];
	return LIVE_MAIN(1, argv, tests);
}
