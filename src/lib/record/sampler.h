/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The timers: one perf event on each CPU, cycles where there is a PMU, else the CPU's clock. */
#pragma once
#include <dusk/dusk.h>
#include <bpf/libbpf.h>

struct sampler;

/*
 * Open an event at @hz on each of @cpus (if @nr is 0, on all, including those that come online later). *@ret is to be
 * freed with sampler_free(). Returns 0; -EPERM; -EINVAL: no such CPU, or a rate above
 * kernel.perf_event_max_sample_rate.
 */
int sampler_new(struct sampler **ret, unsigned int hz, const int *cpus, size_t nr, struct dusk_error *err);
void sampler_free(struct sampler *s);

/* Run @prog at each event from now on, until sampler_stop(). */
int sampler_start(struct sampler *s, struct bpf_program *prog, struct dusk_error *err);
void sampler_stop(struct sampler *s);

/* Return what the timers have counted while they ran, in nanoseconds or cycles. Call it after sampler_stop(). */
uint64_t sampler_counted(const struct sampler *s);

/*
 * Give each CPU that is online a live event: CPUs come online, and those that have been offline, as in a suspended
 * machine, have lost their event for good. Call it now and then, but not twice within some milliseconds.
 */
void sampler_follow(struct sampler *s);

/* Return the number of CPUs for which the kernel refused an event to sampler_follow(). */
size_t sampler_refused(const struct sampler *s);

/* Return "cycles" or "cpu-clock". */
const char *sampler_event(const struct sampler *s);

/* Is there a PMU that can sample cycles? */
bool sampler_has_pmu(void);
