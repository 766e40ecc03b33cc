/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/lang/frames.h"
#include "core/lang/python.h"

#define COOKIE 0x7970677562656478ULL /* "xdebugpy": struct _Py_DebugOffsets begins with it */
#define VERSION_3 3
#define OLDEST 8
#define ONE_RUN 10 /* up to this version each frame has a run of the loop of its own */
#define CFRAMES 11 /* in this version a run is described by a struct _PyCFrame, and the last frame in it has a flag */
#define NEWEST 14
#define DESCRIBED 13 /* from this version on the runtime describes itself */
#define OWNED_BY_C 3 /* the frame of a run of the loop (FRAME_OWNED_BY_CSTACK; from 3.14 on also _BY_INTERPRETER) */
#define MAX_THREADS 4096
#define THREADS_AT_ONCE 16
#define FRAME_BYTES 80
#define OLD_FRAME_BYTES 112 /* up to 3.10 */
#define CODE_KEY_AT 40
#define CODE_CONSTANT_END 128 /* from there on to here code objects have nothing that changes, */
#define CODE_KEY_END 144      /* and to here all that is read of them */
#define CODE_FACTOR 0x9E3779B97F4A7C15ULL
#define TEXT_HEAD_BYTES 40
#define TABLE_BYTES sizeof(((struct code_content *)0)->table)
#define TAGS 3ULL /* of references to objects, from 3.14 on */

/* The same in all versions, of builds with the GIL. */
#define OBJECT_TYPE 8
#define BYTES_SIZE 16
#define BYTES_DATA 32
#define TEXT_LENGTH 16
#define TEXT_STATE 32	   /* 2 bits: interned; 3: bytes a character; compact, ASCII */
#define CFRAME_PREVIOUS 16 /* 3.11 */
#define FRAME_IS_ENTRY 68  /* 3.11 */

enum field {
	RUNTIME_INTERPRETERS,
	INTERPRETER_NEXT,
	INTERPRETER_THREADS,
	THREAD_NEXT,
	THREAD_ID,
	THREAD_FRAME, /* in 3.11 and 3.12: of the _PyCFrame, */
	CFRAME_FRAME, /* which leads to the frame */
	FRAME_PREVIOUS,
	FRAME_EXECUTABLE,
	FRAME_INSTRUCTION,
	FRAME_OWNER,
	CODE_NAME,
	CODE_FILE,
	CODE_FIRST_LINE,
	CODE_LINES,
	CODE_INSTRUCTIONS,
	TEXT_ASCII,
	TEXT_WIDE, /* of other characters */
};

static const u32 before_3_13[][LANG_FIELDS] = {
	{
		[RUNTIME_INTERPRETERS] = 32,
		[INTERPRETER_THREADS] = 8,
		[THREAD_NEXT] = 8,
		[THREAD_ID] = 176,
		[THREAD_FRAME] = 24,
		[FRAME_PREVIOUS] = 24,
		[FRAME_EXECUTABLE] = 32,
		[FRAME_INSTRUCTION] = 104,
		[CODE_NAME] = 112,
		[CODE_FILE] = 104,
		[CODE_FIRST_LINE] = 40,
		[CODE_LINES] = 120,
		[TEXT_ASCII] = 48,
		[TEXT_WIDE] = 72,
	},
	{
		[RUNTIME_INTERPRETERS] = 32,
		[INTERPRETER_THREADS] = 8,
		[THREAD_NEXT] = 8,
		[THREAD_ID] = 176,
		[THREAD_FRAME] = 24,
		[FRAME_PREVIOUS] = 24,
		[FRAME_EXECUTABLE] = 32,
		[FRAME_INSTRUCTION] = 96,
		[CODE_NAME] = 112,
		[CODE_FILE] = 104,
		[CODE_FIRST_LINE] = 40,
		[CODE_LINES] = 120,
		[TEXT_ASCII] = 48,
		[TEXT_WIDE] = 72,
	},
	{
		[RUNTIME_INTERPRETERS] = 40,
		[INTERPRETER_THREADS] = 16,
		[THREAD_NEXT] = 8,
		[THREAD_ID] = 152,
		[THREAD_FRAME] = 56,
		[CFRAME_FRAME] = 8,
		[FRAME_PREVIOUS] = 48,
		[FRAME_EXECUTABLE] = 32,
		[FRAME_INSTRUCTION] = 56,
		[FRAME_OWNER] = 69,
		[CODE_NAME] = 128,
		[CODE_FILE] = 112,
		[CODE_FIRST_LINE] = 72,
		[CODE_LINES] = 136,
		[CODE_INSTRUCTIONS] = 184,
		[TEXT_ASCII] = 48,
		[TEXT_WIDE] = 72,
	},
	{
		[RUNTIME_INTERPRETERS] = 40,
		[INTERPRETER_THREADS] = 72,
		[THREAD_NEXT] = 8,
		[THREAD_ID] = 136,
		[THREAD_FRAME] = 56,
		[FRAME_PREVIOUS] = 8,
		[FRAME_INSTRUCTION] = 56,
		[FRAME_OWNER] = 70,
		[CODE_NAME] = 128,
		[CODE_FILE] = 112,
		[CODE_FIRST_LINE] = 68,
		[CODE_LINES] = 136,
		[CODE_INSTRUCTIONS] = 192,
		[TEXT_ASCII] = 40,
		[TEXT_WIDE] = 56,
	},
};

