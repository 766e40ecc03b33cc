/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The methods of HotSpot: JDK 17 src/hotspot/share/oops/constMethod.hpp, code/debugInfo.hpp, code/pcDesc.hpp.
 *
 * For places in the code of a method, where it may call or be stopped, its debug information has the scopes: the innermost method, the bytecode that
 * it is at, and where its caller's scope is, if it was inlined.
 */
#include "core/lang/frames.h"
#include "core/lang/hotspot.h"

#define PC_DESC_BYTES 16
#define MAX_PC_DESCS 20 /* that are looked at: the logarithm of their number */
#define SCOPE_BYTES 24
#define SCOPE_NUMBERS 3
#define LONG 192     /* bytes of numbers from here on have more behind them, */
#define MAX_DIGITS 5 /* up to so many */
#define DIGIT_BITS 6
#define TAG 1ULL /* in the lowest bit of a pool's words: the class is not resolved */
#define HAS_LINES 1
#define STUB_NAME_BYTES 64

enum { SCOPE_SENDER, SCOPE_METHOD, SCOPE_BYTECODE };

/* Read the address of the text with number @i in the constants, to l->value. */
static INLINE int read_constant(struct lang *l, u32 i)
{
	int err = read_word(l, l->hotspot.constants + hotspot_field(l, HOTSPOT_POOL_BYTES) + i * sizeof(u64));

	l->value &= ~TAG;
	return err;
}

/*
 * l->text has the words of struct ConstMethod. Other methods may be at the addresses of those that have been unloaded with their classes: the
 * fingerprint has the addresses of both names, too.
 */
GLOBAL int hotspot_method(struct lang *l NONNULL)
{
	struct hotspot_frame *f = &l->hotspot;
	int err = read_word(l, l->code + hotspot_field(l, HOTSPOT_METHOD_CONST));

	f->method = l->value;
	if (!err)
		err = port_read(l->text, sizeof(l->text), f->method);
	if (err)
		return err;
	f->constants = word_of(l->text, hotspot_field(l, HOTSPOT_CONST_POOL));
	f->bytecode = f->method + hotspot_field(l, HOTSPOT_CONST_BYTES);
	f->bytecode_bytes = short_of(l->text, hotspot_field(l, HOTSPOT_CONST_CODE_BYTES));
	err = read_constant(l, short_of(l->text, hotspot_field(l, HOTSPOT_CONST_NAME)));
	f->method_name = l->value;
	if (!err)
		err = read_word(l, f->constants + hotspot_field(l, HOTSPOT_POOL_CLASS));
	if (!err)
		err = read_word(l, l->value + hotspot_field(l, HOTSPOT_CLASS_NAME));
	f->class_name = l->value;
	l->fingerprint = code_mix(f->method, f->constants);
	l->fingerprint = code_mix(l->fingerprint, f->method_name);
	l->fingerprint = code_mix(l->fingerprint, f->class_name);
	l->fingerprint = code_mix(l->fingerprint,
				  half_of(l->text, hotspot_field(l, HOTSPOT_CONST_WORDS)) | f->bytecode_bytes << 32);
	return err;
}

GLOBAL int hotspot_put(struct lang *l NONNULL, u32 position)
{
	u32 nr = l->nr;

	if (code_is_known(l)) {
		if (!l->is_full) {
			l->step = LANG_CODE;
			l->is_first = 1;
			return 0;
		}
		l->code_number = 0;
	}
	at(l->frame, nr) = frame_of_code(LANGUAGE_JAVA, l->code_number, position);
	l->nr = nr + 1;
	return 0;
}

/* Where the debug information of the code is; l->hotspot.low and .high: the numbers of the first struct PcDesc, and behind the last one. */
static INLINE void find_descs(struct lang *l)
{
	struct hotspot_frame *f = &l->hotspot;
	u64 end = f->blob + half_of(f->word, hotspot_field(l, HOTSPOT_CODE_PCS_END)), at = f->blob;

	f->scopes = word_of(f->word, hotspot_field(l, HOTSPOT_CODE_SCOPES));
	f->metadata = f->blob + half_of(f->word, hotspot_field(l, HOTSPOT_CODE_METADATA));
	if (l->runtime.hotspot.is_new) {
		at = word_of(f->word, hotspot_field(l, HOTSPOT_CODE_IMMUTABLE));
		end = f->scopes = at + half_of(f->word, hotspot_field(l, HOTSPOT_CODE_SCOPES_AT));
		f->metadata = word_of(f->word, hotspot_field(l, HOTSPOT_BLOB_MUTABLE)) +
			      half_of(f->word, hotspot_field(l, HOTSPOT_BLOB_RELOCATION));
	}
	f->pcs = at + half_of(f->word, hotspot_field(l, HOTSPOT_CODE_PCS));
	f->low = 0;
	f->high = (end - f->pcs) / PC_DESC_BYTES;
}

