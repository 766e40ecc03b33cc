/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which stacks may lack a caller, though they are complete?
 *
 * The frame pointer of a function that was interrupted, and may not have set it yet, can be that of its caller: what lies above it
 * is then the return address of the caller, which is left out. Where the function has CFI, or its code could be followed to a
 * return, the walk knows better. Where it had the frame pointer alone, nobody knows. Functions that have called another one are
 * not meant: code that keeps frame pointers has set its own by then.
 */
#pragma once
#include <dusk/dusk.h>
#include <stdbool.h>

/* Return by node whether its stack has such a frame, to be freed with free(); NULL: memory is short. */
bool *unsure_nodes(const struct dusk_profile *p);

/* The same of one stack, whose frames have the form of <dusk/stackmap.h>. */
bool unsure_frames(const uint64_t *frame, uint32_t nr);
