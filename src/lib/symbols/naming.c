/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/symbols/naming.h"
#include "abi/frame.h"
#include "base/cleanup.h"
#include "base/name.h"

static int number_of(struct naming *n, const char *text, uint32_t *ret)
{
	char room[NAME_LIMIT_BYTES + 1];

	text = name_limit(room, text);
	return strings_number(&n->strings, text, strlen(text), ret, NULL);
}

int naming_file(struct naming *n, uint32_t number, const char *path, const char *build_id)
{
	struct stackfile f = {.number = number};
	bool fresh;

	if (!map_at(&n->file, number, &fresh))
		return -ENOMEM;
	if (!fresh)
		return 0;
	return number_of(n, path, &f.path) ?: number_of(n, build_id, &f.build_id) ?: vec_push(&n->files, f);
}

bool naming_has(const struct naming *n, const struct dusk_stack *stack, uint32_t i)
{
	return map_find(&n->name[stacknames_outer(stack, i)], stack->frame[i]);
}

int naming_add(struct naming *n, const struct dusk_stack *stack, uint32_t i, const struct dusk_symbol *symbol)
{
	static const struct dusk_symbol nothing = {"", "", 0, 0};
	struct stackname name = {.frame = stack->frame[i], .outer = stacknames_outer(stack, i)};
	uint32_t *index;
	bool fresh;

	if (!symbol || !symbol->name || symbol->offset > UINT32_MAX)
		symbol = &nothing;
	name.offset = symbol->offset;
	name.size = symbol->size <= UINT32_MAX ? symbol->size : 0;
	if (number_of(n, symbol->name, &name.function) || number_of(n, symbol->module, &name.module))
		return -ENOMEM;
	index = map_at(&n->name[name.outer], name.frame, &fresh);
	if (!index)
		return -ENOMEM;
	if (fresh) {
		*index = n->names.nr;
		return vec_push(&n->names, name);
	}
	if (!memcmp(&n->names.v[*index], &name, sizeof(name)))
		return 0;
	return number_of(n, "", &n->names.v[*index].function);
}

/* Write all strings one after the other; *@ret_begin has their offsets by number. */
static int lay_text(const struct strings *s, struct dusk_stack_names *ret, uint32_t **ret_begin)
{
	size_t bytes = 0;
	uint32_t *begin = malloc((s->nr + 1) * sizeof(*begin));
	char *text;

	for (size_t i = 0; begin && i < s->nr; i++) {
		begin[i] = bytes;
		bytes += s->entries[i].len_bytes + 1;
	}
	text = begin && bytes <= UINT32_MAX ? malloc(bytes + 1) : NULL;
	if (!text) {
		free(begin);
		return -ENOMEM;
	}
	for (size_t i = 0; i < s->nr; i++)
		memcpy(text + begin[i], s->entries[i].text, s->entries[i].len_bytes + 1);
	ret->text = ret->store[0] = text;
	ret->text_bytes = bytes;
	*ret_begin = begin;
	return 0;
}

/* Drop frames without a name, sort the others, and replace string numbers by offsets. */
static void lay_names(struct naming *n, struct dusk_stack_names *ret, const uint32_t *begin)
{
	struct stackname *name = n->names.v;
	struct stackfile *file = n->files.v;
	size_t kept = 0;

	for (size_t i = 0; i < n->names.nr; i++) {
		if (!n->strings.entries[name[i].function].len_bytes)
			continue;
		name[kept] = name[i];
		name[kept].function = begin[name[i].function];
		name[kept++].module = begin[name[i].module];
	}
	for (size_t i = 0; i < n->files.nr; i++) {
		file[i].path = begin[file[i].path];
		file[i].build_id = begin[file[i].build_id];
	}
	if (kept)
		qsort(name, kept, sizeof(*name), stackname_order);
	ret->nr_files = n->files.nr;
	if (ret->nr_files)
		qsort(file, ret->nr_files, sizeof(*file), stackfile_order);
	ret->nr_names = kept;
	ret->names = ret->store[1] = vec_steal(&n->names);
	ret->files = ret->store[2] = vec_steal(&n->files);
}

int naming_give(struct naming *n, struct dusk_stacks *s)
{
	struct dusk_stack_names *names = calloc(1, sizeof(*names));
	_cleanup_(freep) uint32_t *begin = NULL;

	if (!names || lay_text(&n->strings, names, &begin)) {
		free(names);
		return -ENOMEM;
	}
	lay_names(n, names, begin);
	stacknames_free(s->names);
	s->names = names;
	return 0;
}

void naming_done(struct naming *n)
{
	strings_done(&n->strings);
	vec_done(&n->files);
	vec_done(&n->names);
	map_done(&n->file);
	map_done(&n->name[0]);
	map_done(&n->name[1]);
}

/* Add the names in @p of frame @i of @stack, which is @p's frame @f. */
static int add_frame(struct naming *n, const struct dusk_profile *p, const struct dusk_stack *stack, uint32_t i,
		     const struct dusk_frame *f)
{
	const struct dusk_function *fn = &p->functions[f->function];
	const struct dusk_module *m = &p->modules[f->module];
	struct dusk_symbol symbol = {fn->name, fn->module, f->function_offset, 0};
	int err = 0;

	/* Others are no files with code at offsets. Those that an interpreter runs have all that is known in their names. */
	if (m->kind == DUSK_MODULE_KERNEL)
		err = naming_file(n, FRAME_KERNEL, m->path, m->build_id);
	else if (m->kind == DUSK_MODULE_FILE || m->kind == DUSK_MODULE_VDSO)
		err = naming_file(n, f->module, m->path, m->build_id);
	return err ?: naming_add(n, stack, i, f->function ? &symbol : NULL);
}

/* In @done, bit 0 marks frames seen as the innermost one, and bit 1 frames seen elsewhere. */
static int add_stack(struct naming *n, const struct dusk_profile *p, const struct dusk_stack *stack, uint8_t *done)
{
	uint32_t node = stack->id;
	int err = 0;

	for (uint32_t i = 0; !err && i < stack->nr && node && node < p->nr_nodes; i++) {
		uint32_t frame = p->nodes[node].frame;
		uint8_t bit = i ? 2 : 1;

		if (!(done[frame] & bit))
			err = add_frame(n, p, stack, i, &p->frames[frame]);
		done[frame] |= bit;
		node = p->nodes[node].parent;
	}
	return err;
}

int dusk_stacks_name_by_profile(struct dusk_stacks *s, const struct dusk_profile *p)
{
	_cleanup_(freep) uint8_t *done = calloc(p->nr_frames + 1, sizeof(*done));
	struct naming n = {};
	int err = done ? 0 : -ENOMEM;

	for (size_t k = 0; !err && k < s->nr; k++)
		err = add_stack(&n, p, &s->v[k], done);
	err = err ?: naming_give(&n, s);
	naming_done(&n);
	return err;
}
