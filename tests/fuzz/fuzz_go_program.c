/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The data of a Go program, of any bytes: what is read of its functions has the form that is promised. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symbols/go_lines.h"

#define DATA 0x500000 /* the program's data begin there, with the table, as in the corpus */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_body(const struct dwarfread_body *b, const struct gopclntab_function *f)
{
	for (size_t i = 0; i < b->blocks.nr; i++)
		assert(b->blocks.v[i].parent <= i && b->blocks.v[i].name < b->strings.nr &&
		       b->blocks.v[i].call_file < b->strings.nr);
	for (size_t i = 0; i < b->lines.nr; i++)
		assert(b->lines.v[i].file < b->strings.nr && b->lines.v[i].address >= f->start &&
		       b->lines.v[i].address <= f->end && (!i || b->lines.v[i].address > b->lines.v[i - 1].address));
	for (size_t i = 0; i < b->ranges.pieces.nr; i++)
		assert(b->ranges.pieces.v[i].start >= f->start && b->ranges.pieces.v[i].end <= f->end &&
		       b->ranges.all.v[b->ranges.pieces.v[i].range].value < b->blocks.nr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct go_segment s = {
		.address = DATA, .bytes = size, .own = malloc(size + !size)}; /* ASan sees what is read behind it */
	struct go_program p = {0};
	struct gopclntab_function f;

	s.data = memcpy(s.own, data, size);
	assert(!vec_push(&p.image.segments, s));
	go_program_find(&p, DATA, size);
	for (uint32_t i = 0; i < p.table.nr && i < 64; i++) {
		struct dwarfread_body b = {0};

		assert(!go_lines_body(&p, i, &b));
		if (gopclntab_function(&p.table, i, &f))
			check_body(&b, &f);
		dwarfread_body_done(&b);
	}
	go_program_done(&p);
	return 0;
}
