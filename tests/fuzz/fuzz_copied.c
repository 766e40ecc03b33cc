/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any records of perf events are taken: nothing beyond them is read, a walk of a stack in them ends with an outcome, and
 * no thread has more time on and off its CPUs than it has lived. They come as in a ring; the first byte says from which
 * one.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "core/walk/walk.h"
#include "lib/copied/host_walk.h"
#include "lib/copied/source.h"
#include "lib/copied/switches.h"
#include "lib/perfdata/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REGS 0xff05ffULL /* perf's bits of RAX to CS */

static struct perfdata_event events[] = {
	{.name = "",
	 .has_trailer = true,
	 .regs_user = REGS,
	 .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN |
			PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER},
	{.name = "", .has_trailer = true, .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME},
	{.name = "", .has_trailer = true, .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU},
};
#define NR_RINGS 3

static struct spaces spaces;
static struct host_walk walk;
static uint64_t sum; /* of all that is decoded: each byte of it is read */

static void learn(void *ctx, const struct event_module *e)
{
	sum += e->path_start;
}

static void take_interval(void *ctx, const struct switch_interval *i)
{
	assert(i->begin_ns < i->end_ns && i->state < NR_OFFCPU_REASONS);
}

static void take_life(void *ctx, const struct switch_life *l)
{
	assert(l->start_ns < l->end_ns && l->on_cpu_ns + l->runnable_ns + l->blocked_ns <= l->end_ns - l->start_ns);
}

/* The threads' numbers are few, so that their records meet. */
static void take_switch(struct switches *s, const struct perfdata_record *r)
{
	const struct switch_stack stack = {.user = r->time_ns};
	pid_t pid = r->pid % 4, tid = r->tid % 8;

	switch (r->kind) {
	case PERFDATA_SAMPLE: assert(!switches_stack(s, pid, tid, &stack, r->time_ns)); break;
	case PERFDATA_FORK: assert(!switches_fork(s, pid, tid, r->time_ns)); break;
	case PERFDATA_NAME: assert(!r->exec || !switches_exec(s, pid, tid, r->time_ns)); break;
	case PERFDATA_EXIT: assert(!switches_exit(s, tid, r->time_ns)); break;
	case PERFDATA_LOST: switches_lose(s, r->lost & 1); break;
	case PERFDATA_SWITCH:
		assert(!(r->out ? switches_out(s, pid, tid, r->preempted, r->time_ns)
				: switches_in(s, pid, tid, r->cpu, r->time_ns)));
		break;
	case PERFDATA_MAP: switches_thread(s, pid, tid, "RSDTI"[r->start % 5], r -> time_ns); break;
	default: switches_forget(s);
	}
}

static void look(struct perfdata_record *r)
{
	uint64_t regs[COPIED_REGS];
	uint32_t missing;

	for (uint64_t i = 0; i < r->nr_ips; i++)
		sum += r->ips[i];
	for (uint64_t i = 0; i < r->stack_bytes; i++)
		sum += ((const uint8_t *)r->stack)[i];
	if (r->text && r->text[0] == '/') /* no file of this machine is opened */
		r->text = "/";
	r->pid = r->pid % 4 + 0x7ffffff0; /* and no process is read */
	if (r->kind != PERFDATA_SAMPLE) {
		assert(!spaces_take(&spaces, r));
	} else if (source_registers(r, regs, &missing)) {
		const struct copied_stack s = {.pid = r->pid,
					       .regs = (const u64 *)regs,
					       .bytes = r->stack,
					       .nr_bytes = r->stack_bytes,
					       .missing = missing};
		uint32_t outcome = host_walk_run(&walk, &s, 16);

		assert(outcome < NR_OUTCOMES && outcome != GOING_ON && walk.walk->out.nr <= 16);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint64_t record[PERFDATA_RECORD_BYTES / 8 + 1];
	struct perfdata_layout layouts[] = {
		{.events = {&events[0], 1, 1}, .id_from_start = -1, .id_from_end = -1},
		{.events = {&events[1], 1, 1}, .id_from_start = -1, .id_from_end = -1},
		{.events = {&events[2], 1, 1}, .id_from_start = -1, .id_from_end = -1},
	};
	struct switches switches = {.interval = take_interval, .life = take_life};
	uint32_t ring = size ? *data % NR_RINGS : 0;

	assert(!spaces_init(&spaces) && !host_walk_init(&walk, &spaces, learn, NULL));
	for (size_t at = 1; at + sizeof(struct perf_event_header) <= size;) {
		struct perf_event_header *h = (struct perf_event_header *)record;
		struct perfdata_record r;

		memcpy(h, data + at, sizeof(*h));
		if (h->size < sizeof(*h) || h->size > size - at)
			break;
		memcpy(h, data + at, h->size);
		memset((uint8_t *)h + h->size, 0, sizeof(*record));
		at += h->size;
		if (!perfdata_decode(&layouts[ring], h, &r)) {
			take_switch(&switches, &r);
			look(&r);
		}
		ring = (ring + (h->type >> 31)) % NR_RINGS; /* another ring's records may follow */
	}
	switches_end(&switches, UINT64_MAX);
	switches_done(&switches);
	host_walk_done(&walk);
	spaces_done(&spaces);
	return 0;
}
