/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any perf.data is read to its end, or refused: no record tells of more than it has, they come in order, and what
 * is followed of processes holds together.
 */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/perfdata/perfdata.h"
#include "lib/process/processes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct state {
	const struct perfdata *data;
	struct processes processes;
	uint64_t time_ns, sum; /* of all that is decoded: each byte of it is read */
};

static void follow(struct state *s, const struct perfdata_record *r)
{
	struct process_map m = {r->start, r->start + r->bytes, r->offset, 1 + r->pid};
	const struct process_map *found;

	if (r->kind == PERFDATA_NAME)
		assert(!processes_name(&s->processes, r->pid, r->tid, r->text, r->exec));
	if (r->kind == PERFDATA_FORK)
		assert(!processes_fork(&s->processes,
				       &(struct process_fork){r->pid, r->tid, r->ppid, r->ptid, r->exec}));
	if (r->kind != PERFDATA_MAP)
		return;
	assert(!processes_map(&s->processes, r->pid, &m));
	found = processes_find(&s->processes, r->pid, r->start);
	assert(m.start >= m.end || s->processes.refused ||
	       (found && found->what == m.what && found->offset == m.offset));
}

static int look(void *ctx, const struct perfdata_record *r)
{
	struct state *s = ctx;

	assert(r->time_ns >= s->time_ns);
	s->time_ns = r->time_ns;
	assert(r->nr_ips * sizeof(*r->ips) < 1 << 16); /* a record may be larger than the file: it was compressed */
	for (uint64_t i = 0; i < r->nr_ips; i++)
		s->sum += r->ips[i] + (processes_find(&s->processes, r->pid, r->ips[i]) != NULL);
	if (r->text)
		s->sum += strlen(r->text);
	assert(strspn(r->build_id, "0123456789abcdef") == strlen(r->build_id));
	if (r->kind == PERFDATA_SAMPLE)
		assert(r->event >= s->data->events && r->event < s->data->events + s->data->nr_events);
	follow(s, r);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("perf.data", MFD_CLOEXEC), rc;
	struct state s = {};
	struct dusk_error err = {""};
	struct perfdata *d = NULL;

	assert(write(fd, data, size) == (ssize_t)size);
	rc = perfdata_open(&d, fd, "perf.data", &err);
	assert(!rc == !!d && !rc == !*err.text);
	s.data = d;
	if (d) {
		for (uint32_t i = 0; i < d->nr_events; i++)
			s.sum += strlen(d->events[i].name);
		for (uint32_t i = 0; i < d->nr_build_ids; i++)
			s.sum += strlen(d->build_ids[i].path) + strlen(d->build_ids[i].text);
		s.sum += strlen(d->command) + strlen(d->hostname) + strlen(d->landmark) + strlen(d->kernel_build_id);
		assert(!perfdata_read(d, look, &s));
	}
	perfdata_free(d);
	processes_done(&s.processes);
	close(fd);
	return 0;
}
