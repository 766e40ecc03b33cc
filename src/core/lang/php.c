/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/lang/frames.h"
#include "core/lang/merge.h"
#include "core/lang/php.h"

/* The same in all versions from 7.3 on: HashTable, Bucket and zend_module_entry. */
#define TABLE_BUCKETS 16
#define MODULE_BYTES 168
#define MODULE_FLAGS 0xffff /* that it is for a build for debugging, and for one with threads */

/* The interface (ZEND_MODULE_API_NO) of versions whose structures are known. */
#define API_8_2 20220829
#define API_8_4 20240924

/* Of both, of builds without threads and without debugging. */
#define GLOBALS_FRAME 488
#define OP_BYTES 32
#define OP_LINE 24
#define EXCEPTION_OPS 3
#define FRAME_BYTES 56
#define FUNCTION_NAME 8
#define FUNCTION_CLASS 16
#define CLASS_NAME 8
#define TEXT_HASH 8
#define TEXT_LENGTH 16
#define TEXT_BYTES 24
#define GENERATOR_FRAME 56
#define GENERATOR_RUNS 152 /* the one that it has run instead: node.parent */
#define MAX_GENERATORS 256

/* struct _zend_execute_data, in words */
enum { FRAME_OP, FRAME_CALL, FRAME_RESULT, FRAME_FUNCTION, FRAME_THIS, FRAME_INFO, FRAME_PREVIOUS };

#define INFO_KIND 0xf /* of what @FRAME_THIS is */
#define IS_OBJECT 8
#define ZEND_CALL_TOP (1 << 17)

enum { ZEND_INTERNAL_FUNCTION = 1, ZEND_USER_FUNCTION = 2, ZEND_EVAL_CODE = 4 };

/* Where struct _zend_op_array and executor_globals have what, in bytes. */
static const struct layout {
	u32 nr_ops, ops, file, lines, bytes;
	u32 exception_ops, before_exception;
} layouts[2] = {
	{.nr_ops = 80,
	 .ops = 88,
	 .file = 152,
	 .lines = 160,
	 .bytes = 168,
	 .exception_ops = 888,
	 .before_exception = 880},
	{.nr_ops = 96,
	 .ops = 104,
	 .file = 168,
	 .lines = 176,
	 .bytes = 184,
	 .exception_ops = 960,
	 .before_exception = 952},
};

static INLINE const struct layout *layout(const struct lang *l)
{
	return &at(layouts, l->runtime.version);
}

/* All modules were compiled for the same interface. Before the first one is there, nothing runs. */
GLOBAL int php_learn(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	struct runtime *rt = &l->runtime;
	u32 api;
	int err;

	if (!rt->symbol[SYMBOL_PHP_GLOBALS] || !rt->symbol[SYMBOL_PHP_MODULES])
		return -ENOSYS; /* with threads, each has globals of its own */
	err = read_word(l, rt->symbol[SYMBOL_PHP_MODULES] + TABLE_BUCKETS);
	if (!err)
		err = read_word(l, l->value);
	if (!err)
		err = port_read(l->word, 16, l->value);
	if (err)
		return err;
	if ((u16)l->word[0] != MODULE_BYTES)
		return -EFAULT;
	api = l->word[0] >> 32;
	if ((api != API_8_2 && api != API_8_4) || l->word[1] & MODULE_FLAGS)
		return -ENOSYS;
	rt->version = api == API_8_4; /* of @layouts */
	return 0;
}

/* If this is the thread that runs PHP, then the loop is on its native stack. If that was cut before it, it is that which is lost. */
GLOBAL int php_thread(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	int err;

	merge_count_loops(w);
	if (!(l->loops + l->jits))
		return -ESRCH;
	err = read_word(l, l->runtime.symbol[SYMBOL_PHP_GLOBALS] + GLOBALS_FRAME);
	if (err)
		return err;
	l->at = l->value;
	l->mark = l->interpreter = 0;
	l->step = LANG_FRAMES;
	return 0;
}

/* Add to the fingerprint what tells the text from others: its hash; the end of it if it has none, as that differs in names of evaluated code. */
GLOBAL int php_mix_text(struct lang *l NONNULL, u64 text)
{
	int err = port_read(l->text, TEXT_BYTES, text);
	u64 hash = l->text[TEXT_HASH / 8], bytes = l->text[TEXT_LENGTH / 8], end = text + TEXT_BYTES + bytes;

	if (err)
		return err;
	l->fingerprint = code_mix(l->fingerprint, hash ^ bytes);
	if (hash)
		return 0;
	UNROLL
	for (u32 i = 0; i < COUNT(l->text); i++)
		l->text[i] = 0;
	bytes = verifier_forget(l->bytes, bytes);
	if (bytes > sizeof(l->text))
		bytes = sizeof(l->text);
	err = port_read(l->text, bytes, end - bytes);
	UNROLL
	for (u32 i = 0; i < COUNT(l->text); i++)
		l->fingerprint = code_mix(l->fingerprint, l->text[i]);
	return err;
}

