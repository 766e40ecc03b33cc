/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/profile/file/abi_names.h"
#include "abi/frame.h"
#include "abi/offcpu.h"

_Static_assert((int)DUSK_BY_NOTHING == BY_NOTHING && (int)DUSK_BY_CFI == BY_CFI && (int)DUSK_BY_SFRAME == BY_SFRAME &&
		       (int)DUSK_BY_FRAME_POINTER == BY_FRAME_POINTER && (int)DUSK_BY_CODE == BY_CODE,
	       "methods");

const struct counter_row counters[NR_COUNTERS] = {
#define X(code, name, sentence) [COUNT_##code] = {name, sentence},
	COUNTERS(X)
#undef X
};

const struct dusk_outcome outcomes[NR_OUTCOMES] = {
#define COMPLETE DUSK_COMPLETE
#define CUT DUSK_CUT
#define NONE DUSK_NO_STACK
#define ABSENT DUSK_ABSENT
#define X(code, name, sentence_class, sentence) [code] = {name, sentence, sentence_class},
	OUTCOMES(X)
#undef X
};

const char *const outcome_classes[DUSK_ABSENT + 1] = {
	[DUSK_COMPLETE] = "complete",
	[DUSK_CUT] = "cut",
	[DUSK_NO_STACK] = "none",
	[DUSK_ABSENT] = "absent",
};

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
