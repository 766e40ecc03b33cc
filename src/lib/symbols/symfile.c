/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is known about one ELF file, taken from untrusted chunks. See symfile.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/map.h"
#include "base/name.h"
#include "base/rank.h"
#include "base/vec.h"
#include "lib/symbols/symfile.h"

#define MAX_NUMBER (1u << 28) /* of anything in a chunk, so that sums and products cannot overflow */

struct unit {
	const struct symfile_unit *head;
	const struct symfile_block *blocks;
	const struct symfile_range *ranges;
	const struct symfile_line *lines;
	const char *strings;
};

struct symfile {
	struct vec(struct symfile_chunk *) chunks; /* FILE, then units; END is kept separately */
	struct vec(struct unit) units;
	struct map unit_of; /* number -> index */

	const struct symfile_file *head;
	const struct symfile_segment *segments;
	const struct symfile_function *functions;
	const struct symfile_range *unnamed, *spans;
	const char *strings;

	struct symfile_end end;
	bool ended;
};

/* A cursor over the arrays of a chunk. */
struct cursor {
	const char *at;
	uint64_t left;
	bool bad;
};

static const void *cut(struct cursor *c, uint64_t nr, size_t size)
{
	const void *at = c->at;

	if (c->bad || nr > MAX_NUMBER || nr * size > c->left) {
		c->bad = true;
		return NULL;
	}
	c->at += nr * size;
	c->left -= nr * size;
	return at;
}

/* The strings must begin with "" and end with a 0 byte, and none is longer than a name may be. */
static const char *cut_strings(struct cursor *c, uint64_t bytes)
{
	const char *strings = cut(c, bytes, 1);

	if (!strings || !bytes || strings[0] || strings[bytes - 1])
		c->bad = true;
	for (uint64_t at = 0; !c->bad && at < bytes; at += strlen(strings + at) + 1)
		c->bad = strnlen(strings + at, NAME_LIMIT_BYTES + 1) > NAME_LIMIT_BYTES;
	return strings;
}

static bool sorted(const struct symfile_range *r, uint32_t nr, uint64_t below)
{
	for (uint32_t i = 0; i < nr; i++)
		if (r[i].start >= r[i].end || r[i].value >= below || (i && r[i].start < r[i - 1].end))
			return false;
	return true;
}

static bool functions_sorted(const struct symfile_function *f, uint32_t nr, uint64_t string_bytes)
{
	for (uint32_t i = 0; i < nr; i++)
		if (f[i].start >= f[i].end || f[i].begin > f[i].start || f[i].name >= string_bytes ||
		    (i && f[i].start < f[i - 1].end))
			return false;
	return true;
}

static void forget(struct symfile *s)
{
	for (size_t i = 0; i < s->chunks.nr; i++)
		free(s->chunks.v[i]);
	vec_done(&s->chunks);
	vec_done(&s->units);
	map_done(&s->unit_of);
	s->head = NULL;
	s->ended = false;
}

static int take_file(struct symfile *s, struct symfile_chunk *chunk)
{
	struct cursor c = {(const char *)(chunk + 1), chunk->bytes};
	const struct symfile_file *head = cut(&c, 1, sizeof(*head));
	const struct symfile_segment *segments;
	const struct symfile_function *functions;
	const struct symfile_range *unnamed, *spans;
	const char *strings;

	if (!head)
		return -EBADMSG;
	segments = cut(&c, head->nr_segments, sizeof(*segments));
	functions = cut(&c, head->nr_functions, sizeof(*functions));
	unnamed = cut(&c, head->nr_missing, sizeof(*unnamed));
	spans = cut(&c, head->nr_spans, sizeof(*spans));
	strings = cut_strings(&c, head->string_bytes);
	if (c.bad || !functions_sorted(functions, head->nr_functions, head->string_bytes) ||
	    !sorted(unnamed, head->nr_missing, UINT64_MAX) || !sorted(spans, head->nr_spans, UINT32_MAX))
		return -EBADMSG;
	if (s->head && s->chunks.v[0]->hash == chunk->hash) {
		free(chunk);
		return 0;
	}
	forget(s);
	if (vec_push(&s->chunks, chunk))
		return -ENOMEM;
	s->head = head;
	s->segments = segments;
	s->functions = functions;
	s->unnamed = unnamed;
	s->spans = spans;
	s->strings = strings;
	return 0;
}