/*
 * Which word of struct _Py_DebugOffsets has which field, counted from behind the cookie, the version and the flag of free
 * threading: CPython 3.13 Include/internal/pycore_runtime.h, 3.14 Include/internal/pycore_debug_offsets.h.
 */
static const u8 described[2][LANG_FIELDS] = {
	{
		[RUNTIME_INTERPRETERS] = 2,
		[INTERPRETER_NEXT] = 5,
		[INTERPRETER_THREADS] = 6,
		[THREAD_NEXT] = 18,
		[THREAD_ID] = 21,
		[THREAD_FRAME] = 20,
		[FRAME_PREVIOUS] = 26,
		[FRAME_EXECUTABLE] = 27,
		[FRAME_INSTRUCTION] = 28,
		[FRAME_OWNER] = 30,
		[CODE_NAME] = 34,
		[CODE_FILE] = 32,
		[CODE_FIRST_LINE] = 36,
		[CODE_LINES] = 35,
		[CODE_INSTRUCTIONS] = 40,
		[TEXT_ASCII] = 67,
	},
	{
		[RUNTIME_INTERPRETERS] = 2,
		[INTERPRETER_NEXT] = 5,
		[INTERPRETER_THREADS] = 6,
		[THREAD_NEXT] = 21,
		[THREAD_ID] = 24,
		[THREAD_FRAME] = 23,
		[FRAME_PREVIOUS] = 29,
		[FRAME_EXECUTABLE] = 30,
		[FRAME_INSTRUCTION] = 31,
		[FRAME_OWNER] = 33,
		[CODE_NAME] = 39,
		[CODE_FILE] = 37,
		[CODE_FIRST_LINE] = 41,
		[CODE_LINES] = 40,
		[CODE_INSTRUCTIONS] = 45,
		[TEXT_ASCII] = 77,
	},
};

static INLINE u32 field(const struct lang *l, enum field which)
{
	return l->runtime.field[which];
}

/* Do the fields that are looked for in what is read of frames and of code lie there? Without branches, of which the verifier follows each way. */
GLOBAL bool python_is_readable(struct lang *l NONNULL)
{
	u64 outside = 0;

	for (u32 i = FRAME_PREVIOUS; i <= FRAME_OWNER; i++)
		outside |= FRAME_BYTES - 1ULL - at(l->runtime.field, i);
	for (u32 i = CODE_NAME; i <= CODE_LINES; i++)
		outside |=
			(at(l->runtime.field, i) - (u64)CODE_KEY_AT) | (CODE_KEY_END - 1ULL - at(l->runtime.field, i));
	return (s64)outside >= 0;
}

/* Read where the runtime says that its structures have their fields. Returns 0, -ENOSYS, -EFAULT or -EACCES. */
static INLINE int read_description(struct lang *l, u64 runtime, u32 version)
{
	const u8 *number = described[(version - DESCRIBED) & 1];
	int err;

	each (i, LANG_FIELDS) {
		u32 word = within(number, i, LANG_FIELDS - 1);

		l->value = 0;
		err = word ? read_word(l, runtime + 24 + word * 8) : 0;
		if (err)
			return err;
		at(l->runtime.field, i) = l->value;
	}
	l->runtime.field[TEXT_WIDE] = field(l, TEXT_ASCII) + 16;
	return python_is_readable(l) ? 0 : -ENOSYS;
}

static INLINE void take_row(struct lang *l, u32 version)
{
	const u32 *row = before_3_13[version < 10 ? 0 : version - 9]; /* 3.8 and 3.9 are alike */

	each (i, LANG_FIELDS)
		at(l->runtime.field, i) = within(row, i, LANG_FIELDS - 1);
}

