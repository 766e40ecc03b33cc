/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "core/lang/frames.h"
#include "core/lang/ruby.h"

#define VERSION_3_1 (1ULL << 32 | 3) /* ruby_api_version: major, minor */
#define VERSION_3_3 (3ULL << 32 | 3)

/* glibc's struct pthread: thread-local storage by module, as pairs of words; what setjmp() mixes with addresses. */
#define THREAD_DTV 8
#define THREAD_GUARD 0x30
#define GUARD_SHIFT 17
#define MODULES 8 /* whose storage is searched, */
#define WORDS 4	  /* that many words of each */

/* The same in both versions. */
#define MAX_STACK_WORDS (1u << 24)
#define CONTEXT_BYTES 56
#define FRAME_BYTES 40
#define FLAG_FINISH 0x20
#define FLAG_C 0x80
#define KIND_MASK 0x7fff0001
#define KIND_DUMMY 0x79990001 /* what the stack begins with */
#define CODE_BODY 16
#define BODY_BYTES 160
#define ENTRY_BYTES 12 /* struct iseq_insn_info_entry: it begins with the line */
#define TYPE_MASK 0x1f
#define TYPE_STRING 5
#define TYPE_ARRAY 7
#define IS_APART (1 << 13)  /* of a string: its text is not in itself */
#define IS_WITHIN (1 << 13) /* of an array: its elements are in itself */
#define CODE_MASK 0xf01f    /* of an object: that it is the interpreter's own, and which of these */
#define IS_CODE 0x701a
#define NO_MARK MAX_DEPTH
#define MAX_TAGS MAX_DEPTH
#define TAG_BYTES 224
#define NEAR 0x10000
#define SLOT_BITS 5
#define SLOTS (1 << SLOT_BITS)
#define SLOT_FACTOR 0x9E3779B97F4A7C15ULL
#define ADDRESS ((1ULL << 48) - 1)

/* rb_execution_context_t, in words; rb_control_frame_t; struct rb_iseq_constant_body; RString, RArray; succ_index_table */
enum { CONTEXT_STACK, CONTEXT_WORDS, CONTEXT_FRAME, CONTEXT_TAG, CONTEXT_THREAD = 6 };
enum { CONTROL_INSTRUCTION, CONTROL_STACK, CONTROL_CODE, CONTROL_SELF, CONTROL_ENVIRONMENT };
enum { BODY_SIZE, BODY_INSTRUCTIONS, BODY_PATH = 8, BODY_LABEL = 10, BODY_FIRST_LINE };
enum { STRING_FLAGS, STRING_LENGTH = 2, STRING_TEXT };
enum { ARRAY_FLAGS, ARRAY_FIRST = 2, ARRAY_ELEMENTS = 4 };
enum { LINES_ENTRIES, LINES_NR = 2, LINES_INDEX };
#define INDEX_SMALL 54 /* positions that are counted in its first words, 9 each */
#define INDEX_SMALL_BYTES 48
#define INDEX_BLOCK_BITS \
	512 /* those of a block: how many entries are before it, and before each of its words; and a bit for each */
#define INDEX_BLOCK_BYTES 80

/*
 * struct rb_vm_tag, in words. Compilers have a setjmp() of their own, and then that of the C library is not used: it takes more room, and
 * hides its addresses.
 */
enum { TAG_SP = 4, TAG_PC = 3, TAG_PREVIOUS = 7 };
enum { TAG_C_SP = 8, TAG_C_PC = 9, TAG_C_PREVIOUS = 27 };

/* What differs, in bytes. */
static const struct layout {
	u32 frame, thread_context, lines, embedded;
} layouts[2] = {
	{.frame = 64, .thread_context = 40, .lines = 120, .embedded = 16},
	{.frame = 56, .thread_context = 48, .lines = 112, .embedded = 24},
};

/*
 * Of runtime.field: which word of the thread-local storage leads to the context, as its number + 1; 0: not known. Whether runtime.loop, where tags of the
 * loop lead to, is true of more than one stack. What slots are computed with.
 */
enum { CONTEXT_PLACE, LOOP_IS_KNOWN, SLOT_SEED };

static INLINE const struct layout *layout(const struct lang *l)
{
	return &at(layouts, l->runtime.version);
}

