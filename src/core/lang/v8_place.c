/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where in a function a frame of V8 is: at which character of its source, and in which functions that the compiler has put into it.
 *
 * V8's interpreter has an offset in the bytecode in the frame, and compiled code has that of the return address. A table says for offsets
 * which characters they are of, and in code which function of a list of those that were inlined. What is found is kept for the place, so that
 * no table is read for it again.
 */
#include "core/lang/v8_object.h"

/* In bytes, if not said. */
#define FRAME_OFFSET_AT 40 /* below the frame pointer: the offset in the bytecode, and the bytecode */
#define ARRAY_DATA 16
#define BYTECODE_DATA_12 64 /* from 12 on */
#define CODE_START_AT 40
#define CODE_SIZE_11 56
#define MAX_CODE_SIZE 64
#define CODE_HEAD_10 128	  /* and then come the instructions */
#define INLINING_10 7		  /* words */
#define INLINING_BEFORE 5	  /* words from the functions that were inlined to that */
#define MAX_CODE_BYTES (64 << 10) /* in which the beginning of code is looked for */
#define MAX_POSITIONS (64 << 10)

static INLINE bool is_known(const struct lang *l, enum field which)
{
	return field(l, which) != NO_FIELD;
}

static INLINE void set_unless_known(struct lang *l, enum field which, u32 val)
{
	l->runtime.field[which] = is_known(l, which) ? field(l, which) : val;
}

/* V8 10 keeps instructions in the code itself, and 11 does not say where code has what. */
GLOBAL int v8_lay_out(struct lang *l NONNULL)
{
	u32 *to = l->runtime.field;

	each (i, LANG_FIELDS)
		at(l->runtime.map, i) = 0;
	to[CODE_APART] = is_known(l, STREAM_TYPE);
	to[HEADER_TYPE] = is_known(l, STREAM_TYPE) ? field(l, STREAM_TYPE) : field(l, CODE_TYPE);
	to[CODE_TABLE] = is_known(l, CODE_START) ? 16 : 24;
	to[BYTECODE_TABLE] = field(l, BYTECODE_DATA) < BYTECODE_DATA_12 ? 32 : 24;
	set_unless_known(l, CODE_SIZE, CODE_SIZE_11);
	set_unless_known(l, INLINING, INLINING_10);
	if (field(l, CODE_SIZE) > MAX_CODE_SIZE || field(l, INLINING) - INLINING_10 > 1)
		to[CODE_TYPE] = NO_FIELD; /* it is not understood */
	return 0;
}

/* Open an array of bytes, whose length is in l->head. */
static INLINE int open_bytes(struct lang *l, u64 object)
{
	int err = v8_open(l, object, 16);

	return err ?: l->v8.type == field(l, BYTES_TYPE) || l->v8.type == field(l, TRUSTED_BYTES_TYPE) ? 0 : -ENOENT;
}

/* The place of a frame in bytecode; 0: there is no table for it, as V8 makes them only when it is asked for lines. */
static INLINE u64 place_in_bytecode(struct lang *l)
{
	struct v8_function *f = &l->v8;
	u32 data = field(l, BYTECODE_DATA);
	u64 code, want;
	int err = port_read(l->text, 16, l->at - FRAME_OFFSET_AT);

	code = l->text[1];
	want = (l->text[0] >> SMALL_SHIFT) - data + TAG;
	if (err || (u32)l->text[0] || code != f->bytecode || v8_open_as(l, code, 40, BYTECODE_TYPE))
		return 0;
	f->positions = word_of(l->head, field(l, BYTECODE_TABLE));
	if (open_bytes(l, f->positions))
		return 0;
	f->begin = POSITION;
	f->want = want;
	l->fingerprint = code_mix(code_mix(l->fingerprint, want), l->head[1]);
	return (code & ((1ULL << PLACE_DEPTH) - 1)) + (want << PLACE_DEPTH);
}

