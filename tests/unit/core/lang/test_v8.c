/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions of JavaScript in memory that is laid out as V8 does, or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/lang/v8.h"
#include "port/port_buffer.h"

#define HEAP 0x7f0000000000ULL
#define HEAP_BYTES 0x80000
#define STACK (HEAP + HEAP_BYTES)
#define STACK_BYTES 0x4000
#define V8 7 /* the number of the module */
#define BUILTIN 0x4000
#define CODE 0x5000
#define NATIVE 0x9000

enum { SEQUENTIAL, JOINED, EXTERNAL, SLICED, THIN = 5, ONE_BYTE = 8, NOT_CACHED = 16 };

/* Types of objects, as in V8 10.2, and some other ones. */
enum {
	SCRIPT = 170,
	SCOPE = 256,
	SHARED = 257,
	FUNCTION = 2065,
	UNDEFINED = 131,
	CONTEXT = 207,
	BYTECODE = 195,
	BYTES = 194,
	CODE_TYPE = 240,
	STREAM = 252,
	ARRAY = 179,
	WRAPPER = 192
};

static u8 heap[HEAP_BYTES + STACK_BYTES]; /* and the stack */
static u64 used, fp;
static struct walk w;
static u32 is_new; /* the layout is that of 13.6 */
static u64 undefined, context;

static void put(u64 addr, u64 val)
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

static u64 map(u32 type)
{
	u64 addr = room(16);

	put(addr + 8, (u64)type << 32);
	return addr + 1;
}

static u64 object(u32 type, u32 nr_bytes)
{
	u64 addr = room(nr_bytes);

	put(addr, map(type));
	return addr + 1;
}

static u64 string(u32 type, u32 length)
{
	u64 s = object(type, 16 + (type & 7 ? 16 : length * 2));

	put(s - 1 + 8, 0x1234 | (u64)length << 32);
	return s;
}

static u64 text(const char *t)
{
	u64 s = string(ONE_BYTE, strlen(t));

	memcpy(heap + (s - 1 + 16 - HEAP), t, strlen(t));
	return s;
}

static u64 parts(u32 type, u32 length, u64 first, u64 second)
{
	u64 s = string(type, length);

	put(s - 1 + 16, first);
	put(s - 1 + 24, second);
	return s;
}

static u64 script(u64 name, u64 source)
{
	u64 s = object(SCRIPT, 112);

	put(s - 1 + 8, source);
	put(s - 1 + 16, name);
	put(s - 1 + 64, 69ULL << 32);
	return s;
}

/* A scope with @nr variables; @name and @inferred may be 0. */
static u64 scope(u32 nr, u64 name, u64 inferred, u32 start)
{
	u64 s = object(SCOPE, 8 * (16 + 2 * nr)), flags = (name ? 1 << 12 : 0) | (inferred ? 1 << 14 : 0),
	    at = s - 1 + 8;

	put(at, is_new ? flags : flags << 32);
	put(at += 16, (u64)nr << 32);
	if (is_new) {
		put(at += 8, (u64)start << 32);
		put(at += 8, (start + 100ULL) << 32);
	}
	at += 8 + 8 * (nr < 75 ? 2 * nr : 1 + nr);
	if (name)
		put(at, name);
	at += name ? 16 : 0;
	if (inferred)
		put(at, inferred);
	at += inferred ? 8 : 0;
	if (!is_new) {
		put(at, (u64)start << 32);
		put(at + 8, (start + 100ULL) << 32);
	}
	return s;
}

static u64 function(u64 scope_or_name, u64 of)
{
	u64 shared = object(SHARED, 72), f = object(FUNCTION, 64), more = is_new ? 8 : 0;

	put(shared - 1 + 16 + more, scope_or_name);
	put(shared - 1 + 32 + more, of);
	put(shared - 1 + 48 + more, 11ULL << 32);
	put(f - 1 + 24 + more, shared);
	return f;
}

