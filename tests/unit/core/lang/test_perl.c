/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Frames of Perl in memory that is laid out as Perl does, or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/lang/perl.h"
#include "port/port_buffer.h"

#define HEAP 0x7f0000000000ULL
#define HEAP_BYTES 0x10000
#define KEY (HEAP + 0x40)
#define VERSION (HEAP + 0x80)
#define THREAD (HEAP + 0x100)
#define INTERPRETER (HEAP + 0x800)
#define FILE_NAME "/srv/app.pl"
#define PERL 7 /* the number of the module */
#define LOOP 0x4000
#define LOOP_BYTES 0x100
#define LOOP_FRAME (LOOP + 0x20)
#define OTHER 0x9000

enum { MAIN = 1, SORT = 3, OVERLOAD = 5, MULTICALL = 10 };
enum { BLOCK = 2, SUB = 9, EVAL = 11 };
enum { EVAL_BLOCK = 64, TRY = 128, PATTERN = 128 };
enum { NAMED = 1 << 15, LEXICAL = 1 << 16 };
enum { NULLED = 0, STATEMENT = 195, SCOPE = 200, CALL = 186 };
enum { HAS_SIBLING = 1 << 14, HAS_PARTS = 4 << 16 };

static u8 heap[HEAP_BYTES];
static u64 used, file, stack, contexts;
static u32 nr_contexts;
static struct walk w;

static void put(u64 addr, u64 val)
{
	memcpy(heap + (addr - HEAP), &val, sizeof(val));
}

static void put32(u64 addr, u32 val)
{
	memcpy(heap + (addr - HEAP), &val, sizeof(val));
}

static u64 word(u64 addr)
{
	u64 val;

	memcpy(&val, heap + (addr - HEAP), sizeof(val));
	return val;
}

static u64 room(u64 nr_bytes)
{
	u64 addr = used;

	used += (nr_bytes + 7) & ~7ULL;
	assert_true(used <= HEAP + HEAP_BYTES);
	return addr;
}

static u64 string(const char *t)
{
	u64 addr = room(strlen(t) + 1);

	memcpy(heap + (addr - HEAP), t, strlen(t) + 1);
	return addr;
}

/* A shared text, with a hash of it. */
static u64 text(const char *t)
{
	u64 addr = room(8 + strlen(t) + 2);
	u32 hash = 0;

	for (const char *c = t; *c; c++)
		hash = hash * 33 + (u8)*c;
	put32(addr, hash);
	put32(addr + 4, strlen(t));
	memcpy(heap + (addr - HEAP) + 8, t, strlen(t) + 1);
	return addr;
}

static u64 package(const char *name)
{
	u64 addr = room(24), body = room(72);

	put(addr, body);
	put32(addr + 12, 12 | 0x02000000);
	put(body + 32, text(name));
	return addr;
}

/* A package with a second name, as one that is also in another place. */
static u64 package_with_names(const char *name, const char *other)
{
	u64 addr = package(name), body = word(addr), names = room(16);

	put(names, word(body + 32));
	put(names + 8, text(other));
	put(body + 32, names);
	put32(body + 32 + 28, 2);
	return addr;
}

static u64 object_sub(u64 name, u64 of, u32 flags)
{
	u64 addr = room(24), body = room(104);

	put(addr, body);
	put32(addr + 12, 13);
	put(body + 32, of);
	put(body + 56, name);
	put32(body + 92, flags);
	put32(body + 96, 1);
	return addr;
}

static u64 sub(const char *name, const char *of)
{
	return object_sub(text(name), package(of), NAMED);
}

static u64 glob(const char *name, u64 of)
{
	u64 addr = room(24), body = room(48), parts = room(64);

	put(addr, body);
	put(addr + 16, parts);
	put(body + 32, text(name));
	put(body + 40, of);
	put(parts + 56, addr);
	return addr;
}

static u64 statement(u32 line)
{
	u64 addr = room(88);

	put32(addr + 32, STATEMENT);
	put32(addr + 36, line);
	put(addr + 48, file);
	return addr;
}

