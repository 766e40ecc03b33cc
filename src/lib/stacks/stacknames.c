/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/stacks/stacknames.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "abi/frame.h"

void stacknames_free(struct dusk_stack_names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < sizeof(n->store) / sizeof(n->store[0]); i++)
		free(n->store[i]);
	free(n);
}

uint32_t stacknames_outer(const struct dusk_stack *stack, uint32_t i)
{
	return i && frame_module(stack->frame[i]) == FRAME_KERNEL;
}

int stackname_order(const void *a, const void *b)
{
	const struct stackname *x = a, *y = b;

	if (x->frame != y->frame)
		return x->frame < y->frame ? -1 : 1;
	return x->outer < y->outer ? -1 : x->outer > y->outer;
}

int stackfile_order(const void *a, const void *b)
{
	const struct stackfile *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static const struct stackname *find_name(const struct dusk_stack_names *n, uint64_t frame, uint32_t outer)
{
	struct stackname key = {.frame = frame, .outer = outer};

	return n->nr_names ? bsearch(&key, n->names, n->nr_names, sizeof(key), stackname_order) : NULL;
}

static const struct stackfile *find_file(const struct dusk_stack_names *n, uint32_t number)
{
	struct stackfile key = {.number = number};

	return n->nr_files ? bsearch(&key, n->files, n->nr_files, sizeof(key), stackfile_order) : NULL;
}

static const char *without_folders(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

int dusk_stacks_find(const struct dusk_stacks *s, const struct dusk_stack *stack, uint32_t i, struct dusk_symbol *ret)
{
	const struct dusk_stack_names *n = s->names;
	uint64_t frame = stack->frame[i];
	const struct stackname *name = n ? find_name(n, frame, stacknames_outer(stack, i)) : NULL;
	const struct stackfile *file = n ? find_file(n, frame_module(frame)) : NULL;

	if (name)
		*ret = (struct dusk_symbol){
			n->text + name->function,
			n->text + name->module,
			name->offset,
			name->size,
		};
	else if (n && frame == FRAME_GAP)
		*ret = (struct dusk_symbol){FRAME_GAP_NAME, FRAME_GAP_NAME, 0, 0};
	else if (n && frame_module(frame) == FRAME_ANON)
		*ret = (struct dusk_symbol){NULL, "[anon]", (frame & FRAME_ADDRESS) << s->address_shift, 0};
	else if (file && file->number != FRAME_KERNEL)
		*ret = (struct dusk_symbol){NULL, without_folders(n->text + file->path), frame_offset(frame), 0};
	else
		return -ENOENT;
	return 0;
}

int dusk_stacks_module(const struct dusk_stacks *s, size_t i, struct dusk_stack_module *ret)
{
	const struct dusk_stack_names *n = s->names;

	if (!n || i >= n->nr_files)
		return -ENOENT;
	*ret = (struct dusk_stack_module){
		n->files[i].number,
		n->text + n->files[i].path,
		n->text + n->files[i].build_id,
	};
	return 0;
}
