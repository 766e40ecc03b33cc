/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names in abi/offcpu.h and abi/frame.h, for readers of profiles. */
#include <dusk/dusk.h>
#include "abi/offcpu.h"
#include "abi/frame.h"

_Static_assert((int)DUSK_BY_NOTHING == BY_NOTHING && (int)DUSK_BY_CFI == BY_CFI && (int)DUSK_BY_SFRAME == BY_SFRAME &&
		       (int)DUSK_BY_FRAME_POINTER == BY_FRAME_POINTER && (int)DUSK_BY_CODE == BY_CODE,
	       "methods");

const char *dusk_state_name(unsigned state)
{
	static const char *const names[] = {
#define X(code, name, sentence) name,
		OFFCPU_REASONS(X)
#undef X
	};

	return state < NR_OFFCPU_REASONS ? names[state] : NULL;
}

const char *dusk_method_name(enum dusk_method method)
{
	static const char *const names[] = {
		[DUSK_BY_NOTHING] = "none",  [DUSK_BY_CFI] = "CFI",
		[DUSK_BY_SFRAME] = "SFrame", [DUSK_BY_FRAME_POINTER] = "frame pointer",
		[DUSK_BY_CODE] = "code",
	};

	return names[method];
}