/* What both versions say, in the order of the symbols. */
#define NO (~0u)
static const u32 said_by[2][17] = {
	{24, 48, 3, FUNCTION, SHARED, SCRIPT, SCOPE, CONTEXT, BYTECODE, 56, BYTES, NO, CODE_TYPE, NO, NO, 40, NO},
	{32, 56, 5, FUNCTION, SHARED, SCRIPT, SCOPE, CONTEXT, BYTECODE, 64, 190, BYTES, CODE_TYPE, STREAM, 40, 56, 8},
};

static void begin(u32 like_13_6)
{
	memset(heap, 0, sizeof(heap));
	memset(&w, 0, sizeof(w));
	used = HEAP + 0x100;
	fp = STACK;
	is_new = like_13_6;
	port_reset();
	port_map(HEAP, heap, sizeof(heap), (struct vma){0});
	w.max_depth = MAX_DEPTH;
	w.outcome = ENTRY_POINT;
	w.sp = STACK;
	w.modules.runtime = LANGUAGE_JAVASCRIPT;
	w.lang.thread_pointer = 1;
	w.lang.space = 1;
	w.lang.runtime = (struct runtime){.module = V8, .language = LANGUAGE_JAVASCRIPT};
	memcpy(w.lang.runtime.field, said_by[is_new], sizeof(said_by[0]));
	v8_lay_out(&w.lang);
	undefined = object(UNDEFINED, 32);
	context = object(CONTEXT, 32);
}

/* The next native frame outwards, of 64 bytes: that of @function, if that is not 0. */
static void native(u64 frame, u64 function)
{
	u32 nr = w.out.nr++;

	w.out.frame[nr] = frame;
	w.sp_words[nr] = nr * 8;
	fp = STACK + (nr + 1) * 64 - 16;
	put(fp, fp + 64);
	put(fp - 8, function ? context : 2);
	put(fp - 16, function);
}

static void native_end(void)
{
	native(frame_make(V8, BUILTIN, 1), 0); /* the entry to JavaScript */
	native(frame_left(frame_make(V8, NATIVE, 1), BY_CFI), 0);
	native(frame_left(frame_make(V8, NATIVE, 1), BY_CFI), 0);
}

static u64 jit(void)
{
	return frame_make(FRAME_ANON, CODE, 1);
}

static void run(void)
{
	w.lang.lost = w.lang.nr_frames = 0;
	assert_true(lang_is_due(&w));
	for (u32 i = 0; i < LANG_TURNS; i++)
		if (lang_turn(i, &w) == STOP)
			return;
	fail();
}

static const struct code_content *code_at(u32 nr)
{
	u64 frame = w.out.frame[nr];

	assert_true(nr < w.out.nr);
	assert_true(frame_is_code(frame));
	assert_int_equal(frame_language(frame), LANGUAGE_JAVASCRIPT);
	assert_non_null(port_code(frame_code(frame)));
	return port_code(frame_code(frame));
}

static void is_at(u32 nr, const char *name, const char *file, u32 line)
{
	const struct code_content *c = code_at(nr);

	assert_int_equal(c->name.bytes, strlen(name));
	assert_memory_equal(c->name_text, name, strlen(name));
	assert_int_equal(c->file.bytes, strlen(file));
	assert_memory_equal(c->file_text, file, strlen(file));
	assert_int_equal(c->first_line, line);
}

static void is_native(u32 nr, u64 offset)
{
	assert_true(nr < w.out.nr);
	assert_int_equal(frame_offset(w.out.frame[nr]), offset);
}

static void is_unknown(u32 nr)
{
	assert_true(frame_is_code(w.out.frame[nr]));
	assert_int_equal(frame_code(w.out.frame[nr]), 0);
}

/* A function in the third line of a file. */
static u64 simple(const char *name)
{
	return function(scope(1, text(name), 0, 13), script(text("/srv/app.js"), text("line 1\nline 2\nfunction")));
}

static u64 of_name(u64 name)
{
	return function(scope(0, name, 0, 0), script(text("/srv/app.js"), text("line 1\nline 2\nfunction")));
}

