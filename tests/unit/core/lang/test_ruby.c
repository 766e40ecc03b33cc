/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Frames of Ruby in memory that is laid out as Ruby does, or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/lang/ruby.h"
#include "port/port_buffer.h"

#define HEAP 0x7f0000000000ULL
#define HEAP_BYTES 0x10000
#define VERSION (HEAP + 0x40)
#define THREAD (HEAP + 0x100)
#define DTV (HEAP + 0x200)
#define STORAGE (HEAP + 0x300)
#define CONTEXT (HEAP + 0x400)
#define RUBY_THREAD (HEAP + 0x500)
#define VM_STACK (HEAP + 0x1000)
#define VM_STACK_BYTES 0x1000
#define STACK 0x7ffff0000000ULL
#define STACK_BYTES 0x1000
#define FILE_NAME "/srv/app/a_longer_path_than_fits.rb"
#define GUARD 0x123456789abcdef0ULL
#define IN_LOOP 0x5555
#define IN_OTHER 0x6666
#define IN_BASE 0x7777
#define RUBY 7 /* the number of the module */
#define LOOP 0x4000

enum { METHOD = 0x11110003, BLOCK = 0x22220001, IN_C = 0x55550083, DUMMY = 0x79990021, FINISH = 0x20 };

static u8 heap[HEAP_BYTES], stack[STACK_BYTES];
static u64 used, frames, sp;
static struct walk w;
static u32 is_3_3;

static u8 *byte(u64 addr)
{
	return addr >= STACK ? stack + (addr - STACK) : heap + (addr - HEAP);
}

static void put(u64 addr, u64 val)
{
	memcpy(byte(addr), &val, sizeof(val));
}

static void put32(u64 addr, u32 val)
{
	memcpy(byte(addr), &val, sizeof(val));
}

static u64 word(u64 addr)
{
	u64 val;

	memcpy(&val, byte(addr), sizeof(val));
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
	u64 addr = room(40), bytes = strlen(t), text;

	put(addr, 5);
	if (bytes <= (is_3_3 ? 15 : 23)) {
		put(addr, is_3_3 ? 5 : 5 | bytes << 14);
		put(addr + 16, bytes);
		memcpy(byte(addr + (is_3_3 ? 24 : 16)), t, bytes + 1);
		return addr;
	}
	text = room(bytes + 1);
	memcpy(byte(text), t, bytes + 1);
	put(addr, 5 | 1 << 13);
	put(addr + 16, bytes);
	put(addr + 24, text);
	return addr;
}

/* Code with @nr entries, at lines @line on, which begin with each other instruction. */
static u64 code(const char *name, u64 path, u32 line, u32 nr)
{
	u64 addr = room(40), body = room(200), entries = room(nr * 12), index = room(48 + 80 * 4);
	u32 info = is_3_3 ? 112 : 120;

	put(addr, 0x701a);
	put(addr + 16, body);
	put32(body + 4, 2 * nr);
	put(body + 8, room(16 * nr));
	put(body + 64, path);
	put(body + 80, string(name));
	put(body + 88, is_3_3 ? line : 2 * line + 1);
	put(body + info, entries);
	put32(body + info + 16, nr);
	put(body + info + 24, index);
	for (u32 i = 0; i < nr; i++)
		put32(entries + 12 * i, line + i);
	for (u32 i = 0; i < 54; i++) /* how many there are up to this one */
		put(index + i / 9 * 8, word(index + i / 9 * 8) | (u64)(i / 2 + 1) << i % 9 * 7);
	for (u32 i = 54, rank = 27; i < 2 * nr; i++) {
		u32 at = (i - 54) % 512;
		u64 block = index + 48 + (i - 54) / 512 * 80, ranks = word(block + 8);

		if (!at)
			put32(block, rank);
		if (at % 64 == 0 && at)
			put(block + 8, ranks | (u64)(rank - (u32)word(block)) << (at / 64 - 1) * 9);
		if (i % 2 == 0) {
			put(block + 16 + at / 64 * 8, word(block + 16 + at / 64 * 8) | 1ULL << at % 64);
			rank++;
		}
	}
	return addr;
}

