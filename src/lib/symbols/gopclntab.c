/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/symbols/gopclntab.h"
#include <string.h>

#include "base/rank.h"

#define POINTER_BYTES 8
#define MAX_FUNCTIONS (1u << 22)
#define MAX_VALUES (1u << 20) /* of one kind, of a function */
#define CALL_TABLE 2	      /* which of the function's further tables says what call was inlined: since Go 1.13 */

/* Read a number of @bytes bytes at @offset. */
static bool read_number(const struct gopclntab *t, uint64_t offset, size_t bytes, uint64_t *ret)
{
	*ret = 0;
	if (offset > t->bytes || bytes > t->bytes - offset)
		return false;
	memcpy(ret, t->data + offset, bytes);
	return true;
}

static size_t address_bytes(const struct gopclntab *t)
{
	return t->is_compact ? sizeof(uint32_t) : POINTER_BYTES;
}

/* Words of the header follow its first eight bytes. */
static uint64_t word(const struct gopclntab *t, unsigned int i)
{
	uint64_t value;

	return read_number(t, 8 + i * POINTER_BYTES, POINTER_BYTES, &value) ? value : UINT64_MAX;
}

/* The places of names, units, files, values and functions are words of the header, in this order. */
static void read_places(struct gopclntab *t, unsigned int first)
{
	t->names = word(t, first);
	t->units = word(t, first + 1);
	t->files = word(t, first + 2);
	t->values = word(t, first + 3);
	t->functab = t->funcs = word(t, first + 4);
}

/* In Go 1.2 all is relative to the table's beginning; behind the functions is the place of the files. */
static void read_places_1_2(struct gopclntab *t)
{
	t->functab = 8 + POINTER_BYTES;
	if (!read_number(t, t->functab + (2ULL * t->nr + 1) * POINTER_BYTES, 4, &t->files))
		t->files = UINT64_MAX;
}

bool gopclntab_open(struct gopclntab *ret, const void *data, size_t bytes)
{
	const char *zero = bytes ? memrchr(data, 0, bytes) : NULL;
	uint64_t magic, sizes, nr;

	*ret = (struct gopclntab){.data = data, .bytes = bytes, .last_zero = zero ? zero - (const char *)data : 0};
	if (!read_number(ret, 0, 4, &magic) || !read_number(ret, 4, 4, &sizes) || sizes & 0xffff ||
	    sizes >> 24 != POINTER_BYTES)
		return false;
	nr = word(ret, 0);
	if (nr > MAX_FUNCTIONS)
		return false;
	ret->magic = magic;
	ret->quantum = sizes >> 16 & 0xff;
	ret->nr = nr;
	switch (magic) {
	case GOPCLNTAB_MAGIC_1_2: read_places_1_2(ret); break;
	case GOPCLNTAB_MAGIC_1_16: read_places(ret, 2); break;
	case GOPCLNTAB_MAGIC_1_18:
	case GOPCLNTAB_MAGIC_1_20:
		ret->is_compact = true;
		ret->text = word(ret, 2);
		read_places(ret, 3);
		break;
	default: return false;
	}
	return ret->names < bytes && ret->functab < bytes && nr <= (bytes - ret->functab) / (2 * address_bytes(ret));
}

static const char *text_at(const struct gopclntab *t, uint64_t base, uint64_t offset)
{
	uint64_t at = base + offset;

	return base < t->bytes && offset < t->bytes && at < t->last_zero && t->data[at] ? t->data + at : NULL;
}

const char *gopclntab_name(const struct gopclntab *t, uint64_t offset)
{
	const char *name = text_at(t, t->names, offset);

	return name && name > t->data && !name[-1] ? name : NULL;
}

/*
 * Entries of functab are pairs of an address and an offset of what else is known of the function. There the address is
 * again, followed by the offset of the name. Behind the last entry is the address where its function ends.
 */
bool gopclntab_function(const struct gopclntab *t, uint32_t i, struct gopclntab_function *ret)
{
	size_t size = address_bytes(t);
	uint64_t entry = t->functab + (uint64_t)i * 2 * size, func, again, name;

	if (i >= t->nr || !read_number(t, entry, size, &ret->start) || !read_number(t, entry + size, size, &func) ||
	    !read_number(t, entry + 2 * size, size, &ret->end) || func > t->bytes ||
	    !read_number(t, t->funcs + func, size, &again) || !read_number(t, t->funcs + func + size, 4, &name))
		return false;
	ret->name = text_at(t, t->names, name);
	if (again != ret->start || ret->start >= ret->end || !ret->name)
		return false;
	ret->start += t->text;
	ret->end += t->text;
	ret->record = t->funcs + func + size;
	return ret->start < ret->end;
}