static void run_one(u64 f)
{
	native(jit(), f);
	native_end();
	run();
	assert_int_equal(w.lang.lost, 0);
}

static void run_one_at(u64 pc, u64 f)
{
	native(frame_make(FRAME_ANON, pc, 1), f);
	native_end();
	run();
	assert_int_equal(w.lang.lost, 0);
}

static void v8__frames_lie_above_what_runs_them(void **state)
{
	(void)state;
	for (u32 i = 0; i < 4; i++) {
		begin(i & 1);
		native(frame_left(frame_make(V8, NATIVE, 1), BY_CFI), 0);
		native(jit(), simple("inner"));
		native(frame_make(V8, BUILTIN, 1), function(text("map"), undefined));
		native(frame_left(frame_make(V8, BUILTIN, 1), BY_FRAME_POINTER), simple("outer"));
		native_end();
		if (i & 2)
			port_wait_for_pages(&w.modules);
		run();
		assert_int_equal(w.lang.lost, 0);
		assert_int_equal(w.lang.nr_frames, 3);
		assert_int_equal(w.out.nr, 10);
		is_native(0, NATIVE);
		is_at(1, "inner", "/srv/app.js", 2);
		is_native(2, CODE);
		is_at(3, "map", "", 0);
		is_native(4, BUILTIN);
		is_at(5, "outer", "/srv/app.js", 2);
		is_native(6, BUILTIN);
		is_native(7, BUILTIN);
	}
	assert_true(port_pages_waited_for() > 0);
}

static void v8__names_are_behind_the_variables(void **state)
{
	static const u32 variables[] = {0, 1, 74, 75, 200};

	(void)state;
	for (u32 i = 0; i < 2 * COUNT(variables); i++) {
		begin(i & 1);
		run_one(function(scope(variables[i / 2], text("f"), undefined, 14),
				 script(text("a.js"), text("line 1\nline 2\nfunction"))));
		is_at(0, "f", "a.js", 3);
	}
}

static void v8__a_function_without_a_name_has_that_which_was_inferred(void **state)
{
	(void)state;
	begin(0);
	run_one(function(scope(0, text(""), text("Shop.sell"), 0), script(text("a.js"), text("x"))));
	is_at(0, "Shop.sell", "a.js", 1);
	begin(1);
	run_one(function(scope(0, 0, undefined, 0), script(text("a.js"), text("x"))));
	is_at(0, "", "a.js", 1);
}

static void v8__strings_may_consist_of_others(void **state)
{
	u64 left, right;

	(void)state;
	begin(0);
	left = parts(JOINED | ONE_BYTE, 7, parts(JOINED | ONE_BYTE, 5, text("Shop"), text(".")), text("do"));
	run_one(of_name(left));
	is_at(0, "Shop.do", "/srv/app.js", 1);
	begin(0);
	right = parts(JOINED | ONE_BYTE, 7, text("Shop"), parts(JOINED | ONE_BYTE, 3, text("."), text("do")));
	run_one(of_name(right));
	is_at(0, "Shop.do", "/srv/app.js", 1);
	begin(0);
	run_one(of_name(parts(THIN, 2, parts(JOINED | ONE_BYTE, 2, text("do"), text("")), 0)));
	is_at(0, "do", "/srv/app.js", 1);
	begin(0);
	run_one(of_name(parts(SLICED | ONE_BYTE, 2, text("Shop.do"), 5ULL << 32)));
	is_at(0, "do", "/srv/app.js", 1);
	begin(0);
	run_one(of_name(parts(EXTERNAL | ONE_BYTE, 2, 0, text("do") - 1 + 16)));
	is_at(0, "do", "/srv/app.js", 1);
}

