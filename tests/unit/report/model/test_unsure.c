/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is a complete stack said to be unsure where the frame pointer alone led on from interrupted code? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "report/model/completeness.h"
#include "report/model/unsure.h"

enum { FILE_MODULE = 1, ANON_MODULE, KERNEL_MODULE, SOURCE_MODULE };

static struct dusk_module modules[] = {
	{0},
	{.kind = DUSK_MODULE_FILE},
	{.kind = DUSK_MODULE_ANON},
	{.kind = DUSK_MODULE_KERNEL},
	{.kind = DUSK_MODULE_SOURCE},
};

static struct dusk_frame frames[] = {
	{0},
	{.module = FILE_MODULE, .is_return = true, .method = DUSK_BY_CFI},
	{.module = FILE_MODULE, .is_return = true, .method = DUSK_BY_FRAME_POINTER},
	{.module = FILE_MODULE, .method = DUSK_BY_FRAME_POINTER},
	{.module = FILE_MODULE, .method = DUSK_BY_CODE},
	{.module = ANON_MODULE, .method = DUSK_BY_FRAME_POINTER},
	{.module = KERNEL_MODULE},
	{.module = SOURCE_MODULE, .is_return = true},
};

/* The frames of a stack, outermost first, and whether it is unsure. */
static const struct {
	uint32_t frame[3];
	bool unsure;
} stacks[] = {
	{{1, 2, 3}, true},  /* interrupted, and left by the frame pointer */
	{{1, 2, 4}, false}, /* by its code */
	{{1, 1, 2}, false}, /* a return address */
	{{3, 0, 0}, false}, /* the outermost one is not left */
	{{1, 3, 6}, true},  /* it has called the kernel */
	{{1, 3, 1}, true},  /* a signal has interrupted it */
	{{1, 2, 5}, true},  /* JIT code */
	{{1, 7, 5}, false}, /* ... that is read by other means */
};

#define NR (sizeof(stacks) / sizeof(*stacks))

static struct dusk_node nodes[1 + 3 * NR];

static struct dusk_profile profile(void)
{
	return (struct dusk_profile){
		.modules = modules,
		.nr_modules = sizeof(modules) / sizeof(*modules),
		.frames = frames,
		.nr_frames = sizeof(frames) / sizeof(*frames),
		.nodes = nodes,
		.nr_nodes = sizeof(nodes) / sizeof(*nodes),
	};
}

/* Node 3 * i + 1 is the outermost one of stack i. Returns the innermost. */
static uint32_t fill(size_t i)
{
	uint32_t node = 0;

	for (uint32_t k = 0; k < 3 && stacks[i].frame[k]; k++) {
		uint32_t next = 3 * i + 1 + k;

		nodes[next] = (struct dusk_node){.parent = node, .frame = stacks[i].frame[k]};
		node = next;
	}
	return node;
}

static void unsure__is_what_the_frame_pointer_alone_led_on_from(void **state)
{
	uint32_t leaf[NR];
	struct dusk_profile p = profile();
	bool *unsure;

	(void)state;
	for (size_t i = 0; i < NR; i++)
		leaf[i] = fill(i);
	unsure = unsure_nodes(&p);
	for (size_t i = 0; i < NR; i++)
		assert_int_equal(unsure[leaf[i]], stacks[i].unsure);
	free(unsure);
}

static void unsure__complete_samples_are_counted(void **state)
{
	struct dusk_outcome outcomes[] = {{.name = "a", .kind = DUSK_COMPLETE}, {.name = "b", .kind = DUSK_CUT}};
	struct dusk_sample samples[] = {
		{.node = fill(0), .count = 3, .outcome = 0},
		{.node = fill(0), .count = 5, .outcome = 1}, /* cut is said anyway */
		{.node = fill(1), .count = 7, .outcome = 0},
	};
	struct dusk_profile p = profile();
	struct completeness l;
	char text[UNSURE_TEXT_BYTES];

	(void)state;
	p.outcomes = outcomes;
	p.nr_outcomes = 2;
	p.samples = samples;
	p.nr_samples = 3;
	assert_int_equal(completeness_of(&l, &p, DUSK_CPU), 0);
	assert_int_equal(l.complete, 10);
	assert_int_equal(l.unsure, 3);
	assert_string_equal(unsure_text(text, &l), " (3 of them unsure)");
	completeness_done(&l);
}

/* The words of <dusk/stackmap.h>: module, return bit, method, offset. */
static void unsure__words_say_the_same_of_frames(void **state)
{
	const uint64_t exact = 5ULL << 48 | 3ULL << 44 | 0x10, returns = exact | 1ULL << 47,
		       caller = 5ULL << 48 | 1ULL << 47 | 1ULL << 44;
	const uint64_t anon = 0x7f0000001000, code = 0xfffeULL << 48;

	(void)state;
	assert_true(unsure_frames((uint64_t[]){exact, caller}, 2));
	assert_false(unsure_frames((uint64_t[]){exact}, 1));
	assert_false(unsure_frames((uint64_t[]){returns, caller}, 2));
	assert_false(unsure_frames((uint64_t[]){caller & ~(1ULL << 47), caller}, 2));
	assert_true(unsure_frames((uint64_t[]){anon, caller}, 2));
	assert_false(unsure_frames((uint64_t[]){anon, code, caller}, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unsure__is_what_the_frame_pointer_alone_led_on_from),
		cmocka_unit_test(unsure__complete_samples_are_counted),
		cmocka_unit_test(unsure__words_say_the_same_of_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
