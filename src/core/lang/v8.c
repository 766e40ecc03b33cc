/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/lang/merge.h"
#include "core/lang/v8_object.h"

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
#define FUNCTION_TYPES 16 /* types of functions, and of contexts, behind the first one of each */
#define CONTEXT_TYPES 9
#define FIRST_NO_STRING 128	       /* types */
#define MAX_STRINGS 32		       /* that one consists of */
#define MAX_COUNTED (4 << 20)	       /* characters of source before a function */
#define COUNTED_BYTES (PAGE_BYTES / 2) /* at once */

/* Bits of a scope's flags, by their numbers. */
#define HAS_CLASS 10
#define HAS_NAME 12 /* two bits: one of them */
#define HAS_INFERRED_NAME 14

/* Of the type of a string. */
enum { SEQUENTIAL, JOINED, EXTERNAL, SLICED, THIN = 5, REPRESENTATION = 7, ONE_BYTE = 8, NOT_CACHED = 16 };

GLOBAL int v8_learn(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	int err = 0;

	each (i, NR_FIELDS) {
		u64 symbol = at(l->runtime.symbol, SYMBOL_V8_FUNCTION_SHARED + i);

		l->value = NO_FIELD;
		err = symbol ? port_read(&l->value, sizeof(u32), symbol) : i < NEEDED ? -ENOSYS : 0;
		if (err)
			break;
		at(l->runtime.field, i) = l->value;
	}
	if (err)
		return err;
	v8_lay_out(l);
	if ((field(l, SCOPE_VARIABLES) != VARIABLES_FIRST && field(l, SCOPE_VARIABLES) != POSITIONS_FIRST) ||
	    (field(l, FUNCTION_SHARED) != 24 && field(l, FUNCTION_SHARED) != 32) ||
	    (field(l, SHARED_FLAGS) != 48 && field(l, SHARED_FLAGS) != 56))
		return -ENOSYS;
	return 0;
}

