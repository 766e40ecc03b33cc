/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Walk the stacks that perf copied. See import_walk.h. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "abi/outcome.h"
#include "core/walk/walk.h"
#include "lib/arch/names.h"
#include "lib/arch/perf_regs.h"
#include "lib/copied/source.h"
#include "lib/record/import.h"

/* The file is read from the mapping at the module's start, so the profile's module is what is mapped there. */
static void learn(void *ctx, const struct event_module *e)
{
	struct import *im = ctx;
	const struct process_map *m = processes_find(&im->processes, e->pid, e->start);
	bool fresh;
	uint32_t *module = m ? map_at(&im->walk.modules, e->id, &fresh) : NULL;

	if (module)
		*module = m->what;
}

/* Is the file of a machine whose code this core walks? One that does not say so is taken for one. */
static bool is_of_this_kind(const struct perfdata *d)
{
	return !*d->machine || !fnmatch(ARCH_UNAMES, d->machine, FNM_EXTMATCH);
}

static bool has_copies(const struct perfdata *d)
{
	for (uint32_t i = 0; i < d->nr_events; i++)
		if (d->events[i].regs_user)
			return true;
	return false;
}

int import_walk_begin(struct import *im)
{
	struct import_walk *w = &im->walk;

	if (!has_copies(im->data) || !is_of_this_kind(im->data))
		return 0;
	w->is_on = true;
	if (spaces_init(&w->spaces) || host_walk_init(&w->walk, &w->spaces, learn, im))
		return -ENOMEM;
	w->walk.is_past = true;
	w->spaces.files.when_read = true;
	w->spaces.files.by_build_id = !im->same_boot;
	if (!im->same_boot)
		w->spaces.vdso_bytes = 0; /* it had another one */
	profile_set_u64(im->writer, "max_depth", DEFAULT_DEPTH);
	return 0;
}

int import_walk_take(struct import *im, const struct perfdata_record *r, const char *build_id)
{
	struct perfdata_record known = *r;

	if (!im->walk.is_on)
		return 0;
	snprintf(known.build_id, sizeof(known.build_id), "%s", build_id);
	return spaces_take(&im->walk.spaces, &known);
}

/* Frames that the walk could not assign to a file are addresses; records tell what is mapped there. */
static uint32_t frame_of(struct import *im, uint32_t pid, u64 frame)
{
	uint32_t *module = map_find(&im->walk.modules, frame_module(frame));

	if (frame_module(frame) == FRAME_ANON || !module)
		return import_frame(im, frame == FRAME_GAP ? 0 : pid, frame_offset(frame), frame_is_return(frame));
	return profile_frame(im->writer, *module, frame_offset(frame), frame_is_return(frame),
			     (enum dusk_method)frame_method(frame));
}

/* Why is there nothing to walk? NR_OUTCOMES: there is. */
static u32 why_none(struct import *im, const struct perfdata_record *r, uint64_t *regs, uint32_t *missing)
{
	if (r->mode == PERFDATA_USER)
		spaces_begun(&im->walk.spaces, r->pid);
	if (r->regs_abi == PERF_SAMPLE_REGS_ABI_NONE)
		return processes_has_maps(&im->processes, r->pid) ? EXITED : KERNEL_THREAD;
	if (!perf_regs_are_walked(r->regs_abi))
		return COMPAT;
	if (r->mode == PERFDATA_KERNEL && spaces_is_new(&im->walk.spaces, r->pid))
		return EXEC_NEW;
	if (!r->stack_bytes || !source_registers(r, regs, missing))
		return NOT_GIVEN;
	return NR_OUTCOMES;
}

uint8_t import_walk_run(struct import *im, const struct perfdata_record *r, uint32_t *user)
{
	const struct walk *w = im->walk.walk.walk;
	uint64_t regs[COPIED_REGS];
	uint32_t missing = 0;
	u32 outcome;

	*user = 0;
	if (!im->walk.is_on) {
		im->walk.foreign++;
		return NOT_GIVEN;
	}
	outcome = why_none(im, r, regs, &missing);
	if (outcome == NR_OUTCOMES) {
		const struct copied_stack s = {
			.pid = r->pid,
			.regs = (const u64 *)regs,
			.bytes = r->stack,
			.nr_bytes = r->stack_bytes,
			.asked_bytes = r->stack_room,
			.in_kernel = r->mode == PERFDATA_KERNEL,
			.missing = missing,
		};

		outcome = host_walk_run(&im->walk.walk, &s, DEFAULT_DEPTH);
		for (u32 i = w->out.nr; i--;)
			*user = profile_node(im->writer, *user, frame_of(im, r->pid, w->out.frame[i]));
	}
	return outcome;
}

void import_walk_done(struct import *im)
{
	if (!im->walk.is_on)
		return;
	host_walk_done(&im->walk.walk);
	spaces_done(&im->walk.spaces);
	map_done(&im->walk.modules);
}
