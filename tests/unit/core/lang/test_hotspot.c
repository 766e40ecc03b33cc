/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Frames of Java in memory that is laid out as HotSpot does, or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "port/fake_hotspot.h"

#define SP (STACK + 0x400)
#define ELSEWHERE 0x123456 /* no mapping: where a walk of these tests ends */
#define NOWHERE 0x50	   /* in the code of a method, not at its beginning or end */
#define BYTES 0x100	   /* of its code */
#define WORDS 6		   /* of its frame */

static const u32 versions[] = {17, 21, 25};
static struct walk w;

#define EACH_VERSION(v) for (u32 v = 0; v < sizeof(versions) / sizeof(versions[0]); v++)

static void begin(u32 version)
{
	fake_begin(&w, version);
	assert_int_equal(fake_learn(&w), 0);
	/* what is not looked at is a call: */
	memset(jvm.cache + (jvm.interpreter - CACHE), 0x90, 0x200);
}

/* A place behind a call in the code at @code. */
static u64 call_in(u64 code, u32 at)
{
	*fake_at(code + at - 5) = 0xe8;
	put32(code + at - 4, 0x1000);
	return code + at;
}

static void ends_elsewhere(u64 sp)
{
	put(sp, ELSEWHERE);
}

static const struct code_content *content(u32 nr)
{
	u64 frame = w.out.frame[nr];
	const struct code_content *c;

	assert_true(nr < w.out.nr);
	assert_true(frame_is_code(frame));
	assert_int_equal(frame_language(frame), LANGUAGE_JAVA);
	c = port_code(frame_code(frame));
	assert_non_null(c);
	return c;
}

/* Frame @nr is of this method, at this bytecode. */
static void is_at(u32 nr, const char *class, const char *name, u32 bytecode)
{
	const struct code_content *c = content(nr);

	assert_int_equal(c->file.bytes, strlen(class));
	assert_memory_equal(c->file_text, class, strlen(class));
	assert_int_equal(c->name.bytes, strlen(name));
	assert_memory_equal(c->name_text, name, strlen(name));
	assert_int_equal(frame_position(w.out.frame[nr]), bytecode);
}

static void is_stub(u32 nr, const char *name)
{
	const struct code_content *c = content(nr);

	assert_int_equal(c->file.bytes, 0);
	assert_string_equal((const char *)c->name_text, name);
	assert_int_equal(frame_position(w.out.frame[nr]), FRAME_POSITION);
}

/* The stub by which C calls Java, which the return address at @slot leads to; its frame is at @fp, and C's caller at ELSEWHERE. */
static void put_call_stub(u64 slot, u64 fp)
{
	put(slot, jvm.call_stub + CALL_STUB_RETURN);
	put(fp, 0);
	ends_elsewhere(fp + 8);
}

static void ends_in_call_stub(u32 nr)
{
	is_stub(nr, "StubRoutines (1)");
	assert_int_equal(w.out.nr, nr + 2);
	assert_int_equal(frame_offset(w.out.frame[nr + 1]), ELSEWHERE);
	assert_int_equal(w.outcome, NO_MAPPING);
	assert_int_equal(w.machine.sp, STACK + 0x810);
}

/* Put the frame of an interpreted method at @fp. */
static void put_interpreted(u64 fp, u64 m, u32 bytecode, u64 sender, u64 caller_fp, u64 caller)
{
	put(fp - 64, bytecode_of(m) + bytecode);
	put(fp - 24, m);
	put(fp - 8, sender);
	put(fp, caller_fp);
	put(fp + 8, caller);
}

