/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Make names of functions, modules and tasks safe for foreign formats.
 *
 * Names come from the profiled programs and may contain any bytes. The names here are UTF-8 without control characters
 * (other bytes are written as \xNN) and at most NAME_BYTES long; longer ones are cut and end in "...". Each format then
 * quotes its own special characters.
 */
#pragma once
#include <stdio.h>
#include <dusk/dusk.h>
#include "base/strings.h"
#include "report/model/label.h"

#define NAME_BYTES 4096

struct names {
	const struct labels *labels;
	const char **function, **module, **symbol; /* by label; symbol: as in the symbol table, or "" */
	const char **file;			   /* by label: the source file of one of its frames, or "" */
	uint32_t *module_of;			   /* by label: index of a module, or 0 */
	const char **thread, **process;		   /* by thread; a process has the name of its main thread */
	const char **path;			   /* by module */
	const char **build_id;			   /* by module */
	struct strings kept;
	struct labels *own; /* the labels, if they are not borrowed */
	FILE *cleaner;	    /* a memory stream into @text, which has @len bytes */
	char *text;
	size_t len;
};

/* Make the names of @p. Free *@ret with names_free() before @p. Returns 0 or -ENOMEM. */
int names_new(struct names **ret, const struct dusk_profile *p);

/* The same with existing labels, which are borrowed. */
int names_of_labels(struct names **ret, const struct labels *l);
void names_free(struct names *n);

/* Store the build id of @module in @ret, at most @max bytes. Returns the number of bytes stored. */
size_t names_build_id(const struct names *n, uint32_t module, uint8_t *ret, size_t max);

/* A setting of the profile, as by names_clean(); "" if there is none. */
const char *names_setting(struct names *n, const char *key);

/* Return @s as a safe name that lives as long as @n, or NULL if out of memory. */
const char *names_clean(struct names *n, const char *s);

static inline void names_freep(struct names **n)
{
	names_free(*n);
}
