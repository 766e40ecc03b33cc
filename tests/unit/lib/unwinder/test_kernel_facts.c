/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is what the kernel's BTF and kallsyms say read once, and the same ever after? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <bpf/btf.h>
#include <sys/resource.h>

#include "lib/unwinder/probe.h"

struct facts {
	int ret[4 + NR_CPU_VARIABLES], distance[NR_CPU_VARIABLES];
	enum task_work task_work;
	bool holds_memory;
	uint64_t text;
	struct kernel_places places;
};

static void ask(struct facts *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->ret[0] = probe_task_work(&ret->task_work);
	ret->ret[1] = probe_task_work_number();
	ret->ret[2] = probe_kernel_text(&ret->text);
	ret->ret[3] = probe_kernel_places(&ret->places);
	for (int i = 0; i < NR_CPU_VARIABLES; i++)
		ret->ret[4 + i] = probe_from_run_queue(&ret->distance[i], i);
	ret->holds_memory = probe_holds_memory();
}

/* Without a descriptor that is free, nothing can be read. */
static void they_are_read_once(void **state)
{
	struct facts first, second;
	struct rlimit limit, none;

	ask(&first);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){0, limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	ask(&second);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_memory_equal(&first, &second, sizeof(first));
}

/* kallsyms has addresses of 0 for those who may not see them. */
static void the_places_are_code_or_not_known(void **state)
{
	struct kernel_places p;
	uint64_t text;

	if (probe_kernel_text(&text) || probe_kernel_places(&p))
		skip();
	assert_true(p.entry.start >= text && p.entry.start < p.entry.end);
	assert_true(p.schedule.start >= text && p.schedule.start < p.schedule.end);
	assert_true(!p.noinstr_text.start || p.noinstr_text.start < p.noinstr_text.end);
}

/* BTF with functions of KFUNC's names that have so many parameters; 0: there is none. */
static enum task_work task_work_of(int plain_params, int impl_params)
{
	const char *const names[] = {"bpf_task_work_schedule_resume", "bpf_task_work_schedule_resume_impl"};
	const int nr_params[] = {plain_params, impl_params};
	struct btf *btf = btf__new_empty();
	enum task_work found;
	int type, number;

	assert_non_null(btf);
	type = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	for (int i = 0; i < 2; i++) {
		int proto = nr_params[i] ? btf__add_func_proto(btf, type) : 0;

		for (int j = 0; j < nr_params[i]; j++)
			assert_int_equal(btf__add_func_param(btf, "p", type), 0);
		assert_true(!proto || btf__add_func(btf, names[i], BTF_FUNC_GLOBAL, proto) > 0);
	}
	found = probe_task_work_of(btf, &number);
	assert_true((found != TASK_WORK_NONE) == (number > 0));
	btf__free(btf);
	return found;
}

static void the_kfunc_is_told_by_its_name_and_parameters(void **state)
{
	assert_int_equal(task_work_of(0, 5), TASK_WORK_IMPL);	    /* 6.18 */
	assert_int_equal(task_work_of(4, 5), TASK_WORK_PLAIN);	    /* 7.0 */
	assert_int_equal(task_work_of(5, 0), TASK_WORK_UNCALLABLE); /* Ubuntu's 7.0.0-43 */
	assert_int_equal(task_work_of(5, 5), TASK_WORK_UNCALLABLE);
	assert_int_equal(task_work_of(0, 4), TASK_WORK_UNCALLABLE);
	assert_int_equal(task_work_of(0, 0), TASK_WORK_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_are_read_once),
		cmocka_unit_test(the_kfunc_is_told_by_its_name_and_parameters),
		cmocka_unit_test(the_places_are_code_or_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
