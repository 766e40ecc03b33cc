/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Are frames of CPython read and named right, and does hostile memory in their place leave the native stack whole? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "abi/frame.h"
#include "port/fake_python.h"
#include "port/port_buffer.h"

#define WILD 0x123456789000ULL
#define EXAMPLE "0 g:3 f:2 1 2 main:1 3 4"
#define NATIVE "0 1 2 3 4"

static struct fake_python p;
static struct walk w;

/* What comes next begins a page. */
static void take_page(struct writer *heap)
{
	seek(heap, (here(heap) | (PAGE_BYTES - 1)) + 1);
}

/* Map what was made, and walk 5 native frames. */
static const char *walked(void)
{
	port_reset();
	python_map(&p);
	python_begin_walk(&p, &w, 5, UNDEFINED_RA);
	python_walk(&w);
	return python_words(&p, &w);
}

static const char *walked_again(void)
{
	python_walk_again(&w, 5);
	return python_words(&p, &w);
}

/* The frames could not be read, and the native stack is as it was. */
static void assert_lost(const char *words)
{
	assert_string_equal(words, NATIVE);
	assert_int_equal(w.lang.lost, 1);
	assert_int_equal(w.lang.nr_frames, 0);
	assert_int_equal(w.outcome, UNDEFINED_RA);
}

static void python__frames_of_each_version_are_found(void **state)
{
	for (u32 minor = 11; minor <= 14; minor++) {
		python_example(&p, minor);
		assert_string_equal(walked(), EXAMPLE);
		assert_int_equal(w.lang.nr_frames, 3);
		assert_false(w.lang.lost || w.lang.refused || w.modules.unexamined);
		assert_int_equal(w.modules.runtime, LANGUAGE_PYTHON);
		assert_int_equal(w.lang.thread, p.thread);
		assert_string_equal(walked_again(), EXAMPLE);
	}
}

static void python__frames_of_c_may_have_either_owner(void **state)
{
	python_example(&p, 14);
	python_set(&p, p.run + p.at.owner, 4, 1);
	assert_string_equal(walked(), EXAMPLE);
}

static void python__code_is_kept_as_it_is(void **state)
{
	for (u32 minor = 11; minor <= 14; minor++) {
		const struct code_content *c;

		python_example(&p, minor);
		walked();
		c = port_code(frame_code(w.out.frame[1]));
		assert_non_null(c);
		assert_int_equal(c->language, LANGUAGE_PYTHON);
		assert_int_equal(c->line_table, LINES_PYTHON_3_11);
		assert_int_equal(c->first_line, 102);
		assert_int_equal(c->file.bytes, 11);
		assert_memory_equal(c->file_text, "/srv/app.py", 12);
		assert_int_equal(c->table_bytes, 8);
		assert_memory_equal(c->table, ((u8[]){2, 7, 12, 17, 22, 27, 32, 37}), 8);
		assert_int_equal(c->next, 0);
	}
}

static void python__characters_may_have_1_2_or_4_bytes(void **state)
{
	for (u32 minor = 11; minor <= 14; minor++) {
		for (u32 width = 1; width <= 4; width *= 2) {
			const struct code_content *c;
			u64 code;

			python_init(&p, minor);
			python_add_thread(&p, p.interpreter, PYTHON_TP);
			python_run(&p, 0);
			code = python_simple_code(&p, "f");
			python_set(&p, code + p.at.name, python_text(&p, width == 1 ? "na\xefve" : "naive", width), 8);
			python_call(&p, code, 0);
			walked();
			c = port_code(frame_code(w.out.frame[0]));
			assert_non_null(c);
			assert_int_equal(c->name.bytes, 5 * width);
			assert_int_equal(c->name.width, width);
			assert_int_equal(c->name_text[4 * width], 'e');
			assert_int_equal(c->name_text[2 * width], width == 1 ? 0xef : 'i');
			assert_int_equal(c->name_text[5 * width], 0);
		}
	}
}

