/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/lang/frames.h"
#include "core/lang/merge.h"
#include "core/lang/perl.h"

#define OLDEST 36
#define NEWEST 42

/* glibc keeps the first keys of a thread in its struct pthread: pairs of a number and the value. */
#define NR_KEYS 32
#define KEYS 0x310
#define KEY_BYTES 16

/* The same in all versions that are known, of builds with threads. */
#define INTERPRETER_OP 8
#define INTERPRETER_COP 208
#define INTERPRETER_BYTES 24 /* from there on: the current statement, and 16 bytes behind it the stack of contexts */
#define STACK_BYTES 48
#define MAX_CONTEXTS (1u << 24)
#define CONTEXT_BYTES 104
#define COP_BYTES 56
#define OP_BYTES 48
#define OBJECT_BYTES 24
#define SUB_BODY 32
#define SUB_BYTES 72
#define GLOB_BODY 32
#define GLOB_ORIGIN 56 /* of struct gp: the glob that it was made for */
#define PACKAGE_AUX 32
#define AUX_BYTES 32
#define TEXT_BYTES 8 /* struct hek: its hash and its length, then the text */

/* PERL_SI, in words; PERL_CONTEXT; COP, and any other OP; SV; what a CV has; struct xpvhv_aux */
enum { STACK_ARGUMENTS, STACK_CONTEXTS, STACK_PREVIOUS, STACK_NR = 4, STACK_KIND };
enum { CONTEXT_KIND, CONTEXT_COP = 2, CONTEXT_RETURN = 6, CONTEXT_FILE = 8, CONTEXT_SUB };
enum { OP_NEXT, OP_SIBLING, OP_OLD_KIND = 3, OP_KIND, OP_FIRST };
enum { COP_FILE = 6 };
enum { OBJECT_BODY, OBJECT_KIND, OBJECT_GLOB };
enum { SUB_PACKAGE, SUB_START, SUB_NAME = 3, SUB_FLAGS = 7, SUB_DEPTH };
enum { AUX_NAME, AUX_NR_NAMES = 3 };

enum { STACK_MAIN = 1, STACK_SORT = 3, STACK_MULTICALL = 10 };
enum {
	CONTEXT_BLOCK = 2,
	CONTEXT_IS_SUB = 9,
	CONTEXT_IS_FORMAT,
	CONTEXT_IS_EVAL,
	CONTEXT_IS_DEFER = 13,
	CONTEXT_MASK = 15
};
#define IS_BLOCK 64	       /* of an eval: it is a block, */
#define IS_TRY 128	       /* and one of try */
#define IS_PATTERN 128	       /* of a sub: it is in fact code in a pattern of the sub that is shown already */
#define SUB_IS_NAMED (1 << 15) /* it has a name, and otherwise a glob */
#define SUB_IS_LEXICAL (1 << 16)
#define IS_SUB 13 /* the kind of an object; the next one is a format */
#define HAS_AUX 0x02000000
#define OP_HAS_SIBLING (1 << 14) /* otherwise @OP_SIBLING is what the operation is a part of */
#define OP_HAS_PARTS (4 << 16)
#define OP_KIND_MASK 0x1ff
#define MAX_OPS 128
#define OP_LEVELS 16

/* What a frame is. */
enum { PERL_NOTHING, PERL_SUB, PERL_EVAL, PERL_FILE, PERL_MAIN };

static const struct {
	u64 word[2];
	u32 bytes;
} names[8] = {
	[PERL_EVAL] = {{0x296c61766528}, 6},	       /* (eval) */
	[PERL_FILE] = {{0x6572697571657228, 0x29}, 9}, /* (require) */
	[PERL_MAIN] = {{0x296e69616d28}, 6},	       /* (main) */
};

/* Numbers of operations, by half the version: of those that only begin a statement, and a block. */
static const struct {
	u32 statement, scope;
} kinds_of_op[4] = {[OLDEST / 2 % 4] = {195, 200}, [40 / 2 % 4] = {198, 203}, [NEWEST / 2 % 4] = {202, 207}};

GLOBAL int perl_learn(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	struct runtime *rt = &l->runtime;
	int err;

	if (!rt->symbol[SYMBOL_PERL_KEY] || !rt->symbol[SYMBOL_PERL_VERSION])
		return -ENOSYS; /* without threads, all that an interpreter has is a symbol of its own */
	err = read_word(l, rt->symbol[SYMBOL_PERL_VERSION]);
	if (err)
		return err;
	rt->version = (u8)l->value;
	return rt->version == OLDEST || rt->version == 40 || rt->version == NEWEST ? 0 : -ENOSYS;
}

