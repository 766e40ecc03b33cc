/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does mode copied see what the full mode sees? Programs whose stacks are few and known are recorded in both modes. Each
 * complete stack of mode copied that is not rare is one of the full mode, by its functions and by the places that its
 * frames return to; and all of them are what the program's source allows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "live.h"

#define MS 1500 /* of each recording, at 999 samples a second */
#define RARE 10 /* stacks that were seen less often may be missing in the other recording */
#define LIBC "( \\S+)*"

/* Stacks, each once: as functions, and as the places that the frames but the innermost return to. */
struct kind {
	char *text;
	uint64_t samples;
};

struct stacks {
	struct kind *v;
	size_t nr;
};

static struct kind *find(const struct stacks *s, const char *text)
{
	for (size_t i = 0; i < s->nr; i++)
		if (!strcmp(s->v[i].text, text))
			return &s->v[i];
	return NULL;
}

/* Takes @text. */
static void add(struct stacks *s, char *text)
{
	struct kind *k = find(s, text);

	if (k) {
		k->samples++;
		free(text);
		return;
	}
	s->v = realloc(s->v, (s->nr + 1) * sizeof(*s->v));
	assert_non_null(s->v);
	s->v[s->nr++] = (struct kind){text, 1};
}

static void free_stacks(struct stacks *s)
{
	for (size_t i = 0; i < s->nr; i++)
		free(s->v[i].text);
	free(s->v);
}

/* The modules and offsets of the frames that were called from, from the outermost on. To be freed with free(). */
static char *places(const struct live_stack *s)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	for (size_t i = s->nr; i-- > 0;)
		if (s->frame[i].is_return)
			fprintf(f, "%s+%llx ", s->frame[i].path, (unsigned long long)s->frame[i].offset);
	fclose(f);
	return text;
}

struct seen {
	struct stacks functions, places;
	uint64_t samples, complete, not_copied, other;
};

/*
 * In the system call that ends a handler, the full mode shows where the thread then goes on, as that is when it walks, and mode
 * copied where it was.
 */
static char *without_sigreturn(char *sentence)
{
	char *last = strrchr(sentence, ' ');

	if (last && (!strcmp(last, " __kernel_sigreturn") || !strcmp(last, " __restore_rt")))
		*last = 0;
	return sentence;
}

static void look(struct seen *seen, const char *file)
{
	_cleanup_profile_ p = live_read(file);
	static struct live_stack stack;

	memset(seen, 0, sizeof(*seen));
	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];

		if (live_class(p, s) == DUSK_ABSENT)
			continue;
		seen->samples++;
		if (live_class(p, s) != DUSK_COMPLETE) {
			bool is = !strcmp(live_outcome(p, s), "not-copied");

			seen->not_copied += is;
			seen->other += !is;
			continue;
		}
		seen->complete++;
		live_user_stack(p, s->node, &stack);
		add(&seen->functions, without_sigreturn(live_sentence(&stack)));
		add(&seen->places, places(&stack));
	}
}

static void forget(struct seen *seen)
{
	free_stacks(&seen->functions);
	free_stacks(&seen->places);
}

/* How many kinds of stacks, rare ones apart, does only @of have? */
static size_t missing(const struct stacks *of, const struct stacks *in)
{
	size_t nr = 0;

	for (size_t i = 0; i < of->nr; i++)
		if (of->v[i].samples >= RARE && !find(in, of->v[i].text)) {
			print_message("only copied: %s\n", of->v[i].text);
			nr++;
		}
	return nr;
}

/* How many kinds are not like @pattern? */
static size_t untrue(const struct stacks *s, const char *pattern)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->nr; i++)
		if (!live_matches(s->v[i].text, pattern)) {
			print_message("not possible: %s\n", s->v[i].text);
			nr++;
		}
	return nr;
}

/* Record @words in both modes, and compare. @all: what a stack is like. Of mode copied 99 % must be complete. */
static void same_in_both(const char *const *words, const char *all)
{
	const char *full_file = live_file("full.dusk"), *copied_file = live_file("copied.dusk");
	pid_t pid = live_start(true, words);
	struct seen full, copied;
	size_t different;

	assert_int_equal(RECORD_PROCESS(full_file, pid, MS, "--mode", "full", "-F", "999"), 0);
	assert_int_equal(RECORD_PROCESS(copied_file, pid, MS, "--mode", "copied", "-F", "999"), 0);
	live_end(pid);
	look(&full, full_file);
	look(&copied, copied_file);
	different = missing(&copied.functions, &full.functions);
	print_message("%s: %llu samples, %llu complete, %llu not copied, %zu kinds, %zu different\n",
		      strrchr(words[0], '/'), (unsigned long long)copied.samples, (unsigned long long)copied.complete,
		      (unsigned long long)copied.not_copied, copied.functions.nr, different);
	assert_int_equal(different, 0);
	assert_int_equal(missing(&copied.places, &full.places), 0);
	assert_int_equal(untrue(&copied.functions, all), 0);
	assert_int_equal(copied.other, 0);
	assert_true(copied.samples > MS / 10);
	assert_true(copied.complete * 100 >= copied.samples * 99);
	forget(&full);
	forget(&copied);
}
#define SAME(all, ...) same_in_both((const char *const[]){__VA_ARGS__, NULL}, all)

