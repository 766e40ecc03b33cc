/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Frames of PHP in memory that is laid out as PHP does, or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/lang/php.h"
#include "port/port_buffer.h"

#define HEAP 0x7f0000000000ULL
#define HEAP_BYTES 0x10000
#define GLOBALS (HEAP + 0x100)
#define MODULES (HEAP + 0x900)
#define CURRENT (GLOBALS + 488)
#define PHP 7 /* the number of the module */
#define LOOP 0x4000
#define LOOP_BYTES 0x100
#define LOOP_FRAME (LOOP + 0x20)
#define JIT 0x5000
#define OTHER 0x9000
#define API_8_2 20220829
#define API_8_3 20230831
#define API_8_4 20240924
#define TOP (1 << 17)
#define OBJECT 8

static u8 heap[HEAP_BYTES];
static u64 used;
static struct walk w;
static u32 eight_four; /* the layout is that of 8.4 */

static void put(u64 addr, u64 val)
{
	memcpy(heap + (addr - HEAP), &val, sizeof(val));
}

static void put32(u64 addr, u32 val)
{
	memcpy(heap + (addr - HEAP), &val, sizeof(val));
}

static u64 room(u64 nr_bytes)
{
	u64 addr = used;

	used += (nr_bytes + 7) & ~7ULL;
	assert_true(used <= HEAP + HEAP_BYTES);
	return addr;
}

/* A zend_string, whose hash has been computed if @hash is not 0. */
static u64 text(const char *t, u64 hash)
{
	u64 addr = room(24 + strlen(t) + 1);

	put(addr + 8, hash);
	put(addr + 16, strlen(t));
	memcpy(heap + (addr - HEAP) + 24, t, strlen(t) + 1);
	return addr;
}

static u64 class(const char *name)
{
	u64 addr = room(64);

	put(addr + 8, text(name, 0));
	return addr;
}

/* Code with 4 operations, at lines @line to @line + 3. */
static void write_code(u64 addr, const char *name, u64 scope, const char *file, u32 line)
{
	u32 more = eight_four ? 16 : 0;
	u64 ops = room(4 * 32);

	for (u32 i = 0; i < 4; i++)
		put32(ops + 32 * i + 24, line + i);
	put32(addr, 2);
	put(addr + 8, name ? text(name, 0) : 0);
	put(addr + 16, scope);
	put32(addr + 80 + more, 4);
	put(addr + 88 + more, ops);
	put(addr + 152 + more, text(file, 0));
	put32(addr + 160 + more, line);
}

static u64 code(const char *name, u64 scope, const char *file, u32 line)
{
	u64 addr = room(256);

	write_code(addr, name, scope, file, line);
	return addr;
}

static u64 op(u64 of, u32 i)
{
	u64 ops;

	memcpy(&ops, heap + (of - HEAP) + (eight_four ? 104 : 88), sizeof(ops));
	return ops + 32 * i;
}

static u64 call_at(u64 function, u64 opline, u32 info, u64 previous)
{
	u64 addr = room(80);

	put(addr, opline);
	put(addr + 24, function);
	put32(addr + 40, info);
	put(addr + 48, previous);
	return addr;
}

/* A call of @function, which is at its operation @i. */
static u64 call(u64 function, u32 i, u32 info, u64 previous)
{
	return call_at(function, op(function, i), info, previous);
}

static u64 internal_call(u64 previous)
{
	u64 function = room(64);

	put32(function, 1);
	put(function + 8, text("usort", 0));
	return call_at(function, 0, TOP, previous);
}

