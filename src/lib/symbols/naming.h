/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names of a set of stacks while they are gathered: each file and each frame once. All-zero is empty. */
#pragma once
#include "base/map.h"
#include "base/strings.h"
#include "base/vec.h"
#include "lib/profile/stacknames.h"

struct naming {
	struct strings strings;
	struct vec(struct stackfile) files; /* of strings the numbers, as in the next */
	struct vec(struct stackname) names;
	struct map file, name[2]; /* module number, frame, frame that is @outer -> index */
};

/* A file; what was said first of its number counts. 0 or -ENOMEM. */
int naming_file(struct naming *n, uint32_t number, const char *path, const char *build_id);

/* Was frame @i of @stack met already? */
bool naming_has(const struct naming *n, const struct dusk_stack *stack, uint32_t i);

/*
 * What that frame is called; NULL: nothing is known. A frame that is called one thing here and another thing there
 * (code that two processes made at one address) gets no name. 0 or -ENOMEM.
 */
int naming_add(struct naming *n, const struct dusk_stack *stack, uint32_t i, const struct dusk_symbol *symbol);

/* All of it, for @s, in place of what it had. 0 or -ENOMEM. */
int naming_give(struct naming *n, struct dusk_stacks *s);
void naming_done(struct naming *n);
