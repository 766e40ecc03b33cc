/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Count the samples at each address of a function.
 *
 * A place is a link-time address in the file of the function, or, of code that an interpreter runs, the offset that stands for
 * a line; only innermost frames count. A function of one name can
 * be in files of several builds, and there can be several of that name in one file: the one with most samples is annotated,
 * samples in the others count as @elsewhere.
 */
#pragma once
#include <dusk/dusk.h>

struct annotated_place {
	uint64_t address; /* of a byte of the instruction */
	uint64_t samples;
};

struct annotation {
	uint32_t function, module;   /* of the profile */
	uint32_t frame;		     /* some frame in the function */
	uint64_t start;		     /* of the function, as a link-time address */
	uint64_t samples, elsewhere; /* of the places; in other builds, and other functions of that name */
	uint64_t other; /* where the one of these with most samples begins, in this file; ANNOTATE_ANY: there is none */
	struct annotated_place *places; /* by address */
	size_t nr;
};

/*
 * Find the functions of @p that @name can mean: the name, the symbol, or the name up to its parameters. @dso limits
 * them to a module, by name or path; NULL: any. Stores at most @max of them in @ret.
 * Returns how many there are.
 */
size_t annotation_find(const struct dusk_profile *p, const char *name, const char *dso, uint32_t *ret, size_t max);

#define ANNOTATE_ANY UINT64_MAX

/*
 * Count the samples of @function, of those of its name the one that begins at @start, or ANNOTATE_ANY. Without samples,
 * @ret->nr is 0. Free @ret with annotation_done(), which accepts all-zero. Returns 0 or -ENOMEM.
 */
int annotation_init(struct annotation *ret, const struct dusk_profile *p, uint32_t function, uint64_t start);
void annotation_done(struct annotation *a);

/* The sum of the samples in [@start, @end). */
uint64_t annotation_sum(const struct annotation *a, uint64_t start, uint64_t end);

/* Is it code that an interpreter runs? */
bool annotation_is_source(const struct annotation *a, const struct dusk_profile *p);

/* Such code as other code: its lines are those with samples, and it has no instructions. */
struct annotated_source {
	struct dusk_code code;
	const char *file;
};

/* @p must outlive @ret, which is to be freed with annotated_source_done(). Returns 0 or -ENOMEM. */
int annotated_source_init(struct annotated_source *ret, const struct annotation *a, const struct dusk_profile *p);
void annotated_source_done(struct annotated_source *s);