static void begin(u32 is_8_4)
{
	memset(heap, 0, sizeof(heap));
	memset(&w, 0, sizeof(w));
	used = HEAP + 0x1000;
	eight_four = is_8_4;
	port_reset();
	port_map(HEAP, heap, HEAP_BYTES, (struct vma){0});
	w.max_depth = MAX_DEPTH;
	w.outcome = ENTRY_POINT;
	w.modules.runtime = LANGUAGE_PHP;
	w.lang.thread_pointer = 1;
	w.lang.space = 1;
	w.lang.runtime = (struct runtime){.loop = LOOP,
					  .loop_bytes = LOOP_BYTES,
					  .module = PHP,
					  .language = LANGUAGE_PHP,
					  .version = is_8_4,
					  .symbol[SYMBOL_PHP_GLOBALS] = GLOBALS,
					  .symbol[SYMBOL_PHP_MODULES] = MODULES};
}

/* Native frames from the innermost one outwards: of the loop, of a JIT, of another library, of PHP's other functions. */
static void natives(const char *kinds)
{
	for (; *kinds; kinds++)
		w.out.frame[w.out.nr++] = *kinds == 'l'	  ? frame_make(PHP, LOOP_FRAME, 1)
					  : *kinds == 'j' ? frame_make(0, JIT, 1)
					  : *kinds == 'x' ? frame_make(PHP + 1, OTHER, 1)
							  : frame_make(PHP, OTHER, 1);
}

static void run(u64 current)
{
	put(CURRENT, current);
	w.lang.lost = w.lang.nr_frames = 0;
	assert_true(lang_is_due(&w));
	for (u32 i = 0; i < LANG_TURNS; i++)
		if (lang_turn(i, &w) == STOP)
			break;
}

/* Frame @nr of the joined stack is of this function at this line. */
static void is_at(u32 nr, const char *name, const char *of, u32 line)
{
	u64 frame = w.out.frame[nr];
	const struct code_content *c;

	assert_true(nr < w.out.nr);
	assert_true(frame_is_code(frame));
	assert_int_equal(frame_language(frame), LANGUAGE_PHP);
	assert_int_equal(frame_position(frame), line);
	c = port_code(frame_code(frame));
	assert_non_null(c);
	assert_int_equal(c->line_table, LINES_ARE_POSITIONS);
	assert_int_equal(c->name.bytes, strlen(name));
	assert_memory_equal(c->name_text, name, strlen(name));
	assert_int_equal(c->table_bytes, strlen(of));
	assert_memory_equal(c->table, of, strlen(of));
}

static void is_native(u32 nr, u64 offset)
{
	assert_true(nr < w.out.nr);
	assert_int_equal(frame_offset(w.out.frame[nr]), offset);
}

static void write_module(u32 api, u32 flags)
{
	u64 buckets = room(64), module = room(168);

	put(MODULES + 16, buckets);
	put(buckets, module);
	put32(module, 168);
	put32(module + 4, api);
	put(module + 8, flags);
}

static void php__is_known_by_the_interface_of_its_modules(void **state)
{
	static const struct {
		u32 api, flags;
		int err;
		u32 version;
	} builds[] = {{API_8_2, 0, 0, 0},	   {API_8_4, 0, 0, 1},	       {API_8_3, 0, -ENOSYS, 0},
		      {API_8_2, 1, -ENOSYS, 0},	   {API_8_4, 256, -ENOSYS, 0}, {API_8_4 + 1, 0, -ENOSYS, 0},
		      {API_8_2 - 1, 0, -ENOSYS, 0}};

	(void)state;
	for (u32 i = 0; i < COUNT(builds); i++) {
		begin(0);
		write_module(builds[i].api, builds[i].flags);
		assert_int_equal(php_learn(&w), builds[i].err);
		if (!builds[i].err)
			assert_int_equal(w.lang.runtime.version, builds[i].version);
	}
}

static void php__that_has_no_modules_yet_is_not_refused(void **state)
{
	(void)state;
	begin(0);
	assert_int_equal(php_learn(&w), -EFAULT);
	put(MODULES + 16, HEAP + 8); /* a table that is empty */
	put(HEAP + 8, HEAP + 8);
	assert_int_equal(php_learn(&w), -EFAULT);
}