static void stacks_are_the_same(void **state)
{
	static const char recurse[] =
		"^main" LIBC " compare recurse\\*60 burn$|^main" LIBC "( compare( recurse(\\*[0-9]+)?)?)?$";

	SAME(recurse, live_victim("recurse"), "60");
	SAME(recurse, live_victim("recurse_static"), "60");
	SAME(recurse, live_victim("recurse_no_pie"), "60");
	SAME("^main( work(\\*[0-9]+)?)?( [^h]\\S*( handle)?)?$", live_victim("signals"), "own");
	SAME("^(\\S+ )*work( recurse(\\*[1-8]0) burn|( recurse(\\*[0-9]+)?))?$", live_victim("threads"));
}

/* Their stack pointer is a multiple of four. */
static void stacks_of_32_bits_are_the_same(void **state)
{
	static const char recurse[] = "^main" LIBC " compare recurse\\*60 burn( \\S*thunk\\S*)?$"
				      "|^main" LIBC "( compare( recurse(\\*[0-9]+)?)?)?( \\S*thunk\\S*)?$";

	if (access(live_victim("recurse_32"), X_OK)) {
		print_message("no C library for 32-bit programs\n");
		skip();
	}
	SAME(recurse, live_victim("recurse_32"), "60");
	SAME(recurse, live_victim("recurse_32_static"), "60");
	SAME(recurse, live_victim("recurse_32_bare"), "60");
	SAME("^main( work(\\*[0-9]+)?)?( \\S*thunk\\S*)?( [^h]\\S*( handle)?)?( \\S*thunk\\S*)?$",
	     live_victim("signals_32"), "own");
}

/* 1500 frames are more than 16 KiB. */
static void what_was_not_copied_is_no_guess(void **state)
{
	const char *file = live_file("deep.dusk"), *more = live_file("more.dusk");
	pid_t pid = START(live_victim("recurse"), "1500");
	struct seen seen;

	assert_int_equal(RECORD_PROCESS(file, pid, MS, "--mode", "copied", "-F", "499", "--max-depth", "2048",
					"--stack-bytes", "16K"),
			 0);
	look(&seen, file);
	assert_true(seen.samples > 0 && seen.not_copied >= seen.samples * 9 / 10);
	assert_int_equal(seen.other, 0);
	forget(&seen);
	assert_int_equal(RECORD_PROCESS(more, pid, MS, "--mode", "copied", "-F", "499", "--max-depth", "2048",
					"--stack-bytes", "60K"),
			 0);
	live_end(pid);
	look(&seen, more);
	print_message("with 60 KiB: %llu of %llu complete\n", (unsigned long long)seen.complete,
		      (unsigned long long)seen.samples);
	assert_true(seen.samples > 0 && seen.complete >= seen.samples * 9 / 10);
	forget(&seen);
}

/* The kernel copies a stack up to the first page that is not in memory. */
static void a_stack_with_a_hole_is_copied_once_that_is_known(void **state)
{
	const char *file = live_file("hollow.dusk");
	pid_t pid = START(live_victim("hollow"));
	struct seen seen;

	assert_int_equal(RECORD_PROCESS(file, pid, MS, "--mode", "copied", "-F", "499", "--stack-bytes", "60K"), 0);
	live_end(pid);
	look(&seen, file);
	print_message("%llu of %llu complete\n", (unsigned long long)seen.complete, (unsigned long long)seen.samples);
	assert_true(seen.not_copied > 0); /* there is a hole */
	assert_int_equal(seen.other, 0);
	assert_true(seen.complete >= seen.samples * 9 / 10);
	assert_int_equal(untrue(&seen.functions, "^main( hollow( burn)?)?$"), 0);
	forget(&seen);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_are_the_same),
		cmocka_unit_test(stacks_of_32_bits_are_the_same),
		cmocka_unit_test(what_was_not_copied_is_no_guess),
		cmocka_unit_test(a_stack_with_a_hole_is_copied_once_that_is_known),
	};

	return LIVE_MAIN(argc, argv, tests);
}
