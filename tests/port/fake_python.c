/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fake_python.h"
#include <stdio.h>
#include "abi/frame.h"
#include "port_buffer.h"
#include "symbol_table.h"

#define COOKIE "xdebugpy"
#define OF_LOOP 3 /* the owner of the frame of a run */

/* From CPython's headers of builds with the GIL: 3.11, 3.12. */
static const struct python_layout layouts[] = {
	{
		.interpreters = 40,
		.next_interpreter = 0,
		.threads = 16,
		.next_thread = 8,
		.thread_id = 152,
		.thread_frame = 56,
		.cframe_frame = 8,
		.previous = 48,
		.executable = 32,
		.instruction = 56,
		.owner = 69,
		.name = 128,
		.file = 112,
		.line = 72,
		.lines = 136,
		.instructions = 184,
		.ascii = 48,
		.wide = 72,
	},
	{
		.interpreters = 40,
		.next_interpreter = 0,
		.threads = 72,
		.next_thread = 8,
		.thread_id = 136,
		.thread_frame = 56,
		.cframe_frame = 0,
		.previous = 8,
		.executable = 0,
		.instruction = 56,
		.owner = 70,
		.name = 128,
		.file = 112,
		.line = 68,
		.lines = 136,
		.instructions = 192,
		.ascii = 40,
		.wide = 56,
	},
};

/* No version's: what describes itself may be anywhere. */
static const struct python_layout described = {
	.interpreters = 1024,
	.next_interpreter = 88,
	.threads = 1608,
	.next_thread = 24,
	.thread_id = 200,
	.thread_frame = 72,
	.previous = 16,
	.executable = 40,
	.instruction = 8,
	.owner = 77,
	.name = 96,
	.file = 104,
	.line = 60,
	.lines = 120,
	.instructions = 256,
	.ascii = 56,
	.wide = 72,
};

static u64 take(struct fake_python *p, u32 bytes)
{
	u64 addr;

	put_align(&p->heap, 16);
	addr = here(&p->heap);
	for (u32 i = 0; i < bytes; i++)
		put8(&p->heap, 0);
	return addr;
}

void python_set(struct fake_python *p, u64 addr, u64 val, u32 bytes)
{
	u64 off = addr - PYTHON_BASE, on_stack = addr - NATIVE_SP;

	assert(bytes <= 8);
	if (on_stack < sizeof(p->stack)) {
		memcpy(p->stack + on_stack, &val, bytes);
		return;
	}
	assert(off + bytes <= PYTHON_BYTES);
	memcpy(p->bytes + off, &val, bytes);
}

static void set(struct fake_python *p, u64 addr, u64 val)
{
	python_set(p, addr, val, 8);
}

/* Word @i of struct _Py_DebugOffsets behind its cookie, version and flag. */
static void describe(struct fake_python *p, u32 i, u64 val)
{
	set(p, p->runtime + 24 + 8 * i, val);
}

/* CPython 3.13 Include/internal/pycore_runtime.h; 3.14 pycore_debug_offsets.h has more fields in some structures. */
static void put_description(struct fake_python *p)
{
	u32 more = p->minor > 13, thread = more ? 19 : 16, frame = more ? 28 : 25, code = more ? 36 : 31;
	const struct python_layout *at = &p->at;

	memcpy(p->bytes + (p->runtime - PYTHON_BASE), COOKIE, 8);
	set(p, p->runtime + 8, 3 << 24 | p->minor << 16 | 0x1f0);
	describe(p, 2, at->interpreters);
	describe(p, 5, at->next_interpreter);
	describe(p, 6, at->threads);
	describe(p, thread + 2, at->next_thread);
	describe(p, thread + 4, at->thread_frame);
	describe(p, thread + 5, at->thread_id);
	describe(p, frame + 1, at->previous);
	describe(p, frame + 2, at->executable);
	describe(p, frame + 3, at->instruction);
	describe(p, frame + 5, at->owner);
	describe(p, code + 1, at->file);
	describe(p, code + 2, 80); /* the name that is not qualified */
	describe(p, code + 3, at->name);
	describe(p, code + 4, at->lines);
	describe(p, code + 5, at->line);
	describe(p, code + 9, at->instructions);
	describe(p, more ? 77 : 67, at->ascii);
}

