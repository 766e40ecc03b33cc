/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names of abi/absence.h, for readers. */
#include <dusk/dusk.h>
#include "abi/absence.h"

const char *dusk_state_name(unsigned state)
{
	static const char *const names[] = {
#define X(code, name, sentence) name,
		ABSENCES(X)
#undef X
	};

	return state < NR_ABSENCES ? names[state] : NULL;
}