static void php__with_threads_is_refused(void **state)
{
	(void)state;
	begin(0);
	write_module(API_8_2, 0);
	w.lang.runtime.symbol[SYMBOL_PHP_GLOBALS] = 0;
	assert_int_equal(php_learn(&w), -ENOSYS);
}

/* {main} calls Shop::sell, which calls usort(), which calls a closure. */
static u64 write_calls(void)
{
	u64 main = code(NULL, 0, "/srv/app.php", 1), sell = code("sell", class("Shop"), "/srv/shop.php", 10);
	u64 closure = code("{closure}", 0, "/srv/shop.php", 20);
	u64 at = call(main, 2, TOP, 0);

	at = call(sell, 1, 0, at);
	at = internal_call(at);
	return call(closure, 3, TOP, at);
}

static void check_calls(void)
{
	assert_int_equal(w.lang.lost, 0);
	assert_int_equal(w.lang.nr_frames, 3);
	assert_int_equal(w.out.nr, 8);
	is_native(0, OTHER);
	is_at(1, "{closure}", "", 23);
	is_native(2, LOOP_FRAME);
	is_native(3, OTHER);
	is_at(4, "sell", "Shop", 11);
	is_at(5, "{main}", "", 3);
	is_native(6, LOOP_FRAME);
	is_native(7, OTHER);
}

static void php__frames_lie_above_the_loop_that_runs_them(void **state)
{
	(void)state;
	for (u32 is_8_4 = 0; is_8_4 < 2; is_8_4++) {
		begin(is_8_4);
		natives("ololo");
		run(write_calls());
		check_calls();
	}
}

static void php__steps_that_had_to_wait_are_done_again(void **state)
{
	(void)state;
	begin(0);
	natives("ololo");
	port_wait_for_pages(&w.modules);
	run(write_calls());
	assert_true(port_pages_waited_for() > 0);
	check_calls();
}

static void php__a_thread_without_the_loop_has_no_frames(void **state)
{
	(void)state;
	begin(0);
	natives("ooo");
	run(write_calls());
	assert_int_equal(w.out.nr, 3);
	assert_int_equal(w.lang.lost, 0);
}

static void php__a_cut_stack_has_no_frames_but_one_that_is_lost(void **state)
{
	(void)state;
	begin(0);
	natives("olo");
	w.outcome = NO_FDE;
	run(write_calls());
	assert_int_equal(w.out.nr, 3);
	assert_int_equal(w.lang.nr_frames, 0);
	assert_int_equal(w.lang.lost, 1);
}

static void php__the_callers_of_a_fiber_are_behind_its_stack(void **state)
{
	(void)state;
	begin(0);
	natives("olo");
	run(write_calls());
	assert_int_equal(w.lang.lost, 0);
	assert_int_equal(w.out.nr, 6);
	is_at(1, "{closure}", "", 23);
	is_native(2, LOOP_FRAME);
	is_native(3, OTHER);
	is_at(4, "sell", "Shop", 11);
	is_at(5, "{main}", "", 3);
}

static void php__code_of_its_jit_takes_the_place_of_the_loop(void **state)
{
	static const char *const stacks[] = {"ololo", "ojolo", "olojo", "ojojo"};

	(void)state;
	for (u32 i = 0; i < COUNT(stacks); i++) {
		begin(1);
		natives(stacks[i]);
		run(write_calls());
		assert_int_equal(w.lang.lost, 0);
		assert_int_equal(w.out.nr, 8);
		is_at(1, "{closure}", "", 23);
		is_native(2, stacks[i][1] == 'j' ? JIT : LOOP_FRAME);
		is_native(3, OTHER);
		is_at(4, "sell", "Shop", 11);
		is_at(5, "{main}", "", 3);
		is_native(6, stacks[i][3] == 'j' ? JIT : LOOP_FRAME);
	}
}