/* Find the thread's interpreter, if its native stack says that it runs Perl, and begin with the stack of contexts that is in use. */
GLOBAL int perl_thread(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	int err;

	merge_count_loops(w);
	if (!l->loops)
		return -ESRCH;
	err = read_word(l, l->runtime.symbol[SYMBOL_PERL_KEY]);
	if (err || (u32)l->value >= NR_KEYS)
		return err ?: -EFAULT;
	err = read_word(l, l->thread_pointer + KEYS + (u32)l->value * KEY_BYTES + KEY_BYTES / 2);
	if (!err)
		err = port_read(&l->word[3], sizeof(u64), l->value + INTERPRETER_OP);
	if (!err)
		err = port_read(l->word, INTERPRETER_BYTES, l->value + INTERPRETER_COP);
	if (err)
		return err;
	l->mark = l->word[0];
	l->cursor = l->word[2];
	l->op = l->word[3];
	l->at = l->end = 0;
	l->step = LANG_FRAMES;
	return 0;
}

/* C has begun a stack to run Perl again and again, and is between two runs. */
static INLINE bool is_idle(const struct lang *l, u32 kind)
{
	return !l->op && !l->nr && (kind == STACK_SORT || kind == STACK_MULTICALL);
}

/* Nothing in the stack runs, whose words are in l->word: go to where it was made. */
static INLINE int pass_stack(struct lang *l)
{
	int err = read_word(l, l->word[STACK_CONTEXTS] + CONTEXT_COP * sizeof(u64));

	if (err)
		return err;
	l->mark = l->value;
	l->cursor = l->word[STACK_PREVIOUS];
	return l->cursor ? 0 : -ESRCH;
}

/* Go to the innermost context of the stack at l->cursor. */
GLOBAL int perl_enter_stack(struct lang *l NONNULL)
{
	int err = port_read(l->word, STACK_BYTES, l->cursor);
	u32 nr = (u32)l->word[STACK_NR] + 1, kind = l->word[STACK_KIND] >> 32;

	if (err)
		return err;
	if (nr > MAX_CONTEXTS || !l->word[STACK_CONTEXTS])
		return -EFAULT;
	if (nr && is_idle(l, kind))
		return pass_stack(l);
	l->cursor = l->word[STACK_PREVIOUS];
	l->end = l->word[STACK_CONTEXTS];
	l->at = l->end + (u64)nr * CONTEXT_BYTES;
	l->kind = kind;
	l->last = l->ended = 0;
	return 0;
}

/*
 * A statement that is a block's only one has none of its own while it runs: the current one is that around the block. Its beginning is still
 * among the operations, which is what Perl's messages say, and caller(). l->word has the last one on each level from the half on.
 */
#define statement_of(l, level) at((l)->word, OP_LEVELS + ((level) & (OP_LEVELS - 1)))

/* Is it the operation that is looked for? A caller is known by what comes behind it. */
static INLINE bool is_op(const struct lang *l, u64 op)
{
	if (!l->nr_frames)
		return op == l->op;
	return l->head[OP_NEXT] == l->op &&
	       (l->head[OP_KIND] & OP_KIND_MASK) != at(kinds_of_op, l->runtime.version / 2 % 4).scope;
}

/* Go on behind the operation whose words are in l->head: STOP: it is the outermost one. */
static INLINE int pass_op(struct lang *l, u32 level)
{
	bool has_sibling = l->head[OP_KIND] & OP_HAS_SIBLING;

	l->value = l->head[OP_SIBLING];
	l->ascends = !has_sibling;
	l->level = level - !has_sibling;
	return level ? NEXT : STOP;
}

/* Look at the operation at l->value, on level l->level; if l->ascends, it has been looked at before its parts. */
TURN(look_at_op, struct lang, l)
{
	u32 level = l->level, statement = at(kinds_of_op, l->runtime.version / 2 % 4).statement;
	u64 op = l->value, kind;

	l->error = port_read(l->head, OP_BYTES, op);
	if (l->error)
		return STOP;
	kind = l->head[OP_KIND];
	if (l->ascends)
		return pass_op(l, level);
	if (!(kind & OP_KIND_MASK) && l->head[OP_OLD_KIND] == statement)
		statement_of(l, level) = op;
	if (is_op(l, op)) {
		l->statement = statement_of(l, level);
		return STOP;
	}
	if (!(kind & OP_HAS_PARTS) || level >= OP_LEVELS - 1)
		return pass_op(l, level);
	statement_of(l, level + 1) = statement_of(l, level);
	l->value = l->head[OP_FIRST];
	l->level = level + 1;
	return NEXT;
}

