/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a probe fetches, from its definition in tracefs ("size=%di:u64 name=+0(%si):string"; Documentation/trace/kprobetrace.rst),
 * for the program that makes its record.
 */
#pragma once
#include <stdbool.h>
#include "abi/event.h"
#include "lib/record/fields.h"

/*
 * Make *@ret of @arguments, separated by blanks, of event @number of @f. @user: of a uprobe.
 * Returns 0, or -EOPNOTSUPP: one of them cannot be fetched by us.
 */
int fetches_parse(struct probe *ret, const char *arguments, bool user, const struct fields *f, uint32_t number);