/* As that of PCRE, which a library has called. */
static void php__code_of_another_jit_does_not(void **state)
{
	(void)state;
	begin(1);
	natives("jxolo");
	run(write_calls());
	assert_int_equal(w.out.nr, 8);
	is_native(0, JIT);
	is_native(1, OTHER);
	is_native(2, OTHER);
	is_at(3, "{closure}", "", 23);
	is_native(4, LOOP_FRAME);
	is_native(5, OTHER);
	is_at(6, "sell", "Shop", 11);
}

static void php__code_outside_of_functions_has_no_name_but_the_program(void **state)
{
	u64 at;

	(void)state;
	begin(0);
	natives("l");
	at = call(code(NULL, 0, "/srv/app.php", 1), 2, TOP, 0);
	at = call(code(NULL, class("Shop"), "/srv/lib.php", 1), 0, 0, at); /* included by a method */
	run(at);
	is_at(0, "", "", 1);
	is_at(1, "{main}", "", 3);
}

static void php__a_frame_that_has_only_begun_has_no_line(void **state)
{
	u64 main, f;

	(void)state;
	begin(0);
	natives("l");
	main = code(NULL, 0, "/srv/app.php", 1);
	f = code("f", 0, "/srv/app.php", 30);
	run(call_at(f, op(main, 1), 0, call(main, 2, TOP, 0)));
	is_at(0, "f", "", FRAME_POSITION);
	assert_int_equal(port_code(frame_code(w.out.frame[0]))->first_line, 30);
}

static void php__an_exception_keeps_the_line_elsewhere(void **state)
{
	u64 f;

	(void)state;
	for (u32 is_8_4 = 0; is_8_4 < 2; is_8_4++) {
		begin(is_8_4);
		natives("l");
		f = code("f", 0, "/srv/app.php", 30);
		put(GLOBALS + (is_8_4 ? 952 : 880), op(f, 2));
		run(call_at(f, GLOBALS + (is_8_4 ? 960 : 888) + 32, TOP, 0));
		is_at(0, "f", "", 32);
	}
}

/* The caller has asked generator 0, which has 1 run, which has 2 run: only that one is in the loop. */
static void write_generators(u64 *generator, u64 *frame, u64 caller)
{
	static const char *const names[] = {"outer", "middle", "inner"};

	for (u32 i = 0; i < 3; i++) {
		generator[i] = room(300);
		frame[i] = call(code(names[i], 0, "/srv/app.php", 10 * (i + 1)), i, TOP, 0);
		put(frame[i] + 16, generator[i]);
		put(generator[i] + 56, frame[i]);
		if (i)
			put(generator[i - 1] + 152, generator[i]);
	}
	put(frame[2] + 48, generator[0] + 184);
	put(generator[0] + 184 + 32, generator[0]);
	put32(generator[0] + 184 + 40, OBJECT);
	put(generator[0] + 184 + 48, caller);
}

static void php__generators_that_wait_for_another_one_are_callers(void **state)
{
	u64 generator[3], frame[3];

	(void)state;
	begin(0);
	natives("olol");
	write_generators(generator, frame, call(code(NULL, 0, "/srv/app.php", 1), 2, TOP, 0));
	port_wait_for_pages(&w.modules);
	run(frame[2]);
	assert_int_equal(w.lang.lost, 0);
	assert_int_equal(w.out.nr, 8);
	is_at(1, "inner", "", 32);
	is_native(2, LOOP_FRAME);
	is_native(3, OTHER);
	is_at(4, "middle", "", 21);
	is_at(5, "outer", "", 10);
	is_at(6, "{main}", "", 3);
}

static void php__generators_that_do_not_lead_to_the_one_that_runs_are_a_loss(void **state)
{
	u64 generator[3], frame[3];

	(void)state;
	begin(0);
	natives("olol");
	write_generators(generator, frame, 0);
	put(generator[1] + 152, generator[0]); /* in a circle */
	run(frame[2]);
	assert_int_equal(w.lang.lost, 1);
	assert_int_equal(w.out.nr, 4);
}