static void python__long_names_are_cut_at_their_end(void **state)
{
	const struct code_content *c;
	char name[301] = {0}, file[1001] = {0};

	memset(name, 'n', 300);
	memset(file, 'f', 1000);
	python_init(&p, 12);
	python_add_thread(&p, p.interpreter, PYTHON_TP);
	python_run(&p, 0);
	python_call(&p, python_add_code(&p, name, file, 8), 0);
	walked();
	c = port_code(frame_code(w.out.frame[0]));
	assert_int_equal(c->name.bytes, 300);
	assert_int_equal(c->file.bytes, 1000);
	assert_memory_equal(c->name_text, name, sizeof(c->name_text));
	assert_memory_equal(c->file_text, file, sizeof(c->file_text));
}

static void python__lengths_without_bounds_are_harmless(void **state)
{
	for (u32 minor = 11; minor <= 14; minor++) {
		const struct code_content *c;
		u64 code, text, table;

		python_init(&p, minor);
		python_add_thread(&p, p.interpreter, PYTHON_TP);
		python_run(&p, 0);
		text = python_text(&p, "f", 1);
		table = python_bytes(&p, "", 0);
		python_set(&p, text + 16, 1ULL << 60, 8);
		python_set(&p, table + 16, 1ULL << 60, 8);
		code = python_simple_code(&p, "f");
		python_set(&p, code + p.at.name, text, 8);
		python_set(&p, code + p.at.file, text, 8);
		python_set(&p, code + p.at.lines, table, 8);
		python_call(&p, code, 0);
		walked();
		c = port_code(frame_code(w.out.frame[0]));
		assert_non_null(c);
		assert_int_equal(c->name.bytes, 0xffff / 4);
		assert_int_equal(c->name_text[0], 'f');
		assert_int_equal(c->table_bytes, MAX_TABLE_BYTES);
		python_set(&p, table + 16, -1, 8); /* and a length that is negative */
		python_set(&p, text + 16, -1, 8);
		assert_string_not_equal(walked(), NATIVE);
	}
}

static void python__long_tables_are_kept_in_pieces(void **state)
{
	static const u32 bytes[] = {0, 1, 1023, 1024, 1025, 3000, 65535, 70000};

	for (u32 i = 0; i < COUNT(bytes); i++) {
		u32 left = bytes[i] < MAX_TABLE_BYTES ? bytes[i] : MAX_TABLE_BYTES, number;

		python_init(&p, 12);
		python_add_thread(&p, p.interpreter, PYTHON_TP);
		python_run(&p, 0);
		python_call(&p, python_add_code(&p, "f", "x.py", bytes[i]), 0);
		assert_string_equal(walked(), "f:0 0 1 2 3 4");
		number = frame_code(w.out.frame[0]);
		for (u32 from = 0; number; from += sizeof(((struct code_content *)0)->table)) {
			const struct code_content *c = port_code(number);

			assert_non_null(c);
			assert_int_equal(c->table_bytes, left);
			assert_int_equal(c->language, from ? LANGUAGE_NONE : LANGUAGE_PYTHON);
			for (u32 k = 0; k < sizeof(c->table) && k < left; k++)
				assert_int_equal(c->table[k], ((from + k) * 5 + (from + k) / 1024) & 0xff);
			left -= left < sizeof(c->table) ? left : sizeof(c->table);
			number = c->next;
		}
		assert_int_equal(left, 0);
	}
}

static void python__positions_are_of_instructions(void **state)
{
	static const u64 offsets[] = {0,    2,	  2 * 1000, 2 * (FRAME_POSITION - 1ULL), 2 * (u64)FRAME_POSITION,
				      WILD, -2ULL};
	static const u32 expected[] = {0, 1, 1000, FRAME_POSITION - 1, FRAME_POSITION, FRAME_POSITION, FRAME_POSITION};

	for (u32 i = 0; i < COUNT(offsets); i++) {
		u64 code;

		python_init(&p, 13);
		python_add_thread(&p, p.interpreter, PYTHON_TP);
		code = python_simple_code(&p, "f");
		python_run(&p, 0);
		python_set(&p, python_call(&p, code, 0) + p.at.instruction, code + p.at.instructions + offsets[i], 8);
		walked();
		assert_int_equal(frame_position(w.out.frame[0]), expected[i]);
	}
}

