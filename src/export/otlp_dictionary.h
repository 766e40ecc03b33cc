/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables that the samples of one OpenTelemetry message refer to by index: a ProfilesDictionary of
 * opentelemetry.proto.profiles.v1development, as of 1.10. Only what is referred to gets an index. Index 0 means "none" in each.
 */
#pragma once
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "export/layout.h"
#include "export/names.h"
#include "export/protobuf.h"

/* Indices by number in the profile, given at first use. */
struct dictionary_table {
	uint32_t *index;	    /* 0: it has none yet */
	struct vec(uint32_t) order; /* the number at each index, from 1 on */
};

struct dictionary {
	const struct dusk_profile *profile;
	const struct names *names;
	struct layout_range *layout;
	struct dictionary_table stacks;	    /* by place */
	struct dictionary_table locations;  /* by frame; behind these by outcome */
	struct dictionary_table functions;  /* by label */
	struct dictionary_table mappings;   /* by module */
	struct strings strings, attributes; /* attributes: as they are written */
	struct pb scratch;
	bool failed; /* memory was short: what is written is of no use */
};

/* Make an empty one for @p. @names must live as long. Free with dictionary_done(), in any case. Returns 0 or -ENOMEM. */
int dictionary_init(struct dictionary *d, const struct dusk_profile *p, const struct names *names);
void dictionary_done(struct dictionary *d);

uint32_t dictionary_string(struct dictionary *d, const char *text);

/* The stack that ends at @place (report/model/label.h). */
uint32_t dictionary_stack(struct dictionary *d, uint32_t place);

/* An attribute with the value @text or, if that is NULL, @number. */
uint32_t dictionary_attribute(struct dictionary *d, const char *key, const char *text, uint64_t number);

/* Write an AnyValue, as field @field: @text or, if that is NULL, @number. */
void otlp_any(struct pb *b, uint32_t field, const char *text, uint64_t number);

/* Write all that has an index as field @field, and forget it. */
void dictionary_write(struct dictionary *d, struct pb *b, uint32_t field);
