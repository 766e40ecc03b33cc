/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/symbols/go_program.h"
#include <string.h>

#define WORD sizeof(uint64_t)
#define TABLE_ALIGNMENT 8
#define CHECKED_FUNCTIONS 64 /* with inlined calls */

/* Words of moduledata. Where the data of functions are, depends on Go's version: 38 in 1.18, 40 in 1.20, 43 in 1.27. */
#define MODULE_TEXT 22
#define MODULE_DATA_FIRST 36
#define MODULE_DATA_LAST 48

/* In which place the tree is: 3 since Go 1.17, 4 before; it was another one before 1.13. */
static const uint32_t trees[] = {3, 4};

static bool read_word(const struct go_program *p, uint64_t address, uint64_t *ret)
{
	const void *word = go_image_at(&p->image, address, WORD);

	if (word)
		memcpy(ret, word, WORD);
	return word;
}

/* Up to Go 1.19 a call says what contains it, and from which line; since then that is known of the code at its place. */
bool go_program_call(const struct go_program *p, const struct gopclntab_function *f,
		     const struct gopclntab_values *calls, int32_t i, struct go_call *ret)
{
	bool is_short = p->table.magic == GOPCLNTAB_MAGIC_1_20;
	size_t bytes = is_short ? 16 : 20;
	uint64_t tree;
	int32_t call[5];
	const void *at;

	if (!p->tree || i < 0 || !gopclntab_data(&p->table, f, p->tree, &tree))
		return false;
	at = go_image_at(&p->image, p->data_base + tree + (uint64_t)i * bytes, bytes);
	if (!at)
		return false;
	memcpy(call, at, bytes);
	*ret = (struct go_call){
		.function = gopclntab_name(&p->table, (uint32_t)call[is_short ? 1 : 3]),
		.called_at = f->start + (uint32_t)call[is_short ? 2 : 4],
	};
	ret->parent = is_short ? gopclntab_value(calls, ret->called_at) : (int16_t)call[0];
	if (!is_short) {
		ret->file = gopclntab_file(&p->table, f, call[1]);
		ret->line = call[2] < 0 ? 0 : call[2];
	}
	return ret->function && ret->parent < i && ret->called_at < f->end;
}

/* Return whether all calls that were inlined into @f make sense; *@seen counts functions with calls. */
static bool calls_make_sense(const struct go_program *p, const struct gopclntab_function *f, uint32_t *seen)
{
	struct gopclntab_values calls = {0};
	struct go_call call;
	bool any = false, good = !gopclntab_values(&p->table, f, GOPCLNTAB_CALL, &calls);

	for (size_t i = 0; good && i < calls.nr; i++) {
		if (calls.v[i].value < 0)
			continue;
		any = true;
		good = go_program_call(p, f, &calls, calls.v[i].value, &call);
	}
	*seen += any;
	vec_done(&calls);
	return good;
}

static bool trees_make_sense(const struct go_program *p)
{
	struct gopclntab_function f;
	uint32_t seen = 0;

	for (uint32_t i = 0; i < p->table.nr && seen < CHECKED_FUNCTIONS; i++)
		if (gopclntab_function(&p->table, i, &f) && !calls_make_sense(p, &f, &seen))
			return false;
	return seen;
}

/* Before Go 1.18 functions have the addresses of their data. */
static void find_trees(struct go_program *p)
{
	for (size_t i = 0; i < sizeof(trees) / sizeof(*trees); i++) {
		p->tree = trees[i];
		if (trees_make_sense(p))
			return;
	}
	p->tree = 0;
}

/* moduledata begins with the address of the table, and that of its names. */
static uint64_t find_module(const struct go_program *p, uint64_t table)
{
	uint64_t wanted[] = {table, table + p->table.names};

	for (size_t i = 0; i < p->image.segments.nr; i++) {
		const struct go_segment *s = &p->image.segments.v[i];

		for (size_t at = -s->address & (WORD - 1); at + sizeof(wanted) <= s->bytes; at += WORD)
			if (!memcmp(s->data + at, wanted, sizeof(wanted)))
				return s->address + at;
	}
	return 0;
}

static void find_trees_by_module(struct go_program *p, uint64_t module)
{
	p->tree = trees[0];
	for (uint32_t i = MODULE_DATA_FIRST; i <= MODULE_DATA_LAST; i++)
		if (read_word(p, module + i * WORD, &p->data_base) && p->data_base && trees_make_sense(p))
			return;
	p->tree = 0;
}

void go_program_find(struct go_program *p, uint64_t address, size_t bytes)
{
	const void *data = go_image_at(&p->image, address, bytes);
	uint64_t module;

	if (!data || !gopclntab_open(&p->table, data, bytes)) {
		p->table = (struct gopclntab){0};
		return;
	}
	if (!p->table.is_compact) {
		find_trees(p);
		return;
	}
	module = find_module(p, address);
	if (!p->table.text && (!module || !read_word(p, module + MODULE_TEXT * WORD, &p->table.text)))
		p->table.nr = 0;
	if (module)
		find_trees_by_module(p, module);
}

/* Find a table in a section that has more in it, as GNU ld makes of a position-independent program that contains C. */
static void search_table(struct go_program *p)
{
	struct gopclntab_function f;
	struct gopclntab t;

	for (size_t i = 0; i < p->image.segments.nr; i++) {
		const struct go_segment *s = &p->image.segments.v[i];

		for (size_t at = -s->address & (TABLE_ALIGNMENT - 1); at < s->bytes; at += TABLE_ALIGNMENT) {
			uint32_t magic;

			if (s->bytes - at < sizeof(magic))
				break;
			memcpy(&magic, s->data + at, sizeof(magic));
			if (magic >= GOPCLNTAB_MAGIC_1_18 && gopclntab_open(&t, s->data + at, s->bytes - at) && t.nr &&
			    gopclntab_function(&t, 0, &f)) {
				go_program_find(p, s->address + at, s->bytes - at);
				return;
			}
		}
	}
}

enum found { FOUND_NOTHING, FOUND_PROGRAM, FOUND_TABLE };

/* Return whether @elf is of Go, and the header of its table's section, if it has one. */
static enum found find_section(Elf *elf, GElf_Shdr *sh)
{
	enum found found = FOUND_NOTHING;
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return found;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, sh) ? elf_strptr(elf, names, sh->sh_name) : NULL;

		if (name && (!strcmp(name, ".gopclntab") || !strcmp(name, ".data.rel.ro.gopclntab")))
			return FOUND_TABLE;
		if (name && (!strcmp(name, ".go.buildinfo") || !strcmp(name, ".note.go.buildid")))
			found = FOUND_PROGRAM;
	}
	return found;
}

int go_program_read(struct go_program *ret, Elf *elf)
{
	GElf_Shdr sh;
	enum found found = find_section(elf, &sh);
	int err;

	*ret = (struct go_program){0};
	if (!found)
		return 0;
	err = go_image_read(&ret->image, elf);
	if (!err && found == FOUND_TABLE)
		go_program_find(ret, sh.sh_addr, sh.sh_size);
	else if (!err)
		search_table(ret);
	return err;
}

void go_program_done(struct go_program *p)
{
	go_image_done(&p->image);
}
