/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read an untrusted ELF file, the child's side: convert what libdw returns to the chunks of symfile.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/map.h"
#include "base/name.h"
#include "lib/symbols/dwarfread.h"
#include "lib/symbols/elfread.h"
#include "lib/symbols/fde_index.h"
#include "lib/symbols/go_lines.h"
#include "lib/symbols/symbols.h"

/* A chunk under construction. */
struct blob {
	struct vec(char) bytes;
};

struct writer {
	const struct symfile *known;
	const struct elfread *e;
	struct symbols *symbols;
	struct dwarfread dwarf;
	struct ranges spans; /* code -> number of its unit: those of DWARF, then functions of Go's table */
	int out;
	bool same_file; /* the new chunk FILE equals that of @known, so @known's units are valid */
};

static int put(struct blob *b, const void *data, size_t bytes)
{
	return vec_append(&b->bytes, data, bytes);
}

/* Write @b as a chunk; @b is empty afterwards. */
static int send_chunk(struct writer *w, struct blob *b, enum symfile_kind kind)
{
	static const char zeros[8];
	struct symfile_chunk head = {SYMFILE_MAGIC, kind};
	int err = put(b, zeros, -b->bytes.nr & 7);

	if (err)
		return err;
	head.bytes = b->bytes.nr;
	head.hash = symfile_hash(b->bytes.v, b->bytes.nr);
	if (kind == SYMFILE_FILE)
		w->same_file = head.hash == symfile_file_hash(w->known);
	err = file_write_fd(w->out, &head, sizeof(head));
	err = err ?: file_write_fd(w->out, b->bytes.v, b->bytes.nr);
	vec_done(&b->bytes);
	return err;
}

/* Compute the offsets of the strings when they are written one after the other. Free *@ret with free(). */
static int lay_out(const struct strings *strings, uint64_t **ret, uint64_t *bytes)
{
	uint64_t *offsets = calloc(strings->nr + 1, sizeof(*offsets));

	if (!offsets)
		return -ENOMEM;
	for (size_t i = 0; i < strings->nr; i++)
		offsets[i + 1] = offsets[i] + strings->entries[i].len_bytes + 1;
	*bytes = offsets[strings->nr];
	*ret = offsets;
	return *bytes > UINT32_MAX ? -EFBIG : 0;
}

static int put_strings(struct blob *b, const struct strings *strings)
{
	int err = 0;

	for (size_t i = 0; !err && i < strings->nr; i++)
		err = put(b, strings->entries[i].text, strings->entries[i].len_bytes + 1);
	return err;
}

static int put_segments(struct writer *w, struct blob *b, struct symfile_file *head)
{
	size_t nr;
	const struct symbols_segment *segments = symbols_segments(w->symbols, &nr);
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++) {
		const struct symbols_segment *g = &segments[i];
		struct symfile_segment segment = {g->offset, g->file_bytes, g->address, g->code};

		err = put(b, &segment, sizeof(segment));
	}
	head->nr_segments = nr;
	return err;
}

static int put_functions(struct writer *w, struct blob *b, struct symfile_file *head, struct strings *strings)
{
	const struct ranges *r = symbols_ranges(w->symbols);
	_cleanup_(freep) uint32_t *name = calloc(r->pieces.nr + 1, sizeof(*name));
	_cleanup_(freep) uint64_t *offset = NULL;
	uint32_t none;
	int err = name ? strings_number(strings, "", 0, &none, NULL) : -ENOMEM;

	for (size_t i = 0; !err && i < r->pieces.nr; i++) {
		char room[NAME_LIMIT_BYTES + 1];
		const char *text = name_limit(room, (const char *)(uintptr_t)r->all.v[r->pieces.v[i].range].value);

		err = strings_number(strings, text, strlen(text), &name[i], NULL);
	}
	err = err ?: lay_out(strings, &offset, &head->string_bytes);
	for (size_t i = 0; !err && i < r->pieces.nr; i++) {
		const struct ranges_piece *piece = &r->pieces.v[i];
		struct symfile_function f = {piece->start, piece->end, r->all.v[piece->range].start, offset[name[i]]};

		err = put(b, &f, sizeof(f));
	}
	head->nr_functions = r->pieces.nr;
	return err;
}

/* Add the code of each FDE that has no symbol at its first or its last byte. */
static int put_missing_symbols(struct writer *w, struct blob *b, struct symfile_file *head)
{
	const struct fde_index *f = symbols_fde_index(w->symbols);
	uint64_t start, end, last = 0, begin;
	int err = 0;

	for (uint32_t i = 0; !err && i < fde_index_nr(f); i++) {
		struct symfile_range range;

		if (!fde_index_code(f, i, &start, &end) || start < last || start >= end)
			continue;
		if (symbols_find(w->symbols, start, &begin) && symbols_find(w->symbols, end - 1, &begin))
			continue;
		range = (struct symfile_range){start, end};
		last = end;
		head->nr_missing++;
		err = put(b, &range, sizeof(range));
	}
	return err;
}

static int put_ranges(struct blob *b, const struct ranges *r, uint32_t *nr)
{
	int err = 0;

	for (size_t i = 0; !err && i < r->pieces.nr; i++) {
		const struct ranges_piece *piece = &r->pieces.v[i];
		struct symfile_range range = {piece->start, piece->end, r->all.v[piece->range].value};

		err = put(b, &range, sizeof(range));
	}
	*nr = r->pieces.nr;
	return err;
}