static u64 begin_stack(u32 kind)
{
	u64 addr = room(72);

	put(addr + 8, contexts = room(16 * 104));
	put(addr + 16, stack);
	put32(addr + 32, ~0U);
	put32(addr + 44, kind);
	put(INTERPRETER + 224, addr);
	nr_contexts = 0;
	return stack = addr;
}

/* A context that was begun at statement @at, and returns to operation @next. */
static u64 enter(u32 kind, u64 at, u64 next)
{
	u64 addr = contexts + 104ULL * nr_contexts++;

	put32(stack + 32, nr_contexts - 1);
	heap[addr - HEAP] = kind;
	put(addr + 16, at);
	put(addr + 48, next);
	return addr;
}

static void call(u64 of, u32 line, u64 next)
{
	put(enter(SUB, statement(line), next) + 72, of);
}

static void at_line(u32 line)
{
	put(INTERPRETER + 208, statement(line));
}

static void begin(void)
{
	memset(heap, 0, sizeof(heap));
	memset(&w, 0, sizeof(w));
	used = HEAP + 0x1000;
	stack = 0;
	port_reset();
	port_map(HEAP, heap, HEAP_BYTES, (struct vma){0});
	w.max_depth = MAX_DEPTH;
	w.outcome = ENTRY_POINT;
	w.modules.runtime = LANGUAGE_PERL;
	w.lang.thread_pointer = THREAD;
	w.lang.space = 1;
	w.lang.runtime = (struct runtime){.loop = LOOP,
					  .loop_bytes = LOOP_BYTES,
					  .module = PERL,
					  .language = LANGUAGE_PERL,
					  .version = 36,
					  .symbol[SYMBOL_PERL_KEY] = KEY,
					  .symbol[SYMBOL_PERL_VERSION] = VERSION};
	put32(KEY, 2);
	put(THREAD + 0x310 + 2 * 16 + 8, INTERPRETER);
	put(INTERPRETER + 8, HEAP + 8); /* some operation */
	file = string(FILE_NAME);
}

/* The program itself, which is at @line. */
static void begin_program(u32 line)
{
	begin();
	begin_stack(MAIN);
	enter(BLOCK, 0, 0);
	at_line(line);
}

/* Native frames from the innermost one outwards: of the loop, of another library, of Perl's other functions. */
static void natives(const char *kinds)
{
	w.out.nr = 0;
	for (; *kinds; kinds++)
		w.out.frame[w.out.nr++] = *kinds == 'l'	  ? frame_make(PERL, LOOP_FRAME, 1)
					  : *kinds == 'x' ? frame_make(PERL + 1, OTHER, 1)
							  : frame_make(PERL, OTHER, 1);
}

static void run(void)
{
	w.lang.lost = w.lang.nr_frames = 0;
	assert_true(lang_is_due(&w));
	for (u32 i = 0; i < LANG_TURNS; i++)
		if (lang_turn(i, &w) == STOP)
			break;
}

/* Frame @nr of the joined stack is of this sub at this line. */
static void is_at(u32 nr, const char *name, const char *of, u32 line)
{
	u64 frame = w.out.frame[nr];
	const struct code_content *c;

	assert_true(nr < w.out.nr);
	assert_true(frame_is_code(frame));
	assert_int_equal(frame_language(frame), LANGUAGE_PERL);
	assert_int_equal(frame_position(frame), line);
	c = port_code(frame_code(frame));
	assert_non_null(c);
	assert_int_equal(c->line_table, LINES_ARE_POSITIONS);
	assert_int_equal(c->name.bytes, strlen(name));
	assert_memory_equal(c->name_text, name, strlen(name));
	assert_int_equal(c->table_bytes, strlen(of));
	assert_memory_equal(c->table, of, strlen(of));
	assert_string_equal((const char *)c->file_text, FILE_NAME);
}

static void is_native(u32 nr, u64 offset)
{
	assert_true(nr < w.out.nr);
	assert_int_equal(frame_offset(w.out.frame[nr]), offset);
}