/* After the walk, @p.thread is one that other threads lie before and behind, in the middle one of three interpreters. */
static void many_threads(u32 minor, u32 nr)
{
	u64 second;

	python_init(&p, minor);
	for (u32 i = 0; i < nr; i++)
		python_add_thread(&p, p.interpreter, i + 1);
	second = python_add_interpreter(&p);
	python_add_interpreter(&p);
	for (u32 i = 0; i < nr; i++)
		python_add_thread(&p, second, i + 1000);
	python_add_thread(&p, second, PYTHON_TP);
	python_run(&p, 2);
	python_call(&p, python_simple_code(&p, "f"), 0);
	for (u32 i = 0, frame = 0; i < nr; i++, frame++) {
		u64 thread = p.thread;

		python_add_thread(&p, second, i + 2000);
		p.thread = thread;
	}
}

static void python__the_thread_is_found_among_many(void **state)
{
	static const u32 nr[] = {1, 15, 16, 17, 400};

	for (u32 minor = 11; minor <= 14; minor++)
		for (u32 i = 0; i < COUNT(nr); i++) {
			many_threads(minor, nr[i]);
			assert_string_equal(walked(), "0 1 f:0 2 3 4");
			assert_int_equal(w.lang.thread, p.thread);
		}
}

static void python__a_thread_that_is_known_is_not_searched_for(void **state)
{
	u32 reads;

	many_threads(12, 400);
	walked();
	port_fail_read(0, 0, false);
	assert_string_equal(walked_again(), "0 1 f:0 2 3 4");
	reads = port_reads();
	assert_in_range(reads, 1, 10);
}

static void python__a_thread_without_python_has_native_frames(void **state)
{
	for (u32 minor = 11; minor <= 14; minor++) {
		many_threads(minor, 3);
		python_set(&p, p.thread + p.at.thread_id, 77, 8);
		assert_string_equal(walked(), NATIVE);
		assert_int_equal(w.lang.lost, 0);
		assert_int_equal(w.lang.thread, 0);
		python_init(&p, minor); /* no thread at all */
		assert_string_equal(walked(), NATIVE);
		assert_int_equal(w.lang.lost, 0);
		python_set(&p, p.runtime + p.at.interpreters, 0, 8); /* nor an interpreter */
		assert_string_equal(walked(), NATIVE);
		assert_int_equal(w.lang.lost, 0);
	}
}

static void python__what_was_known_of_a_thread_is_checked(void **state)
{
	static const u64 stale[] = {8, WILD, ~0ULL, 1ULL << 63, PYTHON_BASE + PYTHON_BYTES - 64};

	for (u32 minor = 11; minor <= 14; minor++) {
		python_example(&p, minor);
		walked();
		for (u32 i = 0; i < COUNT(stale); i++) {
			w.lang.thread = stale[i];
			assert_string_equal(walked_again(), EXAMPLE);
			assert_int_equal(w.lang.thread, p.thread);
			assert_int_equal(w.lang.lost, 0);
		}
	}
}

/*
 * A thread of C that calls Python now and then has a state for each such call (PyGILState_Ensure()). What was known is
 * freed, but nothing has been written there since: it has the thread's id, and no frame.
 */
static void python__a_state_that_was_freed_is_not_believed(void **state)
{
	for (u32 minor = 11; minor <= 14; minor++) {
		python_example(&p, minor);
		w.lang.thread = 0;
		walked();
		w.lang.thread = python_add_thread(&p, p.interpreter, PYTHON_TP);
		python_set(&p, p.interpreter + p.at.threads, 0, 8);
		python_add_thread(&p, p.interpreter, PYTHON_TP);
		python_run(&p, 2);
		python_call(&p, python_simple_code(&p, "callback"), 0);
		assert_string_equal(walked_again(), "0 1 callback:0 2 3 4");
		assert_int_equal(w.lang.thread, p.thread);
		assert_int_equal(w.lang.lost, 0);
	}
}