static void fields_are_where_the_runtime_says(void **state)
{
	(void)state;
	EACH_VERSION(v)
	{
		fake_begin(&w, versions[v]);
		assert_int_equal(fake_learn(&w), 0);
		assert_int_equal(w.lang.runtime.hotspot.field[HOTSPOT_BLOB_NAME], 8);
		assert_int_equal(w.lang.runtime.hotspot.field[HOTSPOT_CONST_NAME], 38);
		assert_int_equal(w.lang.runtime.hotspot.field[HOTSPOT_CONST_FLAGS], 24);
		assert_int_equal(w.lang.runtime.hotspot.field[HOTSPOT_CODE_METHOD], versions[v] < 23 ? 128 : 136);
		assert_int_equal(w.lang.runtime.hotspot.field[HOTSPOT_POOL_BYTES], POOL_BYTES);
	}
}

static void a_version_that_is_not_known_is_refused(void **state)
{
	static const u32 other[] = {8, 11, 16, 20, 23, 24, 26};

	(void)state;
	for (u32 i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		fake_begin(&w, other[i]);
		assert_int_equal(fake_learn(&w), -ENOSYS);
	}
}

/* It is loaded, but has not begun: then it is one as soon as it has. */
static void a_runtime_may_have_no_version_yet(void **state)
{
	u64 m;

	(void)state;
	EACH_VERSION(v)
	{
		begin(versions[v]);
		put32(w.lang.runtime.hotspot.field[HOTSPOT_VERSION], 0);
		assert_int_equal(fake_learn(&w), 0);
		m = method("app/Main", "main", "Main.java", 30, NULL);
		put_interpreted(SP + 0x100, m, 4, SP + 0x118, STACK + 0x800, 0);
		put_call_stub(SP + 0x108, STACK + 0x800);
		fake_walk(&w, jvm.interpreter + 0x80, SP, SP + 0x100);
		assert_true(frame_is_anon(w.out.frame[0]));
		put32(w.lang.runtime.hotspot.field[HOTSPOT_VERSION], versions[v]);
		fake_walk(&w, jvm.interpreter + 0x80, SP, SP + 0x100);
		is_at(0, "app/Main", "main", 4);
		ends_in_call_stub(1);
	}
}

static void a_runtime_without_a_field_is_refused(void **state)
{
	static const char *const without[] = {"_segmap", "_frame_size", "_pool_holder", "_body"};

	(void)state;
	for (u32 i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		fake_begin(&w, 17);
		put_tables(&w.lang.runtime, without[i]);
		assert_int_equal(fake_learn(&w), -ENOSYS);
	}
}

static void fields_outside_of_what_is_read_are_refused(void **state)
{
	static const char *const moved[] = {"_constants", "_frame_size", "_scopes_pcs_offset", "_code_end",
					    "_orig_pc_offset"};

	(void)state;
	for (u32 i = 0; i < sizeof(moved) / sizeof(moved[0]); i++) {
		u64 fields, name;

		fake_begin(&w, 17);
		memcpy(&fields, fake_at(w.lang.runtime.symbol[SYMBOL_HOTSPOT_FIELDS]), sizeof(fields));
		for (u64 at = fields; *fake_at(at + 5); at += 48) {
			memcpy(&name, fake_at(at + 8), sizeof(name));
			if (!strcmp((char *)fake_at(name), moved[i]))
				put(at + 32, i & 1 ? 512 : i & 2 ? -4ULL : 1ULL << 40);
		}
		assert_int_equal(fake_learn(&w), -ENOSYS);
	}
}

static void a_table_without_an_end_is_left(void **state)
{
	u64 at;

	(void)state;
	fake_begin(&w, 17);
	memcpy(&at, fake_at(w.lang.runtime.symbol[SYMBOL_HOTSPOT_FIELDS]), sizeof(at));
	for (u32 i = 0; i < 0x1000; i++) /* up to the end of the mapping */
		put(DATA + 0x8000 + 8 * i, DATA + 0x100);
	put(w.lang.runtime.symbol[SYMBOL_HOTSPOT_FIELDS], DATA + 0x8000);
	assert_int_equal(fake_learn(&w), -EFAULT);
}