/* The place of a frame in code that was made, which is compared when it is met again. */
static INLINE u64 place_in_code(struct lang *l, u64 pc)
{
	if (!is_known(l, CODE_TYPE) || port_read(l->text, 32, pc - 16))
		return 0;
	UNROLL
	for (u32 i = 0; i < 4; i++)
		l->fingerprint = code_mix(l->fingerprint, l->text[i]);
	l->v8.begin = SEARCH;
	return pc;
}

GLOBAL int v8_find_place(struct walk *w NONNULL)
{
	u64 frame = at(w->out.frame, w->lang.looked), place;
	struct lang *l = &w->lang;

	l->v8.is_exact = !frame_is_return(frame);
	place = frame_is_anon(frame) ? place_in_code(l, frame_offset(frame)) : place_in_bytecode(l);
	l->v8.at = place ?: l->v8.at;
	return 0;
}

/* May it be what code begins with? */
static INLINE bool is_header(const struct lang *l, u64 word)
{
	u64 map = l->runtime.map[HEADER_TYPE];

	return map ? word == map : is_object(word) && word >> 20 && !(word >> 47);
}

/* Look for the beginning of the code in the page before f->searched: f->found. */
GLOBAL int v8_search_code(struct walk *w NONNULL)
{
	struct stack_window *s = &w->machine.stack;
	struct lang *l = &w->lang;
	struct v8_function *f = &l->v8;
	u64 from = f->searched - 8, page = from & ~(PAGE_BYTES - 1);
	int err;

	if (f->at - from > MAX_CODE_BYTES)
		return -ESRCH;
	stack_forget(&w->machine);
	err = port_read(s->word, PAGE_BYTES, page);
	if (err)
		return err;
	f->searched = from;
	each (i, PAGE_BYTES / 8) {
		f->found = is_header(l, at(s->word, f->searched / 8 % COUNT(s->word)));
		if (f->found || f->searched == page)
			break;
		f->searched -= 8;
	}
	return 0;
}

/* Get a function from where code refers to it, perhaps weakly, or by an object in between: to l->code. */
static INLINE int find_referred(struct lang *l, u64 object)
{
	int err;

	l->code = object & ~2ULL;
	err = v8_open(l, l->code, 16);
	if (err || l->v8.type == field(l, SHARED_TYPE))
		return err;
	l->code = l->head[1];
	return v8_open_as(l, l->code, 16, SHARED_TYPE);
}

/* Is it code of the function whose frame it is? Then get which functions were inlined in it. */
static INLINE int open_inlining(struct lang *l, u64 data)
{
	struct v8_function *f = &l->v8;
	u32 nr = (2 + field(l, INLINING)) & 15;
	u64 function;
	int err = v8_open(l, data, (nr + 1) * 8);

	function = at(l->head, nr - 1);
	f->literals = at(l->head, nr - INLINING_BEFORE);
	f->inlining = at(l->head, nr);
	err = verifier_forget(l->error, err) ?: find_referred(l, function);
	return err == -EACCES ? err : err || l->code != f->shared ? -ESRCH : 0;
}

/* Open the code whose beginning may be at f->searched: its table, and what was inlined. -ENOENT: it is not that. */
static INLINE int open_code(struct lang *l)
{
	struct v8_function *f = &l->v8;
	u64 apart = -(u64)field(l, CODE_APART), inside = f->searched + CODE_HEAD_10, start;
	u32 size = field(l, CODE_SIZE);
	int err = v8_open_as(l, f->searched + TAG, 16, HEADER_TYPE);

	if (verifier_forget(l->error, err))
		return err;
	err = v8_open_as(l, (l->head[1] & apart) | ((f->searched + TAG) & ~apart), 72, CODE_TYPE);
	start = (word_of(l->head, CODE_START_AT) & apart) | (inside & ~apart);
	f->want = f->at - !f->is_exact - start;
	if (verifier_forget(l->error, err))
		return err;
	if (f->want >= (u32)(word_of(l->head, size) >> size % 8 * 8))
		return -ENOENT;
	f->positions = word_of(l->head, field(l, CODE_TABLE));
	return open_inlining(l, word_of(l->head, field(l, CODE_TABLE) - 8));
}

