/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fields of an event's record as text, in the kernel's own format: "filename=/bin/true pid=12 old_pid=12".
 *
 * libtraceevent parses the formats and prints. A record may have contents that the target chose, such as file names,
 * and may be cut: nothing beyond its end is read, and the text is one line of UTF-8.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "abi/event.h"

struct fields;

int fields_new(struct fields **ret); /* 0 or -ENOMEM */
void fields_free(struct fields *f);

/*
 * Learn the format of the next event's records from tracefs' file "format" of an event of @group: @text of @len bytes.
 * Events are numbered from 0. @shape says how the records are to be read. Returns 0; -EINVAL: this is no such file;
 * -ENOMEM.
 */
int fields_learn(struct fields *f, const char *group, const char *text, size_t len, struct record_shape *shape);

/* Where a field is in its record. */
struct field_place {
	uint32_t offset, bytes;
	bool is_text;	 /* text, or another array */
	bool is_dynamic; /* its place and length are there, not it itself; @is_relative: from behind these */
	bool is_relative, is_signed;
};

/* Find field @name of event @number. Returns 0, or -ENOENT: it has none. */
int fields_place(const struct fields *f, uint32_t number, const char *name, struct field_place *ret);

/*
 * Format the record of event @number: @bytes bytes, @cut if there was more. Its first 8 bytes are ignored. *@ret is to
 * be freed with free(); "" if the record has no fields. Returns 0; -EINVAL: there is no such event; -ENOMEM.
 */
int fields_text(char **ret, struct fields *f, uint32_t number, const void *record, size_t bytes, bool cut);