static void stays_native(u32 nr)
{
	assert_int_equal(w.lang.lost, 1);
	assert_int_equal(w.out.nr, nr);
}

static void perl__is_known_by_its_version(void **state)
{
	(void)state;
	begin();
	for (u32 version = 0; version < 256; version++) {
		heap[VERSION - HEAP] = version;
		assert_int_equal(perl_learn(&w), version == 36 || version == 40 || version == 42 ? 0 : -ENOSYS);
	}
	heap[VERSION - HEAP] = 36;
	w.lang.runtime.symbol[SYMBOL_PERL_KEY] = 0; /* without threads */
	assert_int_equal(perl_learn(&w), -ENOSYS);
}

/* The program calls Shop::sell, which runs "text" by an operator, in which a closure is called. */
static void write_calls(void)
{
	begin_program(33);
	call(sub("sell", "Shop"), 3, HEAP + 8);
	enter(BLOCK, statement(10), HEAP + 8);
	begin_stack(OVERLOAD);
	call(object_sub(glob("text", package_with_names("Text", "Alias")), 0, 0), 11, 0);
	call(sub("__ANON__", "main"), 22, HEAP + 8);
}

static void check_calls(void)
{
	assert_int_equal(w.lang.lost, 0);
	assert_int_equal(w.lang.nr_frames, 4);
	assert_int_equal(w.out.nr, 10);
	is_native(0, OTHER);
	is_at(1, "__ANON__", "main", 33);
	is_at(2, "text", "Text", 22);
	is_native(3, LOOP_FRAME);
	is_native(4, OTHER);
	is_native(5, OTHER);
	is_at(6, "sell", "Shop", 11);
	is_at(7, "(main)", "", 3);
	is_native(8, LOOP_FRAME);
	is_native(9, OTHER);
}

static void perl__frames_lie_above_the_loop_that_runs_them(void **state)
{
	(void)state;
	write_calls();
	natives("oloolo");
	run();
	check_calls();
}

static void perl__steps_that_had_to_wait_are_done_again(void **state)
{
	(void)state;
	write_calls();
	natives("oloolo");
	port_wait_for_pages(&w.modules);
	run();
	assert_true(port_pages_waited_for() > 0);
	check_calls();
}

static void perl__a_thread_without_the_loop_has_no_frames(void **state)
{
	(void)state;
	write_calls();
	natives("ooo");
	run();
	assert_int_equal(w.out.nr, 3);
	assert_int_equal(w.lang.lost, 0);
}

static void perl__a_cut_stack_is_lost(void **state)
{
	(void)state;
	write_calls();
	natives("olo");
	w.outcome = NO_FDE;
	run();
	stays_native(3);
}

static void perl__a_thread_that_has_no_interpreter_is_lost(void **state)
{
	(void)state;
	write_calls();
	put(THREAD + 0x310 + 2 * 16 + 8, 0);
	natives("oloolo");
	run();
	stays_native(6);
	write_calls();
	put32(KEY, 32);
	natives("oloolo");
	run();
	stays_native(6);
}

/* Exceptions are caught by a loop that the loop calls, with one function in between. */
static void perl__a_loop_that_catches_exceptions_is_no_run(void **state)
{
	(void)state;
	write_calls();
	natives("ololoolo");
	run();
	assert_int_equal(w.lang.lost, 0);
	assert_int_equal(w.out.nr, 12);
	is_native(1, LOOP_FRAME);
	is_at(3, "__ANON__", "main", 33);
	is_at(4, "text", "Text", 22);
	is_native(5, LOOP_FRAME);
	is_at(8, "sell", "Shop", 11);
}

static void perl__evals_are_frames_as_caller_has_them(void **state)
{
	(void)state;
	begin_program(9);
	enter(EVAL | EVAL_BLOCK, statement(1), HEAP + 8);
	enter(EVAL | EVAL_BLOCK | TRY, statement(2), HEAP + 8); /* of try */
	put(enter(EVAL, statement(3), HEAP + 8) + 64, HEAP);	/* a file */
	enter(EVAL, statement(4), HEAP + 8);
	put(enter(SUB | PATTERN, statement(5), HEAP + 8) + 72, HEAP);
	natives("olo");
	run();
	is_at(1, "(eval)", "", 9);
	is_at(2, "(require)", "", 4);
	is_at(3, "(eval)", "", 3);
	is_at(4, "(main)", "", 1);
	assert_int_equal(w.out.nr, 7);
}