static void python__a_loop_of_threads_ends(void **state)
{
	many_threads(12, 20);
	python_set(&p, p.thread + p.at.thread_id, 77, 8);
	python_set(&p, p.thread + p.at.next_thread, p.thread, 8);
	assert_string_equal(walked(), NATIVE);
	many_threads(12, 20);
	python_set(&p, p.thread + p.at.thread_id, 77, 8);
	python_set(&p, p.interpreter + p.at.next_interpreter, p.interpreter, 8);
	assert_string_equal(walked(), NATIVE);
	port_fail_read(0, 0, false);
	walked_again();
	assert_in_range(port_reads(), 4096, 3 * 4200);
}

static void python__a_loop_of_frames_ends(void **state)
{
	for (u32 minor = 11; minor <= 14; minor++) {
		python_example(&p, minor);
		python_set(&p, p.frame + p.at.previous, p.frame, 8);
		assert_lost(walked());
		python_example(&p, minor); /* of frames that are none of code, so that no number of them is too large */
		python_set(&p, p.frame + p.at.executable, p.type, 8);
		python_set(&p, p.frame + p.at.previous, p.frame, 8);
		assert_lost(walked());
	}
	python_example(&p, 12);
	python_set(&p, p.run + p.at.previous, p.run, 8); /* of frames of the loop */
	assert_lost(walked());
}

static void python__wild_pointers_leave_the_native_stack(void **state)
{
	for (u32 minor = 11; minor <= 14; minor++) {
		u64 code;

		python_example(&p, minor);
		python_set(&p, p.frame + p.at.previous, WILD, 8);
		assert_lost(walked());
		python_example(&p, minor);
		python_set(&p, p.frame + p.at.executable, ~0ULL, 8);
		assert_lost(walked());
		python_example(&p, minor);
		python_set(&p, p.thread + p.at.thread_frame, WILD, 8);
		assert_lost(walked());
		python_example(&p, minor);
		python_set(&p, p.interpreter + p.at.threads, WILD, 8);
		assert_lost(walked());
		python_example(&p, minor);
		python_set(&p, p.runtime + p.at.interpreters, WILD, 8);
		assert_lost(walked());
		for (u32 part = 0; part < 3; part++) {
			python_example(&p, minor);
			code = python_simple_code(&p, "x");
			python_call(&p, code, 0);
			python_set(&p, code + (part == 0 ? p.at.name : part == 1 ? p.at.file : p.at.lines), WILD, 8);
			assert_lost(walked());
		}
	}
}

static void python__what_is_no_code_is_left_out(void **state)
{
	for (u32 minor = 11; minor <= 14; minor++) {
		u64 other;

		python_example(&p, minor);
		other = python_simple_code(&p, "other");
		python_set(&p, other + 8, p.type + 8, 8);
		python_call(&p, other, 0);
		assert_string_equal(walked(), EXAMPLE);
		assert_int_equal(w.lang.lost, 0);
	}
}

static void python__the_interpreters_own_code_is_left_out(void **state)
{
	u64 own, name;

	python_example(&p, 12);
	own = python_simple_code(&p, "__init__");
	name = python_text(&p, "__init__", 1);
	python_set(&p, own + p.at.name, name, 8);
	python_set(&p, own + p.at.file, name, 8);
	python_call(&p, own, 0);
	assert_string_equal(walked(), "0 __init__:0 g:3 f:2 1 2 main:1 3 4");
	python_set(&p, own + p.at.line, 0, 4);
	assert_string_equal(walked_again(), EXAMPLE);
}

