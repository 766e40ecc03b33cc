/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The code around a return address: the part of framepointer.h that is the same for all architectures. */
#include "core/code/framepointer.h"

/*
 * The bytes behind @pc may be on a page that is not mapped; and so may be those before it, where a mapping begins with a
 * function that calls at once: CPython's first trampoline returns to its seventh byte on x86-64.
 */
#define MISSING CALL_MISSING_BYTES

CORE int framepointer_code(struct machine *m, u64 pc)
{
	bool begins = (pc & (PAGE_BYTES - 1)) == 8 - MISSING;

	m->code_at = pc;
	if (!port_read(m->code, sizeof(m->code), pc - 8))
		return 0;
	memset(m->code + 8, 0, sizeof(m->code) - 8);
	if (!begins)
		return port_read(m->code, 8, pc - 8);
	memset(m->code, 0, MISSING);
	return port_read(m->code + MISSING, sizeof(m->code) - MISSING, pc - 8 + MISSING);
}
