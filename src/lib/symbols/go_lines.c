/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/symbols/go_lines.h"
#include <errno.h>
#include <string.h>

#include "base/map.h"
#include "base/name.h"
#include "base/rank.h"
#include "lib/symbols/symfile.h"

struct reading {
	const struct go_program *p;
	struct gopclntab_function f;
	struct gopclntab_values files, lines, calls;
	struct map block_of; /* call -> its block's index + 1 */
	struct dwarfread_body *body;
};

static int number(struct reading *r, const char *text, uint32_t *ret)
{
	char room[NAME_LIMIT_BYTES + 1];

	text = name_limit(room, text ? text : "");
	return strings_number(&r->body->strings, text, strlen(text), ret, NULL);
}

/* Get the file, as a number in the strings, and the line of the code at @address. */
static int place_at(struct reading *r, uint64_t address, uint32_t *file, uint32_t *line)
{
	const char *name = gopclntab_file(&r->p->table, &r->f, gopclntab_value(&r->files, address));
	int32_t at = gopclntab_value(&r->lines, address);

	*line = name && at > 0 ? at : 0;
	return number(r, name, file);
}

static int add_block(struct reading *r, const struct go_call *call, uint32_t parent, uint32_t *ret)
{
	struct dwarfread_block b = {.parent = parent, .call_line = call->line};
	int err = call->file ? number(r, call->file, &b.call_file)
			     : place_at(r, call->called_at, &b.call_file, &b.call_line);

	err = err ?: number(r, call->function, &b.name);
	err = err ?: vec_push(&r->body->blocks, b);
	*ret = r->body->blocks.nr;
	return err;
}

/* Get the index + 1 of the block of @call, after those of the calls that contain it. What makes no sense is the function's own. */
static int block_of(struct reading *r, int32_t call, int depth, uint32_t *ret)
{
	const uint32_t *known = call < 0 ? NULL : map_find(&r->block_of, call);
	struct go_call c;
	uint32_t *slot, parent;
	bool fresh;
	int err;

	*ret = known ? *known : 1;
	if (known || depth == SYMFILE_PLACES || !go_program_call(r->p, &r->f, &r->calls, call, &c))
		return 0;
	err = block_of(r, c.parent, depth + 1, &parent);
	err = err ?: add_block(r, &c, parent, ret);
	if (err)
		return err;
	slot = map_at(&r->block_of, call, &fresh);
	if (!slot)
		return -ENOMEM;
	*slot = *ret;
	return 0;
}

/* The function is block 0; the code of inlined calls is added later, and so wins. */
static int read_blocks(struct reading *r)
{
	struct ranges *ranges = &r->body->ranges;
	struct dwarfread_block own = {0};
	int err = number(r, r->f.name, &own.name);

	err = err ?: vec_push(&r->body->blocks, own);
	err = err ?: ranges_add(ranges, r->f.start, r->f.end, 0);
	for (size_t i = 0; !err && i < r->calls.nr; i++) {
		uint64_t end = i + 1 < r->calls.nr ? r->calls.v[i + 1].address : r->f.end;
		uint32_t block;

		err = block_of(r, r->calls.v[i].value, 0, &block);
		if (!err && block > 1)
			err = ranges_add(ranges, r->calls.v[i].address, end < r->f.end ? end : r->f.end, block - 1);
	}
	return err ?: ranges_build(ranges);
}

static uint64_t next_of(const struct gopclntab_values *values, uint64_t address, uint64_t end)
{
	size_t i = rank_of(values->v, values->nr, sizeof(*values->v), address);

	return i < values->nr && values->v[i].address < end ? values->v[i].address : end;
}

static int read_lines(struct reading *r)
{
	uint64_t end = r->f.end;
	int err = 0;

	for (uint64_t at = r->f.start; !err && at < end; at = next_of(&r->files, at, next_of(&r->lines, at, end))) {
		struct dwarfread_line line = {.address = at};

		err = place_at(r, at, &line.file, &line.line);
		err = err ?: vec_push(&r->body->lines, line);
	}
	/* No line from there on. */
	return err ?: vec_push(&r->body->lines, ((struct dwarfread_line){.address = end}));
}

int go_lines_body(const struct go_program *p, uint32_t i, struct dwarfread_body *ret)
{
	struct reading r = {.p = p, .body = ret};
	uint32_t none;
	int err = number(&r, "", &none);

	if (err || !gopclntab_function(&p->table, i, &r.f))
		return err;
	err = gopclntab_values(&p->table, &r.f, GOPCLNTAB_FILE, &r.files);
	err = err ?: gopclntab_values(&p->table, &r.f, GOPCLNTAB_LINE, &r.lines);
	err = err ?: gopclntab_values(&p->table, &r.f, GOPCLNTAB_CALL, &r.calls);
	err = err ?: read_blocks(&r);
	err = err ?: read_lines(&r);
	vec_done(&r.files);
	vec_done(&r.lines);
	vec_done(&r.calls);
	map_done(&r.block_of);
	return err;
}
