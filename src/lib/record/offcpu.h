/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The recorder's off-CPU half: sums from the aggregation, and what is left at the end. Off-CPU intervals one by one
 * come with the ring (intake.h).
 *
 * The aggregation is two maps. While the kernel side fills one, the other is read and emptied; they change places when
 * nobody uses the old one any more, so that a sum that is read is whole, and none is read twice.
 */
#pragma once
#include "lib/record/intake.h"
#include "lib/shared/tool.h"

struct offcpu;

/* *@ret is to be freed with offcpu_free(), before @s. @number: the recorder's consumer. @budget: governor.h. */
int offcpu_new(struct offcpu **ret, struct service *s, struct tool *t, uint32_t number, struct intake *in,
	       double budget, struct dusk_error *err);
void offcpu_free(struct offcpu *o);

/* The aggregation to register the consumer with. */
int offcpu_aggregation(const struct offcpu *o);

/*
 * From @start_ns on (CLOCK_MONOTONIC) off-CPU intervals count; to @stop_ns, and then what has not ended is accounted
 * for, @stops: dusk.h.
 */
int offcpu_start(struct offcpu *o, uint64_t start_ns, struct dusk_error *err);
int offcpu_stop(struct offcpu *o, uint64_t stop_ns, const volatile int *stops, struct dusk_error *err);

/* Look at what it costs, now and then, and choose which off-CPU intervals are taken from here on. */
void offcpu_hold_budget(struct offcpu *o, uint64_t now_ns);

/* All off-CPU intervals of at least so long were taken, throughout. */
uint64_t offcpu_certain_ns(const struct offcpu *o);

/*
 * After offcpu_stop(): are there threads whose life was not told yet? Those that nobody can find any more, as they
 * are about to end, tell it themselves when they do.
 */
bool offcpu_lives_are_due(const struct offcpu *o);

/* Write the sums so far. 0 or a negative errno. */
int offcpu_sum_up(struct offcpu *o, uint64_t now_ns);