/*
 * Find the first struct PcDesc that is not before the PC, and the scope that it leads to. Between two of them the code belongs to the later one, as
 * far as HotSpot itself can say.
 */
GLOBAL int hotspot_find_scope(struct lang *l NONNULL)
{
	struct hotspot_frame *f = &l->hotspot;
	s64 want = f->pc - f->code;
	int err = 0;
	u64 nr;

	find_descs(l);
	nr = f->high;
	each (i, MAX_PC_DESCS) {
		u64 middle = (f->low + f->high) / 2;

		if (f->low >= f->high)
			break;
		err = read_word(l, f->pcs + middle * PC_DESC_BYTES);
		if (err)
			break;
		if ((s32)l->value < want)
			f->low = middle + 1;
		else
			f->high = middle;
	}
	f->decode = 0;
	if (err || f->low >= nr)
		return err;
	err = read_word(l, f->pcs + f->low * PC_DESC_BYTES);
	f->decode = l->value >> 32;
	return err;
}

/* Read the scope at f->decode: its numbers, in digits of 6 bits, the lowest first. From version 20 on no byte is 0. */
GLOBAL int hotspot_scope(struct lang *l NONNULL)
{
	struct hotspot_frame *f = &l->hotspot;
	u32 bias = l->runtime.version >= 20;
	int err = port_read(l->text, SCOPE_BYTES, f->scopes + f->decode);

	memset(f->number, 0, sizeof(f->number));
	f->nr_numbers = f->bits = 0;
	each (i, SCOPE_BYTES) {
		u64 byte = within((const u8 *)l->text, i, 63), ends;

		within(f->number, f->nr_numbers, 3) += (byte - bias) << (f->bits & 63);
		f->bits += DIGIT_BITS;
		ends = (byte < LONG) | (f->bits == MAX_DIGITS * DIGIT_BITS);
		f->nr_numbers += ends;
		f->bits &= ends - 1;
		if (f->nr_numbers >= SCOPE_NUMBERS)
			break;
	}
	return err;
}

/* The number of a bytecode is one more, and 0 for that before the first one. */
static INLINE u32 position_of(u64 number)
{
	u32 bytecode = number - 1;

	return bytecode < FRAME_POSITION ? bytecode : FRAME_POSITION;
}

/* Put the method of the scope in f->number. */
GLOBAL int hotspot_put_scope(struct lang *l NONNULL)
{
	struct hotspot_frame *f = &l->hotspot;
	u32 position = position_of(f->number[SCOPE_BYTECODE]);
	int err = read_word(l, f->metadata + ((u32)f->number[SCOPE_METHOD] - 1) * sizeof(u64));

	l->code = l->value;
	if (!err)
		err = hotspot_method(l);
	return err ?: hotspot_put(l, position);
}

/* Code without scopes there, as that of a native method, is the method's own. */
static INLINE int put_method(struct lang *l)
{
	int err;

	l->code = word_of(l->hotspot.word, hotspot_field(l, HOTSPOT_CODE_METHOD));
	err = hotspot_method(l);
	return err ?: hotspot_put(l, FRAME_POSITION);
}

/* Where the frame goes on; if it is to be replaced by interpreted ones, that was kept in it. */
static INLINE int find_place(struct walk *w)
{
	struct machine *m = &w->machine;
	struct lang *l = &w->lang;
	struct hotspot_frame *f = &l->hotspot;
	u64 deopt = l->runtime.hotspot.is_new ? f->blob + half_of(f->word, hotspot_field(l, HOTSPOT_CODE_DEOPT_AT))
					      : word_of(f->word, hotspot_field(l, HOTSPOT_CODE_DEOPT));

	f->pc = m->pc;
	if (m->pc == deopt && !m->pc_is_exact)
		return stack_read(m, m->sp + (s32)half_of(f->word, hotspot_field(l, HOTSPOT_CODE_ORIGINAL)), &f->pc);
	return 0;
}

