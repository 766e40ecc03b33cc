/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Walk the stacks that perf copied, to be unwound later (perf record --call-graph dwarf).
 *
 * The core walks them, as in mode copied (lib/copied/host_walk.h), over the copy and the files of this machine that are those
 * that were mapped. No process is looked at.
 */
#pragma once
#include "lib/copied/host_walk.h"

struct import;

struct import_walk {
	bool is_on; /* there may be copied stacks, of code that can be walked here */
	struct spaces spaces;
	struct host_walk walk;
	struct map modules; /* the core's module number -> the profile's module */
	uint64_t foreign;   /* copies of another architecture */
};

/* Begin, if events of the file have copied stacks. Returns 0 or -ENOMEM. */
int import_walk_begin(struct import *im);

/* Take a record of what a process is or has mapped, with the build id of what is mapped, or "". Returns 0 or -ENOMEM. */
int import_walk_take(struct import *im, const struct perfdata_record *r, const char *build_id);

/*
 * Walk the stack of sample @r, which is of an event with copied stacks. Sets *@user to its innermost node, or 0, and returns the
 * outcome.
 */
uint8_t import_walk_run(struct import *im, const struct perfdata_record *r, uint32_t *user);
void import_walk_done(struct import *im);
