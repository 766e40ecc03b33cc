/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How long is an instruction? */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define INSTRUCTION_ROOM 4

static inline size_t instruction_bytes(const uint8_t *code)
{
	return 4;
}
