/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/lang/frames.h"
#include "core/lang/merge.h"
#include "core/lang/v8.h"

/* Pointers to objects have 1 more than the address of their first word. Small integers have 0, and lie in the upper half. */
#define TAG 1
#define TAGS 3
#define SMALL_SHIFT 32

/* The same in all versions, of builds for 64 bits without compressed pointers. In bytes, if not said. */
#define MAP_TYPE 8	 /* the word of it: in its upper half */
#define SHARED_SCOPE 32	 /* before its flags; or its name, if it has no source */
#define SHARED_SCRIPT 16 /* likewise */
#define SCRIPT_SOURCE 8
#define SCRIPT_NAME 16
#define SCRIPT_LINE 24
#define SCRIPT_ID 64
#define SCOPE_FLAGS 1 /* words */
#define SCOPE_LOCALS 3
#define SCOPE_POSITIONS 4 /* if they lie before the names of variables */
#define SCOPE_HASHED 75	  /* so many names of variables lie in a table of their own */
#define STRING_LENGTH 1	  /* the word of it: in its upper half */
#define STRING_DATA 16
#define STRING_PARTS 16
#define FUNCTION_TYPES 16     /* types of functions */
#define FIRST_NO_STRING 128   /* types */
#define MAX_STRINGS 32	      /* that one consists of */
#define MAX_COUNTED (4 << 20) /* characters of source before a function */

/* Bits of a scope's flags, by their numbers. */
#define HAS_CLASS 10
#define HAS_NAME 12 /* two bits: one of them */
#define HAS_INFERRED_NAME 14

/* Of the type of a string. */
enum { SEQUENTIAL, JOINED, EXTERNAL, SLICED, THIN = 5, REPRESENTATION = 7, ONE_BYTE = 8, NOT_CACHED = 16 };

/* The words of V8, in the order of their symbols. */
enum field {
	FUNCTION_SHARED,
	SHARED_FLAGS,
	SCOPE_VARIABLES, /* a word's number, without the first one; it tells two layouts from each other: */
	FUNCTION_TYPE,
	SHARED_TYPE,
	SCRIPT_TYPE,
	SCOPE_TYPE,
	NR_FIELDS
};

#define VARIABLES_FIRST 3
#define POSITIONS_FIRST 5

_Static_assert(NR_FIELDS == NR_LANG_SYMBOLS - SYMBOL_V8_FUNCTION_SHARED, "each symbol is that of a field");

/* What is read of a function, one after the other. */
enum part { NOTHING, NAME, FILE_NAME, SOURCE, LINES, ALL };

static INLINE u32 field(const struct lang *l, enum field which)
{
	return l->runtime.field[which];
}

static INLINE bool is_object(u64 word)
{
	return (word & TAGS) == TAG;
}

GLOBAL int v8_learn(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	int err = 0;

	each (i, NR_FIELDS) {
		u64 symbol = at(l->runtime.symbol, SYMBOL_V8_FUNCTION_SHARED + i);

		l->value = 0;
		err = symbol ? port_read(&l->value, sizeof(u32), symbol) : -ENOSYS;
		if (err)
			break;
		at(l->runtime.field, i) = l->value;
	}
	if (err)
		return err;
	if ((field(l, SCOPE_VARIABLES) != VARIABLES_FIRST && field(l, SCOPE_VARIABLES) != POSITIONS_FIRST) ||
	    (field(l, FUNCTION_SHARED) != 24 && field(l, FUNCTION_SHARED) != 32) ||
	    (field(l, SHARED_FLAGS) != 48 && field(l, SHARED_FLAGS) != 56))
		return -ENOSYS;
	return 0;
}

GLOBAL int v8_thread(struct walk *w NONNULL)
{
	w->lang.step = LANG_FRAMES;
	return 0;
}

/* Has native frame @nr no table, in V8's file or in code that was made? */
static INLINE bool may_run_function(const struct walk *w, u32 nr)
{
	u64 frame = at(w->out.frame, nr);

	return frame_is_anon(frame) || (frame_module(frame) == w->lang.runtime.module && frame_method(frame) != BY_CFI);
}

