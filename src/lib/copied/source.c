/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Perf events and their rings. See source.h. */
#include "lib/copied/source.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/privilege.h"
#include "lib/copied/attr.h"
#include "lib/copied/ring.h"
#include "lib/error.h"
#include "lib/process/cpu_list.h"

#define SPARE_FDS 256
#define RECORD_FIELDS_BYTES 1200 /* of a sample, besides its stack: registers, and a kernel stack */
#define QUEUE_BYTES (64 << 20)	 /* may wait; a second's walks are as many */
#define FULL_BYTES 128		 /* with less room than that, a switch may have been lost: it takes 40, a LOST 48 */

/* With privilege, a ring is as large as is useful; without it there may be no more than half a MiB a CPU for all of them. */
static const struct {
	size_t most, small, least;
} ring_sizes[NR_SOURCE_RINGS] = {
	[SOURCE_SAMPLES] = {4 << 20, 1 << 18, SAMPLE_RING_LEAST},
	[SOURCE_PROCESSES] = {1 << 20, 1 << 17, PROCESS_RING_LEAST},
	[SOURCE_SWITCHES] = {1 << 20, 1 << 16, SWITCH_RING_LEAST},
	[SOURCE_STACKS] = {4 << 20, 1 << 17, SAMPLE_RING_LEAST},
};

struct cpu_rings {
	int cpu;
	bool sampled;	     /* CPU time; what is said of processes and switches is needed of all CPUs */
	bool refused;	     /* it was online, but its events could not be opened */
	uint64_t enabled_ns; /* how long its events had been enabled when that was looked at last */
	struct cpu_ring {
		int fd;	    /* the first event, to whose ring the others write; -1: none yet */
		bool ended; /* the thread of that event has ended: it wakes nobody any more */
		struct ring ring;
		uint64_t last_ns; /* the time of the last record */
	} rings[NR_SOURCE_RINGS];
};

struct perf_source {
	struct attr_choice choice; /* without the lists of its options */
	bool small;		   /* the user may not lock much memory */
	int cgroup;		   /* the descriptor of the only one that is sampled, or -1 */
	struct vec(struct cpu_rings) cpus;
	struct vec(int) fds[NR_SOURCE_RINGS]; /* all of them, by their ring */
	bool started[NR_SOURCE_RINGS];
	struct perfdata_layout layouts[NR_SOURCE_RINGS];
	uint64_t dropped[NR_SOURCE_RINGS];
	/* while records are taken */
	struct queue *queue;
	uint32_t which;
	struct cpu_ring *ring;
};

/* How large may this ring be, if memory is short? Four of them have to share it. */
static size_t small_ring(const struct perf_source *s, enum source_ring which)
{
	return ring_sizes[which].small / (attr_is_used(&s->choice, SOURCE_STACKS) && which < SOURCE_SWITCHES ? 2 : 1);
}

/*
 * How large may rings of samples be for certain, or nearly so: half of the memory that this process may lock is for them.
 * Returns a power of two, or 0.
 */
static size_t certain_bytes(const struct perf_source *s)
{
	size_t bytes = ring_sizes[SOURCE_SAMPLES].most;
	struct rlimit limit;

	if (privilege_held() & CAP(CAP_IPC_LOCK))
		return bytes;
	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return 0;
	while (bytes > limit.rlim_cur / s->cpus.nr / 2)
		bytes /= 2;
	return bytes > ring_sizes[SOURCE_SAMPLES].small ? bytes : 0;
}

/* Map a ring as large as the user may have it. */
static int map_ring(struct perf_source *s, struct ring *r, int fd, enum source_ring which)
{
	size_t small = small_ring(s, which), bytes = small;
	int ret;

	if (which == SOURCE_SAMPLES && s->choice.ring_bytes)
		bytes = s->choice.ring_bytes;
	else if (!s->small && s->choice.kernel)
		bytes = ring_sizes[which].most;
	ret = ring_map(r, fd, bytes);
	s->small |= bytes > small && (ret == -EPERM || ret == -ENOMEM);
	for (bytes = bytes > small ? small : bytes / 2;
	     bytes >= ring_sizes[which].least && (ret == -EPERM || ret == -ENOMEM); bytes /= 2)
		ret = ring_map(r, fd, bytes);
	return ret;
}