/* What C calls so that it may fail is within an eval, which belongs to the same run. */
static void perl__an_eval_around_what_c_calls_is_of_its_run(void **state)
{
	(void)state;
	begin();
	begin_stack(MAIN); /* the program itself is not there yet */
	enter(EVAL | EVAL_BLOCK, statement(2), 0);
	call(sub("BEGIN", "main"), 3, 0);
	at_line(4);
	natives("oloo");
	run();
	assert_int_equal(w.lang.lost, 0);
	is_at(1, "BEGIN", "main", 4);
	is_at(2, "(eval)", "", 3);
	is_native(3, LOOP_FRAME);
	assert_int_equal(w.out.nr, 6);
}

static void perl__the_block_of_a_sort_is_a_run_without_a_sub(void **state)
{
	(void)state;
	begin_program(9);
	call(sub("sorts", "main"), 1, HEAP + 8);
	begin_stack(SORT);
	enter(BLOCK, statement(2), 0);
	natives("oloolo");
	run();
	is_native(1, LOOP_FRAME);
	is_at(4, "sorts", "main", 9);
	is_at(5, "(main)", "", 1);
	call(sub("compared", "main"), 5, HEAP + 8);
	natives("oloolo");
	run();
	is_at(1, "compared", "main", 9);
	is_native(2, LOOP_FRAME);
	is_at(5, "sorts", "main", 5);
}

/* Between two runs, what a sort calls is not called. */
static void perl__a_sort_that_runs_nothing_has_no_frames(void **state)
{
	static const u32 kinds[] = {SORT, MULTICALL};

	(void)state;
	for (u32 i = 0; i < COUNT(kinds); i++) {
		begin_program(9);
		call(sub("sorts", "main"), 1, HEAP + 8);
		begin_stack(kinds[i]);
		call(sub("by_name", "main"), 2, 0);
		put(INTERPRETER + 8, 0);
		natives("oolo");
		run();
		assert_int_equal(w.lang.lost, 0);
		is_at(2, "sorts", "main", 2);
		is_at(3, "(main)", "", 1);
		assert_int_equal(w.out.nr, 6);
	}
}

static void perl__a_sub_that_has_only_begun_has_no_frame(void **state)
{
	u64 before = 0;

	(void)state;
	for (u32 i = 0; i < 3; i++) { /* the context has what another one had there before */
		begin_program(9);
		call(sub("sells", "main"), 1, HEAP + 8);
		before = sub("before", "main");
		put32(word(before) + 96, 0);
		call(i == 0 ? before : i == 1 ? HEAP + 8 : 16, 2, HEAP + 8);
		natives("olo");
		run();
		assert_int_equal(w.lang.lost, 0);
		is_at(1, "sells", "main", 9);
		is_at(2, "(main)", "", 1);
	}
}

static void perl__the_run_of_a_sub_may_not_have_begun(void **state)
{
	(void)state;
	begin_program(9);
	begin_stack(OVERLOAD);
	call(sub("text", "Text"), 1, 0);
	natives("oolo");
	run();
	assert_int_equal(w.lang.lost, 0);
	is_at(0, "text", "Text", 9);
	is_native(1, OTHER);
	is_at(3, "(main)", "", 1);
	begin_stack(OVERLOAD);
	call(sub("text", "Text"), 1, 0);
	natives("oolo");
	run();
	stays_native(4);
}

static u64 operation(u32 kind, u64 parts, u64 next, u32 more)
{
	u64 addr = room(48);

	put(addr, next);
	put32(addr + 32, kind | (parts ? HAS_PARTS : 0) | more);
	put(addr + 40, parts);
	return addr;
}

