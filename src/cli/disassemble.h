/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What are the instructions in this piece of a file? objdump knows. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "report/show/show_annotation.h"

/*
 * The instructions from @start to @end, link-time addresses, of the ELF file open in @fd. *@ret is to be freed with
 * instructions_free(). STATUS_FAILED: all is said.
 */
int disassemble(struct instruction **ret, size_t *nr, int fd, uint64_t start, uint64_t end);
void instructions_free(struct instruction *v, size_t nr);
