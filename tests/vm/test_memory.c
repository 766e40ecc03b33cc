/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program at its cgroup's limit, whose stack is in the swap: fetching it needs memory that there is not. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "live.h"

#define GROUP "/sys/fs/cgroup/squeezed"

static void write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* The number behind @key in memory.events. */
static long event(const char *key)
{
	FILE *f = fopen(GROUP "/memory.events", "re");
	long value = -1, ret = -1;
	char name[32];

	assert_non_null(f);
	while (fscanf(f, "%31s %ld", name, &value) == 2)
		if (!strcmp(name, key))
			ret = value;
	fclose(f);
	return ret;
}

static void make_room_and_limit(void)
{
	if (access("/dev/zram0", F_OK)) {
		print_message("needs the module zram\n");
		skip();
	}
	write_to("/sys/block/zram0/disksize", "256M");
	assert_int_equal(system("mkswap /dev/zram0 >/dev/null && swapon /dev/zram0"), 0);
	write_to("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	assert_int_equal(mkdir(GROUP, 0755), 0);
	write_to(GROUP "/memory.max", "8M");
}

static void at_the_limit_stacks_are_whole_or_say_why_and_the_program_lives(void **state)
{
	static struct live_stack stack;
	const char *number = live_file("rounds"), *file = live_file("squeezed.dusk");
	volatile unsigned long *rounds;
	struct live_tally tally;
	unsigned long before;
	char command[8192], *sentence;
	pid_t pid;

	make_room_and_limit();
	rounds = live_number(number);
	snprintf(command, sizeof(command), "echo $$ > " GROUP "/cgroup.procs; exec '%s' '%s' 12",
		 live_victim("squeezed"), number);
	pid = START("sh", "-c", command);
	before = *rounds;
	assert_int_equal(RECORD(file, "-a", "-F", "499", "-d", "3s"), 0);
	print_message("%lu rounds; at the limit %ld times, %ld killed\n", *rounds - before, event("max"),
		      event("oom_kill"));
	assert_true(*rounds > before);
	assert_int_equal(event("oom_kill"), 0);
	assert_true(event("max") > 0);
	live_end(pid);

	_cleanup_profile_ p = live_read(file);
	tally = live_count(p, pid);
	print_message("%llu stacks, %llu complete, %llu pages fetched\n", (unsigned long long)tally.walked,
		      (unsigned long long)tally.complete, (unsigned long long)live_counter(p, "faults"));
	live_check_counters(p);
	assert_true(tally.walked > 50);
	/* A page may be gone again before it is read: a walk does not ask twice. */
	assert_true(tally.walked - tally.complete <= live_outcome_samples(p, "page-not-safe"));
	assert_true(tally.complete * 10 >= tally.walked * 9);
	assert_true(live_counter(p, "faults") > 10);
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];

		if (!live_is_of(p, s, pid) || live_class(p, s) != DUSK_COMPLETE)
			continue;
		live_user_stack(p, s->node, &stack);
		sentence = live_sentence(&stack);
		if (!live_matches(sentence, "enter recurse\\*60 work( evict( \\S+)?)?$"))
			fail_msg("not a stack of this program: %s", sentence);
		free(sentence);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_the_limit_stacks_are_whole_or_say_why_and_the_program_lives),
	};

	return LIVE_MAIN(argc, argv, tests);
}
