/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes that live for two milliseconds: is what is recorded of them whole, true and named, although they, their
 * file or even its file system are gone when names are looked up?
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "live.h"

#define COUNT 300
#define IN_MAIN "^main( descend(\\*[2-5])?( spin)?| \\S+)*$"

static struct live_stack stack;

struct result {
	size_t walked, complete, holes, ending, unread, spinning, in_main, unknown;
};

static bool is_of_short(const struct dusk_profile *p, const struct dusk_sample *s)
{
	return !strncmp(p->threads[s->thread].comm, "short", 5);
}

/* Start-up code of gcc and the C library, and of libgcc's unwinder, that has no CFI. */
static bool is_hole(const char *sentence)
{
	return live_matches(sentence, "(_init|_fini|frame_dummy|__do_global_dtors_aux|(de)?register_tm_clones)$");
}

/* Frames of the short program itself have names. */
static size_t unnamed(const struct live_stack *s)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->nr; i++) {
		const char *name = strrchr(s->frame[i].path, '/');

		nr += name && !strncmp(name, "/short", 6) && !s->frame[i].name;
	}
	return nr;
}

static void look(const struct dusk_profile *p, const struct dusk_sample *s, struct result *r)
{
	enum dusk_outcome_class class = live_class(p, s);
	bool is_ending;
	char *sentence;

	if (class != DUSK_COMPLETE && class != DUSK_CUT)
		return;
	live_user_stack(p, s->node, &stack);
	sentence = live_sentence(&stack);
	r->walked++;
	is_ending = live_kernel_has(p, s->node, "do_exit");
	if (is_ending && class == DUSK_COMPLETE && !live_matches(sentence, " (_exit|exit_group)$"))
		fail_msg("not the stack of the exiting task: %s", sentence);
	r->ending += is_ending;
	if (class == DUSK_COMPLETE)
		r->complete++;
	else if (is_hole(sentence))
		r->holes++;
	else if ((is_ending || live_matches(sentence, "(^| )_exit$")) && !strcmp(live_outcome(p, s), "page-not-safe"))
		r->unread++; /* it does not come back from _exit(), so that this was walked at its end, too */
	else
		fail_msg("incomplete (%s): %s", live_outcome(p, s), sentence);
	r->unknown += unnamed(&stack) > 0;
	if (!strncmp(sentence, "main", 4)) {
		r->in_main++;
		if (!live_matches(sentence, IN_MAIN))
			fail_msg("not a stack of this program: %s", sentence);
		if (strstr(sentence, "spin") && !live_matches(sentence, "^main descend\\*5 spin$"))
			fail_msg("not a stack of this program: %s", sentence);
		r->spinning += !!strstr(sentence, "spin");
	}
	free(sentence);
}

static struct result check(const struct dusk_profile *p, size_t least)
{
	struct result r = {0};

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		const char *outcome = live_outcome(p, s);

		if (!is_of_short(p, s))
			continue;
		if (live_class(p, s) == DUSK_NO_STACK && strcmp(outcome, "exec"))
			fail_msg("a stack was lost: %s", outcome);
		look(p, s, &r);
	}
	print_message("%zu stacks walked, %zu complete, %zu in start-up code without CFI; %zu in spin; %zu at their "
		      "end, %zu of them with a page not in memory; %zu with a unnamed frame\n",
		      r.walked, r.complete, r.holes, r.spinning, r.ending, r.unread, r.unknown);
	assert_int_equal(r.complete + r.holes + r.unread, r.walked);
	assert_true(r.holes * 50 <= r.walked);
	assert_true(r.spinning > least);
	assert_int_equal(r.unknown, 0);
	return r;
}

static void copy_short(char *ret, size_t size, const char *name)
{
	char command[8192];

	snprintf(ret, size, "%s", live_file(name));
	snprintf(command, sizeof(command), "cp '%s' '%s'", live_victim("short"), ret);
	assert_int_equal(system(command), 0);
}

static void short_lives_are_recorded_whole(void **state)
{
	const char *file = live_file("storm.dusk");

	assert_int_equal(RECORD(file, "-F", "1999", "--", live_victim("storm"), live_victim("short"), "300"), 0);
	_cleanup_profile_ p = live_read(file);
	struct result r = check(p, COUNT / 2);
	assert_true(r.ending > r.unread);
}

static void a_program_that_was_deleted_has_names(void **state)
{
	const char *file = live_file("deleted.dusk");
	char program[4096];

	copy_short(program, sizeof(program), "short_deleted");
	assert_int_equal(RECORD(file, "-F", "1999", "--", live_victim("storm"), program, "100", "delete"), 0);
	assert_int_not_equal(access(program, F_OK), 0);
	_cleanup_profile_ p = live_read(file);
	check(p, 20);
}

static void a_program_in_a_mount_namespace_that_is_gone_has_names(void **state)
{
	static const char script[] = "mount -t tmpfs none \"$1\" && cp \"$2\" \"$1/short_mounted\" && "
				     "for i in $(seq 60); do \"$1/short_mounted\" || exit 1; done";
	const char *file = live_file("mounted.dusk"), *folder = live_file("mnt");

	assert_int_equal(mkdir(folder, 0700), 0);
	if (system("unshare -m true")) {
		print_message("cannot make a mount namespace\n");
		skip();
	}
	assert_int_equal(RECORD(file, "-F", "1999", "--", "unshare", "-m", "sh", "-c", script, "sh", folder,
				live_victim("short")),
			 0);
	_cleanup_profile_ p = live_read(file);
	check(p, 10);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_lives_are_recorded_whole),
		cmocka_unit_test(a_program_that_was_deleted_has_names),
		cmocka_unit_test(a_program_in_a_mount_namespace_that_is_gone_has_names),
	};

	return LIVE_MAIN(argc, argv, tests);
}
