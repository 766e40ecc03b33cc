/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does the table of code get room, and does no number come back while it may be known? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <bpf/bpf.h>
#include <stdlib.h>
#include <unistd.h>
#include "abi/code.h"
#include "core/lang/code.h"
#include "lib/unwinder/code_generations.h"

#define NR_CODES 64
#define NEARLY_FULL (NR_CODES / 4 * 3)

static struct registry *r;
static int codes = -1;
static u64 kept;

static int set_up(void **state)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);

	(void)state;
	free(r);
	if (codes >= 0)
		close(codes);
	r = calloc(1, sizeof(*r));
	kept = 0;
	codes = bpf_map_create(BPF_MAP_TYPE_HASH, "codes", sizeof(u32), sizeof(struct code_content), NR_CODES, &opts);
	return r ? 0 : -1;
}

#define NEED_MAP()              \
	do {                    \
		if (codes < 0)  \
			skip(); \
	} while (0)

/* Add @nr pieces of code, as the kernel side does. Returns the first one's number. */
static u32 add(u32 nr)
{
	static const struct code_content content = {.language = LANGUAGE_PYTHON};
	u32 first = code_number(kept + 1, 0, r->code_generation);

	for (u32 i = 0; i < nr; i++) {
		u32 number = code_number(++kept, 0, r->code_generation);

		assert_int_equal(bpf_map_update_elem(codes, &number, &content, BPF_NOEXIST), 0);
	}
	return first;
}

static bool is_kept(u32 number)
{
	struct code_content c;

	return !bpf_map_lookup_elem(codes, &number, &c);
}

static void at_second(u32 now_s)
{
	assert_int_equal(code_generations_keep(r, codes, kept, now_s), 0);
}

static void code_generations__begin_when_there_is_little_room(void **state)
{
	(void)state;
	NEED_MAP();
	add(NEARLY_FULL - 1);
	at_second(1000);
	assert_int_equal(r->code_generation, 0);
	add(1);
	at_second(1001);
	assert_int_equal(r->code_generation, 1);
	at_second(1002);
	assert_int_equal(r->code_generation, 1);
}

static void code_generations__keep_code_of_the_one_before(void **state)
{
	u32 old, new;

	(void)state;
	NEED_MAP();
	old = add(NEARLY_FULL);
	at_second(1000);
	at_second(1100);
	assert_true(is_kept(old));
	new = add(4);
	at_second(1000 + CODE_GENERATION_S - 1);
	assert_int_equal(r->code_generation, 1);
	at_second(1000 + CODE_GENERATION_S);
	assert_int_equal(r->code_generation, 2);
	assert_true(is_kept(old)); /* by walks that began before */
	at_second(1000 + CODE_GENERATION_S + 10);
	assert_false(is_kept(old));
	assert_true(is_kept(new));
	assert_int_equal(r->codes_gone, NEARLY_FULL);
}

static void code_generations__give_a_number_again_after_all_others(void **state)
{
	u32 now = 1000, first, turns = 0;

	(void)state;
	NEED_MAP();
	first = add(1);
	for (u32 i = 0; i < 2 * CODE_GENERATIONS && (!turns || r->code_generation % CODE_GENERATIONS); i++, turns++) {
		u32 live = kept - r->codes_gone;

		add(live < NEARLY_FULL ? NEARLY_FULL - live : 0);
		at_second(now);
		assert_true(code_is_of_use(code_number(kept, 0, r->code_generation - 1), r->code_generation));
		assert_false(code_is_of_use(code_number(kept, 0, r->code_generation - 2), r->code_generation));
		at_second(now + 10);
		now += CODE_GENERATION_S;
	}
	assert_int_equal(turns, CODE_GENERATIONS);
	assert_false(is_kept(first));
	assert_int_equal(code_generation(code_number(1, 0, r->code_generation)), code_generation(first));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(code_generations__begin_when_there_is_little_room, set_up),
		cmocka_unit_test_setup(code_generations__keep_code_of_the_one_before, set_up),
		cmocka_unit_test_setup(code_generations__give_a_number_again_after_all_others, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