/* Open event @which of @tid on @c's CPU. The first one of a CPU has the ring. */
static int add_event(struct perf_source *s, struct cpu_rings *c, enum source_ring which, pid_t tid)
{
	struct perf_event_attr a = attr_of(&s->choice, which);
	struct cpu_ring *r = &c->rings[which];
	bool confined = s->cgroup >= 0 && attr_is_confined(which);
	int fd = attr_open(&a, confined ? s->cgroup : tid, c->cpu, confined ? PERF_FLAG_PID_CGROUP : 0), ret;

	if (fd < 0)
		return fd;
	if (r->fd >= 0)
		ret = ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->fd) ? -errno : 0;
	else
		ret = map_ring(s, &r->ring, fd, which);
	if (!ret)
		ret = vec_push(&s->fds[which], fd);
	if (ret) {
		close(fd);
		return ret;
	}
	if (r->fd < 0)
		r->fd = fd;
	return 0;
}

/* Open all events of @tid on @c's CPU. */
static int add_events(struct perf_source *s, struct cpu_rings *c, pid_t tid, struct dusk_error *err)
{
	for (uint32_t which = 0; which < NR_SOURCE_RINGS; which++) {
		bool used = attr_is_used(&s->choice, which) && (which != SOURCE_SAMPLES || c->sampled);
		int ret = used ? add_event(s, c, which, tid) : 0;

		if (ret == -ESRCH)
			return ret;
		if (ret == -EPERM && c->rings[which].fd < 0)
			return error_set(err, ret,
					 "cannot map a perf ring: the user's locked memory is used up; see "
					 "kernel.perf_event_mlock_kb and ulimit -l");
		if (ret)
			return attr_refuse(&s->choice, tid, c->cpu, ret, err);
	}
	return 0;
}

int source_add(struct perf_source *s, pid_t tid, struct dusk_error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < s->cpus.nr; i++)
		ret = add_events(s, &s->cpus.v[i], tid, err);
	return ret;
}

static int add_cpu(struct perf_source *s, int cpu)
{
	struct cpu_rings c = {.cpu = cpu, .sampled = !s->choice.o.nr_cpus};

	for (int which = 0; which < NR_SOURCE_RINGS; which++)
		c.rings[which].fd = -1;
	return vec_push(&s->cpus, c);
}

static struct cpu_rings *find_cpu(const struct perf_source *s, int cpu)
{
	for (size_t i = 0; i < s->cpus.nr; i++)
		if (s->cpus.v[i].cpu == cpu)
			return &s->cpus.v[i];
	return NULL;
}

/* Add those that are not known yet, without events. */
static int add_online(struct perf_source *s, struct dusk_error *err)
{
	struct cpu_list online = {0};
	int ret = cpu_list_read(&online, "online", err);

	for (size_t i = 0; i < online.nr && !ret; i++)
		ret = find_cpu(s, online.v[i]) ? 0 : add_cpu(s, online.v[i]);
	vec_done(&online);
	return ret;
}

/* Describe the records of all rings to the decoder. */
static int describe(struct perf_source *s)
{
	for (int i = 0; i < NR_SOURCE_RINGS; i++) {
		struct perf_event_attr a = attr_of(&s->choice, i);
		struct perfdata_event e = {
			.name = "",
			.type = a.type,
			.config = a.config,
			.sample_type = a.sample_type,
			.has_trailer = true,
			.regs_user = a.sample_regs_user,
		};

		s->layouts[i].id_from_start = s->layouts[i].id_from_end = -1;
		if (vec_push(&s->layouts[i].events, e))
			return -ENOMEM;
	}
	return 0;
}

/* Only the CPUs of @o are to be sampled. Returns 0, or -EINVAL: one is not there. */
static int choose_cpus(struct perf_source *s, const struct source_options *o, struct dusk_error *err)
{
	for (size_t i = 0; i < o->nr_cpus; i++) {
		struct cpu_rings *c = find_cpu(s, o->cpus[i]);

		if (!c)
			return error_set(err, -EINVAL, "cannot sample CPU %d: there is no such CPU, or it is offline",
					 o->cpus[i]);
		c->sampled = true;
	}
	return 0;
}

