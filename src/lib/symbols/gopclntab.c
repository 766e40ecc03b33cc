/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/symbols/gopclntab.h"
#include <string.h>

#define MAGIC_1_2 0xfffffffbU
#define MAGIC_1_16 0xfffffffaU
#define MAGIC_1_18 0xfffffff0U
#define MAGIC_1_20 0xfffffff1U /* functions and names are as in 1.18 */

#define POINTER_BYTES 8
#define MAX_FUNCTIONS (1u << 22)

/* Read a number of @bytes bytes at @offset. */
static bool read_number(const struct gopclntab *t, uint64_t offset, size_t bytes, uint64_t *ret)
{
	*ret = 0;
	if (offset > t->bytes || bytes > t->bytes - offset)
		return false;
	memcpy(ret, t->data + offset, bytes);
	return true;
}

/* Words of the header follow its first eight bytes. */
static uint64_t word(const struct gopclntab *t, unsigned int i)
{
	uint64_t value;

	return read_number(t, 8 + i * POINTER_BYTES, POINTER_BYTES, &value) ? value : UINT64_MAX;
}

bool gopclntab_open(struct gopclntab *ret, const void *data, size_t bytes)
{
	const char *zero = bytes ? memrchr(data, 0, bytes) : NULL;
	uint64_t magic, sizes, nr;

	*ret = (struct gopclntab){.data = data, .bytes = bytes, .last_zero = zero ? zero - (const char *)data : 0};
	if (!read_number(ret, 0, 4, &magic) || !read_number(ret, 4, 4, &sizes) || sizes & 0xffff ||
	    sizes >> 24 != POINTER_BYTES)
		return false;
	switch (magic) {
	case MAGIC_1_2: ret->functab = 8 + POINTER_BYTES; break;
	case MAGIC_1_16:
		ret->names = word(ret, 2);
		ret->functab = ret->funcs = word(ret, 6);
		break;
	case MAGIC_1_18:
	case MAGIC_1_20:
		ret->is_compact = true;
		ret->text = word(ret, 2);
		ret->names = word(ret, 3);
		ret->functab = ret->funcs = word(ret, 7);
		/* In a position-independent program a relocation writes it; without it no address is known. */
		if (!ret->text)
			return false;
		break;
	default: return false;
	}
	nr = word(ret, 0);
	ret->nr = nr;
	return nr <= MAX_FUNCTIONS && ret->names < bytes && ret->functab < bytes;
}

/* Return the name at @offset of the names, which must end in the table, or NULL. */
static const char *name_at(const struct gopclntab *t, uint64_t offset)
{
	uint64_t at = t->names + offset;

	return offset < t->bytes && at < t->last_zero && t->data[at] ? t->data + at : NULL;
}

/*
 * Entries of functab are pairs of an address and an offset of what else is known of the function. There the address is
 * again, followed by the offset of the name. Behind the last entry is the address where its function ends.
 */
bool gopclntab_function(const struct gopclntab *t, uint32_t i, struct gopclntab_function *ret)
{
	size_t size = t->is_compact ? sizeof(uint32_t) : POINTER_BYTES;
	uint64_t entry = t->functab + (uint64_t)i * 2 * size, func, again, name;

	if (i >= t->nr || !read_number(t, entry, size, &ret->start) || !read_number(t, entry + size, size, &func) ||
	    !read_number(t, entry + 2 * size, size, &ret->end) || func > t->bytes ||
	    !read_number(t, t->funcs + func, size, &again) || !read_number(t, t->funcs + func + size, 4, &name))
		return false;
	ret->name = name_at(t, name);
	if (again != ret->start || ret->start >= ret->end || !ret->name)
		return false;
	ret->start += t->text;
	ret->end += t->text;
	return ret->start < ret->end;
}