static void frames_lead_from_compiled_code_to_c(void **state)
{
	(void)state;
	EACH_VERSION(v)
	{
		u64 outer, inner, code, caller;

		begin(versions[v]);
		outer = method("app/Main", "run", "Main.java", 300, NULL);
		inner = method("java/lang/Math", "min", "Math.java", 9, NULL);
		code = compiled(inner, BYTES, WORDS, 12, NOWHERE, (struct fake_scope[]){{inner, 3}, {0}});
		caller = compiled(outer, BYTES, 4, 12, 0x60, (struct fake_scope[]){{inner, 7}, {outer, 257}, {0}});
		put(SP + 8 * WORDS - 8, call_in(caller, 0x60));
		put(SP + 8 * WORDS - 16, 1);
		put(SP + 8 * WORDS + 16, STACK + 0x800);
		put_call_stub(SP + 8 * WORDS + 24, STACK + 0x800);
		fake_walk(&w, code + NOWHERE, SP, 2);
		is_at(0, "java/lang/Math", "min", 3);
		is_at(1, "java/lang/Math", "min", 7);
		is_at(2, "app/Main", "run", 257);
		ends_in_call_stub(3);
	}
}

static void interpreted_frames_have_a_frame_pointer(void **state)
{
	(void)state;
	EACH_VERSION(v)
	{
		u64 outer, inner;

		begin(versions[v]);
		outer = method("app/Main", "main", "Main.java", 30, NULL);
		inner = method("app/Main", "add", NULL, 9, NULL);
		put_interpreted(SP + 0x100, inner, 4, SP + 0x118, SP + 0x200, jvm.interpreter + 0x33);
		put_interpreted(SP + 0x200, outer, 29, SP + 0x210, STACK + 0x800, 0);
		put_call_stub(SP + 0x208, STACK + 0x800);
		fake_walk(&w, jvm.interpreter + 0x80, SP, SP + 0x100);
		is_at(0, "app/Main", "add", 4);
		is_at(1, "app/Main", "main", 29);
		ends_in_call_stub(2);
	}
}

static void the_interpreter_has_its_next_bytecode_in_a_register(void **state)
{
	u64 m;

	(void)state;
	begin(17);
	m = method("app/Main", "main", "Main.java", 30, NULL);
	put_interpreted(SP + 0x100, m, 4, SP + 0x118, STACK + 0x800, 0);
	put_call_stub(SP + 0x108, STACK + 0x800);
	memset(w.machine.reg, 0, sizeof(w.machine.reg));
	w.machine.reg[REG_PC] = jvm.interpreter + 0x80;
	w.machine.reg[REG_SP] = SP;
	w.machine.reg[REG_FP] = SP + 0x100;
	w.machine.reg[HOTSPOT_NEXT] = bytecode_of(m) + 11;
	walk_start(&w);
	walk_stack(&w);
	is_at(0, "app/Main", "main", 11);
	ends_in_call_stub(1);
}

static void a_frame_of_none_of_its_methods_is_no_interpreted_one(void **state)
{
	u64 m;

	(void)state;
	begin(17);
	m = method("app/Main", "main", "Main.java", 30, NULL);
	put_interpreted(SP + 0x100, m, 30, SP + 0x118, STACK + 0x800, 0); /* behind its last bytecode */
	put_call_stub(SP + 0x108, STACK + 0x800);
	fake_walk(&w, jvm.interpreter + 0x80, SP, SP + 0x100);
	assert_int_equal(w.out.nr, 1);
	assert_true(frame_is_anon(w.out.frame[0]));
	assert_int_equal(w.outcome, JIT_CODE);
}