static int send_file(struct writer *w)
{
	struct symfile_file head = {0};
	struct strings strings = {0};
	struct blob b = {0};
	int err = put(&b, &head, sizeof(head));

	err = err ?: put_segments(w, &b, &head);
	err = err ?: put_functions(w, &b, &head, &strings);
	err = err ?: put_missing_symbols(w, &b, &head);
	err = err ?: put_ranges(&b, &w->spans, &head.nr_spans);
	err = err ?: put_strings(&b, &strings);
	if (!err) {
		memcpy(b.bytes.v, &head, sizeof(head));
		err = send_chunk(w, &b, SYMFILE_FILE);
	}
	strings_done(&strings);
	vec_done(&b.bytes);
	return err;
}

static int put_body(struct blob *b, const struct dwarfread_body *body, struct symfile_unit *head)
{
	_cleanup_(freep) uint64_t *offset = NULL;
	int err = lay_out(&body->strings, &offset, &head->string_bytes);

	err = err ?: put(b, head, sizeof(*head));
	for (size_t i = 0; !err && i < body->blocks.nr; i++) {
		const struct dwarfread_block *from = &body->blocks.v[i];
		struct symfile_block block = {
			from->parent,
			offset[from->name],
			offset[from->call_file],
			from->call_line,
		};

		err = put(b, &block, sizeof(block));
	}
	err = err ?: put_ranges(b, &body->ranges, &head->nr_ranges);
	for (size_t i = 0; !err && i < body->lines.nr; i++) {
		const struct dwarfread_line *from = &body->lines.v[i];
		struct symfile_line line = {from->address, offset[from->file], from->line};

		err = put(b, &line, sizeof(line));
	}
	head->nr_blocks = body->blocks.nr;
	head->nr_lines = body->lines.nr;
	return err ?: put_strings(b, &body->strings);
}

static int read_unit(struct writer *w, uint32_t unit, struct dwarfread_body *ret)
{
	size_t nr = w->dwarf.units.nr;

	return unit < nr ? dwarfread_body(&w->dwarf, unit, ret) : go_lines_body(symbols_go(w->symbols), unit - nr, ret);
}

static int send_unit(struct writer *w, uint32_t unit)
{
	struct symfile_unit head = {.number = unit};
	struct dwarfread_body body = {0};
	struct blob b = {0};
	int err = read_unit(w, unit, &body);

	err = err ?: put_body(&b, &body, &head);
	if (!err) {
		memcpy(b.bytes.v, &head, sizeof(head));
		err = send_chunk(w, &b, SYMFILE_UNIT);
	}
	dwarfread_body_done(&body);
	vec_done(&b.bytes);
	return err;
}

/* Write each requested unit once. */
static int send_units(struct writer *w)
{
	size_t nr = w->dwarf.units.nr + symbols_go(w->symbols)->table.nr;
	_cleanup_(freep) bool *sent = calloc(nr + 1, sizeof(*sent));
	int err = sent ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < w->e->nr; i++) {
		const struct range *span;
		uint64_t address;

		if (symbols_address(w->symbols, w->e->offsets[i], &address))
			continue;
		span = ranges_find(&w->spans, address);
		if (!span || sent[span->value])
			continue;
		sent[span->value] = true;
		if (!w->same_file || !symfile_has_unit(w->known, span->value))
			err = send_unit(w, span->value);
	}
	return err;
}

static int send_end(struct writer *w)
{
	struct symfile_end end = {w->dwarf.broken, w->dwarf.apart};
	struct blob b = {0};
	int err = put(&b, &end, sizeof(end));

	err = err ?: send_chunk(w, &b, SYMFILE_END);
	vec_done(&b.bytes);
	return err;
}

/* What DWARF describes is added last, and so wins over Go's table: that of a stripped program, or of one that contains C. */
static int find_spans(struct writer *w)
{
	const struct gopclntab *table = &symbols_go(w->symbols)->table;
	struct gopclntab_function f;
	int err = 0;

	for (uint32_t i = 0; !err && i < table->nr; i++)
		if (gopclntab_function(table, i, &f))
			err = ranges_add(&w->spans, f.start, f.end, w->dwarf.units.nr + i);
	for (size_t i = 0; !err && i < w->dwarf.spans.all.nr; i++) {
		const struct range *r = &w->dwarf.spans.all.v[i];

		err = ranges_add(&w->spans, r->start, r->end, r->value);
	}
	return err ?: ranges_build(&w->spans);
}

/* Names are written first, so that they survive a crash in the debug information. */
int elfread_write(const struct symfile *known, const struct elfread *e, int out)
{
	struct writer w = {.known = known, .e = e, .out = out};
	Dwarf *dwarf;
	int err;

	err = symbols_open(&w.symbols, e->fd, e->path);
	if (err)
		return err;
	if (!symfile_has_units(known))
		err = send_file(&w);
	dwarf = !err && e->lines ? symbols_dwarf(w.symbols) : NULL;
	if (!err && e->lines && !dwarf)
		w.dwarf.broken = symbols_has_debug_sections(w.symbols); /* what is there, but cannot be read, is said */
	if (dwarf)
		err = dwarfread_open(&w.dwarf, dwarf);
	if (!err && e->lines)
		err = find_spans(&w);
	if (!err && w.spans.pieces.nr)
		err = send_file(&w);
	err = err ?: send_units(&w);
	err = err ?: send_end(&w);
	dwarfread_done(&w.dwarf);
	ranges_done(&w.spans);
	symbols_free(w.symbols);
	return err;
}