/* Get the line of the frame at statement l->code, whose words are in l->head, to l->line. */
GLOBAL int perl_find_line(struct lang *l NONNULL)
{
	u64 line = l->head[OP_KIND] >> 32;
	int err = 0;

	l->statement = l->word[OP_LEVELS] = l->code;
	l->value = l->head[OP_SIBLING];
	l->level = l->ascends = l->error = 0;
	if (l->op && l->value && l->head[OP_KIND] & OP_HAS_SIBLING)
		loop(MAX_OPS, look_at_op, l);
	if (l->statement != l->code) {
		err = read_word(l, l->statement + OP_KIND * sizeof(u64));
		line = l->value >> 32;
	}
	l->line = line < FRAME_POSITION ? line : FRAME_POSITION;
	return err ?: l->error == -EFAULT ? 0 : l->error; /* then it was not found */
}

/* The bytes of a word before the first one that is 0, as a mask. */
static INLINE u64 bytes_of_text(u64 word)
{
	u64 zero = (word - 0x0101010101010101ULL) & ~word & 0x8080808080808080ULL;

	return ((zero & -zero) >> 7) - 1;
}

#define FILE_PIECES (sizeof(((struct code_content *)0)->file_text) / sizeof(((struct lang *)0)->text))
#define FILE_WORD (__builtin_offsetof(struct code_content, file_text) / sizeof(u64))
_Static_assert(__builtin_offsetof(struct code_content, file_text) % sizeof(u64) == 0, "whole words");

/* Take a piece of the name of the frame's file from l->text to l->content, and add it to the fingerprint. */
static INLINE void take_piece(struct lang *l, u32 piece)
{
	each (i, COUNT(l->text)) {
		u64 text = bytes_of_text(at(l->text, i)) & l->rest, word = at(l->text, i) & text;

		l->rest = (s64)text >> 63;
		within(l->content_word, FILE_WORD + piece * COUNT(l->text) + i, 63) = word;
		l->fingerprint = code_mix(l->fingerprint, word);
	}
}

GLOBAL int perl_read_piece(struct lang *l NONNULL, u32 piece)
{
	int err = code_read_words(l, l->file + piece * sizeof(l->text));

	if (!err)
		take_piece(l, piece);
	return err;
}

/* Read the name of the frame's file. It ends with a 0 byte, and what is behind that changes. l->rest: all bits are set as long as there is more of it. */
static INLINE int read_file(struct lang *l)
{
	int err = 0;

	l->rest = -(u64) !!l->file;
	for (u32 i = 0; i < FILE_PIECES && l->rest && !err; i++)
		err = perl_read_piece(l, i);
	return err;
}

/* Get the text that says what the glob at @glob is called, and its package, to l->name and l->value. */
static INLINE int name_of_glob(struct lang *l, u64 glob)
{
	int err = code_read_words(l, glob);

	if (err)
		return err;
	l->name = l->text[OBJECT_BODY];
	if (l->text[OBJECT_GLOB]) {
		err = code_read_words(l, l->text[OBJECT_GLOB] + GLOB_ORIGIN);
		if (err)
			return err;
		if (l->text[0]) {
			err = code_read_words(l, l->text[0]);
			if (err)
				return err;
			l->name = l->text[OBJECT_BODY];
		}
	}
	err = code_read_words(l, l->name + GLOB_BODY);
	l->name = l->text[0];
	l->value = l->text[1];
	return err;
}

/* Get the text of the package at l->value, to l->class; 0: it has no name. */
static INLINE int name_of_package(struct lang *l)
{
	int err = code_read_words(l, l->value);

	if (err || !(l->text[OBJECT_KIND] >> 32 & HAS_AUX))
		return err;
	err = code_read_words(l, l->text[OBJECT_BODY] + PACKAGE_AUX);
	if (err)
		return err;
	if (l->text[AUX_NAME] && l->text[AUX_NR_NAMES] >> 32) /* several */
		err = code_read_words(l, l->text[AUX_NAME]);
	l->class = l->text[0];
	return err;
}

/* Add to the fingerprint what tells a text from others: its hash and its length. */
static INLINE int mix_text(struct lang *l, u64 text)
{
	int err = code_read_words(l, text);

	l->fingerprint = code_mix(l->fingerprint, l->text[0]);
	return err;
}

