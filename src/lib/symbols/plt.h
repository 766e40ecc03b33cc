/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stubs that linkers make for calls of functions of other files. They have no symbols; as in objdump, each is named after
 * the function that it calls, "clock_gettime@plt"; those of x86-64 only. For confined processes: the file is untrusted.
 */
#pragma once
#include <gelf.h>
#include <stdint.h>
#include "base/vec.h"

#define PLT_SUFFIX "@plt"

struct plt_stub {
	uint64_t start, bytes; /* start: link-time address */
	const char *function;  /* as in the symbol table, owned by libelf */
};

struct plt {
	struct vec(struct plt_stub) stubs;
};

/* Find the stubs of @elf. Returns 0, also if there are none, or -ENOMEM; free @ret with plt_done() in any case. */
int plt_read(struct plt *ret, Elf *elf);
void plt_done(struct plt *p);