/* The version of a runtime that does not say it: by what it has. */
static INLINE u64 version_by_symbols(const struct runtime *rt)
{
	u64 minor = rt->symbol[SYMBOL_PYTHON_3_10] ? 10 : rt->symbol[SYMBOL_PYTHON_3_9] ? 9 : 8;

	return rt->symbol[SYMBOL_PYTHON_3_8] && rt->loop_bytes ? VERSION_3 << 24 | minor << 16 : 0;
}

/* Get the version, as Py_Version and struct _Py_DebugOffsets have it: 3.12.1 is 0x030c01f0. 0: it is not said. */
static INLINE int read_version(struct lang *l, u64 *ret)
{
	u64 runtime = l->runtime.symbol[SYMBOL_PYTHON_RUNTIME], version = l->runtime.symbol[SYMBOL_PYTHON_VERSION];
	int err = port_read(l->word, 24, runtime);

	*ret = 0;
	if (err)
		return err;
	if (l->word[0] == COOKIE) {
		*ret = l->word[2] ? 0 : l->word[1]; /* builds without the GIL have other structures */
		return 0;
	}
	l->value = version_by_symbols(&l->runtime);
	err = version ? port_read(&l->value, sizeof(u64), version) : 0;
	*ret = (u32)l->value >> 16 < (VERSION_3 << 8 | DESCRIBED) ? (u32)l->value : 0; /* later ones have a cookie */
	return err;
}

GLOBAL int python_learn(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	u64 version;
	u32 minor;
	int err = read_version(l, &version);

	if (err)
		return err;
	minor = version >> 16 & 0xff;
	if (version >> 24 != VERSION_3 || minor < OLDEST || minor > NEWEST)
		return -ENOSYS;
	l->runtime.version = minor;
	if (minor >= DESCRIBED)
		return read_description(l, l->runtime.symbol[SYMBOL_PYTHON_RUNTIME], minor);
	take_row(l, minor);
	return 0;
}

/*
 * The thread's state is at l->cursor: go to its innermost frame. -ENOENT: it has none, and what was known of the thread before may have
 * been freed since. A thread of C that calls Python now and then has another state each time (PyGILState_Ensure()).
 */
static INLINE int first_frame(struct lang *l)
{
	int err = read_word(l, l->cursor + field(l, THREAD_FRAME));
	u64 mark = l->value;

	if (!err && l->runtime.version > ONE_RUN && l->runtime.version < DESCRIBED)
		err = read_word(l, mark + field(l, CFRAME_FRAME));
	if (!err && !l->value && !l->interpreter)
		err = -ENOENT;
	if (err)
		return err;
	l->at = l->value;
	l->mark = mark;
	l->thread = l->cursor;
	l->step = LANG_FRAMES;
	return 0;
}

/* Go to the next thread; behind the last one of an interpreter, to the next interpreter. */
static INLINE int next_thread(struct lang *l)
{
	int err;

	l->looked++;
	if (l->cursor && l->interpreter) { /* otherwise it is what was known before, and is no longer true */
		err = read_word(l, l->cursor + field(l, THREAD_NEXT));
		if (!err)
			l->cursor = l->value;
		return err;
	}
	err = read_word(l, l->interpreter ? l->interpreter + field(l, INTERPRETER_NEXT)
					  : l->runtime.symbol[SYMBOL_PYTHON_RUNTIME] + field(l, RUNTIME_INTERPRETERS));
	if (err)
		return err;
	if (!l->value)
		return -ESRCH;
	l->word[0] = l->value;
	err = read_word(l, l->word[0] + field(l, INTERPRETER_THREADS));
	if (err)
		return err;
	l->interpreter = l->word[0];
	l->cursor = l->value;
	return 0;
}

/*
 * Threads are found by what pthread_self() says, which is their thread pointer (glibc, musl): a thread that has released the GIL, as all
 * do that wait, has no state in its thread-local storage. The list changes while other threads begin and end.
 */
GLOBAL int python_thread(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	int err = 0;

	each (i, THREADS_AT_ONCE) {
		err = l->cursor ? read_word(l, l->cursor + field(l, THREAD_ID)) : 0;
		if (!err && l->cursor && l->value == l->thread_pointer) {
			err = first_frame(l);
			if (!err)
				return 0;
		}
		if (!err || (!l->interpreter && err != -EACCES))
			err = l->looked > MAX_THREADS ? -ESRCH : next_thread(l);
		if (err)
			break;
	}
	return err;
}

/* Return the position of the frame whose words are in l->word: of an instruction, 2 bytes each. */
static INLINE u32 position(const struct lang *l, u64 code)
{
	u64 instruction = word_of(l->word, field(l, FRAME_INSTRUCTION));
	u64 from = (instruction - code - field(l, CODE_INSTRUCTIONS)) / 2;

	if (l->runtime.version <= ONE_RUN) /* an index: in units from 3.10 on, before in bytes; or -1 */
		from = (u32)instruction >> (l->runtime.version < ONE_RUN);
	return from < FRAME_POSITION ? from : FRAME_POSITION; /* before the first one: the frame is being made */
}