/* The same; if it is not the beginning of the code, the search goes on. -ESRCH: the code has no table. */
GLOBAL int v8_open_code(struct lang *l NONNULL)
{
	u64 known = l->runtime.map[HEADER_TYPE];
	int err = open_code(l);

	err = verifier_forget(l->error, err);
	if (err == -ENOENT) /* it only looked like one */
		l->runtime.map[HEADER_TYPE] = known;
	if (err == -EACCES)
		return err;
	l->v8.found = 0;
	l->v8.part = err ? SEARCH : POSITION;
	return err == -ESRCH ? err : 0;
}

/* Take a byte of a number of the table: 7 bits of it, the lowest ones first. Returns whether the place is passed. */
static INLINE bool take_byte(struct v8_function *f, u8 byte)
{
	s64 number;

	f->number |= (byte & 127ULL) << (f->shift & 63);
	f->shift += 7;
	if (byte & 128)
		return false;
	number = (f->number >> 1) ^ -(f->number & 1);
	f->number = f->shift = 0;
	f->is_source ^= 1;
	if (f->is_source) {
		f->offset += number ^ number >> 63; /* negative: of an expression */
		return (s64)f->offset > (s64)f->want;
	}
	f->source += number;
	f->found = f->source;
	return false;
}

/* Find the position of f->want in the next page of the table; then f->part is INLINED. */
GLOBAL int v8_read_positions(struct walk *w NONNULL)
{
	struct stack_window *s = &w->machine.stack;
	struct lang *l = &w->lang;
	struct v8_function *f = &l->v8;
	u64 from = f->positions - TAG + ARRAY_DATA + f->read, bytes;
	int err = open_bytes(l, f->positions);

	bytes = (l->head[1] >> SMALL_SHIFT) - f->read;
	if (err || bytes > MAX_POSITIONS)
		return err ?: -ENOENT;
	if (bytes > PAGE_BYTES - from % PAGE_BYTES)
		bytes = PAGE_BYTES - from % PAGE_BYTES;
	else
		f->part = INLINED;
	l->value = bytes;
	bytes = verifier_forget(l->bytes, bytes);
	if (bytes > PAGE_BYTES)
		bytes = PAGE_BYTES;
	stack_forget(&w->machine);
	err = port_read(s->word, bytes, from);
	if (err) {
		f->part = POSITION;
		return err;
	}
	f->read += l->value;
	each (i, PAGE_BYTES) {
		if (i < l->value && !take_byte(f, within((u8 *)s->word, i, PAGE_BYTES - 1)))
			continue;
		f->part = i < l->value ? INLINED : f->part;
		break;
	}
	if (f->part == INLINED)
		v8_take_position(f, f->found);
	return 0;
}

/* Get the function that is at f->position, to l->code: that of the frame, or one that was inlined; and where that is. */
GLOBAL int v8_find_inlined(struct lang *l NONNULL)
{
	struct v8_function *f = &l->v8;
	u64 at = f->inlined * 16ULL, which;
	int err;

	l->code = f->shared;
	if (f->inlined < 0) {
		f->part = SHARED;
		return 0;
	}
	err = f->depth < MAX_INLINED - 1 ? open_bytes(l, f->inlining) : -ENOENT;
	if (!err)
		err = at < l->head[1] >> SMALL_SHIFT ? port_read(l->text, 16, f->inlining - TAG + ARRAY_DATA + at)
						     : -ENOENT;
	if (err)
		return err;
	f->source = l->text[0];
	which = (u32)l->text[1];
	err = v8_open(l, f->literals, 16);
	if (!err)
		err = which < l->head[1] >> SMALL_SHIFT ? read_word(l, f->literals - TAG + ARRAY_DATA + which * 8)
							: -ENOENT;
	err = verifier_forget(l->error, err) ?: find_referred(l, l->value);
	f->part = err ? INLINED : SHARED;
	return err;
}
