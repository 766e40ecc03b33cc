/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Make room in the table of code of interpreted languages: its generations (core/lang/code.h). */
#pragma once
#include "core/shared/registry.h"

#define CODE_GENERATION_S 600 /* the least time of a generation: what is met in a stack keeps its name for that long */

/*
 * To be called about once a second by each tool, with the time, by the clock of registry.now_s: begin a generation if @kept, so many pieces
 * of code as were ever put into the map @codes, leave less than a quarter of it free; some seconds later, remove those of the generation before last.
 * Returns 0 or a negative errno.
 */
int code_generations_keep(struct registry *r, int codes, u64 kept, u32 now_s);