GLOBAL int hotspot_methods(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	struct hotspot_frame *f = &l->hotspot;
	int err = 0;

	f->decode = 0;
	if (f->kind == HOTSPOT_COMPILED)
		err = find_place(w) ?: hotspot_find_scope(l);
	each (i, MAX_SCOPES) {
		if (err || l->is_first || (s32)f->decode <= 0)
			break;
		err = hotspot_scope(l);
		if (!err)
			err = hotspot_put_scope(l);
		f->decode = f->number[SCOPE_SENDER];
	}
	if (err || l->is_first || l->nr)
		return err;
	return put_method(l);
}

/* Read the text at @text to @to in l->content, where @room bytes are for it; its length to l->value. */
GLOBAL int hotspot_text(struct lang *l NONNULL, u64 text, u32 to, u32 room)
{
	int err = read_word(l, text + hotspot_field(l, HOTSPOT_TEXT_LENGTH));

	return err ?: read_content(l, text + hotspot_field(l, HOTSPOT_TEXT_BODY), (u16)l->value, to, room);
}

#define CONTENT(field) __builtin_offsetof(struct code_content, field)

/* The line table lies behind the bytecode; what else the method has, behind it. It ends with 0. */
static INLINE int read_lines(struct lang *l)
{
	struct hotspot_frame *f = &l->hotspot;
	struct code_content *c = &l->content;
	u64 table = f->bytecode + f->bytecode_bytes;
	u64 bytes = f->method + half_of(l->text, hotspot_field(l, HOTSPOT_CONST_WORDS)) * 8ULL - table;

	if (!(short_of(l->text, hotspot_field(l, HOTSPOT_CONST_FLAGS)) & HAS_LINES))
		return 0;
	bytes = verifier_forget(l->bytes, bytes);
	if (bytes > sizeof(c->table))
		bytes = sizeof(c->table);
	c->table_bytes = bytes;
	c->line_table = LINES_JAVA;
	c->biased = l->runtime.version >= 20;
	return port_read(c->table, bytes, table);
}

static INLINE int read_source(struct lang *l)
{
	int err = read_word(l, l->hotspot.constants + hotspot_field(l, HOTSPOT_POOL_FILE));
	u32 i = (u16)l->value;

	if (err || !i)
		return err;
	err = read_constant(l, i);
	if (!err)
		err = hotspot_text(l, l->value, CONTENT(file_text) + CODE_SOURCE_AT,
				   sizeof(l->content.file_text) - CODE_SOURCE_AT);
	l->content.source_bytes = l->value;
	return err;
}

static INLINE int read_method(struct lang *l)
{
	struct hotspot_frame *f = &l->hotspot;
	struct code_content *c = &l->content;
	int err = hotspot_method(l);

	if (!err)
		err = hotspot_text(l, f->class_name, CONTENT(file_text), CODE_SOURCE_AT);
	c->file.bytes = l->value;
	if (!err)
		err = hotspot_text(l, f->method_name, CONTENT(name_text), sizeof(c->name_text));
	c->name.bytes = l->value;
	if (!err)
		err = read_source(l);
	return err ?: read_lines(l);
}

/* The name of a stub is a text of C, and ends with 0. */
static INLINE int read_stub(struct lang *l)
{
	struct code_content *c = &l->content;

	c->name.bytes = STUB_NAME_BYTES;
	return port_read(c->name_text, STUB_NAME_BYTES, l->hotspot.name);
}

GLOBAL int hotspot_code(struct walk *w NONNULL)
{
	struct lang *l = &w->lang;
	struct code_content *c = &l->content;
	int err;

	clear_content(l);
	err = l->hotspot.kind == HOTSPOT_STUB ? read_stub(l) : read_method(l);
	if (w->modules.wait.bytes)
		return err;
	c->language = LANGUAGE_JAVA;
	c->name.width = c->file.width = TEXT_UTF8;
	code_hash(l);
	l->number = err ? 0 : port_code_add(l, false);
	l->is_full |= !l->number;
	l->numbered = l->code;
	l->step = LANG_THREAD;
	return 0;
}