static void put_module(struct fake_python *p)
{
	struct symbol_table t = {.bias = PYTHON_BASE, .nr_buckets = 1, .nr_words = 1, .shift = 6, .is_relocated = true};
	struct symbol symbols[] = {{"_PyRuntime", p->runtime - PYTHON_BASE, 1},
				   {"Py_Version", p->version - PYTHON_BASE, 1},
				   {"PyCode_Type", p->type - PYTHON_BASE, 1}};

	put_symbol_table(&p->heap, &t, symbols, COUNT(symbols));
	p->dynamic = t.dynamic;
}

void python_init(struct fake_python *p, u32 minor)
{
	memset(p, 0, sizeof(*p));
	p->minor = minor;
	p->heap = (struct writer){.bytes = p->bytes, .addr = PYTHON_BASE, .room = PYTHON_BYTES};
	p->at = minor < 13 ? layouts[minor > 11] : described;
	p->runtime = take(p, 2048);
	p->version = take(p, 8);
	p->type = take(p, 64);
	put_module(p);
	set(p, p->version, 3 << 24 | minor << 16 | 0x1f0);
	if (minor >= 13)
		put_description(p);
	p->interpreter = python_add_interpreter(p);
}

void python_map(struct fake_python *p)
{
	port_map(PYTHON_BASE, p->bytes, PYTHON_BYTES, (struct vma){.dev = 1, .ino = 5});
	port_map(NATIVE_SP, p->stack, sizeof(p->stack), (struct vma){0});
}

u64 python_bytes(struct fake_python *p, const void *bytes, u64 len)
{
	u64 addr = take(p, 32);

	put(&p->heap, bytes, len);
	put8(&p->heap, 0);
	set(p, addr + 16, len);
	return addr;
}

u64 python_text(struct fake_python *p, const char *text, u32 width)
{
	u64 len = strlen(text), addr;
	bool is_ascii = width == 1;

	for (u64 i = 0; i < len; i++)
		is_ascii &= (u8)text[i] < 0x80;
	addr = take(p, (is_ascii ? p->at.ascii : p->at.wide) + (len + 1) * width);
	set(p, addr + 16, len);
	python_set(p, addr + 32, (u64)(width | 1 << 3 | (u32)is_ascii << 4) << 2, 4);
	for (u64 i = 0; i < len; i++)
		python_set(p, addr + (is_ascii ? p->at.ascii : p->at.wide) + i * width, (u8)text[i], width);
	return addr;
}

static u64 line_table(struct fake_python *p, u32 bytes)
{
	u64 addr = take(p, 32 + bytes + 1);

	set(p, addr + 16, bytes);
	for (u32 i = 0; i < bytes; i++)
		python_set(p, addr + 32 + i, (i * 5 + i / 1024 + p->nr_codes) & 0xff, 1);
	return addr;
}

u64 python_add_code(struct fake_python *p, const char *name, const char *file, u32 table_bytes)
{
	u64 name_text = python_text(p, name, 1), file_text = python_text(p, file, 1),
	    table = line_table(p, table_bytes);
	u64 code = take(p, 512);

	set(p, code + 8, p->type);
	set(p, code + p->at.name, name_text);
	set(p, code + p->at.file, file_text);
	set(p, code + p->at.lines, table);
	python_set(p, code + p->at.line, 100 + p->nr_codes, 4);
	p->nr_codes++;
	return code;
}

u64 python_simple_code(struct fake_python *p, const char *name)
{
	return python_add_code(p, name, "/srv/app.py", 8);
}

static u64 get(const struct fake_python *p, u64 addr)
{
	u64 val;

	memcpy(&val, p->bytes + (addr - PYTHON_BASE), 8);
	return val;
}

u64 python_add_interpreter(struct fake_python *p)
{
	u64 addr = take(p, 2048);

	set(p, addr + p->at.next_interpreter, get(p, p->runtime + p->at.interpreters));
	set(p, p->runtime + p->at.interpreters, addr);
	return addr;
}

u64 python_add_thread(struct fake_python *p, u64 in, u64 id)
{
	u64 thread = take(p, 512), base = take(p, 32);

	set(p, thread + p->at.next_thread, get(p, in + p->at.threads));
	set(p, in + p->at.threads, thread);
	set(p, thread + p->at.thread_id, id);
	if (p->minor < 13)
		set(p, thread + p->at.thread_frame, base);
	p->thread = thread;
	p->run = base;
	p->frame = 0;
	return thread;
}