GLOBAL int ruby_learn(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	int err = read_word(l, l->runtime.symbol[SYMBOL_RUBY_VERSION]);

	if (err)
		return err;
	l->runtime.version = l->value == VERSION_3_3; /* of @layouts */
	l->runtime.loop = l->runtime.loop_bytes = 0;
	l->runtime.field[CONTEXT_PLACE] = l->runtime.field[LOOP_IS_KNOWN] = 0;
	l->runtime.field[SLOT_SEED] = 1;
	return l->value == VERSION_3_1 || l->value == VERSION_3_3 ? 0 : -ENOSYS;
}

/*
 * Is what the word at l->cursor leads to the context of a thread of Ruby? Its frame lies on its stack, and its thread leads to it. Then begin with its
 * frames. -ENOENT: it is not.
 */
GLOBAL int ruby_try_context(struct lang *l NONNULL)
{
	u64 context, bytes;
	int err = read_word(l, l->cursor);

	l->object = context = l->value;
	if (!err)
		err = !context || context & 7 ? -EFAULT : port_read(l->word, CONTEXT_BYTES, context);
	if (!err)
		err = read_word(l, l->word[CONTEXT_THREAD] + layout(l)->thread_context);
	if (err)
		return err == -EFAULT ? -ENOENT : err;
	bytes = l->word[CONTEXT_WORDS] * sizeof(u64);
	if (l->value != context || l->word[CONTEXT_WORDS] > MAX_STACK_WORDS ||
	    l->word[CONTEXT_FRAME] - l->word[CONTEXT_STACK] - 1 >= bytes)
		return -ENOENT;
	l->at = l->word[CONTEXT_FRAME];
	l->end = l->word[CONTEXT_STACK] + bytes;
	l->object = l->word[CONTEXT_TAG];
	l->thread = l->cursor;
	l->first = l->latest = NO_MARK;
	l->step = LANG_FRAMES;
	return 0;
}

#define place \
	field[0] /* of the word in the thread-local storage that leads to its context: its number + 1; 0: not known */

/* Go to the word of the thread-local storage with number @nr, to l->cursor; 0: the thread has not that module's. */
static INLINE int find_word(struct lang *l, u32 nr)
{
	int err = read_word(l, l->thread_pointer + THREAD_DTV);

	if (!err)
		err = read_word(l, l->value + (nr / WORDS + 1) * 16);
	l->cursor = !err && l->value && !(l->value & 7) ? l->value + nr % WORDS * sizeof(u64) : 0;
	return err;
}

/*
 * Find the thread's context: where it was before; or where that of another thread was; or else by the first words of the first modules. Other modules
 * than Ruby's have nothing that leads to such a thing.
 */
GLOBAL int ruby_thread(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	u32 nr = l->looked, known = l->runtime.field[CONTEXT_PLACE];
	int err = l->cursor ? ruby_try_context(l) : -ENOENT;

	if (err == -EACCES && !w->modules.wait.bytes && !known)
		err = -ENOENT; /* it leads elsewhere */
	if (!err && nr)
		l->runtime.field[CONTEXT_PLACE] = known ?: nr;
	if (err != -ENOENT)
		return err;
	if (nr && known && l->object)
		l->runtime.field[CONTEXT_PLACE] = 0; /* it has something, but no context: it was none */
	if (nr == MODULES * WORDS || (nr && known))
		return -ESRCH;
	err = find_word(l, known ? known - 1 : nr);
	if (!err)
		l->looked = nr + 1;
	return err == -EFAULT ? -ESRCH : err;
}

/* Find the text of the string at @string: its address to l->value, its length to l->length. */
static INLINE int find_text(struct lang *l, u64 string)
{
	int err = port_read(l->text, 40, string);
	bool is_apart = l->text[STRING_FLAGS] & IS_APART;

	if (err)
		return err;
	if ((l->text[STRING_FLAGS] & TYPE_MASK) != TYPE_STRING)
		return -EFAULT;
	l->value = is_apart ? l->text[STRING_TEXT] : string + layout(l)->embedded;
	l->length = is_apart || l->runtime.version ? l->text[STRING_LENGTH] : l->text[STRING_FLAGS] >> 14 & 31;
	return 0;
}

