/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * At which places of a function were samples taken?
 *
 * A place is a link-time address in the file of the function; only innermost frames count. One name can be in files of
 * several builds: the one with most samples is shown, the samples in the others are counted as elsewhere.
 */
#pragma once
#include <dusk/dusk.h>

struct annotated_place {
	uint64_t address; /* of a byte of the instruction */
	uint64_t samples;
};

struct annotation {
	uint32_t function, module;	/* of the profile */
	uint32_t frame;			/* one that is in the function */
	uint64_t samples, elsewhere;	/* the samples of the places; of other builds */
	struct annotated_place *places; /* by address */
	size_t nr;
};

/*
 * The functions of @p that @name can mean: by the name, the symbol, or the name up to its parameters; in the module
 * @dso, a name or a path, unless that is NULL. Up to @max to @ret; returns how many there are.
 */
size_t annotation_find(const struct dusk_profile *p, const char *name, const char *dso, uint32_t *ret, size_t max);

/* All-zero is one that was not made. 0 or -ENOMEM; without a sample nr is 0. To be freed with annotation_done(). */
int annotation_init(struct annotation *ret, const struct dusk_profile *p, uint32_t function);
void annotation_done(struct annotation *a);

/* The samples from @start up to, not with, @end. */
uint64_t annotation_sum(const struct annotation *a, uint64_t start, uint64_t end);