/* The frame pointer of native frame @nr, if it has one: it points to the caller's, which lies below the return address. */
static INLINE u64 frame_pointer(const struct walk *w, u32 nr)
{
	return w->sp + (s64)(s32)at(w->sp_words, nr + 1) * 8 - 16;
}

/* The native frames whose callers, and those of these, are there. */
static INLINE u32 nr_frames(const struct walk *w)
{
	u32 nr = w->laps ? w->max_depth - walk_nr_outer(w) : w->out.nr;

	return nr > 2 ? nr - 2 : 0;
}

/* Go to the next native frame that may be one of a function: l->looked. */
TURN(look_for_frame, struct walk, w)
{
	u32 nr = w->lang.looked;

	if (nr >= nr_frames(w) || may_run_function(w, nr))
		return STOP;
	w->lang.looked = nr + 1;
	return NEXT;
}

/*
 * Open @object: read so many bytes of it to l->head, and its type. Returns 0; -ENOENT: it is none, or has just been moved elsewhere;
 * -EFAULT or -EACCES.
 */
GLOBAL int v8_open(struct lang *l NONNULL, u64 object, u32 bytes)
{
	int err = is_object(object) ? port_read(l->head, bytes & 127, object - TAG) : -ENOENT;

	if (!err)
		err = is_object(l->head[0]) ? read_word(l, l->head[0] - TAG + MAP_TYPE) : -ENOENT;
	l->v8.type = (u16)(l->value >> 32);
	return err;
}

/* Open the object, which has to be of this type. */
static INLINE int open_as(struct lang *l, u64 object, u32 bytes, u32 type)
{
	return v8_open(l, object, bytes) ?: l->v8.type == type ? 0 : -ENOENT;
}

/* A function of V8's own has no source, but a name. */
static INLINE int find_builtin(struct lang *l, u64 name)
{
	int err = v8_open(l, name, 16);

	l->v8.string[NAME] = name;
	l->fingerprint = code_mix(l->fingerprint, l->head[STRING_LENGTH]);
	return err ?: l->v8.type < FIRST_NO_STRING && l->head[STRING_LENGTH] >> 32 ? 0 : -ESRCH;
}

/* Find what the function at l->word[0] consists of, as far as its source: l->code and the rest in l->v8. */
GLOBAL int v8_find_function(struct lang *l NONNULL)
{
	struct v8_function *f = &l->v8;
	u32 flags = field(l, SHARED_FLAGS);
	u64 function = l->word[0], script, scope;
	int err = v8_open(l, function, field(l, FUNCTION_SHARED) + sizeof(u64));

	if (!err && f->type - field(l, FUNCTION_TYPE) > FUNCTION_TYPES)
		err = -ENOENT;
	l->code = word_of(l->head, field(l, FUNCTION_SHARED));
	if (!err)
		err = open_as(l, l->code, flags + sizeof(u64), field(l, SHARED_TYPE));
	if (err)
		return err;
	scope = word_of(l->head, flags - SHARED_SCOPE);
	script = word_of(l->head, flags - SHARED_SCRIPT);
	l->fingerprint = code_mix(word_of(l->head, flags - sizeof(u64)), word_of(l->head, flags));
	f->string[FILE_NAME] = f->string[SOURCE] = f->start = 0;
	err = v8_open(l, script, SCRIPT_ID + sizeof(u64));
	if (!err && f->type != field(l, SCRIPT_TYPE))
		return find_builtin(l, scope);
	f->string[SOURCE] = l->head[SCRIPT_SOURCE / 8];
	f->string[FILE_NAME] = l->head[SCRIPT_NAME / 8];
	f->line = l->head[SCRIPT_LINE / 8] >> SMALL_SHIFT;
	l->fingerprint = code_mix(l->fingerprint, l->head[SCRIPT_ID / 8]);
	l->mark = scope;
	return err;
}

/* Is it a string that is not empty? Then its hash and length are in l->head. */
static INLINE bool is_name(struct lang *l, u64 object)
{
	return !v8_open(l, object, 16) && l->v8.type < FIRST_NO_STRING && l->head[STRING_LENGTH] >> 32;
}

/*
 * Read the words behind the variables of the scope whose head was read, to l->text: @nr_names of names, and then its positions, if they do not
 * lie before the variables.
 */