/* Add to the fingerprint what tells the string from others: its end, as the beginnings of paths are alike. */
GLOBAL int ruby_mix_text(struct lang *l NONNULL, u64 string)
{
	int err = find_text(l, string);
	u64 bytes = l->length, end = l->value + bytes;

	if (err)
		return err;
	l->fingerprint = code_mix(l->fingerprint, bytes);
	UNROLL
	for (u32 i = 0; i < COUNT(l->text); i++)
		l->text[i] = 0;
	bytes = verifier_forget(l->bytes, bytes);
	if (bytes > sizeof(l->text))
		bytes = sizeof(l->text);
	err = port_read(l->text, bytes, end - bytes);
	each (i, COUNT(l->text))
		l->fingerprint = code_mix(l->fingerprint, at(l->text, i));
	return err;
}

/* Get the string that is the path of the code whose words are in l->head, to l->file. There may be two paths: the second one is absolute. */
static INLINE int find_path(struct lang *l)
{
	u64 path = l->head[BODY_PATH];
	int err = code_read_words(l, path);

	l->file = path;
	if (err || (l->text[ARRAY_FLAGS] & TYPE_MASK) != TYPE_ARRAY)
		return err;
	l->file = l->text[ARRAY_FIRST];
	if (l->text[ARRAY_FLAGS] & IS_WITHIN)
		return 0;
	err = read_word(l, l->text[ARRAY_ELEMENTS]);
	l->file = l->value;
	return err;
}

/* Get the number of the code at l->code, to l->code_number. -ENOENT: it is not known yet. */
GLOBAL int ruby_number(struct lang *l NONNULL)
{
	int err = code_read_words(l, l->code);

	if (err)
		return err;
	if ((l->text[0] & CODE_MASK) != IS_CODE)
		return -EFAULT;
	err = port_read(l->head, BODY_BYTES, l->text[CODE_BODY / 8]);
	if (!err)
		err = find_path(l);
	if (err)
		return err;
	l->name = l->head[BODY_LABEL];
	l->fingerprint = code_mix(l->head[BODY_INSTRUCTIONS], l->head[BODY_SIZE]);
	l->fingerprint = code_mix(l->fingerprint, l->head[BODY_FIRST_LINE]);
	err = ruby_mix_text(l, l->name);
	if (!err)
		err = ruby_mix_text(l, l->file);
	return err ?: code_is_known(l);
}

static INLINE u32 count_bits(u64 bits)
{
	bits -= bits >> 1 & 0x5555555555555555ULL;
	bits = (bits & 0x3333333333333333ULL) + (bits >> 2 & 0x3333333333333333ULL);
	bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return bits * 0x0101010101010101ULL >> 56;
}

/* Find how many entries there are up to @position, in the index at l->value; to l->value. Each one begins at some position. */
GLOBAL int ruby_find_entry(struct lang *l NONNULL, u32 position)
{
	u64 index = l->value, block;
	u32 word = position / 9, in_block = (position - INDEX_SMALL) % INDEX_BLOCK_BITS, ranks;
	int err;

	if (position < INDEX_SMALL) {
		err = port_read(&l->value, sizeof(u64), index + word * sizeof(u64));
		l->value = l->value >> position % 9 * 7 & 0x7f;
		return err;
	}
	block = index + INDEX_SMALL_BYTES + (position - INDEX_SMALL) / INDEX_BLOCK_BITS * (u64)INDEX_BLOCK_BYTES;
	word = in_block / 64;
	err = port_read(l->text, 16, block);
	if (!err)
		err = port_read(&l->value, sizeof(u64), block + 16 + word * sizeof(u64));
	ranks = word ? l->text[1] >> (word - 1) * 9 & 0x1ff : 0;
	l->value = (u32)l->text[0] + ranks + count_bits(l->value & ((2ULL << in_block % 64) - 1));
	return err;
}

/* Get the line of the frame whose words are in l->word, of the code whose words are in l->head, to l->line; 0: it has none. */
GLOBAL int ruby_find_line(struct lang *l NONNULL)
{
	u32 lines = layout(l)->lines / 8, nr = at(l->head, lines + LINES_NR);
	u64 position = (l->word[CONTROL_INSTRUCTION] - l->head[BODY_INSTRUCTIONS]) / sizeof(u64), entry = 1;
	int err;

	l->line = 0;
	if (!nr || position > l->head[BODY_SIZE] >> 32)
		return 0;
	if (nr > 1) {
		l->value = at(l->head, lines + LINES_INDEX);
		err = ruby_find_entry(l, position - !!position); /* it leads behind the instruction that runs */
		entry = l->value;
		if (err || entry - 1 >= nr)
			return err;
	}
	err = read_word(l, at(l->head, lines + LINES_ENTRIES) + (entry - 1) * ENTRY_BYTES);
	l->line = (u32)l->value < FRAME_POSITION ? l->value : FRAME_POSITION;
	return err;
}