/*
 * Find the texts of what the sub at l->object is called by. -ESRCH: it does not run yet: what the context says of it may be of
 * another one, which had that before.
 */
GLOBAL int perl_find_name(struct lang *l NONNULL)
{
	u64 flags;
	int err = code_read_words(l, l->object);

	if (err)
		return err;
	if ((u8)(l->text[OBJECT_KIND] >> 32) - IS_SUB > 1U)
		return -EFAULT;
	err = port_read(l->head, SUB_BYTES, l->text[OBJECT_BODY] + SUB_BODY);
	if (err)
		return err;
	if (!(u32)l->head[SUB_DEPTH])
		return -ESRCH;
	flags = l->head[SUB_FLAGS] >> 32;
	l->name = l->head[SUB_NAME];
	l->value = flags & SUB_IS_LEXICAL ? 0 : l->head[SUB_PACKAGE];
	if (!(flags & SUB_IS_NAMED) && l->name)
		err = name_of_glob(l, l->name);
	if (err)
		return err;
	return l->value ? name_of_package(l) : 0;
}

/* Add to the fingerprint what tells the names of the sub from others. */
GLOBAL int perl_mix_names(struct lang *l NONNULL)
{
	int err = l->name ? mix_text(l, l->name) : 0;

	if (err)
		return err;
	return l->class ? mix_text(l, l->class) : 0;
}

/*
 * Get the number of the code of a frame at statement l->mark, to l->code_number, and its line. -ENOENT: the code is not known yet; -ESRCH: it does
 * not run.
 */
static INLINE int number_frame(struct lang *l)
{
	int err = port_read(l->head, COP_BYTES, l->mark);

	if (err)
		return err;
	l->code = l->mark;
	l->file = l->head[COP_FILE];
	l->fingerprint = l->what;
	l->name = l->class = 0;
	err = perl_find_line(l) ?: read_file(l);
	if (!err && l->what == PERL_SUB)
		err = perl_find_name(l) ?: perl_mix_names(l);
	return err ?: code_is_known(l);
}

/* What the context is whose words are in l->word: those are shown that caller() sees. */
static INLINE u32 what_it_is(const struct lang *l)
{
	u32 kind = l->word[CONTEXT_KIND], is = kind & CONTEXT_MASK;

	if (is == CONTEXT_IS_SUB || is == CONTEXT_IS_FORMAT)
		return kind & IS_PATTERN ? PERL_NOTHING : PERL_SUB;
	if (is != CONTEXT_IS_EVAL || kind & IS_TRY)
		return PERL_NOTHING;
	return kind & IS_BLOCK || !l->word[CONTEXT_FILE] ? PERL_EVAL : PERL_FILE;
}

/* Does a run of the loop end with the context whose words are in l->word? C has called it: there is nothing to return to. */
static INLINE bool is_end_of_run(const struct lang *l)
{
	u32 kind = l->word[CONTEXT_KIND], is = kind & CONTEXT_MASK;

	if (is == CONTEXT_IS_DEFER)
		return true;
	if (l->word[CONTEXT_RETURN])
		return false;
	return is == CONTEXT_IS_SUB || is == CONTEXT_IS_FORMAT || (is == CONTEXT_IS_EVAL && !(kind & IS_BLOCK));
}

static INLINE bool is_last_stack(const struct lang *l)
{
	return l->kind == STACK_MAIN || !l->cursor;
}

/*
 * Is it the eval that C has put around the sub that it calls? It belongs to the run that has just ended, which then ends behind it.
 */
static INLINE bool reopens_run(struct lang *l)
{
	u32 nr = l->nr;

	if (l->what != PERL_EVAL || l->word[CONTEXT_RETURN] || !nr || at(l->frame, nr - 1) != LANG_NEXT_LOOP)
		return false;
	l->nr = nr - 1;
	l->runs--;
	return true;
}

/*
 * Does a run end with what has been looked at? If all contexts of the stack have been passed, it does if that was the last one, or that of a sort that has
 * called no sub, but runs its block.
 */
static INLINE bool is_end(struct lang *l)
{
	if (l->at == l->end)
		return is_last_stack(l) || (l->kind == STACK_SORT && !l->ended);
	return is_end_of_run(l) || reopens_run(l);
}

/* Go to the caller of the context whose words are in l->word. */
static INLINE void pass_context(struct lang *l)
{
	l->at -= CONTEXT_BYTES;
	if (l->what) {
		l->mark = l->word[CONTEXT_COP];
		l->op = l->word[CONTEXT_RETURN];
	}
	l->last = l->word[CONTEXT_KIND] & CONTEXT_MASK;
}