static void set_sibling(u64 op, u64 sibling, bool is_part)
{
	put(op + 8, sibling);
	if (!is_part)
		put32(op + 32, (u32)word(op + 32) | HAS_SIBLING);
}

/* An if with one statement: the operations of line 5 are in a scope, and its beginning was turned into nothing. */
static u64 write_if(u64 first, u64 *inner, u64 *scope)
{
	u64 nulled = statement(5), call, condition, root;

	put32(nulled + 32, NULLED);
	put(nulled + 24, STATEMENT);
	call = operation(CALL, 0, HEAP + 16, 0);
	set_sibling(nulled, call, false);
	*scope = operation(SCOPE, nulled, HEAP + 16, 0);
	set_sibling(call, *scope, true);
	condition = operation(CALL, operation(CALL, 0, HEAP + 24, 0), HEAP + 24, 0);
	set_sibling(word(condition + 40), condition, true);
	set_sibling(condition, *scope, false);
	root = operation(CALL, condition, HEAP + 32, 0);
	set_sibling(*scope, root, true);
	set_sibling(first, root, false);
	set_sibling(root, statement(99), false);
	*inner = call;
	return word(condition + 40);
}

static void perl__a_statement_alone_in_its_block_has_its_own_line(void **state)
{
	u64 first, inner, scope, condition;

	(void)state;
	begin_program(4);
	first = word(INTERPRETER + 208);
	condition = write_if(first, &inner, &scope);
	natives("olo");
	put(INTERPRETER + 8, inner);
	run();
	is_at(1, "(main)", "", 5);
	natives("olo");
	put(INTERPRETER + 8, condition);
	run();
	is_at(1, "(main)", "", 4);
	natives("olo");
	put(INTERPRETER + 8, HEAP + 64); /* not there */
	run();
	is_at(1, "(main)", "", 4);
	put(INTERPRETER + 8, HEAP + 64);
	put(enter(SUB, first, HEAP + 16) + 72, sub("f", "main")); /* returns behind the call on line 5 */
	at_line(7);
	natives("olo");
	run();
	is_at(1, "f", "main", 7);
	is_at(2, "(main)", "", 5);
}

static void perl__operations_in_a_circle_end(void **state)
{
	u64 first, op;

	(void)state;
	begin_program(4);
	first = word(INTERPRETER + 208);
	op = operation(CALL, HEAP + 8, 0, 0);
	put(op + 40, op);
	set_sibling(first, op, false);
	natives("olo");
	run();
	is_at(1, "(main)", "", 4);
	put32(op + 32, CALL | HAS_SIBLING);
	set_sibling(op, op, false);
	natives("olo");
	run();
	is_at(1, "(main)", "", 4);
	set_sibling(first, 16, false); /* no memory */
	natives("olo");
	run();
	is_at(1, "(main)", "", 4);
}

static void perl__other_code_at_the_same_address_has_another_number(void **state)
{
	u64 name;
	u32 before;

	(void)state;
	begin_program(9);
	call(sub("f1", "main"), 1, HEAP + 8);
	natives("olo");
	run();
	before = frame_code(w.out.frame[1]);
	name = word(word(word(contexts + 104 + 72)) + 56);
	heap[name - HEAP + 9] = '2';
	put32(name, 12345);
	natives("olo");
	run();
	is_at(1, "f2", "main", 9);
	assert_int_not_equal(frame_code(w.out.frame[1]), before);
	before = frame_code(w.out.frame[1]);
	heap[file - HEAP + 5] = 'b';
	natives("olo");
	run();
	assert_int_not_equal(frame_code(w.out.frame[1]), before);
	assert_string_equal((const char *)port_code(frame_code(w.out.frame[1]))->file_text, "/srv/bpp.pl");
}