static u64 path(void)
{
	u64 array = room(40), elements = room(16);

	put(array, 7);
	put(array + 32, elements);
	put(elements, string(FILE_NAME));
	put(elements + 8, string("/srv/elsewhere"));
	return array;
}

static u64 frame_bytes(void)
{
	return is_3_3 ? 56 : 64;
}

/* A call of @of, which is behind its instruction @i. */
static void call(u64 of, u32 i, u32 flags)
{
	u64 environment = room(8);

	put(environment, flags);
	frames -= frame_bytes();
	put(frames, of ? word(word(of + 16) + 8) + 8 * (u64)(i + 1) : 0);
	put(frames + 16, of);
	put(frames + 32, environment);
	put(CONTEXT + 16, frames);
}

/* A tag of the function that has its stack pointer @bytes below it. The native frame of what that has called lies below. */
static void tag(u64 addr, u64 bytes, u64 pc)
{
	u64 previous = word(CONTEXT + 24), at = addr - bytes;

	if (is_3_3) {
		at ^= GUARD;
		put(addr + 64, at << 17 | at >> 47);
		put(addr + 72, pc);
		put(addr + 216, previous);
	} else {
		put(addr + 24, pc);
		put(addr + 32, at);
		put(addr + 56, previous);
	}
	put(CONTEXT + 24, addr);
}

static void begin(u32 version)
{
	memset(heap, 0, sizeof(heap));
	memset(stack, 0, sizeof(stack));
	memset(&w, 0, sizeof(w));
	used = HEAP + 0x3000;
	is_3_3 = version;
	port_reset();
	port_map(HEAP, heap, HEAP_BYTES, (struct vma){0});
	port_map(STACK, stack, STACK_BYTES, (struct vma){0});
	w.max_depth = MAX_DEPTH;
	w.outcome = ENTRY_POINT;
	w.sp = sp = STACK;
	w.modules.runtime = LANGUAGE_RUBY;
	w.lang.thread_pointer = THREAD;
	w.lang.space = 1;
	w.lang.runtime = (struct runtime){
		.language = LANGUAGE_RUBY, .version = version, .module = RUBY, .symbol[SYMBOL_RUBY_VERSION] = VERSION};
	put(THREAD + 8, DTV);
	put(THREAD + 0x30, GUARD);
	put(DTV + 16, STORAGE);
	put(STORAGE, STACK); /* something else */
	put(STORAGE + 8, CONTEXT);
	put(CONTEXT, VM_STACK);
	put(CONTEXT + 8, VM_STACK_BYTES / 8);
	put(CONTEXT + 48, RUBY_THREAD);
	put(RUBY_THREAD + (is_3_3 ? 48 : 40), CONTEXT);
	frames = VM_STACK + VM_STACK_BYTES;
	call(0, 0, DUMMY);
}

/* Native frames with 32 words each, from the innermost one outwards. */
static void natives(u32 nr)
{
	for (w.out.nr = 0; w.out.nr < nr; w.out.nr++) {
		w.out.frame[w.out.nr] = frame_make(RUBY, LOOP + 16 * w.out.nr, 1);
		w.sp_words[w.out.nr] = 32 * w.out.nr;
	}
}

static u64 sp_of(u32 native)
{
	return STACK + 256ULL * native;
}

static void run(void)
{
	w.lang.lost = w.lang.nr_frames = 0;
	assert_true(lang_is_due(&w));
	for (u32 i = 0; i < LANG_TURNS; i++)
		if (lang_turn(i, &w) == STOP)
			break;
}

static void is_at(u32 nr, const char *name, u32 line)
{
	u64 frame = w.out.frame[nr];
	const struct code_content *c;

	assert_true(nr < w.out.nr);
	assert_true(frame_is_code(frame));
	assert_int_equal(frame_language(frame), LANGUAGE_RUBY);
	assert_int_equal(frame_position(frame), line);
	c = port_code(frame_code(frame));
	assert_non_null(c);
	assert_int_equal(c->line_table, LINES_ARE_POSITIONS);
	assert_int_equal(c->name.bytes, strlen(name));
	assert_string_equal((const char *)c->name_text, name);
	assert_string_equal((const char *)c->file_text, FILE_NAME);
}