/* In one function of C's, a run whose only frame is not shown: its mark must not be taken for the next run's. */
static void python__a_run_without_a_frame_ends_no_other(void **state)
{
	for (u32 minor = 11; minor <= 14; minor++) {
		u64 other;

		python_example(&p, minor);
		other = python_simple_code(&p, "other");
		python_set(&p, other + 8, 0, 8);
		python_run(&p, 0);
		python_call(&p, other, 0);
		assert_string_equal(walked(), EXAMPLE);
	}
}

static void python__versions_that_are_not_known_are_refused(void **state)
{
	static const u64 versions[] = {0, 0x020712f0, 0x030712f0, 0x030f00a0, 0x03ff00f0, 0x040c0000, 0xffffffff};

	for (u32 i = 0; i < COUNT(versions); i++) {
		for (u32 minor = 12; minor <= 14; minor++) {
			python_example(&p, minor);
			python_set(&p, p.version, versions[i], 4);
			if (minor >= 13)
				python_set(&p, p.runtime + 8, versions[i], 8);
			assert_string_equal(walked(), NATIVE);
			assert_int_equal(w.lang.refused, 1);
			assert_int_equal(w.lang.lost, 0);
			assert_int_equal(w.modules.runtime, 0);
			assert_string_equal(walked_again(), NATIVE); /* it is said once */
			assert_int_equal(w.lang.refused, 0);
		}
	}
	python_example(&p, 13);
	python_set(&p, p.runtime + 8, 0x1030d01f0, 8);
	assert_string_equal(walked(), NATIVE);
	assert_int_equal(w.lang.refused, 1);
}

static void python__builds_without_the_gil_are_refused(void **state)
{
	python_example(&p, 13);
	python_set(&p, p.runtime + 16, 1, 8);
	assert_string_equal(walked(), NATIVE);
	assert_int_equal(w.lang.refused, 1);
}

static void python__a_description_without_its_cookie_is_refused(void **state)
{
	python_example(&p, 13);
	python_set(&p, p.runtime, 0, 1);
	assert_string_equal(walked(), NATIVE);
	assert_int_equal(w.lang.refused, 1);
}

/* All that the runtime can say of where its structures have what, one after the other. */
static void python__forged_descriptions_are_harmless(void **state)
{
	static const u64 forged[] = {0, 7, 79, 80, 255, 256, 4096, WILD, 0xffffffff, ~0ULL};

	for (u32 minor = 13; minor <= 14; minor++)
		for (u32 word = 0; word < 80; word++)
			for (u32 i = 0; i < COUNT(forged); i++) {
				python_example(&p, minor);
				python_set(&p, p.runtime + 24 + 8 * word, forged[i], 8);
				walked();
				assert_true(w.out.nr >= 5 && w.out.nr <= 8);
				assert_int_equal(w.outcome, UNDEFINED_RA);
			}
}

static void python__fields_beyond_what_is_read_are_refused(void **state)
{
	python_example(&p, 13);
	python_set(&p, p.runtime + 24 + 8 * 26, 80, 8); /* interpreter_frame.previous */
	assert_string_equal(walked(), NATIVE);
	assert_int_equal(w.lang.refused, 1);
	python_example(&p, 13);
	python_set(&p, p.runtime + 24 + 8 * 34, 160, 8); /* code_object.qualname */
	assert_string_equal(walked(), NATIVE);
	assert_int_equal(w.lang.refused, 1);
}

/* All its parts may lie where those of the other one did. */
static void python__code_that_replaces_other_has_its_own_name(void **state)
{
	for (u32 minor = 11; minor <= 14; minor++) {
		u64 code, name;

		python_example(&p, minor);
		code = python_simple_code(&p, "first");
		python_call(&p, code, 0);
		assert_string_equal(walked(), "0 first:0 g:3 f:2 1 2 main:1 3 4");
		memcpy(&name, p.bytes + (code + p.at.name - PYTHON_BASE), 8);
		python_set(&p, name + p.at.ascii, 'h', 1);
		python_set(&p, code + (minor > 11 ? 92 : p.at.line), 5, 4); /* co_version */
		assert_string_equal(walked_again(), "0 hirst:0 g:3 f:2 1 2 main:1 3 4");
	}
}

