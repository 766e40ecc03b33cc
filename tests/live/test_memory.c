/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What of a target's memory that is not there? Pages that can be had are fetched; pages that a process withholds are not
 * waited for, and the target runs on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "live.h"

#define EVICTED "^enter recurse\\*60 work( spin| evict( \\S+)?)?$"

static struct dusk_profile *record(pid_t pid, const char *option)
{
	const char *file = live_file("memory.dusk");

	assert_int_equal(RECORD_PROCESS(file, pid, 1000, "-F", "499", option), 0);
	return live_read(file);
}

/* From "enter" inwards: what is outside of it belongs to the C library. */
static char *sentence_of(const struct dusk_profile *p, const struct dusk_sample *s)
{
	char *all, *enter;

	all = live_sentence_at(p, s->node);
	enter = strstr(all, "enter");
	if (enter)
		memmove(all, enter, strlen(enter) + 1);
	return all;
}

static void evicted_stacks_and_tables_are_fetched(void **state)
{
	pid_t pid = START(live_victim("evicted"), live_file("stack"));
	_cleanup_profile_ p = record(pid, "-q");
	struct live_tally t = live_count(p, pid);

	live_end(pid);
	assert_true(t.walked > 50);
	assert_int_equal(t.complete, t.walked);
	assert_true(live_counter(p, "faults") > 10);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		char *sentence;

		if (!live_is_of(p, &p->samples[i], pid) || live_class(p, &p->samples[i]) != DUSK_COMPLETE)
			continue;
		sentence = sentence_of(p, &p->samples[i]);
		if (!live_matches(sentence, EVICTED))
			fail_msg("not a stack of this program: %s", sentence);
		free(sentence);
	}
	print_message("%llu stacks, all complete, %llu pages fetched\n", (unsigned long long)t.walked,
		      (unsigned long long)live_counter(p, "faults"));
}

static void no_faults_means_none(void **state)
{
	pid_t pid = START(live_victim("evicted"), live_file("stack"));
	_cleanup_profile_ p = record(pid, "--no-faults");
	size_t cut = 0;

	live_end(pid);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];

		if (!live_is_of(p, s, pid) || live_class(p, s) != DUSK_CUT)
			continue;
		assert_string_equal(live_outcome(p, s), "page-not-safe");
		cut++;
	}
	assert_true(cut > 20);
	assert_int_equal(live_counter(p, "faults"), 0);
	assert_true(live_counter(p, "faults-refused") > 0);
	print_message("%zu stacks cut, no page fetched\n", cut);
}

/*
 * The page that the second half of an FDE is in is not there. Then it is, and what was learnt meanwhile must be true.
 */
static void of_an_fde_that_is_not_all_there_nothing_is_believed(void **state)
{
	const char *path = live_file("straddles"), *file = live_file("straddles.dusk");
	volatile unsigned long *number = live_number(path);
	pid_t pid = START(live_victim("straddles"), path), recorder;
	size_t cut = 0, whole = 0;
	char text[16];

	assert_true(number[1] > 1);
	snprintf(text, sizeof(text), "%d", pid);
	recorder = START_RECORD(file, "-F", "997", "-d", "4s", "--no-faults", "-p", text);
	live_sleep_ms(1500);
	*number = 1;
	assert_int_equal(live_wait(recorder, 30), 0);
	live_end(pid);
	print_message("%lu FDEs across the end of a page\n", number[1]);
	munmap((void *)number, 4096);

	_cleanup_profile_ p = live_read(file);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		char *sentence;

		if (!live_is_of(p, s, pid))
			continue;
		sentence = live_sentence_at(p, s->node);
		if (live_class(p, s) == DUSK_CUT && strcmp(live_outcome(p, s), "page-not-safe"))
			fail_msg("what is absent was judged (%s): %s", live_outcome(p, s), sentence);
		cut += live_class(p, s) == DUSK_CUT;
		whole += live_class(p, s) == DUSK_COMPLETE && live_matches(sentence, "^main straddle burn$");
		free(sentence);
	}
	print_message("%zu stacks cut, %zu whole\n", cut, whole);
	assert_true(cut > 20);
	assert_true(whole > 20);
}

static void a_page_that_never_comes_is_not_waited_for(void **state)
{
	const char *number = live_file("rounds");
	volatile unsigned long *rounds = live_number(number);
	pid_t pid = START(live_victim("withheld"), number), recorder;
	unsigned long before, after;
	size_t cut = 0;
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	recorder = START_RECORD(live_file("withheld.dusk"), "-F", "499", "-d", "2s", "-p", text);
	before = *rounds;
	live_sleep_ms(500);
	after = *rounds;
	assert_int_equal(live_wait(recorder, 30), 0);
	live_sleep_ms(100);
	assert_true(after > before);
	assert_true(*rounds > after);
	live_end(pid);
	munmap((void *)rounds, 4096);

	_cleanup_profile_ p = live_read(live_file("withheld.dusk"));
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		char *sentence;

		if (!live_is_of(p, s, pid) || live_class(p, s) != DUSK_CUT)
			continue;
		assert_string_equal(live_outcome(p, s), "page-not-safe");
		sentence = live_sentence_at(p, s->node);
		if (!live_matches(sentence, "^recurse(\\*[0-9]+)? work$"))
			fail_msg("not the innermost frames: %s", sentence);
		free(sentence);
		cut++;
	}
	assert_true(cut > 20);
	assert_int_equal(live_count(p, pid).complete, 0);
	print_message("%zu stacks cut at the page, and the program ran on\n", cut);
}

/* A recorder that reads the process from outside. */
static void nor_from_outside(const char *mode, const char *innermost)
{
	const char *number = live_file("rounds"), *file = live_file("outside.dusk");
	volatile unsigned long *rounds = live_number(number);
	pid_t pid = START(live_victim("withheld"), number);
	char text[16];
	size_t cut = 0;

	snprintf(text, sizeof(text), "%d", pid);
	assert_int_equal(live_wait(live_spawn_record(file, (const char *const[]){"--mode", mode, "-F", "99", "-d", "2s",
										 "-p", text, NULL}),
				   60),
			 0);
	live_end(pid);
	munmap((void *)rounds, 4096);

	_cleanup_profile_ p = live_read(file);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		char *sentence;

		if (!live_is_of(p, s, pid))
			continue;
		assert_string_equal(live_outcome(p, s), "not-copied");
		sentence = live_sentence_at(p, s->node);
		if (!live_matches(sentence, innermost))
			fail_msg("not the innermost frames: %s", sentence);
		free(sentence);
		cut++;
	}
	assert_true(cut > 0);
	assert_true(live_counter(p, "unserved-reads") > 0);
	print_message("mode %s: %zu stacks cut at the page, and the recorder went on\n", mode, cut);
}

static void nor_is_it_in_mode_copied(void **state)
{
	nor_from_outside("copied", "^(recurse(\\*[0-9]+)? )?work$");
}

static void nor_is_it_in_mode_ptrace(void **state)
{
	nor_from_outside("ptrace", "^work$");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(evicted_stacks_and_tables_are_fetched),
		cmocka_unit_test(no_faults_means_none),
		cmocka_unit_test(of_an_fde_that_is_not_all_there_nothing_is_believed),
		cmocka_unit_test(a_page_that_never_comes_is_not_waited_for),
		cmocka_unit_test(nor_is_it_in_mode_copied),
		cmocka_unit_test(nor_is_it_in_mode_ptrace),
	};

	return LIVE_MAIN(argc, argv, tests);
}