static INLINE int read_tail(struct lang *l, u64 flags, u64 nr_names)
{
	u64 variables = field(l, SCOPE_VARIABLES), locals = l->head[SCOPE_LOCALS] >> 32;
	u64 words = 1 + variables + locals + (locals < SCOPE_HASHED ? locals : 1) + (flags >> HAS_CLASS & 1);

	return port_read(l->text, (nr_names + POSITIONS_FIRST - variables) * 8 & 63, l->mark - TAG + words * 8);
}

/* The name of the function is the first one of both that is a string, and not empty. Returns 0, -ENOENT, -EFAULT or -EACCES. */
static INLINE int choose_name(struct lang *l, u64 name, u64 inferred)
{
	l->v8.string[NAME] = 0;
	l->word[0] = name;
	l->word[1] = inferred;
	l->error = 0;
	each (i, 2) {
		u64 text = at(l->word, i);

		if (!is_object(text))
			continue;
		l->error = v8_open(l, text, 16);
		if (l->error)
			break;
		if (l->v8.type >= FIRST_NO_STRING || !(l->head[STRING_LENGTH] >> 32))
			continue;
		l->v8.string[NAME] = text;
		l->fingerprint = code_mix(l->fingerprint, l->head[STRING_LENGTH]);
		break;
	}
	return l->error;
}

/* Find the name and the place of the function whose scope is l->mark. */
GLOBAL int v8_find_scope(struct lang *l NONNULL)
{
	struct v8_function *f = &l->v8;
	u64 flags, has_name, has_inferred, end;
	int err = open_as(l, l->mark, (1 + POSITIONS_FIRST) * 8, field(l, SCOPE_TYPE));

	if (err)
		return err;
	flags = l->head[SCOPE_FLAGS] >> 32 | l->head[SCOPE_FLAGS];
	has_name = (flags >> HAS_NAME | flags >> (HAS_NAME + 1)) & 1;
	has_inferred = flags >> HAS_INFERRED_NAME & 1;
	err = read_tail(l, flags, 2 * has_name + has_inferred);
	if (err)
		return err;
	if (field(l, SCOPE_VARIABLES) == VARIABLES_FIRST) {
		l->head[SCOPE_POSITIONS] = at(l->text, 2 * has_name + has_inferred);
		l->head[SCOPE_POSITIONS + 1] = at(l->text, 2 * has_name + has_inferred + 1);
	}
	f->start = l->head[SCOPE_POSITIONS] >> SMALL_SHIFT;
	end = l->head[SCOPE_POSITIONS + 1];
	if ((u32)l->head[SCOPE_POSITIONS] | (u32)end)
		return -ENOENT;
	l->fingerprint = code_mix(l->fingerprint, f->start | end);
	return choose_name(l, l->text[0] & -has_name, at(l->text, 2 * has_name) & -has_inferred);
}

/* Has the frame what those of functions have? In l->word are the function, its context, and the caller's frame pointer. */
static INLINE bool is_of_function(const struct walk *w, u32 nr)
{
	const struct lang *l = &w->lang;

	return is_object(l->word[0]) && is_object(l->word[1]) && l->word[2] == frame_pointer(w, nr + 1) &&
	       (s32)at(w->sp_words, nr) <= (s32)sp_word(w, l->at - 16);
}

/* Find what the function is, whose frame was read, and its number. -ENOENT: that is not known yet; -ESRCH: it is not to be shown. */
static INLINE int number(struct walk *w)
{
	struct lang *l = &w->lang;
	int err = v8_find_function(l);

	if (!err && l->v8.string[SOURCE])
		err = v8_find_scope(l);
	if (w->modules.wait.bytes)
		return -EACCES;
	l->code_number = 0;
	return err == -EACCES || err == -ESRCH ? err : err ? 0 : code_is_known(l);
}