/* Compiled, which has no scopes, whatever lies where they would be; and interpreted. */
static void native_methods_have_no_bytecode(void **state)
{
	(void)state;
	EACH_VERSION(v)
	{
		u64 m, other, code, fp = SP + 0x200;

		begin(versions[v]);
		m = method("java/lang/Thread", "yield", "Thread.java", 0, NULL);
		other = method("app/Main", "run", "Main.java", 30, NULL);
		code = compiled(m, BYTES, WORDS, 12, NOWHERE, (struct fake_scope[]){{other, 3}, {0}});
		put(blob_of(code) + 8, c_text("native nmethod"));
		put(SP + 8 * WORDS - 8, jvm.interpreter + 0x33);
		put(SP + 8 * WORDS - 16, fp);
		put_interpreted(fp, m, 0, fp + 16, STACK + 0x800, 0);
		put_call_stub(fp + 8, STACK + 0x800);
		fake_walk(&w, code + NOWHERE, SP, 1);
		is_at(0, "java/lang/Thread", "yield", FRAME_POSITION);
		is_at(1, "java/lang/Thread", "yield", FRAME_POSITION);
		ends_in_call_stub(2);
	}
}

/* The innermost frame, when its code is where @bytes are, before @pc: the return address is @words words above the stack pointer. */
static void is_left_at(const char *before, const char *bytes, u32 words, bool saved)
{
	EACH_VERSION(v)
	{
		u64 m, code, caller, pc, up = SP + 8 * words + 8;

		begin(versions[v]);
		m = method("app/Main", "run", "Main.java", 300, NULL);
		code = compiled(m, BYTES, WORDS, 0x40, NOWHERE, (struct fake_scope[]){{0}});
		caller = compiled(m, BYTES, 4, 12, 0x60, (struct fake_scope[]){{m, 100}, {0}});
		pc = code + 0x30;
		memset(fake_at(code), 0x90, BYTES);
		memcpy(fake_at(pc - strlen(before)), before, strlen(before));
		memcpy(fake_at(pc), bytes, strlen(bytes));
		put(up - 8, call_in(caller, 0x60));
		if (saved)
			put(up - 16, STACK + 0x800);
		put(up + 16, STACK + 0x800);
		put_call_stub(up + 24, STACK + 0x800);
		fake_walk(&w, pc, SP, saved ? 3 : STACK + 0x800);
		is_at(0, "app/Main", "run", FRAME_POSITION);
		is_at(1, "app/Main", "run", 100);
		ends_in_call_stub(2);
	}
}

static void a_frame_that_is_not_set_up_is_left_by_its_code(void **state)
{
	(void)state;
	is_left_at("\x90", "\x55", 0, false);
	is_left_at("\x55", "\x48\x83\xec\x20", 1, true);
	is_left_at("\x55\x48\x8b\xec", "\x48\x83\xec\x20", 1, true);
	is_left_at("\x55\x48\x83\xec\x20", "\x90", 6, true);	     /* with a word pushed behind it */
	is_left_at("\x55\x48\x83\xec\x20", "\x41\x81\x7f", 5, true); /* the rest of the beginning */
	is_left_at("\x48\x83\xec\x28", "\x48\x89\x6c\x24\x20", 5, false);
	is_left_at("\x48\x81\xec\x28\x01\x01\x01", "\x48\x89\xac\x24", 0, false); /* another frame's size */
}

static void a_frame_that_has_been_left_is_known_by_its_code(void **state)
{
	(void)state;
	is_left_at("", "\xc3", 0, false);
	is_left_at("", "\x5d\xc3", 1, true);
	is_left_at("", "\x5d\x49\x3b\xa7\x48\x03\x01\x01\x0f\x87\x01\x01\x01\x01\xc3", 1, true);
	is_left_at("", "\x49\x3b\xa7\x48\x03\x01\x01\x0f\x87\x01\x01\x01\x01\xc3", 0, false);
	is_left_at("", "\x5d\x49\x3b\x67\x28\x0f\x87\x01\x01\x01\x01\xc3", 1, true);
	is_left_at("", "\x49\x3b\x67\x28\x0f\x87\x01\x01\x01\x01\xc3", 0, false);
	is_left_at("", "\x0f\x87\x01\x01\x01\x01\xc3", 0, false);
}