static void perl__long_names_are_cut(void **state)
{
	static char name[300];
	const struct code_content *c;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	begin_program(9);
	file = string(name);
	at_line(0xfffff);
	call(sub(name, name), 1, HEAP + 8);
	natives("olo");
	run();
	c = port_code(frame_code(w.out.frame[1]));
	assert_non_null(c);
	assert_int_equal(frame_position(w.out.frame[1]), FRAME_POSITION);
	assert_int_equal(c->name.bytes, 299);
	assert_true(c->file.bytes > 256);
	assert_int_equal(c->table_bytes, 299);
	assert_memory_equal(c->name_text, name, 128);
	assert_memory_equal(c->file_text, name, 256);
	assert_memory_equal(c->table, name, 128);
	assert_int_equal(c->table[128], 0);
}

static void perl__a_file_name_may_be_the_last_thing_that_is_mapped(void **state)
{
	(void)state;
	begin_program(9);
	used = HEAP + HEAP_BYTES - sizeof(FILE_NAME) - 4;
	memcpy(heap + HEAP_BYTES - sizeof(FILE_NAME), FILE_NAME, sizeof(FILE_NAME));
	put(word(INTERPRETER + 208) + 48, HEAP + HEAP_BYTES - sizeof(FILE_NAME));
	natives("olo");
	run();
	is_at(1, "(main)", "", 9);
}

static void perl__sizes_that_cannot_be_are_a_loss(void **state)
{
	(void)state;
	begin_program(9);
	put32(stack + 32, 1 << 30);
	natives("olo");
	run();
	stays_native(3);
	begin_program(9);
	put(stack + 8, 0);
	natives("olo");
	run();
	stays_native(3);
	begin_program(9);
	call(sub("f", "main"), 1, HEAP + 8);
	call(sub("g", "main"), 2, HEAP + 8);
	put(word(word(contexts + 104 + 72)) + 56, 0x10); /* its name is nowhere */
	natives("olo");
	run();
	stays_native(3);
}

static void perl__stacks_in_a_circle_are_a_loss(void **state)
{
	(void)state;
	begin_program(9);
	begin_stack(OVERLOAD);
	put(stack + 16, stack);
	natives("olo");
	run();
	stays_native(3);
	call(sub("f", "main"), 1, HEAP + 8);
	natives("olo");
	run();
	stays_native(3);
}

static void perl__stacks_that_lead_nowhere_are_a_loss(void **state)
{
	(void)state;
	begin_program(9);
	begin_stack(OVERLOAD);
	call(sub("f", "main"), 1, 0);
	put(stack + 16, 0x10);
	natives("olo");
	run();
	stays_native(3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perl__is_known_by_its_version),
		cmocka_unit_test(perl__frames_lie_above_the_loop_that_runs_them),
		cmocka_unit_test(perl__steps_that_had_to_wait_are_done_again),
		cmocka_unit_test(perl__a_thread_without_the_loop_has_no_frames),
		cmocka_unit_test(perl__a_cut_stack_is_lost),
		cmocka_unit_test(perl__a_thread_that_has_no_interpreter_is_lost),
		cmocka_unit_test(perl__a_loop_that_catches_exceptions_is_no_run),
		cmocka_unit_test(perl__evals_are_frames_as_caller_has_them),
		cmocka_unit_test(perl__an_eval_around_what_c_calls_is_of_its_run),
		cmocka_unit_test(perl__the_block_of_a_sort_is_a_run_without_a_sub),
		cmocka_unit_test(perl__a_sort_that_runs_nothing_has_no_frames),
		cmocka_unit_test(perl__a_sub_that_has_only_begun_has_no_frame),
		cmocka_unit_test(perl__the_run_of_a_sub_may_not_have_begun),
		cmocka_unit_test(perl__a_statement_alone_in_its_block_has_its_own_line),
		cmocka_unit_test(perl__operations_in_a_circle_end),
		cmocka_unit_test(perl__other_code_at_the_same_address_has_another_number),
		cmocka_unit_test(perl__long_names_are_cut),
		cmocka_unit_test(perl__a_file_name_may_be_the_last_thing_that_is_mapped),
		cmocka_unit_test(perl__sizes_that_cannot_be_are_a_loss),
		cmocka_unit_test(perl__stacks_in_a_circle_are_a_loss),
		cmocka_unit_test(perl__stacks_that_lead_nowhere_are_a_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
