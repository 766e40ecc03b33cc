/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What does a walk cost? Each walk's own time, from the kernel.
 *
 *	frame dusk|cold|fp PID SECONDS
 *
 *	dusk	dusk's walks of process PID, rows from the row cache
 *	cold	the same with the row cache switched off: CFI is read and interpreted for each frame
 *	fp	the kernel's frame-pointer walk
 *
 * Prints: walks, median frames, median ns a walk, mean ns of the sampling program (the request, in the interrupt). The
 * cost of a frame is the slope between two depths: what a walk costs at any depth drops out.
 */
#include <bpf/bpf.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "abi/event.h"
#include "base/vec.h"
#include "lib/loader.h"
#include "lib/sampler.h"
#include "fpwalk.h"
#include "fpwalk.skel.h"

#define HZ 1999
#define WARM_UP 100		/* walks that are not counted: they fill the caches */

struct bench {
	struct kernel_side *kernel;	/* of dusk */
	vec_of(u64) ns;
	vec_of(u64) frames;
	size_t seen;
};