static void frames_to_be_interpreted_go_on_where_they_did(void **state)
{
	(void)state;
	EACH_VERSION(v)
	{
		u64 m, inner, code, callee;

		begin(versions[v]);
		m = method("app/Main", "run", "Main.java", 300, NULL);
		inner = method("app/Main", "add", "Main.java", 9, NULL);
		code = compiled(m, BYTES, WORDS, 12, 0x60, (struct fake_scope[]){{inner, 5}, {m, 100}, {0}});
		callee = compiled(inner, BYTES, 4, 12, NOWHERE, (struct fake_scope[]){{inner, 1}, {0}});
		put(SP + 24, code + BYTES - 8); /* the handler that replaces the frame */
		memcpy(fake_at(code + BYTES - 13), "\xe8\x01\x01\x01\x01", 5);
		put(SP + 32 + 16, code + 0x60); /* the return address that was */
		put(SP + 32 + 8 * WORDS - 16, STACK + 0x800);
		put_call_stub(SP + 32 + 8 * WORDS - 8, STACK + 0x800);
		fake_walk(&w, callee + NOWHERE, SP, 1);
		is_at(0, "app/Main", "add", 1);
		is_at(1, "app/Main", "add", 5);
		is_at(2, "app/Main", "run", 100);
		ends_in_call_stub(3);
	}
}

static void c_gets_back_the_registers_that_it_had(void **state)
{
	static const u32 reg[] = {RBX, R12, R13, R14, R15};
	u64 m;

	(void)state;
	begin(17);
	m = method("app/Main", "main", "Main.java", 30, NULL);
	put_interpreted(SP + 0x100, m, 4, SP + 0x118, STACK + 0x800, 0);
	for (u32 i = 0; i < 5; i++)
		put(STACK + 0x800 - 56 - 8 * i, 0x1000 + i);
	put_call_stub(SP + 0x108, STACK + 0x800);
	fake_walk(&w, jvm.interpreter + 0x80, SP, SP + 0x100);
	ends_in_call_stub(1);
	for (u32 i = 0; i < 5; i++) {
		u64 val = 0;

		assert_int_equal(machine_reg(&w.machine, reg[i], &val), 0);
		assert_int_equal(val, 0x1000 + i);
	}
}

static void a_stub_is_left_by_what_its_code_says(void **state)
{
	u64 m, caller, stub;

	(void)state;
	begin(17);
	m = method("app/Main", "run", "Main.java", 300, NULL);
	caller = compiled(m, BYTES, 4, 12, 0x60, (struct fake_scope[]){{m, 100}, {0}});
	stub = blob("StubRoutines (2)", 0x80, 0, -1);
	for (u32 pushed = 0; pushed < 2; pushed++) {
		u64 fp = SP + 0x40, up = pushed ? fp + 16 : SP + 8;

		put(up - 8, caller + 0x60);
		*fake_at(caller + 0x60 - 5) = 0xe8;
		put32(caller + 0x60 - 4, (u32)(stub + 0x10 - (caller + 0x60)));
		if (pushed)
			put(fp, STACK + 0x800);
		put(up + 16, STACK + 0x800);
		put_call_stub(up + 24, STACK + 0x800);
		fake_walk(&w, stub + 0x40, SP, pushed ? fp : 1);
		is_stub(0, "StubRoutines (2)");
		is_at(1, "app/Main", "run", 100);
		ends_in_call_stub(2);
	}
}

/* Where its frame would have the return address is another place in code: the call is looked for further in, and has still to be one of this stub. */
static void a_stub_is_compared_with_its_own_calls(void **state)
{
	u64 m, caller, stub;

	(void)state;
	begin(17);
	m = method("app/Main", "run", "Main.java", 300, NULL);
	caller = compiled(m, BYTES, 4, 12, 0x60, (struct fake_scope[]){{m, 100}, {0}});
	stub = blob("RuntimeStub - new_array", 0x80, 6, -1);
	*fake_at(caller + 0x60 - 5) = 0xe8;
	put32(caller + 0x60 - 4, (u32)(stub + 0x10 - (caller + 0x60)));
	put(SP + 6 * 8 - 8, caller + 0x20); /* no call is before it */
	put(SP + 8, caller + 0x60);
	put(SP + 16 + 16, STACK + 0x800);
	put_call_stub(SP + 16 + 24, STACK + 0x800);
	fake_walk(&w, stub + 0x40, SP, 1);
	is_stub(0, "RuntimeStub - new_array");
	is_at(1, "app/Main", "run", 100);
}