GLOBAL int v8_frame(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	int err = 0;
	u32 nr;

	loop(MAX_DEPTH, look_for_frame, w);
	nr = l->looked;
	if (nr >= nr_frames(w) || l->nr >= MAX_DEPTH - 1) {
		l->step = LANG_MERGE;
		return nr < nr_frames(w) ? -E2BIG : 0;
	}
	l->at = frame_pointer(w, nr);
	err = port_read(l->word, 24, l->at - 16);
	if (!err)
		err = is_of_function(w, nr) ? number(w) : -ESRCH;
	err = verifier_forget(l->error, err);
	if (err == -EACCES)
		return err;
	if (err == -ENOENT) {
		l->v8.part = NOTHING;
		l->step = LANG_CODE;
		return 0;
	}
	l->looked = nr + 1;
	if (err)
		return 0;
	put_frame(l, frame_of_code(LANGUAGE_JAVASCRIPT, l->code_number, FRAME_POSITION));
	end_run(l, l->at);
	return 0;
}

/* Go on with the next part. */
static INLINE void next_part(struct lang *l)
{
	struct v8_function *f = &l->v8;

	if (++f->part >= LINES)
		return;
	f->text = at(f->string, f->part);
	f->width = f->looked = 0;
	f->skip = f->rest = f->place = 0;
}

/* The part cannot be had. */
static INLINE void skip_part(struct lang *l)
{
	struct v8_function *f = &l->v8;

	if (f->part == NAME && f->text)
		f->text_of[NAME] = (struct code_text){.bytes = 1}; /* without a width: it is not known */
	f->part += f->part == SOURCE;
	next_part(l);
}

/* The part is in the string whose head was read, or in those that it consists of. */
static INLINE void begin_text(struct lang *l)
{
	struct v8_function *f = &l->v8;
	struct code_text *t = &at(f->text_of, f->part);

	f->nr = l->head[STRING_LENGTH] >> 32;
	f->width = 2 - (f->type / ONE_BYTE & 1);
	t->bytes = f->nr < 0x7fff ? f->nr * f->width : 0xffff;
	t->width = f->width;
}

/* Read f->nr characters at @from to their place in the part, as far as there is room. */
GLOBAL int v8_read_text(struct lang *l NONNULL, u64 from)
{
	struct v8_function *f = &l->v8;
	bool is_name = f->part == NAME;
	u64 to = f->place * f->width, bytes = f->nr * f->width, room;
	u32 field = is_name ? __builtin_offsetof(struct code_content, name_text)
			    : __builtin_offsetof(struct code_content, file_text);

	room = is_name ? sizeof(l->content.name_text) : sizeof(l->content.file_text);
	if (to >= room)
		return 0;
	bytes = bytes < room - to ? bytes : room - to;
	bytes = verifier_forget(l->bytes, bytes);
	if (bytes > 256)
		bytes = 256;
	return port_read(&within((u8 *)l->content_word, field + to, 511), bytes, from);
}

/* The characters of f->text are at @from. */
static INLINE int take_characters(struct lang *l, u64 from)
{
	struct v8_function *f = &l->v8;
	int err = 0;

	if (f->width != 2 - (f->type / ONE_BYTE & 1) || (f->part == SOURCE && f->nr < f->start))
		return -ENOENT;
	from += f->skip * f->width;
	f->data = from;
	f->counted = f->newlines = 0;
	if (f->part != SOURCE)
		err = v8_read_text(l, from);
	if (err)
		return err;
	f->text = f->rest;
	f->nr = f->rest_nr;
	f->place = f->rest_place;
	f->skip = f->rest = 0;
	if (!f->text)
		next_part(l);
	return 0;
}

/*
 * f->text consists of two strings: go to one of them, and keep the other one for later. V8 builds names at one end, so that one of each
 * pair is simple.
 */
static INLINE int take_joined(struct lang *l, u64 first, u64 second)
{
	struct v8_function *f = &l->v8;
	int err = v8_open(l, second, 16);
	u64 nr = l->head[STRING_LENGTH] >> 32, before = f->nr - nr;
	bool is_joined = (f->type & REPRESENTATION) == JOINED;

	if (err)
		return err;
	if (!nr) {
		f->text = first;
		return 0;
	}
	if (f->rest || f->skip || f->part == SOURCE || nr > f->nr)
		return -ENOENT;
	f->text = is_joined ? first : second;
	f->rest = is_joined ? second : first;
	f->rest_nr = is_joined ? nr : before;
	f->rest_place = f->place + (is_joined ? before : 0);
	f->place += is_joined ? 0 : before;
	f->nr = is_joined ? before : nr;
	return 0;
}

