/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Are recorded stacks whole and true? Programs whose stacks are known are recorded, and
 *
 *	- each stack reaches the outermost frame,
 *	- its functions are those that the program's source allows, each as often as it says,
 *	- in between the program is stopped several times: there is a recorded stack that equals, but for the innermost
 *	  frame, what elfutils sees, and the innermost frames are in the same function; or, where the program never
 *	  stands twice at the same place, the frames outside main are the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "stopped.h"
#include "test_arch.h"

#define STOPS 5
#define LIBC "( \\S+)*" /* functions of the C library, which has few symbols */

struct place {
	const char *path;
	uint64_t offset;
};

struct snapshot {
	pid_t tid;
	size_t nr;
	struct place frame[MAX_LIVE_DEPTH];
};

/* Patterns of live_sentence(). */
struct expected {
	const char *all;   /* each stack is like this */
	const char *often; /* many are like this */
	const char *hole;  /* but where the tables are wrong: these may be incomplete or untrue; or NULL */
	bool moves;	   /* the program never stands twice at the same place */
	bool unseen;	   /* elfutils does not get to the end of its stacks */
};

struct victim {
	pid_t pid;
	const struct expected *expected;
	size_t nr_snapshots;
	struct snapshot snapshot[STOPS * 16];
	size_t stacks, often, holes, frames; /* the result */
};

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct dusk_profile *recorded;
static struct live_stack stack;

static void add_snapshot(struct victim *v, const struct stopped *s, pid_t tid)
{
	static struct stopped_frame frame[MAX_LIVE_DEPTH];
	struct snapshot *snapshot = &v->snapshot[v->nr_snapshots++];

	assert_true(v->nr_snapshots <= sizeof(v->snapshot) / sizeof(v->snapshot[0]));
	snapshot->tid = tid;
	snapshot->nr = stopped_stack(s, tid, frame, MAX_LIVE_DEPTH);
	if (snapshot->nr < 2) { /* elfutils cannot leave a stub of lld */
		v->nr_snapshots--;
		return;
	}
	for (size_t i = 0; i < snapshot->nr; i++) {
		struct place *place = &snapshot->frame[i];
		const char *path = stopped_place(s, frame[i].pc, &place->offset);

		place->path = path ? strdup(path) : NULL;
	}
}

static void stop_and_look(struct victim *v)
{
	struct stopped s;

	stopped_begin(&s, v->pid);
	for (int i = 0; i < s.nr_tids; i++)
		add_snapshot(v, &s, s.tid[i]);
	stopped_end(&s);
}

static bool same_place(const struct live_frame *a, const struct place *b)
{
	if (!strcmp(a->path, "[vdso]")) /* offsets in it are those of the file that the kernel keeps */
		return b->path && !strcmp(b->path, "[vdso]") && a->offset == b->offset;
	return b->path && a->offset == b->offset && !strcmp(a->path, b->path);
}

/* How many frames are the same, counted from the outermost? */
static size_t same_from_outside(const struct live_stack *a, const struct snapshot *b)
{
	size_t same = 0;

	while (same < a->nr && same < b->nr && same_place(&a->frame[a->nr - 1 - same], &b->frame[b->nr - 1 - same]))
		same++;
	return same;
}

static size_t frames_outside_main(const struct live_stack *s)
{
	size_t outside = 0;

	while (outside < s->nr &&
	       (!s->frame[s->nr - 1 - outside].name || strcmp(s->frame[s->nr - 1 - outside].name, "main")))
		outside++;
	return outside;
}

static bool agrees(const struct victim *v, const struct snapshot *b)
{
	size_t same = same_from_outside(&stack, b);

	if (v->expected->moves)
		return same >= frames_outside_main(&stack);
	return stack.nr == b->nr && same >= stack.nr - 1 && b->frame[0].path &&
	       !strcmp(stack.frame[0].path, b->frame[0].path);
}

/*
 * Where the return address is in a register, elfutils goes astray in code without CFI, as stubs; and where tables are wrong:
 * then it does not come to where stacks of the thread end, and knows nothing of it.
 */
