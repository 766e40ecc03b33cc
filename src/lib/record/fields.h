/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What does the record of an event say? As text, in the kernel's own format: "filename=/bin/true pid=12 old_pid=12".
 *
 * libtraceevent reads the formats, and prints. What is in a record may be of the target's making, as names of files
 * are, and a record may be cut: nothing beyond it is read, and the text is one line of UTF-8.
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
 * Learn from tracefs' file "format", @text of @len bytes, what records of the next event of @group are like; events are
 * numbered from 0. How they are to be taken, to @shape. -EINVAL: that is no such file; -ENOMEM.
 */
int fields_learn(struct fields *f, const char *group, const char *text, size_t len, struct record_shape *shape);

/*
 * The record of event @number, @bytes bytes, @cut if there was more; its first 8 bytes have no meaning. *@ret is to be
 * freed with free(): "" if it has no fields. -EINVAL: there is no such event; -ENOMEM.
 */
int fields_text(char **ret, struct fields *f, uint32_t number, const void *record, size_t bytes, bool cut);