static void python__in_3_11_another_table_is_other_code(void **state)
{
	const struct code_content *c;
	u64 code, table;

	python_example(&p, 11);
	code = python_simple_code(&p, "f");
	python_call(&p, code, 0);
	walked();
	memcpy(&table, p.bytes + (code + p.at.lines - PYTHON_BASE), 8);
	python_set(&p, table + 32, 0x99, 1);
	walked_again();
	c = port_code(frame_code(w.out.frame[1]));
	assert_int_equal(c->table[0], 0x99);
}

/* The last object of the last mapping: nothing is there behind its table. */
static void python__in_3_11_a_table_may_end_with_the_memory(void **state)
{
	u64 code, table;

	python_example(&p, 11);
	code = python_simple_code(&p, "last");
	python_call(&p, code, 0);
	seek(&p.heap, PYTHON_BASE + PYTHON_BYTES - 48);
	table = python_bytes(&p, "12345678", 8);
	assert_int_equal(table, PYTHON_BASE + PYTHON_BYTES - 48);
	python_set(&p, code + p.at.lines, table, 8);
	assert_string_equal(walked(), "0 last:0 g:3 f:2 1 2 main:1 3 4");
	assert_int_equal(w.lang.lost, 0);
}

static void python__processes_with_the_same_addresses_differ(void **state)
{
	python_example(&p, 12);
	assert_string_equal(walked(), EXAMPLE);
	python_set(&p, p.frame + p.at.executable, python_simple_code(&p, "other"), 8);
	w.lang.space++;
	assert_string_equal(walked_again(), "0 other:1048575 f:2 1 2 main:1 3 4");
}

static void python__pages_that_were_waited_for_change_nothing(void **state)
{
	for (u32 minor = 11; minor <= 14; minor++) {
		python_example(&p, minor);
		for (u32 i = 0; i < 4; i++) { /* code on pages of its own, whose table has several */
			take_page(&p.heap);
			python_call(&p, python_add_code(&p, "far", "far.py", 6000), i);
		}
		port_reset();
		python_map(&p);
		python_begin_walk(&p, &w, 5, UNDEFINED_RA);
		port_wait_for_pages(&w.modules);
		python_walk(&w);
		assert_string_equal(python_words(&p, &w), "0 far:3 far:2 far:1 far:0 g:3 f:2 1 2 main:1 3 4");
		assert_true(port_pages_waited_for() >= 10);
		assert_int_equal(w.lang.lost, 0);
		assert_false(w.modules.wait.bytes);
	}
}

/* Each read fails once: what was found before may remain, nothing may be wrong. */
static void python__each_read_may_fail(void **state)
{
	for (u32 minor = 11; minor <= 14; minor++) {
		u32 reads;

		python_example(&p, minor);
		walked();
		reads = port_reads();
		for (u32 nth = 1; nth <= 2 * reads; nth++) {
			int err = nth & 1 ? -EFAULT : -EACCES;

			port_reset();
			python_map(&p);
			python_begin_walk(&p, &w, 5, UNDEFINED_RA);
			port_fail_read((nth + 1) / 2, err, false);
			python_walk(&w);
			python_words(&p, &w);
			if (strcmp(p.words, EXAMPLE))
				assert_string_equal(p.words, NATIVE);
			else
				assert_int_equal(w.lang.lost, 0);
		}
	}
}

/* Not all of a module is mapped yet, or a page of it is not safe to wait for: that is no reason never to look again. */
static void python__what_failed_while_learning_is_learnt_later(void **state)
{
	for (u32 minor = 12; minor <= 13; minor++) {
		for (int err = -EFAULT; err; err = err == -EFAULT ? -EACCES : 0) {
			u32 nth = 1;

			python_example(&p, minor);
			do {
				port_reset();
				python_map(&p);
				python_begin_walk(&p, &w, 5, UNDEFINED_RA);
				port_fail_read(nth++, err, false);
				python_walk(&w);
				port_fail_read(0, 0, false);
				w.modules.unexamined |=
					w.modules.range[0].examined == EXAMINED_IN_VAIN; /* module_enter() */
				w.modules.range[0].examined &= EXAMINED;
				assert_string_equal(walked_again(), EXAMPLE);
			} while (nth < 80);
		}
	}
}