/*
 * Where the runs lie on the native stack is found when all frames are there. Until then the mark of each says where that of the next one is.
 */
static INLINE void end_ruby_run(struct lang *l)
{
	u32 nr = l->nr;

	end_run(l, NO_MARK);
	if (l->first == NO_MARK)
		l->first = nr;
	else
		at(l->frame, l->latest) = nr;
	l->latest = nr;
}

/* A tag, as far as it is of use here: the place on the stack and in the code that it leads back to, and the tag before it. */
struct tag {
	u64 sp, pc, previous;
};

static INLINE int read_tag(struct lang *l, struct tag *ret)
{
	const u64 *word = l->head;
	int err = port_read(l->head, TAG_BYTES, l->cursor);
	bool is_plain = l->cursor - word[TAG_SP] < NEAR;
	u64 hidden = word[TAG_C_SP];

	ret->sp = is_plain ? word[TAG_SP] : (hidden >> GUARD_SHIFT | hidden << (64 - GUARD_SHIFT)) ^ l->guard;
	ret->pc = word[is_plain ? TAG_PC : TAG_C_PC];
	ret->previous = word[is_plain ? TAG_PREVIOUS : TAG_C_PREVIOUS];
	return err;
}

/*
 * Slots for places that tags lead to, in l->content: first the places, then how many tags lead to each, then the number of the outermost one. Where several
 * are in one slot, l->fingerprint is not 0; next time they are in others.
 */
#define slot_place(l, slot) within((l)->content_word, slot, SLOTS - 1)
#define slot_nr(l, slot) within((l)->content_word + SLOTS, slot, SLOTS - 1)
#define slot_last(l, slot) within((l)->content_word + 2 * SLOTS, slot, SLOTS - 1)

TURN(sort_tag, struct lang, l)
{
	struct tag t;
	u32 slot;

	l->error = read_tag(l, &t);
	if (l->error || !t.previous)
		return STOP;
	slot = t.pc * l->runtime.field[SLOT_SEED] * SLOT_FACTOR >> (64 - SLOT_BITS);
	l->fingerprint |= (slot_place(l, slot) ^ t.pc) & -(u64) !!slot_nr(l, slot);
	slot_place(l, slot) = t.pc;
	slot_nr(l, slot) = slot_nr(l, slot) + 1;
	slot_last(l, slot) = turn + 1;
	l->cursor = t.previous;
	return NEXT;
}

/*
 * Find out where tags of the loop lead to: there are as many as runs. If that is so of several places, it is most likely that of the outermost tag: what
 * the program has called lies within. Then it is searched again next time.
 */
GLOBAL int ruby_learn_loop(struct lang *l NONNULL)
{
	if (l->runtime.field[LOOP_IS_KNOWN])
		return 0;
	l->runtime.field[SLOT_SEED] += 2;
	each (i, 4 * SLOTS)
		within(l->content_word, i, 4 * SLOTS - 1) = 0;
	l->cursor = l->object;
	l->mark = l->error = l->value = l->hash = l->fingerprint = 0;
	loop(MAX_TAGS, sort_tag, l);
	each (i, SLOTS) {
		u64 is_it = ((slot_nr(l, i) ^ l->runs) - 1) >> 63, last = slot_last(l, i) & -is_it;
		u64 is_outer = (l->mark - last) >> 63;

		l->hash += is_it;
		l->mark += (last - l->mark) & -is_outer;
		l->value += (slot_place(l, i) - l->value) & -is_outer;
	}
	l->runtime.field[LOOP_IS_KNOWN] = l->hash == 1 && l->runs > 1 && !l->fingerprint;
	l->runtime.loop = l->value ?: l->runtime.loop;
	return l->error;
}

/* Count the tags of the loop, to l->loops. */
TURN(count_tag, struct lang, l)
{
	struct tag t;

	l->error = read_tag(l, &t);
	if (l->error || !t.previous)
		return STOP;
	l->loops += t.pc == l->runtime.loop;
	l->cursor = t.previous;
	return NEXT;
}

GLOBAL int ruby_count_tags(struct lang *l NONNULL)
{
	l->loops = l->error = 0;
	l->cursor = l->object;
	loop(MAX_TAGS, count_tag, l);
	return l->error;
}

