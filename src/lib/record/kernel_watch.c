/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/record/kernel_watch.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"

#define ROUND_UP(bytes) (((bytes) + 7) & ~(size_t)7)
#define RING_PAGES 64 /* for each CPU: 2,900 records; a recorder that begins or ends beside us makes 746 */

/*
 * linux include/uapi/linux/perf_event.h, PERF_RECORD_KSYMBOL. The name ends with zeros, up to a multiple of 8 bytes; the time is
 * behind it, and need not be at the end: where several events of a CPU get this record, each has room for what identifies it and
 * for that of those before it (linux 6.18 kernel/events/core.c, perf_event_ksymbol_output() does not set the size back).
 */
struct ksymbol {
	struct perf_event_header head;
	uint64_t address;
	uint32_t bytes;
	uint16_t type, flags;
	char name[];
};

/* PERF_RECORD_LOST: so many records before this one had no room. */
struct lost {
	struct perf_event_header head;
	uint64_t id, nr;
};

static int open_event(int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.read_format = PERF_FORMAT_LOST,
		.ksymbol = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0 || errno != EINVAL)
		return fd;
	attr.read_format = 0; /* before Linux 6.0 */
	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static void watch_cpu(struct kernel_watch *k, int cpu)
{
	struct kernel_watched w = {.fd = open_event(cpu)};

	if (w.fd < 0) {
		k->refused = errno != ENODEV; /* it has gone offline */
		return;
	}
	if (ring_map(&w.ring, w.fd, RING_PAGES * sysconf(_SC_PAGESIZE)) || vec_push(&k->cpus, w)) {
		ring_unmap(&w.ring);
		close(w.fd);
	}
}

int kernel_watch_cpus(struct kernel_watch *k)
{
	struct cpu_list now = {0};
	int ret = k->refused ? 0 : cpu_list_read(&now, "online", NULL);

	for (size_t i = 0; i < now.nr && !k->refused; i++)
		if (!cpu_list_has(&k->online, now.v[i]))
			watch_cpu(k, now.v[i]);
	if (now.nr) {
		vec_done(&k->online);
		k->online = now;
	}
	return ret == -ENOMEM ? ret : 0;
}

void kernel_watch_begin(struct kernel_watch *k)
{
	k->code.begun_ns = now_ns();
	kernel_watch_cpus(k);
}

/* A ring that is read. */
struct reading {
	struct kernel_watch *k;
	struct kernel_watched *w;
};

/* Since the last record of @w, and until @time_ns, @nr more were lost. */
static int note_loss(struct kernel_watch *k, struct kernel_watched *w, uint64_t nr, uint64_t time_ns)
{
	w->nr_lost += nr;
	k->nr_lost += nr;
	return kernel_code_gap(&k->code, w->last_ns > k->code.begun_ns ? w->last_ns : k->code.begun_ns, time_ns);
}

static uint64_t time_at(const void *record, size_t at)
{
	uint64_t ret;

	memcpy(&ret, (const char *)record + at, sizeof(ret));
	return ret;
}

/* Where the time is in @s; 0: its name does not end in time. */
static size_t time_behind_name(const struct ksymbol *s)
{
	size_t begin = offsetof(struct ksymbol, name), room = s->head.size - begin, at;
	const char *end = s->head.size > begin ? memchr(s->name, 0, room) : NULL;

	at = end ? begin + ROUND_UP(end + 1 - s->name) : 0;
	return at && at + sizeof(uint64_t) <= s->head.size ? at : 0;
}

static int note_symbol(struct kernel_code *k, const struct ksymbol *s, size_t at)
{
	uint64_t time_ns = at ? time_at(s, at) : 0;

	if (!at || s->type != PERF_RECORD_KSYMBOL_TYPE_BPF)
		return 0;
	if (s->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER)
		return kernel_code_went(k, s->address, s->bytes, s->name, time_ns);
	return kernel_code_came(k, s->address, s->bytes, s->name, time_ns);
}

static int take(void *ctx, const struct perf_event_header *h)
{
	const struct reading *r = ctx;
	size_t at = h->type == PERF_RECORD_KSYMBOL ? time_behind_name((const struct ksymbol *)h)
		    : h->size >= sizeof(*h) + sizeof(uint64_t)
			    ? h->size - sizeof(uint64_t) /* it is at the end of others */
			    : 0;
	int ret = 0;

	if (!at)
		return 0;
	if (h->type == PERF_RECORD_LOST && h->size >= sizeof(struct lost))
		ret = note_loss(r->k, r->w, ((const struct lost *)h)->nr, time_at(h, at));
	else if (h->type == PERF_RECORD_KSYMBOL)
		ret = note_symbol(&r->k->code, (const struct ksymbol *)h, at);
	r->w->last_ns = time_at(h, at);
	return ret;
}

int kernel_watch_follow(struct kernel_watch *k)
{
	int ret = 0;

	for (size_t i = 0; i < k->cpus.nr && ret != -ENOMEM; i++)
		ret = ring_take(&k->cpus.v[i].ring, take, &(struct reading){k, &k->cpus.v[i]});
	return ret == -ENOMEM ? ret : 0;
}

/* A ring has no record of what it lost last, until it has room. That is not asked for before the end, as it interrupts the CPU. */
static int note_last_loss(struct kernel_watch *k, struct kernel_watched *w)
{
	struct {
		uint64_t value, lost;
	} now;

	if (read(w->fd, &now, sizeof(now)) != sizeof(now) || now.lost <= w->nr_lost)
		return 0;
	return note_loss(k, w, now.lost - w->nr_lost, now_ns());
}

/* Note the functions of program @fd, each of which is a symbol. */
static int note_sizes(struct kernel_watch *k, int fd)
{
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info), nr;
	_cleanup_(freep) uint64_t *starts = NULL;
	_cleanup_(freep) uint32_t *bytes = NULL;
	int ret = 0;

	if (bpf_obj_get_info_by_fd(fd, &info, &len) || !info.nr_jited_ksyms ||
	    info.nr_jited_func_lens != info.nr_jited_ksyms)
		return 0;
	nr = info.nr_jited_ksyms;
	starts = calloc(nr, sizeof(*starts));
	bytes = calloc(nr, sizeof(*bytes));
	if (!starts || !bytes)
		return -ENOMEM;
	info = (struct bpf_prog_info){
		.nr_jited_ksyms = nr,
		.jited_ksyms = (uintptr_t)starts,
		.nr_jited_func_lens = nr,
		.jited_func_lens = (uintptr_t)bytes,
	};
	len = sizeof(info);
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return 0;
	for (uint32_t i = 0; i < nr && !ret; i++)
		if (starts[i]) /* the kernel hides it */
			ret = kernel_code_stays(&k->code, starts[i], bytes[i]);
	return ret;
}

int kernel_watch_end(struct kernel_watch *k)
{
	int ret = kernel_watch_follow(k);

	for (size_t i = 0; i < k->cpus.nr && !ret; i++)
		ret = note_last_loss(k, &k->cpus.v[i]);
	for (uint32_t id = 0; !ret && !bpf_prog_get_next_id(id, &id);) {
		_cleanup_(closep) int fd = bpf_prog_get_fd_by_id(id);

		if (fd >= 0)
			ret = note_sizes(k, fd);
	}
	return ret;
}

void kernel_watch_done(struct kernel_watch *k)
{
	for (size_t i = 0; i < k->cpus.nr; i++) {
		ring_unmap(&k->cpus.v[i].ring);
		close(k->cpus.v[i].fd);
	}
	vec_done(&k->cpus);
	vec_done(&k->online);
	kernel_code_done(&k->code);
}
