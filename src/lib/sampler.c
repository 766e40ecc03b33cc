/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sampler.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "error.h"
#include "probe.h"

struct timer {
	int fd;
	struct bpf_link *link;
};

struct sampler {
	bool cycles;
	struct vec(struct timer) timers;
};

static int open_event(bool cycles, unsigned int hz, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
		.config = cycles ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = hz,
		.disabled = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

bool sampler_has_pmu(void)
{
	_cleanup_(closep) int fd = open_event(true, 99, 0);

	return fd >= 0;
}

static long max_rate(void)
{
	_cleanup_(fclosep) FILE *f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	long rate = 0;

	return f && fscanf(f, "%ld", &rate) == 1 ? rate : 0;
}

static int open_error(int ret, unsigned int hz, int cpu, struct dusk_error *err)
{
	const struct dusk_capability *missing = probe_missing();
	long rate = max_rate();

	if (ret == -EINVAL && rate && hz > (unsigned long)rate)
		return error_set(err, ret, "cannot sample at %u Hz: this machine allows %ld; lower -F, or: "
				 "sysctl kernel.perf_event_max_sample_rate=%u", hz, rate, hz);
	if (ret == -ENODEV || ret == -EINVAL)
		return error_set(err, -EINVAL, "cannot sample CPU %d: there is no such CPU, or it is offline", cpu);
	if (missing)
		return error_set(err, -EPERM, "cannot open a perf event: %s is missing (needed to %s)", missing->name,
				 missing->purpose);
	return error_set(err, ret, "cannot open a perf event on CPU %d: %s", cpu, strerror(-ret));
}

static int add(struct sampler *s, unsigned int hz, int cpu, struct dusk_error *err)
{
	struct timer *t;
	int fd = open_event(s->cycles, hz, cpu);

	if (fd < 0)
		return open_error(fd, hz, cpu, err);
	t = vec_add(&s->timers);
	if (!t) {
		close(fd);
		return -ENOMEM;
	}
	t->fd = fd;
	return 0;
}

/* "0-3,5" of /sys/devices/system/cpu/online. */
static int add_online(struct sampler *s, unsigned int hz, struct dusk_error *err)
{
	_cleanup_(fclosep) FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	int first, last, ret;

	if (!f)
		return error_set(err, -errno, "cannot read /sys/devices/system/cpu/online: %s", strerror(errno));
	do {
		if (fscanf(f, "%d", &first) != 1)
			return error_set(err, -EIO, "cannot understand /sys/devices/system/cpu/online");
		if (fscanf(f, "-%d", &last) != 1)
			last = first;
		for (int cpu = first; cpu <= last; cpu++) {
			ret = add(s, hz, cpu, err);
			if (ret)
				return ret;
		}
	} while (fgetc(f) == ',');
	return 0;
}

int sampler_new(struct sampler **ret, unsigned int hz, const int *cpus, size_t nr, struct dusk_error *err)
{
	struct sampler *s = calloc(1, sizeof(*s));
	int r = 0;

	if (!s)
		return -ENOMEM;
	s->cycles = sampler_has_pmu();
	if (!nr)
		r = add_online(s, hz, err);
	for (size_t i = 0; i < nr && !r; i++)
		r = add(s, hz, cpus[i], err);
	if (r) {
		sampler_free(s);
		return r;
	}
	*ret = s;
	return 0;
}

int sampler_start(struct sampler *s, struct bpf_program *prog, struct dusk_error *err)
{
	for (size_t i = 0; i < s->timers.nr; i++) {
		struct timer *t = &s->timers.v[i];

		t->link = bpf_program__attach_perf_event(prog, t->fd);	/* takes the descriptor */
		if (!t->link)
			return error_set(err, -errno, "cannot attach to a perf event: %s", strerror(errno));
		t->fd = -1;
	}
	return 0;
}

void sampler_stop(struct sampler *s)
{
	for (size_t i = 0; i < s->timers.nr; i++) {
		struct timer *t = &s->timers.v[i];

		bpf_link__destroy(t->link);
		t->link = NULL;
		if (t->fd >= 0)
			close(t->fd);
		t->fd = -1;
	}
}

void sampler_free(struct sampler *s)
{
	if (!s)
		return;
	sampler_stop(s);
	vec_done(&s->timers);
	free(s);
}

const char *sampler_event(const struct sampler *s)
{
	return s->cycles ? "cycles" : "cpu-clock";
}
