/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process whose memory is that of one that runs Python, but for any words at any places: the search for its frames ends, the
 * native stack is kept, and waiting for pages changes nothing.
 *
 *	0     version (bits 0, 1), native stack: too deep (2), cut (3), max_depth (4..7)
 *	1     native frames			2     the n-th read finds a page that is not safe
 *	3..   changes: where, in words (2 bytes; the highest bit: on the stack); what (1); and by that
 *		0 a word, 1 a place in memory (2), 2 one on the stack (2), 3 a byte and which one of the word (2), 4 one to add (2)
 */
#include <stddef.h>
#include <stdint.h>

#include "abi/frame.h"
#include "port/fake_python.h"
#include "port/port_buffer.h"

#define HEAD 3
#define MAX_CHANGES 64
#define OLDEST 11
#define NR_VERSIONS 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fake_python process[NR_VERSIONS];
static struct walk w, before;

struct change {
	u8 *at;
	u64 old;
};

static void make(struct fake_python *p, u32 minor)
{
	u64 thread;

	python_example(p, minor);
	python_call(p, python_add_code(p, "long", "/srv/long.py", 3000), 7);
	python_run(p, 0);
	python_call(p, python_simple_code(p, "\xe9t\xe9"), 4);
	thread = p->thread;
	python_add_thread(p, p->interpreter, 5);
	python_add_thread(p, python_add_interpreter(p), 6);
	p->thread = thread;
}

static u64 take(const uint8_t **data, size_t *size, u32 bytes)
{
	u64 val = 0;

	for (u32 i = 0; i < bytes && *size; i++, (*size)--)
		val |= (u64) * (*data)++ << 8 * i;
	return val;
}

static u64 changed(const struct fake_python *p, u64 old, const uint8_t **data, size_t *size)
{
	u32 what = take(data, size, 1) % 5, shift;

	if (what == 0)
		return take(data, size, 8);
	if (what == 1)
		return PYTHON_BASE + take(data, size, 2) % p->heap.len;
	if (what == 2)
		return NATIVE_SP + take(data, size, 2) % sizeof(p->stack);
	if (what == 4)
		return old + (s16)take(data, size, 2);
	shift = take(data, size, 1) % 8 * 8;
	return (old & ~(0xffULL << shift)) | take(data, size, 1) << shift;
}

static u32 change(struct fake_python *p, struct change *changes, const uint8_t *data, size_t size)
{
	u32 nr = 0;

	for (; nr < MAX_CHANGES && size > 2; nr++) {
		u32 where = take(&data, &size, 2);
		struct change *c = &changes[nr];
		u64 val;

		c->at = where >> 15 ? p->stack + (where & 0x7fff) * 8 % sizeof(p->stack)
				    : p->bytes + where * 8 % p->heap.len / 8 * 8;
		memcpy(&c->old, c->at, 8);
		val = changed(p, c->old, &data, &size);
		memcpy(c->at, &val, 8);
	}
	return nr;
}

static void undo(struct change *changes, u32 nr)
{
	while (nr--)
		memcpy(changes[nr].at, &changes[nr].old, 8);
}

/* As deep.c leaves a stack that is too deep: the outermost frames are a ring. */
static void make_deep(u32 begin)
{
	u32 nr = walk_nr_outer(&w), inner = w.max_depth - nr;

	if (!nr)
		return;
	w.laps = 1;
	w.out.nr = inner + begin % nr + 1;
	for (u32 i = 0; i < nr; i++) {
		u32 at = inner + (begin + 1 + i) % nr;

		w.out.frame[at] = frame_make(1, 1000 + i, true);
		w.sp_words[at] = 16 * (1000 + i);
	}
}

static void walk(struct fake_python *p, const uint8_t *data)
{
	static const u32 depths[] = {1, 2, 3, 4, 5, 8, 12, 16, 32, 64, 100, 128, 256, 512, 1024, MAX_DEPTH};
	u32 depth = depths[data[0] >> 4], nr = data[1] % NATIVE_FRAMES;
	bool deep = data[0] >> 2 & 1;

	if (deep || nr > depth)
		nr = depth < NATIVE_FRAMES ? depth : NATIVE_FRAMES;
	python_begin_walk(p, &w, nr, data[0] >> 3 & 1 ? STACK_UNREADABLE : UNDEFINED_RA);
	w.max_depth = depth;
	if (deep && depth <= NATIVE_FRAMES)
		make_deep(data[1]);
	before = w;
	python_walk(&w);
}

static bool has_gap(void)
{
	for (u32 i = 0; i < w.out.nr; i++)
		if (w.out.frame[i] == FRAME_GAP)
			return true;
	return false;
}

/* The native frames are in order, and, if there is no gap, all there. */
static void check(void)
{
	u32 nr = 0, code = 0;
	s64 last = -1;

	assert(w.out.nr <= w.max_depth);
	for (u32 i = 0; i < w.out.nr; i++) {
		u64 frame = w.out.frame[i];

		if (frame_is_code(frame)) {
			assert(frame_language(frame) == LANGUAGE_PYTHON);
			assert(!frame_code(frame) || port_code(frame_code(frame)));
			code++;
		} else if (frame != FRAME_GAP) {
			assert(frame_module(frame) == 1);
			assert((s64)frame_offset(frame) > last);
			last = frame_offset(frame);
			nr++;
		}
	}
	assert(w.lang.lost ? !code : code <= w.lang.nr_frames);
	assert(has_gap() || w.max_depth < 4 || nr == before.out.nr);
	assert(w.outcome == before.outcome || w.outcome == TOO_DEEP);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct change changes[MAX_CHANGES];
	static struct stack out;
	struct fake_python *p;
	u32 nr, lost = 0;

	if (size < HEAD)
		return 0;
	p = &process[data[0] & 3];
	if (!p->heap.len)
		make(p, OLDEST + (data[0] & 3));
	nr = change(p, changes, data + HEAD, size - HEAD);
	for (int waits = 0; waits < 2; waits++) {
		port_reset();
		python_map(p);
		port_code_limit(8);
		port_fail_read(data[2], -EACCES, false);
		port_wait_for_pages(waits ? &w.modules : NULL);
		walk(p, data);
		check();
		if (!waits) {
			out = w.out;
			lost = w.lang.lost;
		} else if (!data[2] && !lost && !w.lang.lost) {
			assert(w.out.nr == out.nr);
			assert(!memcmp(w.out.frame, out.frame, out.nr * sizeof(out.frame[0])));
		}
	}
	undo(changes, nr);
	return 0;
}
