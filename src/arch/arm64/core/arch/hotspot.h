/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Code of HotSpot is not known here. */
#pragma once
#include "core/machine.h"

#define HOTSPOT_IS_KNOWN 0
#define HOTSPOT_THREAD X28
#define HOTSPOT_NEXT X22
#define HOTSPOT_FRAME_METHOD 0
#define HOTSPOT_FRAME_SENDER 0
#define HOTSPOT_FRAME_NEXT 0

enum hotspot_left { HOTSPOT_POPPED = 1, HOTSPOT_NOT_POPPED };

static INLINE enum hotspot_left hotspot_is_left(const u64 *word)
{
	return word ? 0 : HOTSPOT_POPPED;
}

static INLINE bool hotspot_saves_fp(u64 code)
{
	return !code;
}

static INLINE bool hotspot_pushes_fp(u64 code)
{
	return !code;
}

static INLINE bool hotspot_makes_room(u64 code, u64 bytes)
{
	return code == bytes;
}

#define HOTSPOT_CALL_BYTES 0

static INLINE bool hotspot_calls_by_register(const u8 *code)
{
	return !code;
}

static INLINE void hotspot_restore_registers(struct machine *m, u64 fp)
{
	m->cfa = fp;
}