uint32_t gopclntab_find(const struct gopclntab *t, uint64_t address)
{
	uint32_t low = 0, high = t->nr;
	struct gopclntab_function f;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (!gopclntab_function(t, middle, &f))
			return t->nr;
		if (address < f.start)
			high = middle;
		else if (address >= f.end)
			low = middle + 1;
		else
			return middle;
	}
	return t->nr;
}

/*
 * What is known of a function, behind its address: words of 32 bits, of which these follow name, size of the arguments, deferred
 * calls and the table of rsp.
 */
enum field { FIELD_FILES = 4, FIELD_LINES, FIELD_NR_TABLES, FIELD_UNIT, FIELD_START_LINE };

static bool field(const struct gopclntab *t, const struct gopclntab_function *f, uint32_t i, uint64_t *ret)
{
	return read_number(t, f->record + 4ULL * i, 4, ret);
}

/* Where its last word is: a byte of flags before the last, and in the last one how many data it has; then tables and data follow. */
static uint32_t last_field(const struct gopclntab *t)
{
	switch (t->magic) {
	case GOPCLNTAB_MAGIC_1_2: return FIELD_UNIT;
	case GOPCLNTAB_MAGIC_1_20: return FIELD_START_LINE + 1;
	default: return FIELD_UNIT + 1;
	}
}

/* Return where the values of @kind are in the table of values; 0: there are none. */
static uint64_t values_of(const struct gopclntab *t, const struct gopclntab_function *f, enum gopclntab_kind kind)
{
	uint64_t nr, at;
	uint32_t i = kind == GOPCLNTAB_FILE   ? FIELD_FILES
		     : kind == GOPCLNTAB_LINE ? FIELD_LINES
					      : last_field(t) + 1 + CALL_TABLE;

	if (kind == GOPCLNTAB_CALL && (!field(t, f, FIELD_NR_TABLES, &nr) || nr <= CALL_TABLE))
		return 0;
	return field(t, f, i, &at) ? at : 0;
}

bool gopclntab_data(const struct gopclntab *t, const struct gopclntab_function *f, uint32_t i, uint64_t *ret)
{
	size_t size = address_bytes(t);
	uint64_t nr_tables, last, at;

	if (!field(t, f, FIELD_NR_TABLES, &nr_tables) || !field(t, f, last_field(t), &last) || i >= last >> 24)
		return false;
	at = f->record + 4 * (last_field(t) + 1 + nr_tables);
	at += -at & (size - 1);
	if (!read_number(t, at + i * size, size, ret))
		return false;
	return *ret && (!t->is_compact || *ret != UINT32_MAX);
}

/* Read a number of seven bits a byte. */
static bool read_varint(const struct gopclntab *t, uint64_t *at, uint32_t *ret)
{
	uint64_t byte;

	*ret = 0;
	for (unsigned int shift = 0; shift < 35; shift += 7) {
		if (!read_number(t, (*at)++, 1, &byte))
			return false;
		*ret |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* Each pair is a change of the value, its sign in the lowest bit, and how far it reaches; a change of 0 ends the table, but not at first. */
int gopclntab_values(const struct gopclntab *t, const struct gopclntab_function *f, enum gopclntab_kind kind,
		     struct gopclntab_values *ret)
{
	uint64_t offset = values_of(t, f, kind), at = t->values + offset, address = f->start;
	uint32_t change, length, value = -1;

	if (!offset || offset > t->bytes || t->values > t->bytes)
		return 0;
	while (address < f->end && ret->nr < MAX_VALUES && read_varint(t, &at, &change) && (change || !ret->nr) &&
	       read_varint(t, &at, &length) && length) {
		value += change & 1 ? ~(change >> 1) : change >> 1;
		if (vec_push(ret, ((struct gopclntab_value){address, value})))
			return -ENOMEM;
		address += (uint64_t)length * t->quantum;
	}
	return ret->nr && address < f->end ? vec_push(ret, ((struct gopclntab_value){address, -1})) : 0;
}

int32_t gopclntab_value(const struct gopclntab_values *values, uint64_t address)
{
	size_t i = rank_of(values->v, values->nr, sizeof(*values->v), address);

	return i ? values->v[i - 1].value : -1;
}

/* Since 1.16 files are numbered by compilation unit. */
const char *gopclntab_file(const struct gopclntab *t, const struct gopclntab_function *f, int32_t number)
{
	uint64_t unit = 0, offset, base = t->magic == GOPCLNTAB_MAGIC_1_2 ? 0 : t->files;
	uint64_t numbers = t->magic == GOPCLNTAB_MAGIC_1_2 ? t->files : t->units;

	if (number < 0 || (t->magic != GOPCLNTAB_MAGIC_1_2 && !field(t, f, FIELD_UNIT, &unit)) || numbers > t->bytes ||
	    !read_number(t, numbers + 4 * (unit + number), 4, &offset))
		return NULL;
	return text_at(t, base, offset);
}
