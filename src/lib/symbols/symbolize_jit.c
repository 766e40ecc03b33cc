/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Name code in memory without a file, by what its JIT wrote (jits.h). */
#include <errno.h>
#include <stdlib.h>
#include "abi/frame.h"
#include "base/cleanup.h"
#include "lib/process/jits.h"
#include "lib/symbols/symbolizer.h"

#define END_FD 512 /* descriptors from here on stay free */

/* Ask for the addresses of all frames that will be looked up: a file may be of several processes, and is read once. */
static int ask(struct symbolizer *s)
{
	int rc = 0;

	for (uint32_t m = 1; m < s->p->nr_modules && !s->recorded; m++)
		if (s->p->modules[m].kind == DUSK_MODULE_ANON)
			jits_look(s->jits, s->p->modules[m].pid);
	for (uint32_t i = 1; i < s->p->nr_frames && !rc; i++) {
		const struct dusk_frame *f = &s->p->frames[i];
		const struct dusk_module *m = &s->p->modules[f->module];

		if (m->kind == DUSK_MODULE_ANON && dusk_frame_lacks_symbol(s->p, f))
			rc = jits_want(s->jits, m->pid, f->offset - f->is_return);
	}
	return rc;
}

/* Use those of the recorder, or those of processes that are still there. */
static int find_jits(struct symbolizer *s)
{
	if (s->jits)
		return 0;
	s->jits = s->recorded ? s->recorded->jits : jits_new(END_FD);
	return s->jits ? ask(s) : -ENOMEM;
}

int symbolize_anon(struct symbolizer *s, uint32_t module, const struct group *g)
{
	_cleanup_(code_loads_done) struct code_loads loads = {0};
	pid_t pid = s->p->modules[module].pid;
	int rc = find_jits(s);

	for (uint32_t i = 0; !rc && i < g->nr; i++) {
		const struct dusk_frame *f = &s->p->frames[g->frames[i]];

		if (f->offset == frame_offset(FRAME_GAP)) {
			rc = symbolizer_name(s, &s->p->frames[g->frames[i]], FRAME_GAP_NAME, FRAME_GAP_NAME, f->offset);
			continue;
		}
		rc = jits_loads(s->jits, pid, f->offset - f->is_return, &loads);
		rc = rc ?: symbolizer_name_by_time(s, g->frames[i], &loads, "[anon]");
		rc = rc ?: symbolizer_step(s);
	}
	if (rc == -EFBIG) {
		s->first_large = s->large++ ? s->first_large : pid;
		rc = 0;
	}
	return rc;
}