static void v8__characters_may_have_two_bytes(void **state)
{
	static const u16 wide[] = {0x9762, 0x7a4d};
	u64 name, source;

	(void)state;
	begin(0);
	name = string(SEQUENTIAL, 2);
	memcpy(heap + (name - 1 + 16 - HEAP), wide, sizeof(wide));
	source = string(SEQUENTIAL, 5000);
	for (u32 i = 0; i < 5000; i++)
		heap[source - 1 + 16 + 2 * i - HEAP] = i % 10 ? 'x' : '\n';
	run_one(function(scope(0, name, 0, 4995), script(text("a.js"), source)));
	assert_int_equal(code_at(0)->name.bytes, 4);
	assert_int_equal(code_at(0)->name.width, 2);
	assert_memory_equal(code_at(0)->name_text, wide, 4);
	assert_int_equal(code_at(0)->first_line, 501);
}

static void v8__long_names_are_cut(void **state)
{
	static char name[400];
	const struct code_content *c;

	(void)state;
	begin(0);
	memset(name, 'n', sizeof(name) - 1);
	run_one(function(scope(0, parts(JOINED | ONE_BYTE, 798, text(name), text(name)), 0, 0),
			 script(text(name), text("x"))));
	c = code_at(0);
	assert_int_equal(c->name.bytes, 798);
	assert_int_equal(c->file.bytes, 399);
	assert_memory_equal(c->name_text, name, 128);
	assert_memory_equal(c->file_text, name, 256);
	assert_int_equal(c->table[0], 0);
}

static void v8__strings_that_lead_nowhere_are_no_names(void **state)
{
	u64 circle;

	(void)state;
	for (u32 i = 0; i < 5; i++) {
		begin(0);
		circle = parts(i == 0 ? THIN : JOINED | ONE_BYTE, 4, 0, text(i == 1 ? "" : "abc"));
		put(circle - 1 + 16, circle);
		if (i == 3)
			circle = parts(EXTERNAL | NOT_CACHED | ONE_BYTE, 4, HEAP, HEAP);
		if (i == 4)
			circle = parts(SLICED | ONE_BYTE, ~0u, text("a"), ~0ULL);
		run_one(of_name(circle));
		assert_int_equal(code_at(0)->name.width, 0);
	}
}

static void v8__lines_are_not_known_without_a_source(void **state)
{
	(void)state;
	begin(0);
	run_one(function(scope(0, text("f"), 0, 5), script(text("a.js"), undefined)));
	is_at(0, "f", "a.js", 0);
	begin(0);
	run_one(function(scope(0, text("f"), 0, 5),
			 script(text("a.js"), text("x")))); /* the function begins behind it */
	is_at(0, "f", "a.js", 0);
	begin(0);
	run_one(function(scope(0, text("f"), 0, 5), script(undefined, text("x\nxxxxx"))));
	is_at(0, "f", "", 2);
	begin(0);
	run_one(function(scope(0, text("f"), 0, ~0u - 200), script(undefined, string(ONE_BYTE, 100))));
	is_at(0, "f", "", 0);
}

/* What the collector has moved has an address in the place of its map. */
static void v8__what_has_moved_is_not_known(void **state)
{
	(void)state;
	for (u32 i = 0; i < 5; i++) {
		u64 f, shared, name, s;

		begin(0);
		name = text("f");
		s = scope(0, name, 0, 0);
		f = function(s, script(text("a.js"), text("x")));
		memcpy(&shared, heap + (f - 1 + 24 - HEAP), sizeof(shared));
		put((i == 0 ? f : i == 1 ? shared : i == 2 ? s : i == 3 ? name : undefined) - 1, HEAP + 0x4000);
		run_one(f);
		if (i < 4)
			is_unknown(0);
		else
			is_at(0, "f", "a.js", 1);
	}
}

static void v8__objects_of_other_types_are_not_believed(void **state)
{
	(void)state;
	for (u32 i = 0; i < 3; i++) {
		u64 f = (begin(0), simple("f")), shared;

		memcpy(&shared, heap + (f - 1 + 24 - HEAP), sizeof(shared));
		if (i == 0)
			put(f - 1, map(FUNCTION - 1));
		if (i == 1)
			put(shared - 1, map(SCRIPT));
		if (i == 2)
			put(shared - 1 + 16, text("f")); /* no scope, though it has a script */
		run_one(f);
		if (i == 0)
			assert_int_equal(w.lang.nr_frames, 0);
		else
			is_unknown(0);
	}
}