static void each_snapshot_was_recorded(struct victim *v)
{
	for (size_t i = 0; i < v->nr_snapshots; i++) {
		const struct snapshot *b = &v->snapshot[i];
		bool found = false, ran = false, has_end = !RA_IN_A_REGISTER && !v->expected->hole;

		for (uint64_t n = 0; n < recorded->nr_samples && !found; n++) {
			const struct dusk_sample *sample = &recorded->samples[n];

			if (recorded->threads[sample->thread].tid != b->tid ||
			    live_class(recorded, sample) != DUSK_COMPLETE)
				continue;
			ran = true;
			live_user_stack(recorded, sample->node, &stack);
			has_end |= same_from_outside(&stack, b) > 0;
			found = agrees(v, b);
		}
		if (ran && !has_end)
			continue;
		for (size_t k = 0; ran && !found && k < b->nr; k++)
			print_message("  #%zu %s+0x%llx\n", k, b->frame[k].path ?: "?",
				      (unsigned long long)b->frame[k].offset);
		if (ran && !found)
			fail_msg("no recorded stack of thread %d is the one that elfutils saw (%zu frames)", b->tid,
				 b->nr);
		v->frames += found ? b->nr : 0;
	}
}

/* The distinct stacks of the victim, each once. */
static bool is_victims(const struct victim *v, const struct dusk_sample *s)
{
	enum dusk_outcome_class class = live_class(recorded, s);

	return live_is_of(recorded, s, v->pid) && (class == DUSK_COMPLETE || class == DUSK_CUT);
}

static void judge(struct victim *v, const struct dusk_sample *s, uint32_t times)
{
	char *sentence;

	live_user_stack(recorded, s->node, &stack);
	sentence = live_sentence(&stack);
	if (live_class(recorded, s) == DUSK_COMPLETE && live_matches(sentence, v->expected->all))
		v->stacks += times;
	else if (v->expected->hole && live_matches(sentence, v->expected->hole))
		v->holes += times;
	else
		fail_msg("not a stack of this program (%s): %s", live_outcome(recorded, s), sentence);
	if (live_matches(sentence, v->expected->often))
		v->often += times;
	free(sentence);
}

static void each_stack_is_known(struct victim *v)
{
	uint32_t *times = calloc(recorded->nr_nodes, sizeof(*times));

	assert_non_null(times);
	for (uint64_t n = 0; n < recorded->nr_samples; n++)
		times[recorded->samples[n].node] += is_victims(v, &recorded->samples[n]);
	for (uint64_t n = 0; n < recorded->nr_samples; n++) {
		const struct dusk_sample *s = &recorded->samples[n];

		if (!is_victims(v, s) || !times[s->node])
			continue;
		judge(v, s, times[s->node]);
		times[s->node] = 0;
	}
	free(times);
}

static void forget(struct victim *v)
{
	for (size_t i = 0; i < v->nr_snapshots; i++)
		for (size_t f = 0; f < v->snapshot[i].nr; f++)
			free((char *)v->snapshot[i].frame[f].path);
	free(v);
}

static void check(const char *const *words, const struct expected *expected)
{
	struct victim *v = calloc(1, sizeof(*v));
	const char *file = live_file("stacks.dusk"), *name = strrchr(words[0], '/');
	char pid[16];
	pid_t recorder;

	assert_non_null(v);
	v->expected = expected;
	v->pid = live_start(true, words);
	live_wait_cpu(v->pid, 20); /* until it no longer says that it is ready */
	snprintf(pid, sizeof(pid), "%d", v->pid);
	recorder = live_spawn_record(file, WORDS("-F", "997", "-d", "1200ms", "--max-depth", "2048", "-p", pid));
	for (int i = 0; i < STOPS; i++) {
		live_sleep_ms(200);
		stop_and_look(v);
	}
	assert_int_equal(live_wait(recorder, 60), 0);
	live_end(v->pid);

	recorded = live_read(file);
	each_stack_is_known(v);
	if (!expected->unseen)
		each_snapshot_was_recorded(v);
	print_message("%-20s %-10.10s %5zu stacks, complete %.2f %%; %zu frames equal to elfutils'\n",
		      name ? name + 1 : words[0], words[1] ? words[1] : "", v->stacks,
		      100.0 * v->stacks / (v->stacks + v->holes), v->frames);
	assert_true(v->stacks > 50);
	assert_true(v->often * 50 > v->stacks);
	assert_true(v->holes * 20 <= v->stacks);
	assert_true(v->frames > 0 || expected->unseen);
	dusk_profile_free(recorded);
	forget(v);
}