/* A tag of the loop lies in vm_exec()'s native frame, and below that what it has called to run instructions. */
TURN(place_run, struct lang, l)
{
	struct tag t;
	u32 here = l->first;

	l->error = read_tag(l, &t);
	if (l->error || !t.previous || here == NO_MARK)
		return STOP;
	l->cursor = t.previous;
	if (t.pc != l->runtime.loop)
		return NEXT;
	if (l->skip) {
		l->skip = 0;
		return NEXT;
	}
	l->first = at(l->frame, here);
	at(l->frame, here) = (t.sp - sizeof(u64)) & ADDRESS;
	return NEXT;
}

/* Find where on the native stack the runs lie. The innermost one may not have its tag yet, or its tag may have it no longer. */
GLOBAL int ruby_place_runs(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	u32 here = l->first, missing = l->runs - l->loops;

	l->skip = missing == ~0U;
	if (missing == 1) {
		l->first = at(l->frame, here);
		at(l->frame, here) = w->sp & ADDRESS;
	}
	l->runtime.field[LOOP_IS_KNOWN] &= !missing;
	if (missing + 1 > 2)
		return -EFAULT;
	l->cursor = l->object;
	loop(MAX_TAGS, place_run, l);
	return l->error;
}

/* Go to the caller of the frame whose words are in l->word, which is shown if @is_shown. */
static INLINE int pass_frame(struct lang *l, u64 flags, bool is_shown)
{
	l->at += layout(l)->frame;
	if (!is_shown)
		return 0;
	put_frame(l, frame_of_code(LANGUAGE_RUBY, l->code_number, l->line));
	if (flags & FLAG_FINISH)
		end_ruby_run(l);
	return 0;
}

/* All frames are there. */
static INLINE int end_frames(struct walk *w)
{
	struct lang *l = &w->lang;
	int err = read_word(l, l->thread_pointer + THREAD_GUARD);

	l->guard = l->value;
	if (!err && l->runs)
		err = ruby_learn_loop(l) ?: ruby_count_tags(l) ?: ruby_place_runs(w);
	if (!err)
		l->step = LANG_MERGE;
	return err;
}

GLOBAL int ruby_frame(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	u64 flags;
	int err;

	if (l->nr >= MAX_DEPTH - 2)
		return -E2BIG;
	if (l->at >= l->end)
		return end_frames(w);
	err = port_read(l->word, FRAME_BYTES, l->at);
	if (err)
		return err;
	l->code = l->word[CONTROL_CODE];
	if (!l->code || !l->word[CONTROL_INSTRUCTION])
		return pass_frame(l, 0, false);
	err = read_word(l, l->word[CONTROL_ENVIRONMENT]);
	if (err)
		return err;
	flags = l->value;
	if (flags & FLAG_C || (flags & KIND_MASK) == KIND_DUMMY)
		return pass_frame(l, 0, false);
	err = ruby_number(l);
	if (err == -ENOENT) {
		l->step = LANG_CODE;
		return 0;
	}
	err = err ?: ruby_find_line(l);
	return err ?: pass_frame(l, flags, true);
}

/* Read the string at @string to @to in l->content, where @room bytes are for it; its length to l->value. */
GLOBAL int ruby_read_text(struct lang *l NONNULL, u64 string, u32 to, u32 room)
{
	int err = find_text(l, string);

	return err ?: read_content(l, l->value, l->length, to, room);
}

#define read_text(l, text, field) \
	ruby_read_text(l, text, __builtin_offsetof(struct code_content, field), sizeof((l)->content.field))

/* l->head has the words of the code at l->code: keep what it is, and give it its number. */
GLOBAL int ruby_code(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	struct code_content *c = &l->content;
	int err;

	clear_content(l);
	err = read_text(l, l->name, name_text);
	c->name.bytes = l->value;
	if (!err)
		err = read_text(l, l->file, file_text);
	c->file.bytes = l->value;
	if (err)
		return err;
	c->language = LANGUAGE_RUBY;
	c->line_table = LINES_ARE_POSITIONS;
	c->name.width = c->file.width = TEXT_UTF8;
	c->first_line =
		l->runtime.version ? l->head[BODY_FIRST_LINE] : l->head[BODY_FIRST_LINE] >> 1; /* 3.1: an object */
	code_hash(l);
	l->number = port_code_add(l, false);
	l->numbered = l->code;
	l->step = LANG_FRAMES;
	return 0;
}
