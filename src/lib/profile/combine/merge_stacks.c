/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stacks of several profiles as those of one: modules, functions, frames and nodes, each kept once.
 *
 * Frames that were named in one part have that name in all. Addresses of the kernel mean something in one boot only, and
 * those of memory without a file during one recording, so each boot has a kernel of its own, and each part its own
 * modules of such memory.
 */
#include <errno.h>
#include <string.h>
#include "lib/profile/combine/merge.h"

/*
 * Of the kernel, and of memory without a file, the generation says which boot or part it is of. It may say that already, in a
 * part that was merged before.
 */
static int tell_apart(struct dusk_merge *m, const struct part *part, struct dusk_module *to)
{
	bool kernel = to->kind == DUSK_MODULE_KERNEL;
	const uint32_t key[] = {kernel ? part->boot : part->number, to->generation};

	if (!kernel && to->kind != DUSK_MODULE_ANON)
		return 0;
	return strings_number(kernel ? &m->kernels : &m->memories, key, sizeof(key), &to->generation, NULL);
}

static int add_module(struct dusk_merge *m, struct part *part, uint32_t i)
{
	struct dusk_module to = part->p->modules[i];
	struct {
		uint64_t dev, ino;
		const char *path, *build_id;
		uint32_t generation, kind, pid, zero;
	} key;
	uint32_t number;
	bool fresh;

	to.path = merge_intern(m, to.path);
	to.build_id = merge_intern(m, to.build_id);
	if (!to.path || !to.build_id || tell_apart(m, part, &to))
		return -ENOMEM;
	memset(&key, 0, sizeof(key));
	key.dev = to.dev;
	key.ino = to.ino;
	key.path = to.path;
	key.build_id = to.build_id;
	key.generation = to.generation;
	key.kind = to.kind;
	key.pid = to.kind == DUSK_MODULE_ANON ? to.pid : 0;
	if (keys_number(&m->module_keys, &key, sizeof(key), &number, &fresh) || (fresh && vec_push(&m->modules, to)))
		return -ENOMEM;
	part->modules[i] = number + 1;
	return 0;
}

static int add_function(struct dusk_merge *m, struct part *part, uint32_t i)
{
	const struct dusk_function *f = &part->p->functions[i];
	const struct dusk_function to = {merge_intern(m, f->name), merge_intern(m, f->symbol),
					 merge_intern(m, f->module)};
	uint32_t number;
	bool fresh;

	if (!to.name || !to.symbol || !to.module || keys_number(&m->function_keys, &to, sizeof(to), &number, &fresh) ||
	    (fresh && vec_push(&m->functions, to)))
		return -ENOMEM;
	part->functions[i] = number + 1;
	return 0;
}

/* Give @to the name and the lines of @from, a frame of @part. */
static int name_frame(struct dusk_merge *m, const struct part *part, struct dusk_frame *to,
		      const struct dusk_frame *from)
{
	to->function = part->functions[from->function];
	to->function_offset = from->function_offset;
	to->address = from->address;
	to->first_line = m->lines.nr;
	to->nr_lines = from->nr_lines;
	for (uint32_t i = 0; i < from->nr_lines; i++) {
		struct dusk_line l = part->p->lines[from->first_line + i];

		l.function = part->functions[l.function];
		l.file = merge_intern(m, l.file);
		if (!l.file || vec_push(&m->lines, l))
			return -ENOMEM;
	}
	return 0;
}

static int add_frame(struct dusk_merge *m, struct part *part, uint32_t i)
{
	const struct dusk_frame *from = &part->p->frames[i];
	const struct {
		uint64_t offset;
		uint32_t module;
		uint16_t is_return, method;
	} key = {from->offset, part->modules[from->module], from->is_return, from->method};
	struct dusk_frame *to;
	uint32_t number;
	bool fresh;

	if (keys_number(&m->frame_keys, &key, sizeof(key), &number, &fresh))
		return -ENOMEM;
	part->frames[i] = number + 1;
	if (fresh) {
		to = vec_add(&m->frames);
		if (!to)
			return -ENOMEM;
		*to = *from;
		to->module = key.module;
		return name_frame(m, part, to, from);
	}
	to = &m->frames.v[number + 1];
	return !to->function && from->function ? name_frame(m, part, to, from) : 0;
}

static int add_node(struct dusk_merge *m, struct part *part, uint32_t i)
{
	const struct dusk_node *from = &part->p->nodes[i];
	const struct dusk_node to = {part->nodes[from->parent], part->frames[from->frame]};
	uint32_t number;
	bool fresh;

	if (keys_number(&m->node_keys, &to, sizeof(to), &number, &fresh) || (fresh && vec_push(&m->nodes, to)))
		return -ENOMEM;
	part->nodes[i] = number + 1;
	return 0;
}

int merge_stacks(struct dusk_merge *m, struct part *part)
{
	const struct dusk_profile *p = part->p;
	int err = 0;

	for (uint32_t i = 1; !err && i < p->nr_modules; i++)
		err = add_module(m, part, i);
	for (uint32_t i = 1; !err && i < p->nr_functions; i++)
		err = add_function(m, part, i);
	for (uint32_t i = 1; !err && i < p->nr_frames; i++)
		err = add_frame(m, part, i);
	for (uint32_t i = 1; !err && i < p->nr_nodes; i++)
		err = add_node(m, part, i);
	return err;
}