/* A stack in burn is at the bottom; one on the way is not. */
static void check_recursion(const char *victim, int depth)
{
	char all[256], often[64], number[16];

	if (access(live_victim(victim), X_OK)) {
		print_message("%s: no lld, not tried\n", victim);
		return;
	}
	snprintf(number, sizeof(number), "%d", depth);
	snprintf(often, sizeof(often), " compare recurse\\*%d burn$", depth);
	snprintf(all, sizeof(all), "^main" LIBC "%s|^main" LIBC "( compare( recurse(\\*[0-9]+)?)?)?$", often);
	check(WORDS(live_victim(victim), number), &(struct expected){all, often});
}

static void recursion_10_deep(void **state)
{
	check_recursion("recurse", 10);
}

static void recursion_60_deep(void **state)
{
	check_recursion("recurse", 60);
}

static void recursion_200_deep(void **state)
{
	check_recursion("recurse", 200);
}

static void recursion_1000_deep(void **state)
{
	check_recursion("recurse", 1000);
}

static void a_static_program_without_eh_frame_hdr(void **state)
{
	check_recursion("recurse_static", 60);
}

static void a_static_pie(void **state)
{
	check_recursion("recurse_static_pie", 60);
}

static void a_program_at_a_fixed_address(void **state)
{
	check_recursion("recurse_no_pie", 60);
}

static void tables_in_the_segment_of_the_code(void **state)
{
	check_recursion("recurse_one", 60);
	check_recursion("recurse_one_pie", 60);
}

/* The file's first segment, whose header says where the tables are, is 1 GiB below. */
static void a_segment_far_from_the_others(void **state)
{
	check_recursion("recurse_apart", 60);
}

static void a_program_with_2_MiB_pages(void **state)
{
	check_recursion("recurse_2m", 60);
}

static void programs_linked_by_lld(void **state)
{
	check_recursion("recurse_lld", 60);
	check_recursion("recurse_lld_2m", 60);
	check_recursion("recurse_lld_no_pie", 60);
}

static const struct expected stubs = {
	.all = "^main recurse\\*10 call_stubs( \\S+)?$|^main( recurse(\\*[0-9]+)?)?$",
	.often = " call_stubs \\S+$",
	.moves = true,
};

static void stubs_of_the_plt(void **state)
{
	check(WORDS(live_victim("stubs_lazy")), &stubs);
}

static void stubs_of_lld_which_have_no_cfi(void **state)
{
	if (access(live_victim("stubs_lld"), X_OK)) {
		print_message("no lld\n");
		skip();
	}
	check(WORDS(live_victim("stubs_lld")), &stubs);
}

/*
 * libgcc overwrites its own return address just before it leaves for the handler: there no caller can be known, and elfutils,
 * which believes CFI, goes astray.
 */
static void exceptions_that_fly_through_frames(void **state)
{
	static const struct expected expected = {
		.all = "^main( attempt( descend(\\*[0-9]+)?)?" LIBC ")?$",
		.often = "^main attempt descend(\\*[0-9]+)? \\S+",
		.hole = "^_Unwind_(RaiseException|Resume)\\S*( \\S+)?$",
		.moves = true,
	};

	check(WORDS(live_victim("throw")), &expected);
}

static void threads_of_different_depth(void **state)
{
	static const struct expected expected = {
		.all = "^(\\S+ )*work( recurse(\\*[1-8]0) burn|( recurse(\\*[0-9]+)?))?$|^main( "
		       "\\S*(pthread|futex)\\S*)*$",
		.often = " work recurse\\*[1-8]0 burn$",
	};

	check(WORDS(live_victim("threads")), &expected);
}

