/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Find interpreters with stacks that show nothing of what they interpret, and say what would help.
 *
 * Functions of Python, Perl, PHP and Ruby are data to the kernel and the CPU. A stack has them only if the walk could read
 * them, as of many versions of Python and PHP, or if the interpreter makes code for each, and says its name in a perf map or a
 * jitdump.
 */
#pragma once
#include <stdio.h>
#include <dusk/dusk.h>
#include "report/model/time_base.h"

struct interpreter {
	uint32_t module;    /* its program or library */
	const char *remedy; /* what names the functions of the language, or that nothing does */
	uint64_t weight;    /* of stacks with a frame of it: a count, or nanoseconds */
};

/*
 * Find those of processes without any named function of the language, or of a JIT, the heaviest first; none of a language of which
 * functions were recorded. Weights are counts if
 * kind_counts(@kind), else nanoseconds. Free *@ret with free(). Returns 0 or -ENOMEM.
 */
int interpreters_find(struct interpreter **ret, size_t *nr, const struct dusk_profile *p, enum time_base kind);

/* Print them below a view; nothing if there are none. */
void interpreters_show(FILE *out, const struct dusk_profile *p, enum time_base kind);
