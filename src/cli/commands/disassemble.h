/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Disassemble a part of a file by objdump. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "report/show/show_annotation.h"

/*
 * Disassemble the link-time addresses [@start, @end) of the ELF file open in @fd. Free *@ret with instructions_free().
 * Returns STATUS_OK, or STATUS_FAILED after printing an error.
 */
int disassemble(struct instruction **ret, size_t *nr, int fd, uint64_t start, uint64_t end);
void instructions_free(struct instruction *v, size_t nr);