static void python__without_room_frames_have_no_number(void **state)
{
	python_example(&p, 12);
	port_reset();
	python_map(&p);
	port_code_limit(1);
	python_begin_walk(&p, &w, 5, UNDEFINED_RA);
	python_walk(&w);
	assert_string_equal(python_words(&p, &w), "0 g:3 ?:2 1 2 ?:1 3 4");
	assert_int_equal(w.lang.lost, 0);
}

/* In BPF the table of addresses may have no room at the moment, or forget one at once. */
static void python__a_number_need_not_be_remembered(void **state)
{
	python_example(&p, 12);
	port_reset();
	python_map(&p);
	port_forget_places();
	python_begin_walk(&p, &w, 5, UNDEFINED_RA);
	python_walk(&w);
	assert_string_equal(python_words(&p, &w), EXAMPLE);
	assert_int_equal(w.lang.lost, 0);
	assert_string_equal(walked_again(), EXAMPLE);
}

/* Its innermost and outermost frames are kept, as of any other stack. */
static void python__a_deep_recursion_keeps_both_ends(void **state)
{
	u64 code;

	python_init(&p, 12);
	python_add_thread(&p, p.interpreter, PYTHON_TP);
	python_run(&p, 3);
	python_call(&p, python_simple_code(&p, "main"), 1);
	code = python_simple_code(&p, "f");
	for (u32 i = 0; i < 1500; i++)
		python_call(&p, code, 2);
	walked();
	assert_int_equal(w.out.nr, DEFAULT_DEPTH);
	assert_int_equal(w.outcome, TOO_DEEP);
	assert_int_equal(w.lang.lost, 0);
	assert_int_equal(frame_code(w.out.frame[3]), frame_code(w.out.frame[4]));
	assert_string_equal((const char *)port_code(frame_code(w.out.frame[DEFAULT_DEPTH - 3]))->name_text, "main");
	assert_int_equal(w.out.frame[DEFAULT_DEPTH / 4 * 3], FRAME_GAP);
}

static void python__too_many_frames_leave_the_native_stack(void **state)
{
	u64 code;

	python_init(&p, 12);
	python_add_thread(&p, p.interpreter, PYTHON_TP);
	python_run(&p, 3);
	code = python_simple_code(&p, "f");
	for (u32 i = 0; i < MAX_DEPTH; i++)
		python_call(&p, code, 2);
	assert_lost(walked());
}

/* As many frames as take all turns but a few, wherever the last one is spent: the stack is joined, or native. */
static void python__a_walk_out_of_turns_is_not_half_joined(void **state)
{
	u64 table;
	bool both[2] = {0};

	python_init(&p, 12);
	python_add_thread(&p, p.interpreter, PYTHON_TP);
	python_run(&p, 3);
	table = python_bytes(&p, p.bytes, 0);
	python_set(&p, table + 16, 60000, 8);
	for (u32 i = 0; i < LANG_TURNS / 62 - 2; i++) { /* no piece of a table has a number, so each is read again */
		u64 code = python_simple_code(&p, "f");

		python_set(&p, code + p.at.lines, table, 8);
		python_call(&p, code, 0);
	}
	for (u32 more = 0; more < 150; more++) {
		python_call(&p, python_simple_code(&p, "g"), 0);
		if (more % 10)
			continue;
		walked();
		if (!strcmp(p.words, NATIVE)) {
			assert_int_equal(w.lang.lost, 1);
			assert_int_equal(w.lang.nr_frames, 0);
		} else {
			assert_int_equal(w.out.nr, 5 + w.lang.nr_frames);
			assert_memory_equal(p.words, "0 1 2 ", 6);
			assert_string_equal(p.words + strlen(p.words) - 4, " 3 4");
		}
		both[w.lang.lost] = true;
	}
	assert_true(both[0] && both[1]);
}