static void is_native(u32 nr, u32 native)
{
	assert_true(nr < w.out.nr);
	assert_int_equal(frame_offset(w.out.frame[nr]), LOOP + 16 * native);
}

static void stays_native(u32 nr)
{
	assert_int_equal(w.lang.lost, 1);
	assert_int_equal(w.out.nr, nr);
}

static void ruby__is_known_by_its_version(void **state)
{
	(void)state;
	begin(0);
	for (u32 major = 2; major < 5; major++)
		for (u32 minor = 0; minor < 8; minor++) {
			bool known = major == 3 && (minor == 1 || minor == 3);

			put32(VERSION, major);
			put32(VERSION + 4, minor);
			assert_int_equal(ruby_learn(&w), known ? 0 : -ENOSYS);
			if (known)
				assert_int_equal(w.lang.runtime.version, minor == 3);
		}
}

/* <main> calls "sell", which calls each() in C, which runs a block. Native frames 1 and 4 run instructions, 2 and 5 are vm_exec(). */
static void write_calls(void)
{
	u64 file = path();

	call(code("<main>", file, 1, 4), 2, 0x77770001 | FINISH);
	call(code("sell", file, 10, 40), 70, METHOD);
	call(0, 0, IN_C);
	call(code("block in sell, which has a long name", file, 20, 400), 750, BLOCK | FINISH);
	tag(sp_of(6) + 0x80, 0x80, IN_BASE);
	tag(sp_of(5) + 0x80, 0x80, IN_LOOP);
	tag(sp_of(3) + 0x40, 0x40, IN_OTHER);
	tag(sp_of(2) + 0x80, 0x80, IN_LOOP);
}

static void check_calls(void)
{
	assert_int_equal(w.lang.lost, 0);
	assert_int_equal(w.lang.nr_frames, 3);
	assert_int_equal(w.out.nr, 11);
	is_native(0, 0);
	is_at(1, "block in sell, which has a long name", 20 + 375);
	is_native(2, 1);
	is_native(3, 2);
	is_native(4, 3);
	is_at(5, "sell", 10 + 35);
	is_at(6, "<main>", 2);
	is_native(7, 4);
	is_native(10, 7);
}

static void ruby__frames_lie_above_the_loop_that_runs_them(void **state)
{
	(void)state;
	for (u32 version = 0; version < 2; version++) {
		begin(version);
		write_calls();
		natives(8);
		run();
		check_calls();
		assert_int_equal(w.lang.runtime.loop, IN_LOOP);
		natives(8);
		run();
		check_calls();
	}
}

static void ruby__steps_that_had_to_wait_are_done_again(void **state)
{
	(void)state;
	begin(0);
	write_calls();
	natives(8);
	port_wait_for_pages(&w.modules);
	run();
	assert_true(port_pages_waited_for() > 0);
	check_calls();
}

static void ruby__a_thread_without_a_context_has_no_frames(void **state)
{
	(void)state;
	begin(0);
	write_calls();
	put(STORAGE + 8, 0);
	natives(8);
	run();
	assert_int_equal(w.out.nr, 8);
	assert_int_equal(w.lang.lost, 0);
	put(STORAGE + 8, CONTEXT);
	put(RUBY_THREAD + 40, CONTEXT + 8); /* of a thread that has another one */
	natives(8);
	run();
	assert_int_equal(w.out.nr, 8);
	put(RUBY_THREAD + 40, CONTEXT);
	put(CONTEXT + 16, VM_STACK + VM_STACK_BYTES + 64);
	natives(8);
	run();
	assert_int_equal(w.out.nr, 8);
}

static void ruby__a_run_may_not_have_its_tag_yet(void **state)
{
	(void)state;
	begin(0);
	write_calls();
	natives(8);
	run();
	call(code("new", path(), 30, 4), 0, METHOD | FINISH);
	natives(8);
	run();
	assert_int_equal(w.lang.lost, 0);
	is_at(0, "new", 30);
	is_native(1, 0);
	is_at(2, "block in sell, which has a long name", 20 + 375);
	is_native(3, 1);
}