/* The frame pointer of a stub that has none may be that of an interpreted frame further out. */
static void a_frame_pointer_of_another_frame_is_not_followed(void **state)
{
	u64 m, stub;

	(void)state;
	begin(17);
	m = method("app/Main", "run", "Main.java", 300, NULL);
	stub = blob("StubRoutines (2)", 0x80, 0, -1);
	put_interpreted(SP + 0x100, m, 4, SP + 0x118, STACK + 0x800, jvm.interpreter + 0x33);
	fake_walk(&w, stub + 0x40, SP, SP + 0x100);
	assert_int_equal(w.out.nr, 1);
	assert_int_equal(w.outcome, JIT_CODE);
}

static void code_that_is_no_blob_is_none_of_java(void **state)
{
	(void)state;
	begin(17);
	fake_walk(&w, CACHE + 0x3f80, SP, 0); /* free */
	assert_int_equal(w.out.nr, 1);
	assert_int_equal(w.outcome, JIT_CODE);
	jvm.map[0x3000 / SEGMENT] = 1; /* leads to itself, over all before */
	memset(jvm.map, 1, 0x3000 / SEGMENT);
	fake_walk(&w, CACHE + 0x3000, SP, 0);
	assert_int_equal(w.outcome, JIT_CODE);
}

static void wild_methods_end_the_stack(void **state)
{
	static const u64 wild[] = {0, 8, ~0ULL, 1ULL << 63, DATA + DATA_BYTES - 8, CACHE};

	(void)state;
	for (u32 i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
		u64 m, code;

		begin(25);
		m = method("app/Main", "run", "Main.java", 300, NULL);
		code = compiled(m, BYTES, WORDS, 12, NOWHERE, (struct fake_scope[]){{m, 3}, {0}});
		put(code + BYTES + 176, wild[i]);
		fake_walk(&w, code + NOWHERE, SP, 0);
		assert_int_equal(w.out.nr, 1);
		assert_true(frame_is_anon(w.out.frame[0]));
		assert_int_equal(w.outcome, JIT_CODE);
	}
}

static void scopes_that_lead_to_each_other_have_an_end(void **state)
{
	u64 m, code;

	(void)state;
	begin(17);
	m = method("app/Main", "run", "Main.java", 300, NULL);
	code = compiled(m, BYTES, WORDS, 12, NOWHERE, (struct fake_scope[]){{m, 3}, {0}});
	*fake_at(code + BYTES + 48 + 1) = 1; /* its own */
	put_call_stub(SP + 8 * WORDS - 8, STACK + 0x800);
	fake_walk(&w, code + NOWHERE, SP, 0);
	assert_true(w.out.nr <= MAX_SCOPES + 2);
}

static void code_without_room_has_no_number(void **state)
{
	u64 m, other, code;

	(void)state;
	begin(17);
	port_code_limit(0);
	m = method("app/Main", "run", "Main.java", 300, NULL);
	other = method("app/Main", "add", "Main.java", 30, NULL);
	code = compiled(m, BYTES, WORDS, 12, NOWHERE, (struct fake_scope[]){{other, 3}, {m, 4}, {other, 3}, {0}});
	fake_walk(&w, code + NOWHERE, SP, 0);
	put(SP + 8 * WORDS - 16, STACK + 0x800);
	put_call_stub(SP + 8 * WORDS - 8, STACK + 0x800);
	(void)code;
	assert_true(w.out.nr >= 1);
	for (u32 i = 0; i + 1 < w.out.nr; i++)
		assert_int_equal(frame_code(w.out.frame[i]), 0);
}