/* An event that is not needed any more shows if those of the cgroup are possible. */
static int open_cgroup(struct perf_source *s, const char *path, struct dusk_error *err)
{
	struct perf_event_attr a = attr_of(&s->choice, SOURCE_PROCESSES);
	int fd;

	s->cgroup = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->cgroup < 0)
		return error_set(err, -errno, "cannot open cgroup %s: %s", path, strerror(errno));
	fd = attr_open(&a, s->cgroup, s->cpus.v[0].cpu, PERF_FLAG_PID_CGROUP);
	if (fd < 0)
		return attr_refuse_cgroup(path, fd, err);
	close(fd);
	return 0;
}

static int open_all(struct perf_source *s, const struct source_options *o, struct dusk_error *err)
{
	pid_t first = s->choice.machine ? -1 : o->tids[0];
	int ret = add_online(s, err), nr = 0;

	ret = ret ?: choose_cpus(s, o, err);
	if (ret)
		return ret;
	s->choice.ring_bytes = certain_bytes(s);
	ret = attr_choose(&s->choice, first, s->cpus.v[0].cpu);
	if (ret && ret != -ESRCH)
		return attr_refuse(&s->choice, first, s->cpus.v[0].cpu, ret, err);
	if (s->choice.machine && o->cgroup)
		ret = open_cgroup(s, o->cgroup, err);
	if (ret)
		return ret;
	if (s->choice.machine)
		return source_add(s, -1, err);
	for (size_t i = 0; i < o->nr_tids; i++) {
		ret = source_add(s, o->tids[i], err);
		if (ret && ret != -ESRCH)
			return ret;
		nr += !ret;
	}
	return nr ? 0 : error_set(err, -ESRCH, "cannot sample thread %d: it has ended", first);
}

int source_new(struct perf_source **ret, const struct source_options *o, struct dusk_error *err)
{
	struct perf_source *s = calloc(1, sizeof(*s));
	struct rlimit limit;
	int rc;

	if (!s)
		return -ENOMEM;
	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	s->cgroup = -1;
	s->choice.o = *o;
	s->choice.machine = !o->nr_tids;
	rc = open_all(s, o, err);
	rc = rc ?: describe(s);
	if (rc) {
		source_free(s);
		return rc;
	}
	s->choice.o.tids = NULL;
	s->choice.o.cpus = NULL;
	s->choice.o.cgroup = NULL;
	*ret = s;
	return 0;
}

void source_free(struct perf_source *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->cpus.nr; i++)
		for (int which = 0; which < NR_SOURCE_RINGS; which++)
			ring_unmap(&s->cpus.v[i].rings[which].ring);
	for (int which = 0; which < NR_SOURCE_RINGS; which++) {
		for (size_t i = 0; i < s->fds[which].nr; i++)
			close(s->fds[which].v[i]);
		vec_done(&s->fds[which]);
		vec_done(&s->layouts[which].events);
	}
	vec_done(&s->cpus);
	if (s->cgroup >= 0)
		close(s->cgroup);
	free(s);
}

static void tell_all(struct perf_source *s, enum source_ring which, unsigned long request)
{
	for (size_t i = 0; i < s->fds[which].nr; i++)
		ioctl(s->fds[which].v[i], request, 0);
}

void source_start(struct perf_source *s, enum source_ring which)
{
	s->started[which] = true;
	if (!s->choice.o.from_exec)
		tell_all(s, which, PERF_EVENT_IOC_ENABLE);
}

void source_stop(struct perf_source *s)
{
	for (uint32_t which = 0; which < NR_SOURCE_RINGS; which++)
		tell_all(s, which, PERF_EVENT_IOC_DISABLE);
}

