/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Under which names do foreign formats know functions, modules and tasks?
 *
 * Names come from the programs that were profiled and may hold anything; those here are UTF-8 without control
 * characters (what may not stand is written as \xNN) and at most NAME_BYTES long: a longer one is cut and ends in
 * "...". Each format then quotes what has a meaning of its own there.
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
	const char **file;			   /* by label: of one of its frames, or "" */
	uint32_t *module_of;			   /* by label: index of a module, or 0 */
	const char **thread, **process;		   /* by thread; a process goes by the name of its first thread */
	const char **path;			   /* by module */
	const char **build_id;			   /* by module */
	struct strings kept;
	struct labels *own; /* the same, if they are not borrowed */
	FILE *cleaner;	    /* writes to text, len bytes */
	char *text;
	size_t len;
};

/* *@ret is to be freed with names_free() before @p is. 0 or -ENOMEM. */
int names_new(struct names **ret, const struct dusk_profile *p);

/* The same for labels that are there, and are borrowed. */
int names_of_labels(struct names **ret, const struct labels *l);
void names_free(struct names *n);

/* The build id of a module, at most @max bytes, to @ret. Returns how many there are. */
size_t names_build_id(const struct names *n, uint32_t module, uint8_t *ret, size_t max);

/* A setting of the profile, as below; "" if there is none. */
const char *names_setting(struct names *n, const char *key);

/* @s as a name that can stand anywhere, or NULL when memory is short. It lives as long as @n. */
const char *names_clean(struct names *n, const char *s);

static inline void names_freep(struct names **n)
{
	names_free(*n);
}