/* All contexts of the stack have been passed. */
static INLINE void leave_stack(struct lang *l)
{
	l->end = 0;
	if (is_last_stack(l))
		l->step = LANG_MERGE;
}

/* Put what has been looked at into the stack, and go to its caller. */
GLOBAL int perl_put_frame(struct lang *l NONNULL)
{
	bool ends_run = is_end(l), is_left = l->at == l->end;

	if (l->what)
		put_frame(l, frame_of_code(LANGUAGE_PERL, l->code_number, l->line));
	l->numbered = 0; /* the same statement may be that of another sub */
	if (ends_run) {
		l->nr_in_run += !(is_left && is_last_stack(l)); /* others may have no frames */
		end_run(l, LANG_NEXT_LOOP);
	}
	l->ended |= ends_run;
	if (is_left)
		leave_stack(l);
	else
		pass_context(l);
	return 0;
}

/* Look at the next context; behind the last one, at the program itself: if that runs, the outermost context is its block. */
static INLINE int look_at_context(struct lang *l)
{
	int err;

	l->what = PERL_NOTHING;
	if (l->at == l->end) {
		l->what = is_last_stack(l) && l->last == CONTEXT_BLOCK ? PERL_MAIN : PERL_NOTHING;
		return 0;
	}
	err = port_read(l->word, CONTEXT_BYTES, l->at - CONTEXT_BYTES);
	if (err)
		return err;
	l->object = l->word[CONTEXT_SUB];
	l->what = what_it_is(l);
	return 0;
}

/* May the context be one that is just being made? It counts as soon as its kind is there, and has what another one had before. */
static INLINE bool is_made(const struct lang *l)
{
	return !l->nr && l->what == PERL_SUB;
}

GLOBAL int perl_frame(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	int err;

	if (l->nr >= MAX_DEPTH - 2)
		return -E2BIG;
	if (!l->end)
		return perl_enter_stack(l);
	err = look_at_context(l);
	if (!err && l->what)
		err = number_frame(l);
	if (err == -ENOENT) {
		l->step = LANG_CODE;
		return 0;
	}
	if (err == -ESRCH || (err == -EFAULT && is_made(l))) {
		l->at -= CONTEXT_BYTES;
		return 0;
	}
	return err ?: perl_put_frame(l);
}

/* Read the text at @text to @to in l->content; its length to l->value. */
GLOBAL int perl_read_text(struct lang *l NONNULL, u64 text, u32 to)
{
	int err = read_word(l, text);

	return err ?: read_content(l, text + TEXT_BYTES, l->value >> 32, to, MAX_CLASS_BYTES);
}

#define read_text(l, text, field) perl_read_text(l, text, __builtin_offsetof(struct code_content, field))
#define NAME_WORD (__builtin_offsetof(struct code_content, name_text) / sizeof(u64))
_Static_assert(sizeof(((struct code_content *)0)->name_text) == MAX_CLASS_BYTES, "as long as that of a package");

static INLINE int read_names(struct lang *l)
{
	struct code_content *c = &l->content;
	int err = l->name ? read_text(l, l->name, name_text) : 0;

	c->name.bytes = l->name ? l->value : 0;
	if (!err && l->class) {
		err = read_text(l, l->class, table);
		c->table_bytes = l->value;
	}
	if (l->what != PERL_SUB) {
		l->content_word[NAME_WORD] = at(names, l->what).word[0];
		l->content_word[NAME_WORD + 1] = at(names, l->what).word[1];
		c->name.bytes = at(names, l->what).bytes;
	}
	return err;
}

/* Keep what the code of the frame is, whose texts have been found, and give it its number. */
GLOBAL int perl_code(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	struct code_content *c = &l->content;
	u64 fingerprint = l->fingerprint;
	int err;

	clear_content(l);
	err = read_file(l);
	l->fingerprint = fingerprint;
	if (!err)
		err = read_names(l);
	if (err)
		return err;
	c->language = LANGUAGE_PERL;
	c->line_table = LINES_ARE_POSITIONS;
	c->name.width = c->file.width = TEXT_UTF8;
	c->file.bytes = sizeof(c->file_text) + (l->rest & 1);
	code_hash(l);
	l->number = port_code_add(l, false);
	l->numbered = l->code;
	l->step = LANG_FRAMES;
	return 0;
}