/*
 * Compute what tells the code whose head was read from other code that is at its address later: all that it consists of, up to its line
 * table. From 3.12 on that includes a number that no other code has (co_version); before, the table itself has to do.
 */
static INLINE int compare_code(struct lang *l)
{
	u64 even = 0, odd = 0; /* two, which a CPU computes at the same time */
	int err = 0;

	UNROLL
	for (u32 i = CODE_KEY_AT / 8; i < CODE_CONSTANT_END / 8; i++) {
		u64 *half = i & 1 ? &odd : &even;

		*half = *half * CODE_FACTOR + l->head[i];
	}
	if (l->runtime.version <= CFRAMES) {
		err = code_read_words(l, word_of(l->head, field(l, CODE_LINES)) + BYTES_SIZE);
		UNROLL
		for (u32 i = 0; i < COUNT(l->text); i++)
			even = even * CODE_FACTOR + l->text[i];
	}
	l->fingerprint = code_mix(even, odd);
	return err;
}

/* Does the interpreter alone know of the code? From 3.12 on there is some around __init__(). */
static INLINE bool is_internal(const struct lang *l)
{
	u32 line = field(l, CODE_FIRST_LINE);

	return !((word_of(l->head, line) >> line % 8 * 8) & ~0U) &&
	       word_of(l->head, field(l, CODE_FILE)) == word_of(l->head, field(l, CODE_NAME));
}

/* Get the number of the code at l->code, to l->code_number. -ENOENT: it is not known yet; -ESRCH: it is not to be shown, or no code. */
GLOBAL int python_number(struct lang *l NONNULL)
{
	int err = l->no_code == l->code
			  ? -ESRCH
			  : port_read(&l->head[CODE_KEY_AT / 8], CODE_KEY_END - CODE_KEY_AT, l->code + CODE_KEY_AT);

	if (!err && is_internal(l))
		err = -ESRCH;
	if (!err)
		err = compare_code(l);
	if (err)
		return err;
	return code_is_known(l);
}

/*
 * Read the frame at @at, to l->word. Frames follow each other in memory: the second one in a page brings the whole page into the window
 * that the native walk no longer needs.
 */
static INLINE int read_frame(struct walk *w, u64 at)
{
	struct stack_window *s = &w->machine.stack;
	u64 page = at & ~(PAGE_BYTES - 1), from = (at & (PAGE_BYTES - 1)) / 8, last = w->lang.page;

	w->lang.page = page;
	if (w->lang.runtime.version <= ONE_RUN)
		return port_read(w->lang.word, OLD_FRAME_BYTES, at);
	if (page == last && s->base != page) {
		s->base = page;
		s->len = port_read(s->word, PAGE_BYTES, page) ? 0 : PAGE_BYTES;
	}
	if (s->base != page || s->len != PAGE_BYTES || at & 7 || from > (PAGE_BYTES - FRAME_BYTES) / 8)
		return port_read(w->lang.word, FRAME_BYTES, at);
	__builtin_memcpy(w->lang.word, &at(s->word, from),
			 FRAME_BYTES); /* for the verifier, it may end behind the window */
	return 0;
}

/* Is the frame whose words are in l->word one of C's, on the native stack? */
static INLINE bool is_of_loop(const struct lang *l)
{
	u32 owner = field(l, FRAME_OWNER);

	return l->runtime.version > CFRAMES && (word_of(l->word, owner) >> owner % 8 * 8 & 0xff) >= OWNED_BY_C;
}

/* Is it, up to 3.11, the outermost one of a run? Then get what the run before has on the native stack. */
static INLINE int end_of_run(struct lang *l, u64 *mark)
{
	if (l->runtime.version <= ONE_RUN) {
		*mark = LANG_NEXT_LOOP;
		return 0;
	}
	if (l->runtime.version > CFRAMES || !(l->word[FRAME_IS_ENTRY / 8] >> FRAME_IS_ENTRY % 8 * 8 & 0xff))
		return -ENOENT;
	*mark = l->mark;
	return read_word(l, l->mark + CFRAME_PREVIOUS);
}