/* l->head has the words of the code at l->code. Get the name of its class, to l->value; 0: it is no method. */
static INLINE int class_of_code(struct lang *l)
{
	l->value = l->head[FUNCTION_NAME / 8] ? l->head[FUNCTION_CLASS / 8] : 0;
	return l->value ? read_word(l, l->value + CLASS_NAME) : 0;
}

/* Is it the program itself, outside of functions? */
static INLINE bool is_main(const struct lang *l)
{
	return !l->head[FUNCTION_NAME / 8] && !l->word[FRAME_PREVIOUS];
}

/*
 * Compute what tells the code from other code that is at its address later, with all its parts at the same addresses: when a request ends,
 * all that belongs to it is freed at once.
 */
static INLINE int compare_code(struct lang *l)
{
	const struct layout *a = layout(l);
	u64 file = word_of(l->head, a->file), class;
	int err = class_of_code(l);

	class = l->value;
	l->fingerprint = code_mix(is_main(l), word_of(l->head, a->ops));
	l->fingerprint = code_mix(l->fingerprint, word_of(l->head, a->nr_ops));
	l->fingerprint = code_mix(l->fingerprint, word_of(l->head, a->lines));
	if (!err)
		err = php_mix_text(l, file);
	if (!err && l->head[FUNCTION_NAME / 8])
		err = php_mix_text(l, l->head[FUNCTION_NAME / 8]);
	if (!err && class)
		err = php_mix_text(l, class);
	return err;
}

/* Get the number of the code at l->code, to l->code_number. -ENOENT: it is not known yet; -ESRCH: it is a function that is written in C. */
GLOBAL int php_number(struct lang *l NONNULL)
{
	int err = port_read(l->head, sizeof(u64), l->code);
	u32 kind = (u8)l->head[0];

	if (err)
		return err;
	if (kind == ZEND_INTERNAL_FUNCTION)
		return -ESRCH;
	if (kind != ZEND_USER_FUNCTION && kind != ZEND_EVAL_CODE)
		return -EFAULT;
	err = port_read(l->head, layouts[1].bytes, l->code);
	if (!err)
		err = compare_code(l);
	return err ?: code_is_known(l);
}

/* Is it an operation of the code whose words are in l->head? */
static INLINE bool is_of_code(const struct lang *l, u64 op)
{
	const struct layout *a = layout(l);
	u64 from = op - word_of(l->head, a->ops);

	return from / OP_BYTES < (u32)word_of(l->head, a->nr_ops);
}

/*
 * Get the line that the frame is at: that of its last operation that can call, or fail. While an exception is on its way, that is kept in
 * another place. FRAME_POSITION: the frame has only begun.
 */
static INLINE int line_of_frame(struct lang *l, u32 *ret)
{
	u64 globals = l->runtime.symbol[SYMBOL_PHP_GLOBALS], op = l->word[FRAME_OP];
	int err = 0;

	*ret = FRAME_POSITION;
	if (op - globals - layout(l)->exception_ops < EXCEPTION_OPS * OP_BYTES) {
		err = read_word(l, globals + layout(l)->before_exception);
		op = l->value;
	}
	if (err || !is_of_code(l, op))
		return err;
	err = read_word(l, op + OP_LINE);
	if ((u32)l->value < FRAME_POSITION)
		*ret = l->value;
	return err;
}

/* Does the generator at l->word[0] have that at l->mark run? Otherwise go to the one that it has run. */
TURN(look_at_generator, struct lang, l)
{
	l->error = read_word(l, l->word[0] + GENERATOR_RUNS);
	if (l->error || l->value == l->mark)
		return STOP;
	l->word[0] = l->value;
	return NEXT;
}

/*
 * Generators with "yield from": only the last one runs. In its caller's place is a frame without a function, of the generator that was
 * asked first, l->interpreter. Go to the frame of the one that has that at l->mark run.
 */