static void ruby__a_tag_may_have_its_run_no_longer(void **state)
{
	(void)state;
	begin(0);
	write_calls();
	natives(8);
	run();
	tag(sp_of(0) + 0x80, 0x80, IN_LOOP);
	natives(8);
	run();
	check_calls();
}

static void ruby__tags_of_no_loop_are_a_loss(void **state)
{
	(void)state;
	begin(0);
	write_calls();
	put(CONTEXT + 24, 0x10);
	natives(8);
	run();
	stays_native(8);
	put(CONTEXT + 24, sp_of(5) + 0x80);
	put(word(CONTEXT + 24) + 56, word(CONTEXT + 24)); /* in a circle */
	natives(8);
	run();
	stays_native(8);
}

static void ruby__other_code_at_the_same_address_has_another_number(void **state)
{
	u32 before;
	u64 of, text;

	(void)state;
	begin(0);
	of = code("f1", path(), 1, 4);
	call(of, 0, METHOD | FINISH);
	tag(sp_of(4), 0x80, IN_BASE);
	tag(sp_of(3), 0x80, IN_LOOP);
	natives(5);
	run();
	before = frame_code(w.out.frame[2]);
	is_at(2, "f1", 1);
	text = word(word(of + 16) + 80) + 16;
	*byte(text + 1) = '2';
	natives(5);
	run();
	is_at(2, "f2", 1);
	assert_int_not_equal(frame_code(w.out.frame[2]), before);
}

static void ruby__what_is_no_code_is_a_loss(void **state)
{
	u64 of;

	(void)state;
	for (u32 i = 0; i < 3; i++) {
		begin(0);
		of = code("f", path(), 1, 4);
		call(of, 0, METHOD | FINISH);
		if (i == 0)
			put(of, 0x1a);
		if (i == 1)
			put(word(of + 16) + 80, of);
		if (i == 2)
			put(of + 16, 8);
		natives(5);
		run();
		stays_native(5);
	}
}

static void ruby__places_outside_of_the_code_have_no_line(void **state)
{
	u64 of;

	(void)state;
	begin(0);
	of = code("f", path(), 1, 4);
	call(of, 5000, METHOD | FINISH);
	tag(sp_of(4), 0x80, IN_BASE);
	tag(sp_of(3), 0x80, IN_LOOP);
	natives(5);
	run();
	is_at(2, "f", 0);
	put32(word(of + 16) + 120 + 16, 0); /* no entries */
	call(of, 1, METHOD);
	natives(5);
	run();
	is_at(2, "f", 0);
	put32(word(of + 16) + 120 + 16, 2);
	put(word(word(of + 16) + 120 + 24), ~0ULL); /* more than there are */
	natives(5);
	run();
	is_at(2, "f", 0);
}

static void ruby__long_names_are_cut(void **state)
{
	static char name[300];
	const struct code_content *c;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	begin(1);
	call(code(name, string(name), 1, 4), 0, METHOD | FINISH);
	tag(sp_of(4), 0x80, IN_BASE);
	tag(sp_of(3), 0x80, IN_LOOP);
	natives(5);
	run();
	c = port_code(frame_code(w.out.frame[2]));
	assert_non_null(c);
	assert_int_equal(c->name.bytes, 299);
	assert_int_equal(c->file.bytes, 299);
	assert_memory_equal(c->name_text, name, 128);
	assert_memory_equal(c->file_text, name, 256);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ruby__is_known_by_its_version),
		cmocka_unit_test(ruby__frames_lie_above_the_loop_that_runs_them),
		cmocka_unit_test(ruby__steps_that_had_to_wait_are_done_again),
		cmocka_unit_test(ruby__a_thread_without_a_context_has_no_frames),
		cmocka_unit_test(ruby__a_run_may_not_have_its_tag_yet),
		cmocka_unit_test(ruby__a_tag_may_have_its_run_no_longer),
		cmocka_unit_test(ruby__tags_of_no_loop_are_a_loss),
		cmocka_unit_test(ruby__other_code_at_the_same_address_has_another_number),
		cmocka_unit_test(ruby__what_is_no_code_is_a_loss),
		cmocka_unit_test(ruby__places_outside_of_the_code_have_no_line),
		cmocka_unit_test(ruby__long_names_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
