/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Collect the names of a set of stacks: each file and each frame once. All-zero is empty. */
#pragma once
#include "base/map.h"
#include "base/strings.h"
#include "base/vec.h"
#include "lib/stacks/stacknames.h"

struct naming {
	struct strings strings;
	struct vec(struct stackfile) files; /* with string numbers, as are the next */
	struct vec(struct stackname) names;
	struct map file, name[2]; /* module number -> index; frame -> index, by @outer */
};

/* Add a file; the first call for a number counts. Returns 0 or -ENOMEM. */
int naming_file(struct naming *n, uint32_t number, const char *path, const char *build_id);

/* Return whether frame @i of @stack was added already. */
bool naming_has(const struct naming *n, const struct dusk_stack *stack, uint32_t i);

/*
 * Add the name of a frame; @symbol NULL: not known. A frame with different names in different stacks (code of two
 * processes at one address) gets none. Returns 0 or -ENOMEM.
 */
int naming_add(struct naming *n, const struct dusk_stack *stack, uint32_t i, const struct dusk_symbol *symbol);

/* Move all names to @s, in place of those that it had. Returns 0 or -ENOMEM. */
int naming_give(struct naming *n, struct dusk_stacks *s);
void naming_done(struct naming *n);