static bool unit_makes_sense(const struct unit *u)
{
	for (uint32_t i = 0; i < u->head->nr_blocks; i++) {
		const struct symfile_block *b = &u->blocks[i];

		/* A parent comes before its children, so that chains end. */
		if (b->parent > i || b->name >= u->head->string_bytes || b->call_file >= u->head->string_bytes)
			return false;
	}
	for (uint32_t i = 0; i < u->head->nr_lines; i++)
		if (u->lines[i].file >= u->head->string_bytes || (i && u->lines[i].address <= u->lines[i - 1].address))
			return false;
	return sorted(u->ranges, u->head->nr_ranges, u->head->nr_blocks);
}

static int take_unit(struct symfile *s, struct symfile_chunk *chunk)
{
	struct cursor c = {(const char *)(chunk + 1), chunk->bytes};
	struct unit u = {cut(&c, 1, sizeof(*u.head))};
	uint32_t *index = NULL;
	bool fresh;

	if (!u.head || !s->head)
		return -EBADMSG;
	u.blocks = cut(&c, u.head->nr_blocks, sizeof(*u.blocks));
	u.ranges = cut(&c, u.head->nr_ranges, sizeof(*u.ranges));
	u.lines = cut(&c, u.head->nr_lines, sizeof(*u.lines));
	u.strings = cut_strings(&c, u.head->string_bytes);
	if (c.bad || !unit_makes_sense(&u))
		return -EBADMSG;
	if (symfile_has_unit(s, u.head->number)) {
		free(chunk);
		return 0;
	}
	if (vec_push(&s->chunks, chunk))
		return -ENOMEM;
	if (!vec_push(&s->units, u)) {
		index = map_at(&s->unit_of, u.head->number, &fresh);
		s->units.nr -= !index;
	}
	if (!index) {
		s->chunks.nr--;
		return -ENOMEM;
	}
	*index = s->units.nr - 1;
	return 0;
}

static int take_end(struct symfile *s, struct symfile_chunk *chunk)
{
	if (chunk->bytes != sizeof(s->end))
		return -EBADMSG;
	memcpy(&s->end, chunk + 1, sizeof(s->end));
	s->ended = true;
	free(chunk);
	return 0;
}

/* Takes ownership of @chunk, unless it fails. */
static int take_chunk(struct symfile *s, struct symfile_chunk *chunk)
{
	if (symfile_hash(chunk + 1, chunk->bytes) != chunk->hash)
		return -EBADMSG;
	switch (chunk->kind) {
	case SYMFILE_FILE: return take_file(s, chunk);
	case SYMFILE_UNIT: return take_unit(s, chunk);
	case SYMFILE_END: return take_end(s, chunk);
	default: return -EBADMSG;
	}
}

ssize_t symfile_take(struct symfile *s, const void *data, size_t bytes)
{
	size_t taken = 0;

	while (bytes - taken >= sizeof(struct symfile_chunk)) {
		struct symfile_chunk head, *chunk;
		int err;

		memcpy(&head, (const char *)data + taken, sizeof(head));
		if (head.magic != SYMFILE_MAGIC || head.bytes % 8)
			return -EBADMSG;
		if (head.bytes > bytes - taken - sizeof(head))
			break;
		chunk = malloc(sizeof(head) + head.bytes);
		if (!chunk)
			return -ENOMEM;
		memcpy(chunk, (const char *)data + taken, sizeof(head) + head.bytes);
		err = take_chunk(s, chunk);
		if (err) {
			free(chunk);
			return err;
		}
		taken += sizeof(head) + head.bytes;
	}
	return taken;
}

uint64_t symfile_hash(const void *data, size_t bytes)
{
	uint64_t hash = bytes, word;

	for (size_t at = 0; at + 8 <= bytes; at += 8) {
		memcpy(&word, (const char *)data + at, 8);
		hash = (hash << 5 | hash >> 59) ^ word * 0x9e3779b97f4a7c15ULL;
	}
	return hash64(hash);
}

int symfile_write(const struct symfile *s, int fd)
{
	for (size_t i = 0; i < s->chunks.nr; i++) {
		const struct symfile_chunk *c = s->chunks.v[i];
		int err = file_write_fd(fd, c, sizeof(*c) + c->bytes);

		if (err)
			return err;
	}
	return 0;
}

struct symfile *symfile_new(void)
{
	return calloc(1, sizeof(struct symfile));
}

void symfile_free(struct symfile *s)
{
	if (!s)
		return;
	forget(s);
	free(s);
}

bool symfile_has_file(const struct symfile *s)
{
	return s->head;
}

bool symfile_has_units(const struct symfile *s)
{
	return s->head && s->head->nr_spans;
}

bool symfile_has_unit(const struct symfile *s, uint32_t number)
{
	return map_find(&s->unit_of, number);
}