/* Thread tN has to be 10 N deep. */
static void each_thread_has_its_own_stack(void **state)
{
	const char *file = live_file("threads.dusk");
	pid_t victim = START(live_victim("threads"));
	char pid[16], often[64];
	size_t seen[9] = {0};

	snprintf(pid, sizeof(pid), "%d", victim);
	assert_int_equal(RECORD(file, "-F", "997", "-d", "1s", "-p", pid), 0);
	live_end(victim);
	_cleanup_profile_ p = live_read(file);

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];
		int number = atoi(p->threads[s->thread].comm + 1);
		char *sentence;

		sentence = live_sentence_at(p, s->node);
		snprintf(often, sizeof(often), " work recurse\\*%d0 burn$", number);
		if (live_matches(sentence, often))
			seen[number]++;
		else if (live_matches(sentence, " burn$"))
			fail_msg("the stack of another thread than t%d: %s", number, sentence);
		free(sentence);
	}
	for (int i = 1; i <= 8; i++)
		assert_true(seen[i] > 0);
}

/* Below the handler is the trampoline, and below that what was interrupted. */
static const struct expected signals = {
	.all = "^main( work(\\*[0-9]+)?)?( [^h]\\S*( handle)?)?$",
	.often = "^main work\\*[0-9]+ \\S+ handle$",
	.moves = true,
	.unseen = !TEST_VDSO_HAS_CFI,
};

static void signal_handlers_and_what_they_interrupted(void **state)
{
	check(WORDS(live_victim("signals"), "own"), &signals);
}

static void signal_handlers_on_another_stack(void **state)
{
	check(WORDS(live_victim("signals"), "alternate"), &signals);
}

static void a_library_that_was_opened(void **state)
{
	static const struct expected expected = {
		.all = "^main( use( plugin_run( plugin_step(\\*[2-6])?)?| plugin_run plugin_step\\*7( back( burn)?)?| "
		       "\\S+( \\S+)*)?)?$",
		.often = "^main use plugin_run plugin_step\\*7 back burn$",
	};

	check(WORDS(live_victim("dlopen"), live_victim("libplugin.so"), "stay"), &expected);
}

/* The start-up code that gcc and the C library add to each library has no CFI. */
static void a_library_that_comes_and_goes(void **state)
{
	static const struct expected expected = {
		.all = "^main( use" LIBC ")?$",
		.often = "^main use plugin_run plugin_step\\*7 ",
		.hole = "(_init|_fini|frame_dummy|__do_global_dtors_aux|(de)?register_tm_clones)$",
		.moves = true,
	};

	check(WORDS(live_victim("dlopen"), live_victim("libplugin.so"), "reopen"), &expected);
	if (!access(live_victim("libplugin_lld.so"), R_OK))
		check(WORDS(live_victim("dlopen"), live_victim("libplugin_lld.so"), "reopen"), &expected);
}

static void the_vdso(void **state)
{
	static const struct expected expected = {
		.all = "^main( recurse(\\*[2-9])?| recurse\\*10( ask( \\S+){0,2})?)?$",
		.often = "^main recurse\\*10 ask clock_gettime(\\*2| \\S+)$",
	};

	check(WORDS(live_victim("clock")), &expected);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recursion_10_deep),
		cmocka_unit_test(recursion_60_deep),
		cmocka_unit_test(recursion_200_deep),
		cmocka_unit_test(recursion_1000_deep),
		cmocka_unit_test(a_static_program_without_eh_frame_hdr),
		cmocka_unit_test(a_static_pie),
		cmocka_unit_test(a_program_at_a_fixed_address),
		cmocka_unit_test(tables_in_the_segment_of_the_code),
#ifdef __x86_64__
		cmocka_unit_test(a_segment_far_from_the_others),
#endif
		cmocka_unit_test(a_program_with_2_MiB_pages),
		cmocka_unit_test(programs_linked_by_lld),
		cmocka_unit_test(stubs_of_the_plt),
		cmocka_unit_test(stubs_of_lld_which_have_no_cfi),
		cmocka_unit_test(exceptions_that_fly_through_frames),
		cmocka_unit_test(threads_of_different_depth),
		cmocka_unit_test(each_thread_has_its_own_stack),
		cmocka_unit_test(signal_handlers_and_what_they_interrupted),
		cmocka_unit_test(signal_handlers_on_another_stack),
		cmocka_unit_test(a_library_that_was_opened),
		cmocka_unit_test(a_library_that_comes_and_goes),
		cmocka_unit_test(the_vdso),
	};

	return LIVE_MAIN(argc, argv, tests);
}
