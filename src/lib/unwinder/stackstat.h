/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a profile keeps of the stackmap that it was recorded with: settings, doc/format.md. */
#pragma once
#include <dusk/stackmap.h>
#include "core/shared/references.h"
#include "core/shared/stacktable.h"
#include "lib/profile/write/write.h"

/* Add to @ret what was counted in @t, and in @again of its stacks. */
void stackstat_add(struct stack_counts *ret, const struct stacktable *t, const struct again_row *again);

/* Write what was counted between @before and @after, in @epochs tables. */
void stackstat_write(struct profile_writer *w, const struct stack_counts *before, const struct stack_counts *after,
		     uint32_t bits, uint32_t epochs);
