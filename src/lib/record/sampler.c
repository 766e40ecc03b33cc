/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/sampler.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "lib/error.h"
#include "lib/process/cpu_list.h"
#include "lib/unwinder/probe.h"

struct timer {
	int cpu, fd; /* fd: -1 if the CPU is offline and has no event; owned by @link if there is one */
	struct bpf_link *link;
	uint64_t enabled_ns; /* how long the event had been enabled at the last check */
	bool refused;	     /* the kernel refused an event although the CPU is online */
};

struct sampler {
	bool cycles;
	unsigned int hz;
	struct bpf_program *prog;
	uint64_t counted;
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
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
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
		return error_set(err, ret,
				 "cannot sample at %u Hz: this machine allows %ld; lower -F, or: "
				 "sysctl kernel.perf_event_max_sample_rate=%u",
				 hz, rate, hz);
	if (ret == -ENODEV || ret == -EINVAL)
		return error_set(err, -EINVAL, "cannot sample CPU %d: there is no such CPU, or it is offline", cpu);
	if (!missing && ret == -EACCES)
		return error_set(err, -EPERM,
				 "cannot open a perf event: this kernel demands cap_sys_admin where "
				 "kernel.perf_event_paranoid is above 2; or: sysctl kernel.perf_event_paranoid=2");
	if (missing)
		return error_set(err, -EPERM, "cannot open a perf event: %s is missing (needed to %s)", missing->name,
				 missing->purpose);
	return error_set(err, ret, "cannot open a perf event on CPU %d: %s", cpu, strerror(-ret));
}

static int add(struct sampler *s, int cpu, bool may_be_offline, struct dusk_error *err)
{
	struct timer *t;
	int fd = open_event(s->cycles, s->hz, cpu);

	if (fd == -ENODEV && may_be_offline)
		fd = -1;
	else if (fd < 0)
		return open_error(fd, s->hz, cpu, err);
	t = vec_add(&s->timers);
	if (!t) {
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	t->cpu = cpu;
	t->fd = fd;
	return 0;
}

/* Add all CPUs: also those that may come online later. */
static int add_present(struct sampler *s, struct dusk_error *err)
{
	struct cpu_list present = {0};
	int ret = cpu_list_read(&present, "present", err);

	for (size_t i = 0; i < present.nr && !ret; i++)
		ret = add(s, present.v[i], true, err);
	vec_done(&present);
	return ret;
}

int sampler_new(struct sampler **ret, unsigned int hz, const int *cpus, size_t nr, struct dusk_error *err)
{
	struct sampler *s = calloc(1, sizeof(*s));
	int r = 0;

	if (!s)
		return -ENOMEM;
	s->cycles = sampler_has_pmu();
	s->hz = hz;
	if (!nr)
		r = add_present(s, err);
	for (size_t i = 0; i < nr && !r; i++)
		r = add(s, cpus[i], false, err);
	if (r) {
		sampler_free(s);
		return r;
	}
	*ret = s;
	return 0;
}

static int attach(struct sampler *s, struct timer *t)
{
	t->link = bpf_program__attach_perf_event(s->prog, t->fd);
	return t->link ? 0 : -errno;
}

/* What reading an event returns, by its read_format. */
struct reading {
	uint64_t count, enabled_ns;
};

static int read_event(const struct timer *t, struct reading *ret)
{
	return read(t->fd, ret, sizeof(*ret)) == sizeof(*ret) ? 0 : -EIO;
}

static void detach(struct sampler *s, struct timer *t)
{
	struct reading last;

	if (t->link) {
		ioctl(t->fd, PERF_EVENT_IOC_DISABLE, 0);
		if (!read_event(t, &last))
			s->counted += last.count;
		bpf_link__destroy(steal(t->link)); /* closes the descriptor, too */
	} else if (t->fd >= 0) {
		close(t->fd);
	}
	t->fd = -1;
}

int sampler_start(struct sampler *s, struct bpf_program *prog, struct dusk_error *err)
{
	s->prog = prog;
	for (size_t i = 0; i < s->timers.nr; i++) {
		struct timer *t = &s->timers.v[i];
		int ret = t->fd >= 0 ? attach(s, t) : 0;

		if (ret)
			return error_set(err, ret, "cannot attach to a perf event: %s", strerror(-ret));
	}
	return 0;
}

/* Is the event still on its CPU? Its enabled time stands still after its CPU went offline; nothing else shows that. */
static bool is_alive(struct timer *t)
{
	struct reading now;
	uint64_t before = t->enabled_ns;

	if (t->fd < 0 || read_event(t, &now))
		return false;
	t->enabled_ns = now.enabled_ns;
	return now.enabled_ns != before;
}

void sampler_follow(struct sampler *s)
{
	for (size_t i = 0; i < s->timers.nr; i++) {
		struct timer *t = &s->timers.v[i];

		if (is_alive(t))
			continue;
		detach(s, t);
		t->enabled_ns = 0;
		t->fd = open_event(s->cycles, s->hz, t->cpu);
		t->refused |= t->fd < 0 && t->fd != -ENODEV;
		if (t->fd < 0 || attach(s, t))
			detach(s, t);
	}
}

size_t sampler_refused(const struct sampler *s)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->timers.nr; i++)
		nr += s->timers.v[i].refused;
	return nr;
}

void sampler_stop(struct sampler *s)
{
	for (size_t i = 0; i < s->timers.nr; i++)
		detach(s, &s->timers.v[i]);
}

void sampler_free(struct sampler *s)
{
	if (!s)
		return;
	sampler_stop(s);
	vec_done(&s->timers);
	free(s);
}

uint64_t sampler_counted(const struct sampler *s)
{
	return s->counted;
}

const char *sampler_event(const struct sampler *s)
{
	return s->cycles ? "cycles" : "cpu-clock";
}
