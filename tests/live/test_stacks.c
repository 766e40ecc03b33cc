/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Are recorded stacks whole and true? Programs whose stacks are known are recorded, and
 *
 *	- each stack reaches the outermost frame,
 *	- its functions are those that the program's source allows, each as often as it says,
 *	- in between the program is stopped several times: there is a recorded stack that equals, but for the innermost
 *	  frame, what elfutils sees, and the innermost frames are in the same function; or, where the program never stands
 *	  twice at the same place, the frames outside main are the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "stopped.h"

#define STOPS 5
#define LIBC "( \\S+)*"		/* functions of the C library, which has few symbols */

struct place {
	const char *path;
	uint64_t offset;
};

struct snapshot {
	pid_t tid;
	size_t nr;
	struct place frame[MAX_LIVE_DEPTH];
};

struct victim {
	pid_t pid;
	const char *pattern;		/* of live_sentence() */
	const char *hole;		/* where the tables are wrong: stacks that may be incomplete or untrue, or NULL */
	bool moves;			/* it never stands twice at the same place */
	size_t nr_snapshots;
	struct snapshot snapshot[STOPS * 16];
	size_t stacks, holes, frames;	/* the result */
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
	if (snapshot->nr < 2) {		/* elfutils cannot leave a stub of lld */
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
	if (!strcmp(a->path, "[vdso]"))		/* offsets in it are those of the file that the kernel keeps */
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

	while (outside < s->nr && (!s->frame[s->nr - 1 - outside].name || strcmp(s->frame[s->nr - 1 - outside].name, "main")))
		outside++;
	return outside;
}

static bool agrees(const struct victim *v, const struct snapshot *b)
{
	size_t same = same_from_outside(&stack, b);

	if (v->moves)
		return same >= frames_outside_main(&stack);
	return stack.nr == b->nr && same >= stack.nr - 1 && b->frame[0].path && !strcmp(stack.frame[0].path, b->frame[0].path);
}

static void each_snapshot_was_recorded(struct victim *v)
{
	for (size_t i = 0; i < v->nr_snapshots; i++) {
		const struct snapshot *b = &v->snapshot[i];
		bool found = false, ran = false;

		for (uint64_t n = 0; n < recorded->nr_samples && !found; n++) {
			const struct dusk_sample *sample = &recorded->samples[n];

			if (recorded->threads[sample->thread].tid != b->tid || live_class(recorded, sample) != DUSK_COMPLETE)
				continue;
			ran = true;
			live_user_stack(recorded, sample->node, &stack);
			found = agrees(v, b);
		}
		if (ran && !found)
			fail_msg("no recorded stack of thread %d is the one that elfutils saw (%zu frames)", b->tid, b->nr);
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
	if (live_class(recorded, s) == DUSK_COMPLETE && live_matches(sentence, v->pattern))
		v->stacks += times;
	else if (v->hole && live_matches(sentence, v->hole))
		v->holes += times;
	else
		fail_msg("not a stack of this program (%s): %s", live_outcome(recorded, s), sentence);
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

static void check(const char *const *words, const char *pattern, const char *hole, bool moves)
{
	struct victim *v = calloc(1, sizeof(*v));
	const char *file = live_file("stacks.dusk"), *name = strrchr(words[0], '/');
	char pid[16];
	pid_t recorder;

	assert_non_null(v);
	*v = (struct victim){.pattern = pattern, .hole = hole, .moves = moves};
	v->pid = live_start(true, words);
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
	each_snapshot_was_recorded(v);
	print_message("%-20s %-10.10s %5zu stacks, complete %.2f %%; %zu frames equal to elfutils'\n", name ? name + 1 : words[0],
		      words[1] ? words[1] : "", v->stacks, 100.0 * v->stacks / (v->stacks + v->holes), v->frames);
	assert_true(v->stacks > 50);
	assert_true(v->holes * 20 <= v->stacks);
	assert_true(v->frames > 0);
	dusk_profile_free(recorded);
	forget(v);
}

/* Whoever is in burn is at the bottom; who is on the way is not. */
static void check_recursion(const char *victim, int depth)
{
	char pattern[256], number[16];

	if (access(live_victim(victim), X_OK)) {
		print_message("%s: no lld, not tried\n", victim);
		return;
	}
	snprintf(number, sizeof(number), "%d", depth);
	snprintf(pattern, sizeof(pattern), "^main" LIBC " compare recurse\\*%d burn$|^main" LIBC "( compare( recurse(\\*[0-9]+)?)?)?$",
		 depth);
	check(WORDS(live_victim(victim), number), pattern, NULL, false);
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

#define STUBS "^main recurse\\*10 call_stubs( \\S+)?$|^main( recurse(\\*[0-9]+)?)?$"

static void stubs_of_the_plt(void **state)
{
	check(WORDS(live_victim("stubs_lazy")), STUBS, NULL, true);
}

static void stubs_of_lld_which_have_no_cfi(void **state)
{
	if (access(live_victim("stubs_lld"), X_OK))
		skip();
	check(WORDS(live_victim("stubs_lld")), STUBS, NULL, true);
}

/* libgcc overwrites its own return address just before it leaves for the handler: there no unwinder can be right. */
static void exceptions_that_fly_through_frames(void **state)
{
	check(WORDS(live_victim("throw")), "^main( attempt( descend(\\*[0-9]+)?)?" LIBC ")?$",
	      "_Unwind_(RaiseException|Resume)\\S*( \\S+)?$", true);
}

static void threads_of_different_depth(void **state)
{
	check(WORDS(live_victim("threads")), "^(\\S+ )*work( recurse(\\*[1-8]0)?( burn)?|( recurse(\\*[0-9]+)?))?$", NULL, false);
}

#define SIGNALS "^main( work(\\*[0-9]+)?)?( \\S+( handle)?)?$"

static void signal_handlers_and_what_they_interrupted(void **state)
{
	check(WORDS(live_victim("signals"), "own"), SIGNALS, NULL, true);
}

static void signal_handlers_on_another_stack(void **state)
{
	check(WORDS(live_victim("signals"), "alternate"), SIGNALS, NULL, true);
}

#define PLUGIN "^main( use( plugin_run plugin_step(\\*[2-6])?| plugin_run plugin_step\\*7 back burn| \\S+( \\S+)*)?)?$"

static void a_library_that_was_opened(void **state)
{
	check(WORDS(live_victim("dlopen"), live_victim("libplugin.so"), "stay"), PLUGIN, NULL, false);
}

/* The start-up code that gcc and the C library add to each library has no CFI. */
static void a_library_that_comes_and_goes(void **state)
{
	check(WORDS(live_victim("dlopen"), live_victim("libplugin.so"), "reopen"), "^main( use" LIBC ")?$",
	      "(_init|_fini|frame_dummy|__do_global_dtors_aux|(de)?register_tm_clones)$", true);
}

static void the_vdso(void **state)
{
	check(WORDS(live_victim("clock")), "^main( recurse(\\*[2-9])?| recurse\\*10( ask( clock_gettime)?( \\S+)?)?)?$", NULL, false);
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
		cmocka_unit_test(a_program_with_2_MiB_pages),
		cmocka_unit_test(programs_linked_by_lld),
		cmocka_unit_test(stubs_of_the_plt),
		cmocka_unit_test(stubs_of_lld_which_have_no_cfi),
		cmocka_unit_test(exceptions_that_fly_through_frames),
		cmocka_unit_test(threads_of_different_depth),
		cmocka_unit_test(signal_handlers_and_what_they_interrupted),
		cmocka_unit_test(signal_handlers_on_another_stack),
		cmocka_unit_test(a_library_that_was_opened),
		cmocka_unit_test(a_library_that_comes_and_goes),
		cmocka_unit_test(the_vdso),
	};

	return LIVE_MAIN(argc, argv, tests);
}
