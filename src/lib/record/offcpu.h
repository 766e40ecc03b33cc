/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The recorder's off-CPU half: sums from the aggregation, and intervals that have not ended when the recording does.
 * Single off-CPU intervals come through the ring (intake.h).
 *
 * The aggregation is two maps. While the kernel side fills one, the other is read and emptied. They are swapped only
 * when no program uses the old one any more, so that sums are complete when read, and none is read twice.
 */
#pragma once
#include "lib/record/intake.h"
#include "lib/unwinder/tool.h"

struct ring_buffer;
struct offcpu;

/* *@ret is to be freed with offcpu_free(), before @s. @number: the recorder's consumer. @budget: governor.h. */
int offcpu_new(struct offcpu **ret, struct service *s, struct tool *t, uint32_t number, struct intake *in,
	       const struct dusk_record_options *opts, struct dusk_error *err);
void offcpu_free(struct offcpu *o);

/* Return the aggregation map to register the consumer with. */
int offcpu_aggregation(const struct offcpu *o);

/*
 * Record off-CPU intervals from @start_ns (CLOCK_MONOTONIC) to @stop_ns. offcpu_stop() then accounts for those that
 * have not ended. @stops: dusk.h.
 */
int offcpu_start(struct offcpu *o, uint64_t start_ns, struct dusk_error *err);
int offcpu_stop(struct offcpu *o, struct ring_buffer *ring, uint64_t stop_ns, const volatile int *stops,
		struct dusk_error *err);

/* Measure the cost, if it is time, and choose which off-CPU intervals are recorded from here on. */
void offcpu_hold_budget(struct offcpu *o, uint64_t now_ns);

/* Return the length from which on all off-CPU intervals of the whole recording were recorded, in ns. */
uint64_t offcpu_certain_ns(const struct offcpu *o);

/*
 * After offcpu_stop(): have some threads sent no times yet? Threads that are about to end, and that the iterator does
 * not find any more, send them when they do end.
 */
bool offcpu_lives_are_due(const struct offcpu *o);

/* How many off-CPU intervals did offcpu_stop() find that had not ended? */
uint64_t offcpu_unended(const struct offcpu *o);

/*
 * Write the sums so far. Before, @ring is read to its end: it says which threads they are of. Returns 0 or a negative errno.
 */
int offcpu_sum_up(struct offcpu *o, struct ring_buffer *ring, uint64_t now_ns);