static void php__other_code_at_the_same_address_has_another_number(void **state)
{
	u64 f, at, after;
	u32 before;

	(void)state;
	begin(0);
	f = code("f", 0, "/srv/app.php(12) : eval()'d code", 1);
	at = call(f, 0, TOP, 0);
	natives("l");
	run(at);
	before = frame_code(w.out.frame[0]);
	memcpy(&after, heap + (f - HEAP) + 152, sizeof(after)); /* the name of its file */
	heap[after + 24 - HEAP + 13] = '7';
	w.out.nr = 0;
	natives("l");
	run(at);
	is_at(0, "f", "", 1);
	assert_int_not_equal(frame_code(w.out.frame[0]), before);
	assert_memory_equal(port_code(frame_code(w.out.frame[0]))->file_text, "/srv/app.php(72)", 16);
}

static void php__long_names_are_cut(void **state)
{
	static char name[300];
	const struct code_content *c;

	(void)state;
	begin(0);
	memset(name, 'n', sizeof(name) - 1);
	natives("l");
	run(call(code(name, class(name), name, 1), 0, TOP, 0));
	c = port_code(frame_code(w.out.frame[0]));
	assert_non_null(c);
	assert_int_equal(c->name.bytes, 299);
	assert_int_equal(c->file.bytes, 299);
	assert_int_equal(c->table_bytes, 299);
	assert_memory_equal(c->name_text, name, 128);
	assert_memory_equal(c->file_text, name, 256);
	assert_memory_equal(c->table, name, 128);
	assert_int_equal(c->table[128], 0);
}

static void php__what_is_no_function_is_a_loss(void **state)
{
	u64 f;

	(void)state;
	begin(0);
	f = code("f", 0, "/srv/app.php", 1);
	put32(f, 3);
	natives("l");
	run(call(f, 0, TOP, 0));
	assert_int_equal(w.lang.lost, 1);
	assert_int_equal(w.out.nr, 1);
}

static void php__calls_in_a_circle_are_a_loss(void **state)
{
	u64 at;

	(void)state;
	begin(0);
	at = call(code("f", 0, "/srv/app.php", 1), 0, 0, 0);
	put(at + 48, at);
	natives("l");
	run(at);
	assert_int_equal(w.lang.lost, 1);
	assert_int_equal(w.out.nr, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(php__is_known_by_the_interface_of_its_modules),
		cmocka_unit_test(php__that_has_no_modules_yet_is_not_refused),
		cmocka_unit_test(php__with_threads_is_refused),
		cmocka_unit_test(php__frames_lie_above_the_loop_that_runs_them),
		cmocka_unit_test(php__steps_that_had_to_wait_are_done_again),
		cmocka_unit_test(php__a_thread_without_the_loop_has_no_frames),
		cmocka_unit_test(php__a_cut_stack_has_no_frames_but_one_that_is_lost),
		cmocka_unit_test(php__the_callers_of_a_fiber_are_behind_its_stack),
		cmocka_unit_test(php__code_of_its_jit_takes_the_place_of_the_loop),
		cmocka_unit_test(php__code_of_another_jit_does_not),
		cmocka_unit_test(php__code_outside_of_functions_has_no_name_but_the_program),
		cmocka_unit_test(php__a_frame_that_has_only_begun_has_no_line),
		cmocka_unit_test(php__an_exception_keeps_the_line_elsewhere),
		cmocka_unit_test(php__generators_that_wait_for_another_one_are_callers),
		cmocka_unit_test(php__generators_that_do_not_lead_to_the_one_that_runs_are_a_loss),
		cmocka_unit_test(php__other_code_at_the_same_address_has_another_number),
		cmocka_unit_test(php__long_names_are_cut),
		cmocka_unit_test(php__what_is_no_function_is_a_loss),
		cmocka_unit_test(php__calls_in_a_circle_are_a_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
