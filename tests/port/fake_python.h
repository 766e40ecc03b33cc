/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A process that runs Python, as far as its memory shows: a module with the symbols of the runtime, threads, frames and code of
 * CPython 3.11 to 3.14; and a native stack, on which the interpreter's loop has left what leads to its frames.
 *
 * From 3.13 on the runtime describes its structures. Here they are others than CPython's.
 */
#pragma once
#include "core/walk/walk.h"
#include "writer.h"

#define PYTHON_BASE 0x50000000ULL
#define PYTHON_BYTES (1u << 20)
#define NATIVE_SP 0x7ffe00000000ULL
#define NATIVE_BYTES 128ULL /* of each native frame */
#define NATIVE_FRAMES 128
#define PYTHON_SPACE 0x77
#define PYTHON_TP 0x7f0000001000ULL /* of the thread that is walked */
#define ROOM_FOR_WORDS 0x10000

/* Where structures have what, in bytes; 0 in those that a version does not have. */
struct python_layout {
	u32 interpreters, next_interpreter, threads, next_thread, thread_id, thread_frame, cframe_frame;
	u32 previous, executable, instruction, owner;
	u32 name, file, line, lines, instructions;
	u32 ascii, wide;
};

struct fake_python {
	u32 minor;
	struct python_layout at;
	u8 bytes[PYTHON_BYTES], stack[NATIVE_FRAMES * NATIVE_BYTES];
	struct writer heap; /* what comes next is put there */
	u64 dynamic, runtime, version, type;
	u64 interpreter;   /* the first one */
	u64 thread, frame; /* the thread that was made last, and its innermost frame */
	u64 run;	   /* what lies on its stack for its innermost run of the loop */
	bool begins_run;   /* the next frame is the outermost one of a run, in 3.11 */
	u32 nr_codes;
	char words[ROOM_FOR_WORDS];
};

/* A runtime of 3.@minor, with one interpreter that has no thread. */
void python_init(struct fake_python *p, u32 minor);
void python_map(struct fake_python *p);

/* Write @bytes of @val at @addr. */
void python_set(struct fake_python *p, u64 addr, u64 val, u32 bytes);

u64 python_bytes(struct fake_python *p, const void *bytes, u64 len);
/* @text: ASCII; each character is kept in @width bytes. 1 and @text with others: Latin-1. */
u64 python_text(struct fake_python *p, const char *text, u32 width);
/* Code that begins at line 100 + how many there are before. */
u64 python_add_code(struct fake_python *p, const char *name, const char *file, u32 table_bytes);
u64 python_simple_code(struct fake_python *p, const char *name);

u64 python_add_interpreter(struct fake_python *p);
/* The next thread of the interpreter @in: before the others. */
u64 python_add_thread(struct fake_python *p, u64 in, u64 id);
/* The thread that was added last begins a run of the loop, in this native frame; it calls code in it. */
void python_run(struct fake_python *p, u32 native);
u64 python_call(struct fake_python *p, u64 code, u32 position);

/* A thread that has main() in native frame 3, which has called f() and g() in one run. */
void python_example(struct fake_python *p, u32 minor);

/* Begin anew with nothing known of the process; it has @nr native frames. */
void python_begin_walk(struct fake_python *p, struct walk *w, u32 nr, u32 outcome);

/* Walk its frames, and join them with the native ones; all but the native walk of walk_stack(). */
void python_walk(struct walk *w);

/* The same of a stack that is walked again, by what is known from before. */
void python_walk_again(struct walk *w, u32 nr);

/* The stack as words: numbers are native frames, name:position one of code; without a number ?:position; ... is the gap. */
const char *python_words(struct fake_python *p, const struct walk *w);
