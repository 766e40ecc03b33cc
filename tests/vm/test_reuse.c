/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Thread ids are few and used again at once: does a thread get the stack of one that had the id before? */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "live.h"

#define PROCESSES "1500"

static void few_ids(void)
{
	int fd = open("/proc/sys/kernel/pid_max", O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "400", 3), 3);
	close(fd);
}

/* Does the stack agree with the name that the thread had? */
static bool is_true(const char *comm, const char *sentence)
{
	static const char *const others[] = {" k[123]", " k[023]", " k[013]", " k[012]"};
	char pattern[64];

	if (!live_matches(comm, "^k[0-3]$"))
		return !live_matches(sentence, " k[0-3]");
	snprintf(pattern, sizeof(pattern), " as_%s( %s(\\*[0-9]+)?| \\S*prctl)?$", comm, comm);
	return live_matches(sentence, pattern) && !live_matches(sentence, others[comm[1] - '0']);
}

static void no_stack_is_anothers(void **state)
{
	static struct live_stack stack;
	const char *file = live_file("reuse.dusk");
	size_t stacks = 0, named = 0, wrong = 0, cut = 0;
	char *sentence;

	few_ids();
	assert_int_equal(RECORD(file, "-F", "1999", "--", live_victim("kinds"), PROCESSES), 0);
	_cleanup_profile_ p = live_read(file);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		const char *comm = p->threads[s->thread].comm;

		if (live_class(p, s) != DUSK_COMPLETE && live_class(p, s) != DUSK_CUT)
			continue;
		live_user_stack(p, s->node, &stack);
		sentence = live_sentence(&stack);
		if (live_class(p, s) == DUSK_CUT) {
			print_message("%s of %d: %s: %s\n", comm, p->threads[s->thread].tid, live_outcome(p, s),
				      sentence);
			cut++;
			free(sentence);
			continue;
		}
		if (!is_true(comm, sentence)) {
			print_message("%s of %d was never in: %s\n", comm, p->threads[s->thread].tid, sentence);
			wrong++;
		}
		named += live_matches(sentence, "( k[0-3])");
		stacks++;
		free(sentence);
	}
	print_message("%u ids, %zu whole stacks, %zu of them with a kind, %zu wrong, %zu cut\n", p->nr_threads, stacks,
		      named, wrong, cut);
	live_check_counters(p);
	assert_true(named > 300);
	assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_stack_is_anothers),
	};

	return LIVE_MAIN(argc, argv, tests);
}
