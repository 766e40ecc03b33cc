/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is it known what was mapped where, and what a thread was called, after all that a recording tells? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/process/processes.h"

static void map(struct processes *p, uint32_t pid, uint64_t start, uint64_t end, uint32_t what)
{
	assert_int_equal(processes_map(p, pid, &(struct process_map){start, end, 0x1000, what}), 0);
}

static void fork_(struct processes *p, uint32_t pid, uint32_t ppid, bool exec)
{
	assert_int_equal(processes_fork(p, &(struct process_fork){pid, pid, ppid, ppid, exec}), 0);
}

/* What is at @address: its number, and its offset there; 0: nothing. */
static uint64_t at(struct processes *p, uint32_t pid, uint64_t address, uint64_t *offset)
{
	const struct process_map *m = processes_find(p, pid, address);

	*offset = m ? address - m->start + m->offset : 0;
	return m ? m->what : 0;
}

static void the_later_mapping_counts(void **state)
{
	struct processes p = {0};
	uint64_t offset;

	map(&p, 1, 100, 200, 1);
	map(&p, 1, 300, 400, 2);
	map(&p, 1, 150, 160, 3); /* within one */
	map(&p, 1, 190, 310, 4); /* over the end of one, and the start of another */
	map(&p, 1, 500, 500, 5); /* nothing */
	assert_int_equal(at(&p, 1, 99, &offset), 0);
	assert_int_equal(at(&p, 1, 100, &offset), 1);
	assert_int_equal(at(&p, 1, 149, &offset), 1);
	assert_int_equal(at(&p, 1, 150, &offset), 3);
	assert_int_equal(at(&p, 1, 160, &offset), 1);
	assert_int_equal(offset, 0x1000 + 60);
	assert_int_equal(at(&p, 1, 190, &offset), 4);
	assert_int_equal(at(&p, 1, 309, &offset), 4);
	assert_int_equal(at(&p, 1, 310, &offset), 2);
	assert_int_equal(offset, 0x1000 + 10);
	assert_int_equal(at(&p, 1, 400, &offset), 0);
	assert_int_equal(at(&p, 1, 500, &offset), 0);
	assert_int_equal(at(&p, 2, 100, &offset), 0);
	map(&p, 1, 0, 1000, 6); /* over all */
	assert_int_equal(at(&p, 1, 310, &offset), 6);
	assert_int_equal(at(&p, 1, 999, &offset), 6);
	processes_done(&p);
}

static void what_is_unmapped_is_gone(void **state)
{
	struct processes p = {0};
	uint64_t offset;

	map(&p, 1, 100, 200, 1);
	map(&p, 1, 300, 400, 2);
	fork_(&p, 2, 1, false);
	assert_int_equal(processes_unmap(&p, 1, 120, 130), 0);
	assert_int_equal(processes_unmap(&p, 1, 190, 350), 0);
	assert_int_equal(processes_unmap(&p, 1, 500, 600), 0); /* nothing was there, */
	assert_int_equal(processes_unmap(&p, 3, 100, 200), 0); /* ... and in this process nothing at all */
	assert_int_equal(at(&p, 1, 119, &offset), 1);
	assert_int_equal(at(&p, 1, 120, &offset), 0);
	assert_int_equal(at(&p, 1, 130, &offset), 1);
	assert_int_equal(offset, 0x1000 + 30);
	assert_int_equal(at(&p, 1, 190, &offset), 0);
	assert_int_equal(at(&p, 1, 349, &offset), 0);
	assert_int_equal(at(&p, 1, 350, &offset), 2);
	assert_int_equal(at(&p, 2, 125, &offset), 1); /* the child has kept it */
	processes_end(&p, 1);
	processes_end(&p, 3);
	assert_false(processes_has_maps(&p, 1));
	assert_true(processes_has_maps(&p, 2));
	map(&p, 1, 100, 200, 7); /* the number is used again */
	assert_int_equal(at(&p, 1, 100, &offset), 7);
	processes_done(&p);
}

static void a_child_has_what_its_parent_had(void **state)
{
	struct processes p = {0};
	uint64_t offset;

	map(&p, 1, 100, 200, 1);
	fork_(&p, 2, 1, false);
	map(&p, 1, 300, 400, 2);
	map(&p, 2, 100, 150, 3);
	assert_int_equal(at(&p, 1, 100, &offset), 1);
	assert_int_equal(at(&p, 2, 100, &offset), 3);
	assert_int_equal(at(&p, 2, 150, &offset), 1);
	assert_int_equal(at(&p, 2, 300, &offset), 0);
	fork_(&p, 3, 2, false);
	assert_int_equal(processes_name(&p, 2, 2, "new", true), 0);
	assert_false(processes_has_maps(&p, 2));
	assert_int_equal(at(&p, 3, 100, &offset), 3);
	fork_(&p, 3, 1, false); /* the number is used again */
	assert_int_equal(at(&p, 3, 300, &offset), 2);
	fork_(&p, 4, 1, true); /* it was there before */
	assert_false(processes_has_maps(&p, 4));
	assert_int_equal(processes_fork(&p, &(struct process_fork){1, 11, 1, 1, true}), 0);
	assert_true(processes_has_maps(&p, 1)); /* it is a thread */
	fork_(&p, 5, 99, false);
	assert_false(processes_has_maps(&p, 5));
	processes_done(&p);
}

static void threads_have_the_name_that_they_got_last(void **state)
{
	struct processes p = {0};

	assert_string_equal(processes_name_of(&p, 10), "");
	assert_int_equal(processes_name(&p, 10, 10, "shell", false), 0);
	assert_int_equal(processes_fork(&p, &(struct process_fork){10, 11, 10, 10, false}), 0);
	assert_string_equal(processes_name_of(&p, 11), "shell");
	assert_int_equal(processes_name(&p, 10, 11, "worker", false), 0);
	assert_string_equal(processes_name_of(&p, 10), "shell");
	assert_string_equal(processes_name_of(&p, 11), "worker");
	assert_int_equal(processes_fork(&p, &(struct process_fork){11, 11, 77, 77, false}), 0);
	assert_string_equal(processes_name_of(&p, 11), "");
	processes_done(&p);
}

static void what_no_process_does_is_counted(void **state)
{
	struct processes p = {0};
	uint64_t offset;

	for (uint32_t i = 1; i <= 20000; i++)
		map(&p, 1, i * 10, i * 10 + 5, i);
	assert_int_equal(p.refused, 20000 - 16384);
	assert_int_equal(at(&p, 1, 163840, &offset), 16384);
	assert_int_equal(at(&p, 1, 163850, &offset), 0);
	/* Copies of that are bounded, too. */
	for (uint32_t pid = 2; pid < 1000; pid++) {
		fork_(&p, pid, 1, false);
		map(&p, pid, 0, 5, 1);
	}
	assert_true(p.copied <= 1 << 22);
	assert_true(p.refused > 1000000);
	processes_done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_later_mapping_counts),
		cmocka_unit_test(what_is_unmapped_is_gone),
		cmocka_unit_test(a_child_has_what_its_parent_had),
		cmocka_unit_test(threads_have_the_name_that_they_got_last),
		cmocka_unit_test(what_no_process_does_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