static void walks_that_wait_for_pages_are_the_same(void **state)
{
	(void)state;
	EACH_VERSION(v)
	{
		u64 outer, inner, code, caller;

		begin(versions[v]);
		port_wait_for_pages(&w.modules);
		outer = method("app/Main", "run", "Main.java", 300, "\x41\x42");
		inner = method("java/lang/Math", "min", "Math.java", 9, NULL);
		code = compiled(inner, BYTES, WORDS, 12, NOWHERE, (struct fake_scope[]){{inner, 3}, {0}});
		caller = compiled(outer, BYTES, 4, 12, 0x60, (struct fake_scope[]){{inner, 7}, {outer, 257}, {0}});
		put(SP + 8 * WORDS - 8, call_in(caller, 0x60));
		put(SP + 8 * WORDS + 16, STACK + 0x800);
		put_call_stub(SP + 8 * WORDS + 24, STACK + 0x800);
		fake_walk(&w, code + NOWHERE, SP, 2);
		is_at(0, "java/lang/Math", "min", 3);
		is_at(1, "java/lang/Math", "min", 7);
		is_at(2, "app/Main", "run", 257);
		ends_in_call_stub(3);
		assert_true(port_pages_waited_for() > 3);
	}
}

static void methods_have_their_lines_and_files(void **state)
{
	(void)state;
	EACH_VERSION(v)
	{
		const struct code_content *c;
		u64 m;

		begin(versions[v]);
		m = method("app/Main$1", "run", "Main.java", 30, "\x41\x42");
		put_interpreted(SP + 0x100, m, 4, SP + 0x118, STACK + 0x800, 0);
		put_call_stub(SP + 0x108, STACK + 0x800);
		fake_walk(&w, jvm.interpreter + 0x80, SP, SP + 0x100);
		is_at(0, "app/Main$1", "run", 4);
		c = content(0);
		assert_int_equal(c->line_table, LINES_JAVA);
		assert_int_equal(c->biased, versions[v] >= 20);
		assert_true(c->table_bytes >= 3 && c->table_bytes < 16);
		assert_memory_equal(c->table, "\x41\x42", 3);
		assert_int_equal(c->source_bytes, 9);
		assert_memory_equal(c->file_text + CODE_SOURCE_AT, "Main.java", 9);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_where_the_runtime_says),
		cmocka_unit_test(a_version_that_is_not_known_is_refused),
		cmocka_unit_test(a_runtime_may_have_no_version_yet),
		cmocka_unit_test(a_runtime_without_a_field_is_refused),
		cmocka_unit_test(fields_outside_of_what_is_read_are_refused),
		cmocka_unit_test(a_table_without_an_end_is_left),
		cmocka_unit_test(frames_lead_from_compiled_code_to_c),
		cmocka_unit_test(interpreted_frames_have_a_frame_pointer),
		cmocka_unit_test(the_interpreter_has_its_next_bytecode_in_a_register),
		cmocka_unit_test(a_frame_of_none_of_its_methods_is_no_interpreted_one),
		cmocka_unit_test(native_methods_have_no_bytecode),
		cmocka_unit_test(a_frame_that_is_not_set_up_is_left_by_its_code),
		cmocka_unit_test(a_frame_that_has_been_left_is_known_by_its_code),
		cmocka_unit_test(frames_to_be_interpreted_go_on_where_they_did),
		cmocka_unit_test(c_gets_back_the_registers_that_it_had),
		cmocka_unit_test(a_stub_is_left_by_what_its_code_says),
		cmocka_unit_test(a_stub_is_compared_with_its_own_calls),
		cmocka_unit_test(a_frame_pointer_of_another_frame_is_not_followed),
		cmocka_unit_test(code_that_is_no_blob_is_none_of_java),
		cmocka_unit_test(wild_methods_end_the_stack),
		cmocka_unit_test(scopes_that_lead_to_each_other_have_an_end),
		cmocka_unit_test(code_without_room_has_no_number),
		cmocka_unit_test(walks_that_wait_for_pages_are_the_same),
		cmocka_unit_test(methods_have_their_lines_and_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