static INLINE int next_generator(struct lang *l)
{
	int err;

	l->word[0] = l->interpreter;
	loop(MAX_GENERATORS, look_at_generator, l);
	err = l->error ?: l->value != l->mark ? -EFAULT : read_word(l, l->word[0] + GENERATOR_FRAME);
	if (err)
		return err;
	l->mark = l->word[0];
	l->at = l->value;
	return 0;
}

/* The frame has no function: it may be in the place of those of generators. */
static INLINE int pass_empty_frame(struct lang *l)
{
	bool is_of_generator = (l->word[FRAME_INFO] & INFO_KIND) == IS_OBJECT;

	l->interpreter = is_of_generator ? l->word[FRAME_THIS] : 0;
	l->cursor = l->word[FRAME_PREVIOUS];
	l->at = is_of_generator ? 0 : l->cursor;
	return 0;
}

/* Go to the caller of the frame whose words are in l->word, which is shown if @is_shown. */
static INLINE void pass_frame(struct lang *l, bool is_shown)
{
	if (l->interpreter) { /* it waits for another generator, and has no run of the loop */
		l->at = l->mark == l->interpreter ? l->cursor : 0;
		l->interpreter = l->at ? 0 : l->interpreter;
		return;
	}
	if (is_shown && l->word[FRAME_INFO] & ZEND_CALL_TOP)
		end_run(l, LANG_NEXT_LOOP);
	l->mark = l->word[FRAME_RESULT]; /* of a generator: itself */
	l->at = l->word[FRAME_PREVIOUS];
}

GLOBAL int php_frame(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	u32 line = 0;
	int err, known;

	if (!l->at && l->interpreter)
		return next_generator(l);
	if (!l->at || l->nr >= MAX_DEPTH - 1) {
		end_run(l, LANG_NEXT_LOOP);
		l->step = LANG_MERGE;
		return l->at ? -E2BIG : 0;
	}
	err = port_read(l->word, FRAME_BYTES, l->at);
	if (err)
		return err;
	l->code = l->word[FRAME_FUNCTION];
	if (!l->code)
		return pass_empty_frame(l);
	known = php_number(l);
	if (known == -ENOENT) {
		l->step = LANG_CODE;
		return 0;
	}
	err = known == -ESRCH ? 0 : known ?: line_of_frame(l, &line);
	if (err)
		return err;
	if (!known)
		put_frame(l, frame_of_code(LANGUAGE_PHP, l->code_number, line));
	pass_frame(l, !known);
	return 0;
}

/* Read the text at @text to @to in l->content, where @room bytes are for it; its length to l->value. */
GLOBAL int php_read_text(struct lang *l NONNULL, u64 text, u32 to, u32 room)
{
	int err = port_read(l->text, TEXT_BYTES, text);

	return err ?: read_content(l, text + TEXT_BYTES, l->text[TEXT_LENGTH / 8], to, room);
}

#define read_text(l, text, field) \
	php_read_text(l, text, __builtin_offsetof(struct code_content, field), sizeof((l)->content.field))

static INLINE void name_main(struct code_content *c)
{
	static const char name[] = "{main}";

	UNROLL
	for (u32 i = 0; i < sizeof(name) - 1; i++)
		c->name_text[i] = name[i];
	c->name.bytes = sizeof(name) - 1;
}

/* Code outside of functions is called by the name of its file, but for the program itself: that is left to those who read it. */
static INLINE int read_names(struct lang *l)
{
	u64 name = l->head[FUNCTION_NAME / 8];
	struct code_content *c = &l->content;
	int err = read_text(l, word_of(l->head, layout(l)->file), file_text);

	c->file.bytes = l->value;
	if (!err && name) {
		err = read_text(l, name, name_text);
		c->name.bytes = l->value;
	}
	if (!err)
		err = class_of_code(l);
	if (!err && l->value) {
		err = php_read_text(l, l->value, __builtin_offsetof(struct code_content, table), MAX_CLASS_BYTES);
		c->table_bytes = l->value;
	}
	if (is_main(l))
		name_main(c);
	return err;
}

/* l->head has the words of the code at l->code: keep what it is, and give it its number. */
GLOBAL int php_code(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	struct code_content *c = &l->content;
	int err;

	clear_content(l);
	err = read_names(l);
	if (err)
		return err;
	c->language = LANGUAGE_PHP;
	c->line_table = LINES_ARE_POSITIONS;
	c->name.width = c->file.width = TEXT_UTF8;
	c->first_line = word_of(l->head, layout(l)->lines);
	code_hash(l);
	l->number = port_code_add(l, false);
	l->numbered = l->code;
	l->step = LANG_FRAMES;
	return 0;
}
