/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The code around a return address: the part of framepointer.h that is the same for all architectures. */
#include "core/code/framepointer.h"

#define BEFORE 8
#define BEHIND 16

/*
 * What lies on the page before @pc, or on the page behind it, may not be mapped: there may be a call right at the beginning of
 * a mapping, as in CPython's first trampoline, or what signal handlers return to, or a call right at its end.
 */
GLOBAL int framepointer_code(struct machine *m NONNULL, u64 pc)
{
	u64 in_page = pc & (PAGE_BYTES - 1), left = PAGE_BYTES - in_page, missing, behind;
	int err;

	m->code_at = pc;
	if (!port_read(m->code, sizeof(m->code), pc - BEFORE))
		return 0;
	memset(m->code, 0, sizeof(m->code));
	missing = opaque(in_page < BEFORE ? BEFORE - in_page : 0) & 15; /* masks, so that the verifier knows */
	behind = opaque(left < BEHIND ? left : BEHIND) & 31;
	if (!port_read(m->code + missing, BEFORE - missing + behind, pc - BEFORE + missing))
		return 0;
	memset(m->code + BEFORE, 0, sizeof(m->code) - BEFORE);
	err = port_read(m->code, BEFORE, pc - BEFORE);
	m->refused |= err == -EACCES;
	return err;
}