/* Each thread may run functions of JavaScript: its native frames tell. */
GLOBAL int v8_thread(struct walk *w NONNULL)
{
	u32 nr = w->laps ? w->max_depth - walk_nr_outer(w) : w->out.nr;

	w->lang.v8.nr_native = nr > 2 ? nr - 2 : 0;
	w->lang.looked = 0;
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

/* Go to the next native frame that may be one of a function: l->looked. Of those behind l->v8.nr_native, no caller's frame pointer is known. */
TURN(look_for_frame, struct walk, w)
{
	u32 nr = w->lang.looked;

	if (nr >= w->lang.v8.nr_native || may_run_function(w, nr))
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
		err = is_object(l->head[0]) ? read_word_in_place(l, l->head[0] - TAG + MAP_TYPE) : -ENOENT;
	l->v8.type = (u16)(l->value >> 32);
	return err;
}

/*
 * Open the object, which has to be of this type, an enum field. The first one of each type tells which map these have: maps of V8's own objects are
 * never moved.
 */
GLOBAL int v8_open_as(struct lang *l NONNULL, u64 object, u32 bytes, u32 type)
{
	u64 *known = &at(l->runtime.map, type);
	int err = is_object(object) ? port_read(l->head, bytes & 127, object - TAG) : -ENOENT;
	u64 map = l->head[0];

	if (err || map == *known)
		return err;
	err = is_object(map) ? read_word_in_place(l, map - TAG + MAP_TYPE) : -ENOENT;
	if (err || (u16)(l->value >> 32) != at(l->runtime.field, type))
		return err ?: -ENOENT;
	*known = map;
	return 0;
}

/* A function of V8's own has no source, but a name. */
static INLINE int find_builtin(struct lang *l, u64 name)
{
	int err = v8_open(l, name, 16);

	l->v8.string[NAME] = name;
	l->fingerprint = code_mix(l->fingerprint, l->head[STRING_LENGTH]);
	return err ?: l->v8.type < FIRST_NO_STRING && l->head[STRING_LENGTH] >> 32 ? 0 : -ESRCH;
}

/*
 * Get what is shared by all closures of the function at l->word[0], whose context is at l->word[1], to l->code. -ESRCH: they are none. V8 has
 * some assembly, too, that saves registers where functions have both. If one of them has just been moved, the other one tells.
 */
GLOBAL int v8_find_function(struct lang *l NONNULL)
{
	int moved = v8_open(l, l->word[1], 8), err;

	if (moved == -EFAULT || (!moved && l->v8.type - field(l, FIRST_CONTEXT) > CONTEXT_TYPES))
		return -ESRCH;
	moved = verifier_forget(l->error, moved);
	err = v8_open(l, l->word[0], field(l, FUNCTION_SHARED) + sizeof(u64));
	l->code = word_of(l->head, field(l, FUNCTION_SHARED));
	if ((moved && err) || (!err && l->v8.type - field(l, FUNCTION_TYPE) > FUNCTION_TYPES))
		return -ESRCH;
	return err;
}

/* Find what l->code consists of: its file, its source and its scope, to l->mark; if it has no source, its name. */
GLOBAL int v8_find_shared(struct lang *l NONNULL)
{
	struct v8_function *f = &l->v8;
	u32 flags = field(l, SHARED_FLAGS);
	u64 script;
	int err = v8_open_as(l, l->code, flags + sizeof(u64), SHARED_TYPE);

	if (err)
		return err;
	f->bytecode = l->head[1];
	l->mark = word_of(l->head, flags - SHARED_SCOPE);
	script = word_of(l->head, flags - SHARED_SCRIPT);
	l->fingerprint = code_mix(word_of(l->head, flags - sizeof(u64)), word_of(l->head, flags));
	f->string[FILE_NAME] = f->string[SOURCE] = f->start = 0;
	err = v8_open_as(l, script, SCRIPT_ID + sizeof(u64), SCRIPT_TYPE);
	if (err == -ENOENT && is_object(l->head[0]))
		return find_builtin(l, l->mark);
	f->string[SOURCE] = l->head[SCRIPT_SOURCE / 8];
	f->string[FILE_NAME] = l->head[SCRIPT_NAME / 8];
	f->line = l->head[SCRIPT_LINE / 8] >> SMALL_SHIFT;
	l->fingerprint = code_mix(l->fingerprint, l->head[SCRIPT_ID / 8]);
	return err;
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
	int err = v8_open_as(l, l->mark, (1 + POSITIONS_FIRST) * 8, SCOPE_TYPE);

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

/*
 * Put the functions at the place, from the innermost one that was inlined outwards. -ENOENT: they are not known yet. If it is not known which
 * ones they are, or there was no room to keep that, a function is put that has no name.
 */
GLOBAL int v8_put_place(struct lang *l NONNULL)
{
	struct v8_function *f = &l->v8;
	u32 nr = l->nr, nr_in_run = l->nr_in_run, nr_frames = l->nr_frames;

	l->mark = f->at;
	each (i, 2 * MAX_INLINED) { /* each one as the outermost, or else as another one */
		u64 role = ~i & OUTERMOST;

		l->code_number = port_code_number(l->space, l->mark, l->fingerprint ^ role);
		l->mark += (i & 1ULL) << PLACE_DEPTH;
		if (l->code_number)
			put_frame(l, frame_of_code(LANGUAGE_JAVASCRIPT, l->code_number, FRAME_POSITION));
		if (!!l->code_number == (u32)role)
			break;
	}
	if (l->code_number)
		return 0;
	l->nr = nr;
	l->nr_in_run = nr_in_run;
	l->nr_frames = nr_frames;
	if (f->at && l->numbered != f->at)
		return -ENOENT;
	put_frame(l, frame_of_code(LANGUAGE_JAVASCRIPT, 0, FRAME_POSITION));
	return 0;
}

/* Find which function the frame is of whose function was read, and where in it. */
static INLINE int find(struct walk *w)
{
	struct lang *l = &w->lang;
	struct v8_function *f = &l->v8;
	int err = v8_find_function(l);

	f->at = 0;
	err = verifier_forget(l->error, err) ?: v8_find_shared(l);
	if (verifier_forget(l->error, err))
		return err;
	if (f->string[SOURCE])
		err = v8_find_scope(l);
	if (verifier_forget(l->error, err))
		return err;
	f->begin = SHARED;
	f->at = l->code;
	return f->string[SOURCE] ? v8_find_place(w) : 0;
}

/* Put what is known of the function whose frame was read. -ENOENT: nothing yet; -ESRCH: it is not to be shown. */
static INLINE int put_function(struct walk *w)
{
	int err = find(w);

	if (w->modules.wait.bytes)
		return -EACCES;
	err = verifier_forget(w->lang.error, err);
	return err == -EACCES || err == -ESRCH ? err : v8_put_place(&w->lang);
}

/* Begin to read what is to be kept of the function. */
static INLINE int begin_code(struct lang *l)
{
	struct v8_function *f = &l->v8;

	f->part = f->begin;
	f->fingerprint = l->fingerprint;
	f->shared = l->code;
	f->searched = f->at & ~7ULL;
	f->position = f->depth = f->read = f->shift = f->is_source = 0;
	f->number = f->source = f->found = 0;
	f->offset = -1ULL; /* tables begin with that of the function's entry */
	f->inlined = -1;
	l->step = LANG_CODE;
	return 0;
}

GLOBAL int v8_frame(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	u32 nr, is_end;
	int err;

	loop(MAX_DEPTH, look_for_frame, w);
	nr = l->looked;
	is_end = nr >= l->v8.nr_native;
	if (is_end || l->nr >= MAX_DEPTH - MAX_INLINED - 1) {
		l->step = LANG_MERGE;
		return is_end ? 0 : -E2BIG;
	}
	l->at = frame_pointer(w, nr);
	err = port_read(l->word, 24, l->at - 16);
	if (!err)
		err = is_of_function(w, nr) ? put_function(w) : -ESRCH;
	err = verifier_forget(l->error, err);
	if (err == -EACCES)
		return err;
	if (err == -ENOENT)
		return begin_code(l);
	l->looked = nr + 1;
	end_run(l, l->at); /* of nothing, if nothing was put */
	return 0;
}

/* Go on with the next part. */
static INLINE void next_part(struct lang *l)
{
	struct v8_function *f = &l->v8;

	if (++f->part >= LINES)
		return;
	f->text = at(f->string, f->part);
	f->until = f->start;
	f->width = f->looked = 0;
	f->skip = f->rest = f->place = 0;
}

/* The part cannot be had, or there is no more of it. */
static INLINE void skip_part(struct lang *l)
{
	struct v8_function *f = &l->v8;

	if (f->part == NAME && f->text)
		f->text_of[NAME] = (struct code_text){.bytes = 1}; /* without a width: it is not known */
	f->part += f->part == SOURCE;				   /* no lines without it */
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

	if (f->width != 2 - (f->type / ONE_BYTE & 1) || (f->part == SOURCE && f->nr < f->until))
		return -ENOENT;
	from += f->skip * f->width;
	f->data = from;
	f->counted = 0;
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

/* Of characters of one byte, and of two: a word of ones, all bits but the highest ones, the place of these, and of the sum of all. */
static const struct {
	u64 ones, low;
	u32 highest, sum;
} widths[2] = {
	{0x0101010101010101, 0x7f7f7f7f7f7f7f7f, 7, 56},
	{0x0001000100010001, 0x7fff7fff7fff7fff, 15, 48},
};

/* How many of the characters in @word are newlines? */
static INLINE u64 newlines_in(u64 word, u32 width)
{
	u64 ones = at(widths, width - 1).ones, low = at(widths, width - 1).low;
	u64 other = word ^ ones * '\n', ends = ~(((other & low) + low) | other | low);

	return ((ends >> at(widths, width - 1).highest) * ones) >> at(widths, width - 1).sum;
}

/* Count those in the next half page of the source, up to f->until: behind it is a word that may be cleared. */
GLOBAL int v8_count_lines(struct walk *w NONNULL)
{
	struct stack_window *s = &w->machine.stack;
	struct lang *l = &w->lang;
	struct v8_function *f = &l->v8;
	u64 from = f->data + (u64)f->counted * f->width, bytes = (u64)(f->until - f->counted) * f->width;
	int err;

	if (bytes > COUNTED_BYTES - from % COUNTED_BYTES)
		bytes = COUNTED_BYTES - from % COUNTED_BYTES;
	bytes = verifier_forget(l->bytes, bytes);
	if (bytes > COUNTED_BYTES)
		bytes = COUNTED_BYTES;
	stack_forget(&w->machine);
	err = port_read(s->word, bytes, from);
	if (err)
		return err;
	bytes = verifier_forget(l->bytes, bytes);
	at(s->word, bytes / 8) &= (1ULL << bytes % 8 * 8) - 1;
	each (i, COUNTED_BYTES / 8) {
		if (i * 8ULL >= l->bytes)
			break;
		f->line += newlines_in(at(s->word, i), f->width);
	}
	f->counted += l->bytes / f->width;
	return 0;
}

/* Count up to where the function begins, and then up to its position. */
static INLINE int count_lines(struct walk *w)
{
	struct lang *l = &w->lang;
	struct v8_function *f = &l->v8;

	if (f->counted < f->until)
		return f->until > MAX_COUNTED ? -ENOENT : v8_count_lines(w);
	if (f->until == f->start)
		l->content.first_line = f->line + 1;
	else
		l->content.line = f->line + 1;
	if (f->position <= f->until)
		return -ENOENT; /* that is all */
	f->until = f->position;
	return 0;
}

static INLINE int begin(struct lang *l)
{
	clear_content(l);
	l->v8.text_of[NAME] = l->v8.text_of[FILE_NAME] = (struct code_text){};
	l->v8.part = NOTHING;
	return 0;
}

/* All has been read: keep it, and give it its number. Then go on with the function in which it was inlined, if it was. */
static INLINE int keep(struct lang *l)
{
	struct v8_function *f = &l->v8;
	bool is_outermost = f->inlined < 0;

	l->content.language = LANGUAGE_JAVASCRIPT;
	l->content.name = f->text_of[NAME];
	l->content.file = f->text_of[FILE_NAME];
	l->code = f->at + ((u64)f->depth << PLACE_DEPTH);
	l->fingerprint = f->fingerprint ^ (is_outermost ? OUTERMOST : 0);
	code_hash(l);
	port_code_add(l, false);
	l->numbered = f->at;
	l->step = is_outermost ? LANG_FRAMES : LANG_CODE;
	f->part = INLINED;
	f->depth++;
	v8_take_position(f, f->source);
	return 0;
}

/* The function at the place could not be found: it is that of the frame. If that is lost, too, it is not known. */
static INLINE int give_up(struct lang *l)
{
	struct v8_function *f = &l->v8;

	if (f->part == SHARED && l->code == f->shared) {
		l->numbered = f->at;
		l->step = LANG_FRAMES;
	}
	l->code = f->shared;
	f->position = 0;
	f->inlined = -1;
	f->part = SHARED;
	return 0;
}

/* Read which function it is: that of the frame, or one that was inlined. */
static INLINE int read_function(struct lang *l)
{
	int err = v8_find_shared(l);

	if (!err && l->v8.string[SOURCE])
		err = v8_find_scope(l);
	return err ?: begin(l);
}

/* Go on to find out which functions are at the place. */
static INLINE int look_at_place(struct walk *w)
{
	struct lang *l = &w->lang;
	struct v8_function *f = &l->v8;

	if (f->part == POSITION)
		return v8_read_positions(w);
	if (f->part == INLINED)
		return v8_find_inlined(l);
	return f->found ? v8_open_code(l) : v8_search_code(w);
}

GLOBAL int v8_code(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	u32 part = l->v8.part;
	int err;

	if (part == ALL)
		return keep(l);
	if (part == NOTHING)
		err = -ENOENT; /* and now the first part */
	else if (part == LINES)
		err = count_lines(w);
	else if (part == SHARED)
		err = read_function(l);
	else
		err = part < LINES ? v8_look_at_text(l) : look_at_place(w);
	err = verifier_forget(l->error, err);
	if (err == -EACCES || w->modules.wait.bytes)
		return -EACCES;
	if (err && part > ALL)
		return give_up(l);
	if (err)
		skip_part(l);
	return 0;
}