int source_wait(struct perf_source *s, unsigned int ms)
{
	struct vec(struct pollfd) fds = {0};
	size_t at = 0;
	int ret;

	for (size_t i = 0; i < s->cpus.nr; i++)
		for (int which = 0; which < NR_SOURCE_RINGS; which++) {
			const struct cpu_ring *r = &s->cpus.v[i].rings[which];

			if (vec_push(&fds, ((struct pollfd){r->ended ? -1 : r->fd, POLLIN, 0})))
				ms = 0;
		}
	ret = poll(fds.v, fds.nr, ms) < 0 ? -errno : 0;
	for (size_t i = 0; !ret && i < s->cpus.nr; i++)
		for (int which = 0; which < NR_SOURCE_RINGS && at < fds.nr; which++)
			s->cpus.v[i].rings[which].ended |= !!(fds.v[at++].revents & (POLLHUP | POLLERR));
	vec_done(&fds);
	return ret == -EINTR ? ret : 0;
}

int source_decode(const struct perf_source *s, uint32_t ring, const struct perf_event_header *h,
		  struct perfdata_record *ret)
{
	return ring < NR_SOURCE_RINGS ? perfdata_decode(&s->layouts[ring], h, ret) : -EBADMSG;
}

/* Note that switches between the last record and @until_ns may have been lost. */
static int enqueue_loss(struct perf_source *s, uint64_t until_ns)
{
	struct perf_event_header h = {.size = sizeof(h), .misc = 1};
	uint64_t from_ns = s->ring->last_ns > s->queue->past_ns ? s->ring->last_ns : s->queue->past_ns;
	int ret = queue_add(s->queue, SOURCE_LOSS, from_ns, &h);

	h.misc = 0;
	return ret ?: queue_add(s->queue, SOURCE_LOSS, until_ns > from_ns ? until_ns : from_ns, &h);
}

/*
 * What cannot be decoded is passed on all the same, as it is counted there. The kernel says that records were lost when
 * it writes the next one, which may be late; but nothing else says it of a ring that got full while it was read.
 */
static int enqueue(void *ctx, const struct perf_event_header *h)
{
	struct perf_source *s = ctx;
	struct perfdata_record r;
	uint64_t time = source_decode(s, s->which, h, &r) ? s->queue->past_ns : r.time_ns;

	if (h->type == PERF_RECORD_LOST && s->which == SOURCE_SWITCHES && enqueue_loss(s, time))
		return -ENOMEM;
	s->ring->last_ns = time;
	if (h->type == PERF_RECORD_SAMPLE && s->queue->bytes > QUEUE_BYTES) {
		s->dropped[s->which]++;
		return 0;
	}
	return queue_add(s->queue, s->which, time, h);
}

static int take_ring(struct perf_source *s, struct cpu_ring *r, uint32_t which)
{
	bool full = which == SOURCE_SWITCHES && ring_room(&r->ring) < FULL_BYTES;
	int ret;

	s->which = which;
	s->ring = r;
	ret = ring_take(&r->ring, enqueue, s);
	return !ret && full ? enqueue_loss(s, now_ns()) : ret;
}

int source_take(struct perf_source *s, struct queue *q)
{
	int ret = 0;

	s->queue = q;
	for (size_t i = 0; !ret && i < s->cpus.nr; i++)
		for (uint32_t which = 0; !ret && which < NR_SOURCE_RINGS; which++)
			if (s->cpus.v[i].rings[which].ring.head)
				ret = take_ring(s, &s->cpus.v[i].rings[which], which);
	return ret;
}

static bool has_events(const struct cpu_rings *c)
{
	return c->rings[SOURCE_PROCESSES].fd >= 0;
}

/* Are the machine's events still on this CPU? Their enabled time stands still after it went offline; nothing else shows that. */
static bool is_alive(struct cpu_rings *c)
{
	uint64_t now[2], before = c->enabled_ns; /* the count, and the time */

	if (read(c->rings[SOURCE_PROCESSES].fd, now, sizeof(now)) != sizeof(now))
		return false;
	c->enabled_ns = now[1];
	return now[1] != before;
}