GLOBAL int python_frame(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	u64 at = l->at, mark = 0;
	int err, ended;

	if (!at || l->nr >= MAX_DEPTH - 1) {
		l->step = LANG_MERGE;
		return at ? -E2BIG : 0;
	}
	err = read_frame(w, at);
	if (err)
		return err;
	if (is_of_loop(l)) {
		end_run(l, at);
		l->at = word_of(l->word, field(l, FRAME_PREVIOUS));
		return 0;
	}
	l->code = word_of(l->word, field(l, FRAME_EXECUTABLE)) & ~TAGS;
	err = l->code ? python_number(l) : -ESRCH;
	if (err == -ENOENT) {
		l->pieces = 0;
		l->step = LANG_CODE;
		return 0;
	}
	if (err && err != -ESRCH)
		return err;
	ended = end_of_run(l, &mark);
	if (ended && ended != -ENOENT)
		return ended;
	if (!err)
		put_frame(l, frame_of_code(LANGUAGE_PYTHON, l->code_number, position(l, l->code)));
	if (!ended) {
		end_run(l, mark);
		l->mark = l->value;
	}
	l->at = word_of(l->word, field(l, FRAME_PREVIOUS));
	return 0;
}

/* Read the text object at @text. Returns 0, -EFAULT or -EACCES. */
static INLINE int read_text(struct lang *l, u64 text, struct code_text *ret, u8 *dst, u32 room)
{
	int err = port_read(l->text, TEXT_HEAD_BYTES, text);
	u32 kind, width, is_ascii, bytes;
	u64 length;

	if (err)
		return err;
	length = l->text[TEXT_LENGTH / 8];
	kind = l->text[TEXT_STATE / 8] >> 2;
	width = kind & 7;
	is_ascii = kind >> 4 & 1;
	if (length > 0xffff / 4)
		length = 0xffff / 4;
	bytes = length * width;
	ret->bytes = bytes;
	ret->width = width;
	bytes = verifier_forget(l->bytes, bytes);
	if (bytes > room)
		bytes = room;
	return port_read(dst, bytes, text + field(l, is_ascii ? TEXT_ASCII : TEXT_WIDE));
}

/* Is it code? Then find out how many pieces its line table has: first the last one is kept, as each says which one is next. */
static INLINE int begin_code(struct lang *l, u64 table)
{
	int err = read_word(l, l->code + OBJECT_TYPE);

	if (!err && l->value != l->runtime.symbol[SYMBOL_PYTHON_CODE]) {
		l->no_code = l->code;
		l->step = LANG_FRAMES;
		return 0;
	}
	err = err ?: read_word(l, table + BYTES_SIZE);
	if (err)
		return err;
	l->table_bytes = l->value < MAX_TABLE_BYTES ? l->value : MAX_TABLE_BYTES;
	l->pieces = (l->table_bytes + TABLE_BYTES - 1) / TABLE_BYTES ?: 1;
	l->next = 0;
	return 0;
}

static INLINE int read_piece(struct lang *l, u64 table)
{
	u64 from = (u64)(l->pieces - 1) * TABLE_BYTES, bytes = l->table_bytes - from;

	l->content.table_bytes = bytes;
	l->content.next = l->next;
	bytes = verifier_forget(l->bytes, bytes);
	if (bytes > TABLE_BYTES)
		bytes = TABLE_BYTES;
	return port_read(l->content.table, bytes, table + BYTES_DATA + from);
}

static INLINE int read_head(struct lang *l)
{
	struct code_content *c = &l->content;
	u32 line = field(l, CODE_FIRST_LINE);
	int err = read_text(l, word_of(l->head, field(l, CODE_NAME)), &c->name, c->name_text, sizeof(c->name_text));

	if (!err)
		err = read_text(l, word_of(l->head, field(l, CODE_FILE)), &c->file, c->file_text, sizeof(c->file_text));
	c->language = LANGUAGE_PYTHON;
	c->line_table = l->runtime.version < 10	  ? LINES_PYTHON_3_8
			: l->runtime.version < 11 ? LINES_PYTHON_3_10
						  : LINES_PYTHON_3_11;
	c->first_line = word_of(l->head, line) >> line % 8 * 8;
	return err;
}

/* l->head has the words of the code at l->code: keep a piece of what it is; with the last one it gets its number. */
GLOBAL int python_code(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	u64 table = word_of(l->head, field(l, CODE_LINES));
	bool is_piece = l->pieces > 1;
	int err;

	if (!l->pieces)
		return begin_code(l, table);
	clear_content(l);
	err = read_piece(l, table);
	if (!err && !is_piece)
		err = read_head(l);
	if (err)
		return err;
	code_hash(l);
	l->next = port_code_add(l, is_piece);
	l->pieces--;
	if (!is_piece || !l->next) {
		l->numbered = l->code;
		l->number = l->next;
		l->step = LANG_FRAMES;
	}
	return 0;
}