uint64_t symfile_file_hash(const struct symfile *s)
{
	return s->head ? s->chunks.v[0]->hash : 0;
}

const struct symfile_end *symfile_end(const struct symfile *s)
{
	return s->ended ? &s->end : NULL;
}

/* Two segments can share a page of the file, but code that was executed is in an executable one. */
int symfile_address(const struct symfile *s, uint64_t offset, uint64_t *ret)
{
	for (int need_code = 1; s->head && need_code >= 0; need_code--)
		for (uint32_t i = 0; i < s->head->nr_segments; i++) {
			const struct symfile_segment *g = &s->segments[i];

			if (!!g->code == need_code && offset >= g->offset && offset - g->offset < g->file_bytes) {
				*ret = offset - g->offset + g->address;
				return 0;
			}
		}
	return -ENOENT;
}

/* Return the index of the last of @nr elements of @size bytes that begins at or before @address; UINT32_MAX: none. */
static uint32_t last_before(const void *v, uint32_t nr, size_t size, uint64_t address)
{
	return rank_of(v, nr, size, address) - 1;
}

static const struct symfile_range *find(const struct symfile_range *r, uint32_t nr, uint64_t address)
{
	uint32_t i = last_before(r, nr, sizeof(*r), address);

	return i < nr && address < r[i].end ? &r[i] : NULL;
}

/* Return the end of the function that @f is a piece of. Its pieces, and the functions nested in it, are contiguous. */
static uint64_t function_end(const struct symfile *s, const struct symfile_function *f)
{
	const struct symfile_function *behind = s->functions + s->head->nr_functions;
	uint64_t begin = f->begin, end = f->end;

	for (const struct symfile_function *next = f + 1; next < behind && next->start == next[-1].end; next++)
		if (next->begin == begin)
			end = next->end;
	return end;
}

const char *symfile_function(const struct symfile *s, uint64_t address, uint64_t *start, uint64_t *end)
{
	uint32_t nr = s->head ? s->head->nr_functions : 0;
	uint32_t i = last_before(s->functions, nr, sizeof(*s->functions), address);

	if (i >= nr || address >= s->functions[i].end)
		return NULL;
	*start = s->functions[i].begin;
	if (end)
		*end = function_end(s, &s->functions[i]);
	return s->strings + s->functions[i].name;
}

const char *symfile_find(const struct symfile *s, uint64_t address, uint64_t *start)
{
	return symfile_function(s, address, start, NULL);
}

uint32_t symfile_nr_functions(const struct symfile *s)
{
	return s->head ? s->head->nr_functions : 0;
}

enum mangling symfile_mangling(const struct symfile *s)
{
	return s->head ? mangling_of(s->strings, s->head->string_bytes) : MANGLING_MARKED;
}

bool symfile_find_unnamed(const struct symfile *s, uint64_t address, uint64_t *start)
{
	const struct symfile_range *r = s->head ? find(s->unnamed, s->head->nr_missing, address) : NULL;

	if (r)
		*start = r->start;
	return r;
}

static const struct symfile_range *span_of(const struct symfile *s, uint64_t address)
{
	return s->head ? find(s->spans, s->head->nr_spans, address) : NULL;
}

bool symfile_lacks(const struct symfile *s, uint64_t address)
{
	const struct symfile_range *span = span_of(s, address);

	return span && !symfile_has_unit(s, span->value);
}

size_t symfile_places(const struct symfile *s, uint64_t address, struct symfile_place *ret)
{
	const struct symfile_range *span = span_of(s, address), *range;
	const uint32_t *index = span ? map_find(&s->unit_of, span->value) : NULL;
	const struct unit *u = index ? &s->units.v[*index] : NULL;
	struct symfile_place place = {"", ""};
	uint32_t line, block;
	size_t nr = 0;

	if (!u)
		return 0;
	line = last_before(u->lines, u->head->nr_lines, sizeof(*u->lines), address);
	if (line < u->head->nr_lines) {
		place.file = u->strings + u->lines[line].file;
		place.line = u->lines[line].line;
	}
	range = find(u->ranges, u->head->nr_ranges, address);
	for (block = range ? range->value + 1 : 0; block; block = u->blocks[block - 1].parent) {
		const struct symfile_block *b = &u->blocks[block - 1];

		place.function = u->strings + b->name;
		ret[nr == SYMFILE_PLACES ? SYMFILE_PLACES - 1 : nr++] = place;
		place.file = u->strings + b->call_file;
		place.line = b->call_line;
	}
	if (!nr && *place.file)
		ret[nr++] = place;
	return nr;
}