/* Close the machine's events on a CPU. What is in their rings still goes to the queue. */
static int close_cpu(struct perf_source *s, struct cpu_rings *c)
{
	int ret = 0;

	for (uint32_t which = 0; which < NR_SOURCE_RINGS; which++) {
		struct cpu_ring *r = &c->rings[which];

		if (!ret && r->ring.head)
			ret = take_ring(s, r, which);
		ring_unmap(&r->ring);
		for (size_t i = 0; i < s->fds[which].nr; i++)
			if (s->fds[which].v[i] == r->fd)
				s->fds[which].v[i] = s->fds[which].v[--s->fds[which].nr];
		if (r->fd >= 0)
			close(r->fd);
		*r = (struct cpu_ring){.fd = -1};
	}
	c->enabled_ns = 0;
	return ret;
}

int source_look(struct perf_source *s, struct queue *q)
{
	int ret = 0, nr = 0;

	s->queue = q;
	for (size_t i = 0; !ret && s->choice.machine && i < s->cpus.nr; i++)
		if (has_events(&s->cpus.v[i]) && !is_alive(&s->cpus.v[i]))
			ret = close_cpu(s, &s->cpus.v[i]);
	if (!ret && add_online(s, NULL) == -ENOMEM)
		ret = -ENOMEM;
	for (size_t i = 0; i < s->cpus.nr; i++)
		nr += !has_events(&s->cpus.v[i]);
	return ret ?: nr;
}

/* Open a CPU's events. Returns 0; -EINVAL: it is offline; others of source_add(). */
static int open_cpu(struct perf_source *s, struct cpu_rings *c, const pid_t *tids, size_t nr)
{
	size_t before[NR_SOURCE_RINGS];
	int ret = 0;

	for (int which = 0; which < NR_SOURCE_RINGS; which++)
		before[which] = s->fds[which].nr;
	if (s->choice.machine)
		ret = add_events(s, c, -1, NULL);
	for (size_t i = 0; !s->choice.machine && (!ret || ret == -ESRCH) && i < nr; i++)
		ret = add_events(s, c, tids[i], NULL);
	for (int which = 0; which < NR_SOURCE_RINGS; which++)
		for (size_t i = before[which]; s->started[which] && i < s->fds[which].nr; i++)
			ioctl(s->fds[which].v[i], PERF_EVENT_IOC_ENABLE, 0);
	return ret == -ESRCH ? 0 : ret;
}

void source_open_cpus(struct perf_source *s, const pid_t *tids, size_t nr)
{
	for (size_t i = 0; i < s->cpus.nr; i++) {
		struct cpu_rings *c = &s->cpus.v[i];
		int ret = has_events(c) ? 0 : open_cpu(s, c, tids, nr);

		c->refused |= ret && ret != -EINVAL;
	}
}

size_t source_refused(const struct perf_source *s)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->cpus.nr; i++)
		nr += s->cpus.v[i].refused;
	return nr;
}

unsigned int source_patience_ms(const struct perf_source *s)
{
	const struct source_options *o = &s->choice.o;
	size_t least = ring_sizes[SOURCE_SAMPLES].most;
	uint64_t ms;

	for (size_t i = 0; i < s->cpus.nr; i++) {
		size_t bytes = s->cpus.v[i].rings[SOURCE_SAMPLES].ring.bytes;

		least = bytes && bytes < least ? bytes : least;
	}
	ms = least * 1000ULL /
	     ((uint64_t)o->hz * (source_stack_bytes(s, SOURCE_SAMPLES) + PAGE_BYTES + RECORD_FIELDS_BYTES));
	return ms < 1 ? 1 : ms > 1000 ? 1000 : ms;
}

uint32_t source_stack_bytes(const struct perf_source *s, enum source_ring ring)
{
	return attr_stack_bytes(&s->choice, ring);
}

uint64_t source_dropped(const struct perf_source *s, enum source_ring ring)
{
	return s->dropped[ring];
}

bool source_sees_kernel(const struct perf_source *s)
{
	return s->choice.kernel;
}

bool source_has_stacks(const struct perf_source *s)
{
	return attr_is_used(&s->choice, SOURCE_STACKS);
}

const char *source_event(const struct perf_source *s)
{
	return !s->choice.o.cpu ? "off-cpu" : s->choice.cycles ? "cycles" : "cpu-clock";
}