/* Its innermost frame is @frame. */
static void set_frame(struct fake_python *p, u64 frame)
{
	u64 head = p->minor < 13 ? get(p, p->thread + p->at.thread_frame) : 0;

	p->frame = frame;
	if (!head)
		set(p, p->thread + p->at.thread_frame, frame);
	else
		set(p, (p->minor == 11 ? p->run : head) + p->at.cframe_frame, frame);
}

void python_run(struct fake_python *p, u32 native)
{
	u64 on_stack = NATIVE_SP + native * NATIVE_BYTES + 16;

	assert(native < NATIVE_FRAMES);
	if (p->minor == 11) {
		set(p, on_stack + 8, p->frame);
		set(p, on_stack + 16, p->run);
		set(p, p->thread + p->at.thread_frame, on_stack);
		p->begins_run = true;
	} else {
		set(p, on_stack + p->at.previous, p->frame);
		python_set(p, on_stack + p->at.owner, OF_LOOP, 1);
		set_frame(p, on_stack);
	}
	p->run = on_stack;
}

u64 python_call(struct fake_python *p, u64 code, u32 position)
{
	u64 frame = take(p, 96);

	set(p, frame + p->at.executable, code | (p->minor > 13));
	set(p, frame + p->at.previous, p->frame);
	set(p, frame + p->at.instruction, code + p->at.instructions + 2 * (u64)position);
	if (p->minor == 11)
		python_set(p, frame + 68, p->begins_run, 1);
	p->begins_run = false;
	if (p->minor == 11)
		set(p, p->run + p->at.cframe_frame, frame);
	set_frame(p, frame);
	return frame;
}

void python_example(struct fake_python *p, u32 minor)
{
	python_init(p, minor);
	python_add_thread(p, p->interpreter, PYTHON_TP);
	python_run(p, 3);
	python_call(p, python_simple_code(p, "main"), 1);
	python_run(p, 1);
	python_call(p, python_simple_code(p, "f"), 2);
	python_call(p, python_simple_code(p, "g"), 3);
}

static void native_stack(struct walk *w, u32 nr)
{
	w->sp = NATIVE_SP;
	w->out.nr = nr;
	w->laps = 0;
	for (u32 i = 0; i < nr; i++) {
		w->out.frame[i] = frame_make(1, i, i > 0);
		w->sp_words[i] = sp_word(w, NATIVE_SP + i * NATIVE_BYTES);
	}
}

void python_begin_walk(struct fake_python *p, struct walk *w, u32 nr, u32 outcome)
{
	struct range *r = &w->modules.range[0];

	memset(w, 0, sizeof(*w));
	w->max_depth = DEFAULT_DEPTH;
	w->outcome = outcome;
	*r = (struct range){
		.start = PYTHON_BASE, .dynamic = p->dynamic, .bias = PYTHON_BASE, .code_end = LANG_TEXT_BYTES};
	w->modules.nr = w->modules.unexamined = 1;
	w->lang.space = PYTHON_SPACE;
	w->lang.thread_pointer = PYTHON_TP;
	native_stack(w, nr);
}

void python_walk(struct walk *w)
{
	if (lang_is_due(w))
		loop(LANG_TURNS, lang_turn, w);
	walk_finish(w);
}

void python_walk_again(struct walk *w, u32 nr)
{
	stack_forget(&w->machine);
	native_stack(w, nr);
	w->lang.lost = w->lang.refused = w->lang.nr_frames = 0;
	python_walk(w);
}

static int put_word(char *to, u64 frame)
{
	const struct code_content *c = frame_is_code(frame) ? port_code(frame_code(frame)) : NULL;

	if (frame == FRAME_GAP)
		return sprintf(to, "... ");
	if (!frame_is_code(frame))
		return sprintf(to, "%u ", (u32)frame_offset(frame));
	if (!c)
		return sprintf(to, "?:%u ", frame_position(frame));
	return sprintf(to, "%.*s:%u ", c->name.bytes < 100 ? c->name.bytes : 100, c->name_text, frame_position(frame));
}

const char *python_words(struct fake_python *p, const struct walk *w)
{
	char *to = p->words;

	for (u32 i = 0; i < w->out.nr; i++) {
		assert(to < p->words + ROOM_FOR_WORDS - 200);
		to += put_word(to, w->out.frame[i]);
	}
	if (to > p->words)
		to--;
	*to = 0;
	return p->words;
}