/* V8 saves registers where functions have their contexts, before it looks through the stack. */
static void v8__what_has_no_context_is_no_function(void **state)
{
	static const u64 contexts[] = {0xcdcdcd, HEAP + 1};

	(void)state;
	for (u32 i = 0; i <= COUNT(contexts); i++) {
		begin(0);
		native(jit(), simple("f"));
		put(fp - 8, i < COUNT(contexts) ? contexts[i] : undefined);
		put(HEAP, undefined);
		native_end();
		run();
		assert_int_equal(w.lang.nr_frames, 0);
		assert_int_equal(w.lang.lost, 0);
	}
}

static void v8__wild_pointers_are_not_followed(void **state)
{
	static const u64 wild[] = {1, 0xffffffffffffffffULL, 0x7fffffffffffULL, 0x5555555500000001ULL,
				   STACK + STACK_BYTES - 7};

	(void)state;
	for (u32 i = 0; i < COUNT(wild); i++) {
		for (u32 at = 0; at < 72; at += 8) {
			u64 f = (begin(0), simple("f")), shared;

			memcpy(&shared, heap + (f - 1 + 24 - HEAP), sizeof(shared));
			put(shared - 1 + at, wild[i]);
			native(jit(), f);
			native_end();
			run();
			assert_int_equal(w.lang.lost, 0);
		}
	}
}

static void v8__what_is_no_frame_of_a_function_stays_native(void **state)
{
	(void)state;
	for (u32 i = 0; i < 3; i++) {
		begin(0);
		native(jit(), simple("f"));
		if (i == 0)
			put(fp - 8, 15 << 1); /* a frame of another kind */
		if (i == 1)
			put(fp, fp + 72); /* no frame pointer */
		if (i == 2)
			put(fp - 16, 0x300000000);
		native_end();
		run();
		assert_int_equal(w.lang.nr_frames, 0);
		assert_int_equal(w.out.nr, 4);
	}
}

static void v8__code_whose_frame_is_not_made_has_no_function(void **state)
{
	(void)state;
	begin(0);
	native(jit(), simple("f"));
	w.sp_words[0] = 7; /* it has pushed nothing but its return address */
	native_end();
	run();
	assert_int_equal(w.lang.nr_frames, 0);
}

static void v8__a_cut_stack_has_what_is_known_of_it(void **state)
{
	(void)state;
	begin(0);
	for (u32 i = 0; i < 4; i++)
		native(jit(), simple("f"));
	w.outcome = NO_FDE;
	run();
	assert_int_equal(w.lang.lost, 0);
	assert_int_equal(w.lang.nr_frames, 2);
	assert_int_equal(w.out.nr, 6);
}

static void v8__other_functions_at_the_same_address_have_another_number(void **state)
{
	u64 f, shared;
	u32 before;

	(void)state;
	begin(0);
	f = simple("f");
	native(jit(), f);
	native_end();
	run();
	before = frame_code(w.out.frame[0]);
	memcpy(&shared, heap + (f - 1 + 24 - HEAP), sizeof(shared));
	put(shared - 1 + 48, 12ULL << 32);
	put(shared - 1 + 16, scope(0, text("g"), 0, 0));
	w.out.nr = 0;
	native(jit(), f);
	native_end();
	run();
	is_at(0, "g", "/srv/app.js", 1);
	assert_int_not_equal(frame_code(w.out.frame[0]), before);
}

static const char source[] = "line 1\nline 2\nfunction a() {\n  b();\n  c();\n}\nfunction b() {\n  d();\n}\n";

static u32 place_of(const char *what)
{
	return strstr(source, what) - source;
}

static u64 named(const char *name, const char *begins, u64 of)
{
	return function(scope(1, text(name), 0, place_of(begins)), of);
}

