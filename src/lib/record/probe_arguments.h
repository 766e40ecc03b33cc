/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Arguments of a probe (probe_word.h) as the definition in tracefs has them: "size=%di:u64 name=+0(%si):string". */
#pragma once
#include <stddef.h>
#include "lib/record/probe_word.h"

#define PROBE_DEFINITION_BYTES 4096

/*
 * Write to @ret those of @w, each with a blank before it. @usdt: what the probe's note says of its arguments; else NULL.
 * Returns 0; or -EINVAL, with the reason in @err.
 */
int probe_arguments(char ret[PROBE_DEFINITION_BYTES], const struct probe_word *w, const char *usdt,
		    struct dusk_error *err);

/*
 * Write to @ret what fetches argument @number, from 1, of a USDT probe, and to @type its type, of the operands "8@%rdi -4@$5" in a
 * note. Returns 0; -ENOENT: there are fewer; -EOPNOTSUPP: no probe can fetch it.
 */
int usdt_argument(char *ret, size_t room, char type[8], const char *operands, unsigned int number);
