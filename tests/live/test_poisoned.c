/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process that has written to its own pages of the C library's unwind tables: does any other's stack change?
 *
 * It is recorded first, alone, so that all that can be learnt of the functions in its stacks is learnt from it; then an
 * honest program whose stacks go through the same functions.
 */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "live.h"
#include "test_arch.h"

#define HONEST "^main qsort(_r)?( \\S+)* compare recurse\\*10 burn$"

static int find_libc(struct dl_phdr_info *info, size_t size, void *ctx)
{
	*(const char **)ctx = info->dlpi_name;
	return strstr(info->dlpi_name, "/libc.so.6") != NULL;
}

/* A C library that no other process on the machine has, from which dusk could learn what is right. */
static void copy_libc(void)
{
	char command[8192];
	const char *path;

	assert_int_equal(dl_iterate_phdr(find_libc, &path), 1);
	snprintf(command, sizeof(command), "cp '%s' '%s/libc.so.6'", path, live_folder);
	assert_int_equal(system(command), 0);
}

static void a_process_that_writes_to_its_tables_harms_nobody_else(void **state)
{
	const char *number = live_file("number"), *file = live_file("poisoned.dusk");
	volatile unsigned long *rounds = live_number(number);
	pid_t poisoner, honest, recorder;
	uint64_t whole = 0, wrong = 0;

	copy_libc();
	poisoner = START(TEST_LOADER, "--library-path", live_folder, live_victim("poisons"), number);
	recorder = START_RECORD(file, "-F", "997");
	live_wait_cpu(poisoner, 500);
	honest = START(TEST_LOADER, "--library-path", live_folder, live_victim("recurse"), "10");
	live_wait_cpu(honest, 1000);
	live_wait_cpu(poisoner, 500);
	assert_int_equal(live_stop_record(recorder), 0);
	assert_true(*rounds > 100);
	live_end(honest);
	live_end(poisoner);
	munmap((void *)rounds, 4096);

	_cleanup_profile_ p = live_read(file);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		enum dusk_outcome_class class = live_class(p, s);
		char *sentence;

		if (class != DUSK_CUT && class != DUSK_COMPLETE)
			continue;
		sentence = live_sentence_at(p, s->node);
		if (live_is_of(p, s, poisoner))
			wrong += class == DUSK_CUT || (strstr(sentence, "burn") && !live_matches(sentence, HONEST));
		if (!live_is_of(p, s, honest)) {
			free(sentence);
			continue;
		}
		if (strstr(sentence, "burn") && (class != DUSK_COMPLETE || !live_matches(sentence, HONEST)))
			fail_msg("not the stack of the honest one (%s): %s", live_outcome(p, s), sentence);
		whole += !!strstr(sentence, "burn");
		free(sentence);
	}
	print_message("%llu whole stacks beside a process of which %llu are cut or wrong\n", (unsigned long long)whole,
		      (unsigned long long)wrong);
	assert_true(wrong > 10); /* it has deceived itself: else nothing was tried */
	assert_true(whole > 100);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_that_writes_to_its_tables_harms_nobody_else),
	};

	return LIVE_MAIN(argc, argv, tests);
}
