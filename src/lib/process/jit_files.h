/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which processes write something about the code that they generate? Most do not. A child that stays answers that, as reading what
 * they have mapped may wait for them (ask.h); only for those that do a child of its own is begun, which opens the file.
 */
#pragma once
#include <stdint.h>
#include "lib/process/ask.h"

#define JIT_FILES_AT_ONCE 16

enum jit_files {
	JIT_WRITES_DUMP = 1, /* jitdump_open() may find it */
	JIT_WRITES_MAP = 2,  /* perfmap_open() */
};

/* Set @ret[i] to what there is of @pid[i]. @nr: up to JIT_FILES_AT_ONCE. Returns 0 or an error of ask_again(). */
int jit_files_find(struct ask_child *c, const pid_t *pid, size_t nr, uint8_t *ret);
