/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The code to which signal handlers return: core/arch/rules.txt knows it, the PC behind it included. */
#pragma once
#include <stdint.h>

#define SIGNAL_RETURN_BYTES 8

static inline uint32_t signal_return(const uint8_t code[SIGNAL_RETURN_BYTES])
{
	return 0;
}
