/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Frames of Java in the memory of a process that has changed any of it: the walk ends, and each frame is either native or of code that was kept.
 *
 * Input: a byte that says which version, one for the read that fails, and changes: where, in units of 4 bytes, and a value.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "port/fake_hotspot.h"

#define HEAD 4
#define CHANGE_BYTES 7
#define MAX_CHANGES 64
#define SP (STACK + 0x400)
#define BYTES 0x100
#define WORDS 6

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct walk w;

/* A stack with frames of each kind: compiled, with one inlined; interpreted; the stub by which C calls. Returns the innermost PC. */
static u64 make(u32 version)
{
	u64 outer, inner, code, fp = SP + 0x200;

	fake_begin(&w, version);
	outer = method("app/Main", "main", "Main.java", 30, "\x41\x42");
	inner = method("app/Main$Row", "next", "Main.java", 9, "\x07");
	code = compiled(inner, BYTES, WORDS, 12, 0x50, (struct fake_scope[]){{inner, 3}, {outer, 7}, {0}});
	put(SP + 8 * WORDS - 8, jvm.interpreter + 0x33);
	put(SP + 8 * WORDS - 16, fp);
	put(fp - 64, bytecode_of(outer) + 4);
	put(fp - 24, outer);
	put(fp - 8, fp + 16);
	put(fp, STACK + 0x800);
	put(fp + 8, jvm.call_stub + CALL_STUB_RETURN);
	put(STACK + 0x808, 0x123456);
	return code + 0x50;
}

/* Change memory: three bytes say where, of all that is mapped; four what to. */
static void change(const uint8_t *data)
{
	u32 at = (data[0] | data[1] << 8 | data[2] << 16) * 4;

	if (at < DATA_BYTES - 4)
		memcpy(jvm.data + at, data + 3, 4);
	else if ((at -= DATA_BYTES) < CACHE_BYTES - 4)
		memcpy(jvm.cache + at, data + 3, 4);
	else if ((at -= CACHE_BYTES) < MAP_BYTES - 4)
		memcpy(jvm.map + at, data + 3, 4);
	else
		memcpy(jvm.stack + (at - MAP_BYTES) % (STACK_BYTES - 4), data + 3, 4);
}

static void check(void)
{
	assert(w.out.nr >= 1 && w.out.nr <= w.max_depth);
	assert(w.outcome < NR_OUTCOMES && w.outcome != GOING_ON);
	for (u32 i = 0; i < w.out.nr; i++) {
		u64 frame = w.out.frame[i];

		if (!frame_is_code(frame))
			continue;
		assert(frame_language(frame) == LANGUAGE_JAVA);
		assert(!frame_code(frame) || port_code(frame_code(frame)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const u32 versions[] = {17, 21, 25, 25};
	static const u32 depths[] = {1, 2, 4, 16, 64, 256, 1024, MAX_DEPTH};
	bool early = data && size >= HEAD && data[0] & 4; /* changed before the tables are read */
	u64 pc;

	if (size < HEAD)
		return 0;
	pc = make(versions[data[0] & 3]);
	for (size_t i = HEAD; early && i + CHANGE_BYTES <= size && i < HEAD + MAX_CHANGES * CHANGE_BYTES;
	     i += CHANGE_BYTES)
		change(data + i);
	if (fake_learn(&w))
		return 0;
	for (size_t i = HEAD; !early && i + CHANGE_BYTES <= size && i < HEAD + MAX_CHANGES * CHANGE_BYTES;
	     i += CHANGE_BYTES)
		change(data + i);
	port_code_limit(data[0] >> 3 & 1 ? 1 : 8);
	port_fail_read(data[1], -EACCES, data[0] >> 4 & 1);
	port_wait_for_pages(data[0] >> 5 & 1 ? &w.modules : NULL);
	w.max_depth = depths[data[2] & 7];
	fake_walk(&w, pc + (int8_t)data[3], SP, SP + 0x200);
	check();
	return 0;
}