static void python__threads_that_are_not_wanted_are_not_looked_for(void **state)
{
	python_example(&p, 12);
	port_reset();
	python_map(&p);
	python_begin_walk(&p, &w, 5, UNDEFINED_RA);
	w.lang.thread_pointer = 0;
	python_walk(&w);
	assert_string_equal(python_words(&p, &w), NATIVE);
	assert_int_equal(port_reads(), 0);
}

static void python__small_modules_are_not_examined(void **state)
{
	python_example(&p, 12);
	port_reset();
	python_map(&p);
	python_begin_walk(&p, &w, 5, UNDEFINED_RA);
	w.modules.range[0].code_end--;
	python_walk(&w);
	assert_string_equal(python_words(&p, &w), NATIVE);
	assert_int_equal(port_reads(), 0);
	assert_int_equal(w.modules.range[0].examined, EXAMINED);
	assert_false(w.modules.unexamined);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(python__frames_of_each_version_are_found),
		cmocka_unit_test(python__frames_of_c_may_have_either_owner),
		cmocka_unit_test(python__code_is_kept_as_it_is),
		cmocka_unit_test(python__characters_may_have_1_2_or_4_bytes),
		cmocka_unit_test(python__long_names_are_cut_at_their_end),
		cmocka_unit_test(python__lengths_without_bounds_are_harmless),
		cmocka_unit_test(python__long_tables_are_kept_in_pieces),
		cmocka_unit_test(python__positions_are_of_instructions),
		cmocka_unit_test(python__the_thread_is_found_among_many),
		cmocka_unit_test(python__a_thread_that_is_known_is_not_searched_for),
		cmocka_unit_test(python__a_thread_without_python_has_native_frames),
		cmocka_unit_test(python__what_was_known_of_a_thread_is_checked),
		cmocka_unit_test(python__a_state_that_was_freed_is_not_believed),
		cmocka_unit_test(python__a_loop_of_threads_ends),
		cmocka_unit_test(python__a_loop_of_frames_ends),
		cmocka_unit_test(python__wild_pointers_leave_the_native_stack),
		cmocka_unit_test(python__what_is_no_code_is_left_out),
		cmocka_unit_test(python__the_interpreters_own_code_is_left_out),
		cmocka_unit_test(python__a_run_without_a_frame_ends_no_other),
		cmocka_unit_test(python__versions_that_are_not_known_are_refused),
		cmocka_unit_test(python__builds_without_the_gil_are_refused),
		cmocka_unit_test(python__a_description_without_its_cookie_is_refused),
		cmocka_unit_test(python__forged_descriptions_are_harmless),
		cmocka_unit_test(python__fields_beyond_what_is_read_are_refused),
		cmocka_unit_test(python__code_that_replaces_other_has_its_own_name),
		cmocka_unit_test(python__in_3_11_another_table_is_other_code),
		cmocka_unit_test(python__in_3_11_a_table_may_end_with_the_memory),
		cmocka_unit_test(python__processes_with_the_same_addresses_differ),
		cmocka_unit_test(python__pages_that_were_waited_for_change_nothing),
		cmocka_unit_test(python__each_read_may_fail),
		cmocka_unit_test(python__what_failed_while_learning_is_learnt_later),
		cmocka_unit_test(python__without_room_frames_have_no_number),
		cmocka_unit_test(python__a_number_need_not_be_remembered),
		cmocka_unit_test(python__a_deep_recursion_keeps_both_ends),
		cmocka_unit_test(python__too_many_frames_leave_the_native_stack),
		cmocka_unit_test(python__a_walk_out_of_turns_is_not_half_joined),
		cmocka_unit_test(python__threads_that_are_not_wanted_are_not_looked_for),
		cmocka_unit_test(python__small_modules_are_not_examined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
