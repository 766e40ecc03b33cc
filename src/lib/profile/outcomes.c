/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/profile/outcomes.h"

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