static u64 shared_of(u64 f)
{
	u64 shared;

	memcpy(&shared, heap + (f - 1 + (is_new ? 32 : 24) - HEAP), sizeof(shared));
	return shared;
}

static u64 array(u32 type, u32 nr)
{
	u64 a = object(type, 16 + 8 * nr);

	put(a - 1 + 8, (u64)nr << 32);
	return a;
}

static u64 at_source(const char *what, u32 function)
{
	return (place_of(what) + 1ULL) << 1 | (u64)function << 31;
}

static void add_number(u8 *to, u32 *len, s64 number)
{
	u64 val = (u64)number << 1 ^ (u64)(number >> 63);

	for (; val > 127; val >>= 7)
		to[(*len)++] = val | 128;
	to[(*len)++] = val;
}

/* A table with a position for the function's entry, and for two offsets. */
static u64 positions(u32 first, u64 first_source, u32 second, u64 second_source)
{
	u8 bytes[64];
	u32 len = 0;
	u64 a;

	add_number(bytes, &len, -1); /* of an expression */
	add_number(bytes, &len, 2);
	add_number(bytes, &len, first + 1);
	add_number(bytes, &len, first_source - 2);
	add_number(bytes, &len, ~(s64)(second - first));
	add_number(bytes, &len, second_source - first_source);
	a = object(BYTES, 16 + len);
	put(a - 1 + 8, (u64)len << 32);
	memcpy(heap + (a - 1 + 16 - HEAP), bytes, len);
	return a;
}

static void v8__the_line_is_that_of_the_offset_in_bytecode(void **state)
{
	static const struct {
		u32 offset, line;
	} places[] = {{0, 0}, {4, 0}, {5, 4}, {8, 4}, {9, 5}, {1000, 5}};

	(void)state;
	for (u32 i = 0; i < 2 * COUNT(places); i++) {
		u64 f, code;

		begin(i & 1);
		f = named("a", "() {", script(text("a.js"), text(source)));
		code = object(BYTECODE, 64);
		put(shared_of(f) - 1 + 8, code);
		put(code - 1 + (is_new ? 24 : 32), positions(5, at_source("b();", 0), 9, at_source("c();", 0)));
		native(frame_make(V8, BUILTIN, 1), f);
		put(fp - 32, code);
		put(fp - 40, (places[i / 2].offset + said_by[is_new][9] - 1ULL) << 32);
		native_end();
		port_wait_for_pages(i & 2 ? &w.modules : NULL);
		run();
		is_at(0, "a", "a.js", 3);
		assert_int_equal(code_at(0)->line, places[i / 2].line);
	}
}

static void v8__bytecode_of_another_function_says_nothing(void **state)
{
	u64 f, code;

	(void)state;
	begin(0);
	f = named("a", "() {", script(text("a.js"), text(source)));
	code = object(BYTECODE, 64);
	put(code - 1 + 32, positions(5, at_source("b();", 0), 9, at_source("c();", 0)));
	native(frame_make(V8, BUILTIN, 1), f);
	put(fp - 32, code);
	put(fp - 40, 60ULL << 32);
	native_end();
	run();
	is_at(0, "a", "a.js", 3);
	assert_int_equal(code_at(0)->line, 0);
}

