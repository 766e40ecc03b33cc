/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers in the fields of an event, as the kernel prints them: "bytes_req=64", "count: 0x40". */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define EVENT_FIELD_RESULT "ret" /* that of a system call or function, whose fields are this number alone: "0x40" */

/*
 * Find the number of @name in @fields, the text of an event; behind it may be a unit, as in "110592B". Returns false if there is none:
 * no such field, text, or a negative number.
 */
bool event_field_number(const char *fields, const char *name, uint64_t *ret);