/* Look at f->text: it has the characters, or leads to other strings. */
GLOBAL int v8_look_at_text(struct lang *l NONNULL)
{
	struct v8_function *f = &l->v8;
	u64 text = f->text, first, second;
	u32 type;
	int err = v8_open(l, text, 16);

	if (err || f->type >= FIRST_NO_STRING || f->looked++ >= MAX_STRINGS)
		return err ?: -ENOENT;
	type = f->type;
	if (!f->width && (type & REPRESENTATION) != THIN) /* which does not say how wide its characters are */
		begin_text(l);
	if ((type & REPRESENTATION) == SEQUENTIAL)
		return take_characters(l, text - TAG + STRING_DATA);
	err = port_read(l->text, 16, text - TAG + STRING_PARTS);
	if (err)
		return err;
	first = l->text[0];
	second = l->text[1];
	switch (type & REPRESENTATION) {
	case JOINED: return take_joined(l, first, second);
	case EXTERNAL: return type & NOT_CACHED ? -ENOENT : take_characters(l, second);
	case SLICED: f->skip += second >> SMALL_SHIFT; break;
	case THIN: break;
	default: return -ENOENT;
	}
	f->text = first;
	return 0;
}

/* How many of the characters in @word are newlines? Those of two bytes if @is_wide. */
static INLINE u64 newlines_in(u64 word, bool is_wide)
{
	u64 ones = is_wide ? 0x0001000100010001 : 0x0101010101010101, low = ones * (is_wide ? 0x7fff : 0x7f);
	u64 other = word ^ ones * '\n', ends = ~(((other & low) + low) | other | low);

	return ((ends >> (is_wide ? 15 : 7)) * ones) >> (is_wide ? 48 : 56);
}

/* Count those in the next page of the source before the function. */
GLOBAL int v8_count_lines(struct walk *w NONNULL)
{
	struct stack_window *s = &w->machine.stack;
	struct lang *l = &w->lang;
	struct v8_function *f = &l->v8;
	u64 from = f->data + (u64)f->counted * f->width, bytes = (u64)(f->start - f->counted) * f->width;
	int err;

	if (bytes > PAGE_BYTES - from % PAGE_BYTES)
		bytes = PAGE_BYTES - from % PAGE_BYTES;
	bytes = verifier_forget(l->bytes, bytes);
	if (bytes > PAGE_BYTES)
		bytes = PAGE_BYTES;
	stack_forget(&w->machine);
	err = port_read(s->word, bytes, from);
	if (err)
		return err;
	if (bytes % 8)
		at(s->word, bytes / 8) &= (1ULL << bytes % 8 * 8) - 1;
	each (i, PAGE_BYTES / 8) {
		if (i * 8ULL >= bytes)
			break;
		f->newlines += newlines_in(at(s->word, i), f->width > 1);
	}
	f->counted += bytes / f->width;
	return 0;
}

static INLINE int count_lines(struct walk *w)
{
	struct v8_function *f = &w->lang.v8;

	if (f->start > MAX_COUNTED)
		return -ENOENT;
	if (f->counted < f->start)
		return v8_count_lines(w);
	w->lang.content.first_line = f->line + f->newlines + 1;
	next_part(&w->lang);
	return 0;
}

static INLINE int begin(struct lang *l)
{
	clear_content(l);
	l->v8.text_of[NAME] = l->v8.text_of[FILE_NAME] = (struct code_text){};
	next_part(l);
	return 0;
}

/* All has been read: keep it, and give it its number. */
static INLINE int keep(struct lang *l)
{
	l->content.language = LANGUAGE_JAVASCRIPT;
	l->content.name = l->v8.text_of[NAME];
	l->content.file = l->v8.text_of[FILE_NAME];
	code_hash(l);
	l->number = port_code_add(l, false);
	l->numbered = l->code;
	l->step = LANG_FRAMES;
	return 0;
}

GLOBAL int v8_code(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	u32 part = l->v8.part;
	int err;

	if (part == NOTHING)
		return begin(l);
	if (part >= ALL)
		return keep(l);
	err = part == LINES ? count_lines(w) : v8_look_at_text(l);
	err = verifier_forget(l->error, err);
	if (err == -EACCES || w->modules.wait.bytes)
		return -EACCES;
	if (err)
		skip_part(l);
	return 0;
}