/* Code of function a, in which b is inlined; the call is at offset 0x40. Returns where the call returns to. */
static u64 made_code(u64 a, u64 b, u64 next, u32 nr_bytes)
{
	u64 data = array(ARRAY, 12), list = array(ARRAY, 1), table, inlining = array(BYTES, 2), header, code, start;
	u32 more = is_new ? 8 : 0;

	put(inlining - 1 + 8, 16ULL << 32);
	put(inlining - 1 + 16, next);
	put(list - 1 + 16, b | 2); /* weakly */
	put(data - 1 + 16 + 2 * 8 + more, list);
	put(data - 1 + 16 + 6 * 8 + more, a);
	put(data - 1 + 16 + 7 * 8 + more, inlining);
	if (is_new) {
		u64 wrapper = object(WRAPPER, 16);

		put(wrapper - 1 + 8, a);
		put(data - 1 + 16 + 7 * 8, wrapper);
	}
	table = positions(0x20, at_source("c();", 0), 0x40, at_source("d();", 1));
	code = is_new ? object(CODE_TYPE, 64) : 0;
	header = object(is_new ? STREAM : CODE_TYPE, 128 + nr_bytes);
	start = header - 1 + (is_new ? 32 : 128);
	if (is_new)
		put(header - 1 + 8, code);
	else
		code = header;
	put(code - 1 + (is_new ? 8 : 16), data);
	put(code - 1 + (is_new ? 16 : 24), table);
	put(code - 1 + (is_new ? 56 : 40), nr_bytes);
	if (is_new)
		put(code - 1 + 40, start);
	return start + nr_bytes - 0x40;
}

static u64 made_of(u64 *f, u64 next, u32 nr_bytes)
{
	u64 s = script(text("a.js"), text(source)), b = named("b", "() {\n  d", s);

	*f = named("a", "() {", s);
	return made_code(shared_of(*f), shared_of(b), next, nr_bytes);
}

static void v8__functions_that_were_inlined_are_there(void **state)
{
	(void)state;
	for (u32 i = 0; i < 4; i++) {
		u64 f, at;

		begin(i & 1);
		at = made_of(&f, at_source("b();", 0), i & 2 ? 0x4000 : 0x80);
		native(frame_make(FRAME_ANON, at + 5, 1), f);
		native_end();
		port_wait_for_pages(i & 2 ? &w.modules : NULL);
		for (u32 again = 0; again < 2; again++) {
			run();
			assert_int_equal(w.lang.lost, 0);
			assert_int_equal(w.lang.nr_frames, 2);
			is_at(0, "b", "a.js", 7);
			assert_int_equal(code_at(0)->line, 8);
			is_at(1, "a", "a.js", 3);
			assert_int_equal(code_at(1)->line, 4);
			is_native(2, at + 5);
			w.out.nr = 0;
			native(frame_make(FRAME_ANON, at + 5, 1), f);
			native_end();
		}
	}
}

static void v8__code_of_another_function_says_nothing(void **state)
{
	u64 f, at;

	(void)state;
	begin(0);
	at = made_of(&f, at_source("b();", 0), 0x80);
	native(frame_make(FRAME_ANON, at + 5, 1), simple("g"));
	native_end();
	run();
	assert_int_equal(w.lang.nr_frames, 1);
	is_at(0, "g", "/srv/app.js", 2);
	assert_int_equal(code_at(0)->line, 0);
}

/* It is inlined in itself, or in a function that is not there. */
static void v8__inlining_without_end_is_not_believed(void **state)
{
	(void)state;
	for (u32 i = 0; i < 2; i++) {
		u64 f, at;

		begin(0);
		at = made_of(&f, at_source("b();", i ? 100 : 1), 0x80);
		run_one_at(at + 5, f);
		assert_true(w.lang.nr_frames >= 1);
		assert_true(w.lang.nr_frames <= 16);
		is_at(w.lang.nr_frames - 1, "a", "a.js", 3);
	}
}

static void v8__tables_without_end_are_not_read(void **state)
{
	(void)state;
	for (u32 i = 0; i < 2; i++) {
		u64 f, at, table;

		begin(0);
		at = made_of(&f, 0, 0x80);
		memcpy(&table, heap + (at - 0x40 - 128 + 24 - HEAP), sizeof(table));
		if (i)
			memset(heap + (table - 1 + 16 - HEAP), 0xff, 8);
		else
			put(table - 1 + 8, 0x7fffffffULL << 32);
		run_one_at(at + 5, f);
		is_at(0, "a", "a.js", 3);
	}
}

static void v8__that_does_not_say_what_is_known_is_refused(void **state)
{
	static const u32 words[] = {0xffffffff, 0, 12, 4096};

	(void)state;
	for (u32 i = 0; i < 3; i++) {
		for (u32 j = 0; j <= COUNT(words); j++) {
			begin(0);
			for (u32 k = 0; k < 8; k++) {
				u32 said = w.lang.runtime.field[k];

				w.lang.runtime.symbol[SYMBOL_V8_FUNCTION_SHARED + k] = room(8);
				put(used - 8, k == i && j < COUNT(words) ? words[j] : said);
			}
			assert_int_equal(v8_learn(&w), j < COUNT(words) ? -ENOSYS : 0);
		}
		w.lang.runtime.symbol[SYMBOL_V8_FUNCTION_SHARED + i] = 0;
		assert_int_equal(v8_learn(&w), -ENOSYS);
	}
}

static void v8__words_of_any_value_do_no_harm(void **state)
{
	static const u32 values[] = {0,	 1,  5,	  7,   8,    9,		 15,	     40,	63,
				     64, 65, 127, 128, 4096, 0x7fffffff, 0xfffffffe, 0xffffffff};

	(void)state;
	for (u32 i = 0; i < 2 * 17 * COUNT(values); i++) {
		u64 f, at, code;

		begin(i & 1);
		at = made_of(&f, at_source("b();", 1), 0x80);
		for (u32 k = 0; k < 17; k++) {
			w.lang.runtime.symbol[SYMBOL_V8_FUNCTION_SHARED + k] = room(8);
			put(used - 8, k == i / 2 % 17 ? values[i / 34] : said_by[is_new][k]);
		}
		if (v8_learn(&w))
			continue;
		native(frame_make(FRAME_ANON, at + 5, 1), f);
		code = object(BYTECODE, 64);
		put(shared_of(f) - 1 + 8, code);
		put(code - 1 + (is_new ? 24 : 32), positions(5, at_source("b();", 0), 9, at_source("c();", 0)));
		native(frame_make(V8, BUILTIN, 1), f);
		put(fp - 32, code);
		put(fp - 40, 60ULL << 32);
		native_end();
		run();
		assert_int_equal(w.lang.lost, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(v8__frames_lie_above_what_runs_them),
		cmocka_unit_test(v8__names_are_behind_the_variables),
		cmocka_unit_test(v8__a_function_without_a_name_has_that_which_was_inferred),
		cmocka_unit_test(v8__strings_may_consist_of_others),
		cmocka_unit_test(v8__characters_may_have_two_bytes),
		cmocka_unit_test(v8__long_names_are_cut),
		cmocka_unit_test(v8__strings_that_lead_nowhere_are_no_names),
		cmocka_unit_test(v8__lines_are_not_known_without_a_source),
		cmocka_unit_test(v8__what_has_moved_is_not_known),
		cmocka_unit_test(v8__objects_of_other_types_are_not_believed),
		cmocka_unit_test(v8__what_has_no_context_is_no_function),
		cmocka_unit_test(v8__wild_pointers_are_not_followed),
		cmocka_unit_test(v8__what_is_no_frame_of_a_function_stays_native),
		cmocka_unit_test(v8__code_whose_frame_is_not_made_has_no_function),
		cmocka_unit_test(v8__a_cut_stack_has_what_is_known_of_it),
		cmocka_unit_test(v8__other_functions_at_the_same_address_have_another_number),
		cmocka_unit_test(v8__the_line_is_that_of_the_offset_in_bytecode),
		cmocka_unit_test(v8__bytecode_of_another_function_says_nothing),
		cmocka_unit_test(v8__functions_that_were_inlined_are_there),
		cmocka_unit_test(v8__code_of_another_function_says_nothing),
		cmocka_unit_test(v8__inlining_without_end_is_not_believed),
		cmocka_unit_test(v8__tables_without_end_are_not_read),
		cmocka_unit_test(v8__words_of_any_value_do_no_harm),
		cmocka_unit_test(v8__that_does_not_say_what_is_known_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
