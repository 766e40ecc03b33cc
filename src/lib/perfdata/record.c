/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decode a record of perf events.
 *
 * The sample type of the event says which fields a sample has, and in which order. The copy of the stack is the last field
 * needed, so fields behind it may be unknown. Other records end with a trailer that has the thread and the time.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "lib/buildid.h"
#include "lib/perfdata/file.h"

#define MISC_LOST_BY_FILTER (1 << 15) /* in LOST_SAMPLES: dropped on purpose */
#define FORMAT_LOST (1U << 4)
#define MAX_BUILD_ID 20
#define BRANCH_COUNTERS (1U << 19) /* PERF_SAMPLE_BRANCH_COUNTERS of linux 6.8 */

#define TRAILER                                                                                          \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_IDENTIFIER)

/* The part of a record that has not been read. */
struct words {
	const uint64_t *at, *end;
	bool missing;
};

static uint64_t next(struct words *w)
{
	if (w->at >= w->end) {
		w->missing = true;
		return 0;
	}
	return *w->at++;
}

static uint32_t low(uint64_t word)
{
	return word;
}

static uint32_t high(uint64_t word)
{
	return word >> 32;
}

static struct words words_of(const struct perf_event_header *h)
{
	const uint64_t *at = (const uint64_t *)(h + 1);

	return (struct words){at, at + (h->size - sizeof(*h)) / sizeof(*at), false};
}

bool perfdata_is_unknown(uint32_t type)
{
	return type > RECORD_LAST_OF_PERF || (type > RECORD_CALLCHAIN_DEFERRED && type < RECORD_FIRST_OF_PERF);
}

uint64_t perfdata_payload(const struct perf_event_header *h)
{
	if (h->type == RECORD_AUXTRACE && h->size >= sizeof(*h) + sizeof(uint64_t))
		return *(const uint64_t *)(h + 1);
	if (h->type == RECORD_TRACING_DATA && h->size >= sizeof(*h) + sizeof(uint32_t))
		return *(const uint32_t *)(h + 1);
	return 0;
}

static struct perfdata_event *event_of(const struct perfdata_layout *l, const struct words *w, bool is_sample)
{
	int place = is_sample ? l->id_from_start : l->id_from_end;
	uint32_t *index;
	uint64_t id;

	if (place < 0)
		return l->events.v;
	if (w->end - w->at <= place)
		return NULL;
	id = is_sample ? w->at[place] : w->end[-1 - place];
	index = map_find(&l->ids, id);
	/* Records that perf synthesized have id 0. */
	return index ? &l->events.v[*index] : id || is_sample ? NULL : l->events.v;
}

static uint32_t nr_bits(uint64_t bits)
{
	return __builtin_popcountll(bits);
}

/* Read the thread and the time of a record other than a sample, and remove that trailer from @w. */
static int take_trailer(const struct perfdata_layout *l, struct words *w, struct perfdata_record *ret)
{
	const struct perfdata_event *e = event_of(l, w, false);
	uint64_t type = e ? e->sample_type & TRAILER : 0;
	struct words t;

	if (!e)
		return -EBADMSG;
	if (!e->has_trailer)
		return 0;
	if (w->end - w->at < (ptrdiff_t)nr_bits(type))
		return -EBADMSG;
	t = (struct words){w->end - nr_bits(type), w->end, false};
	w->end = t.at;
	if (type & PERF_SAMPLE_TID) {
		uint64_t word = next(&t);

		ret->pid = low(word);
		ret->tid = high(word);
	}
	if (type & PERF_SAMPLE_TIME)
		ret->time_ns = next(&t);
	t.at += nr_bits(type & (PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID));
	if (type & PERF_SAMPLE_CPU)
		ret->cpu = low(next(&t));
	return 0;
}

static void skip(struct words *w, uint64_t nr)
{
	if (nr > (uint64_t)(w->end - w->at))
		w->missing = true;
	else
		w->at += nr;
}

/* PERF_SAMPLE_READ: counters, which are not used. */
static void skip_counters(struct words *w, uint64_t format)
{
	uint64_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & FORMAT_LOST), nr = 1;
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);

	if (format & PERF_FORMAT_GROUP)
		nr = next(w);
	skip(w, times);
	if (nr > (uint64_t)(w->end - w->at))
		w->missing = true;
	else
		skip(w, nr * each);
}

static void take_ips(struct words *w, struct perfdata_record *ret)
{
	uint64_t nr = next(w);

	if (nr > (uint64_t)(w->end - w->at)) {
		w->missing = true;
		return;
	}
	ret->ips = w->at;
	ret->nr_ips = nr;
	w->at += nr;
}

/*
 * perf's off-CPU samples have the thread, the time and the stack in their raw data, if any (perf of Linux 6.16 and
 * later).
 */
static int take_off_cpu(struct words *w, struct perfdata_record *ret)
{
	const uint32_t *raw = (const uint32_t *)w->at;
	uint64_t tasks, bytes;
	struct words inner;

	if (w->at >= w->end)
		return -EBADMSG;
	bytes = *raw;
	if (bytes > (uint64_t)((const char *)w->end - (const char *)(raw + 1)))
		return -EBADMSG;
	/* The length takes half a word, so the data is not aligned. This is a copy, which may be moved. */
	memmove((void *)w->at, raw + 1, bytes);
	inner = (struct words){w->at, w->at + bytes / sizeof(*w->at), false};
	tasks = next(&inner);
	ret->pid = low(tasks);
	ret->tid = high(tasks);
	ret->period = next(&inner);
	take_ips(&inner, ret);
	return inner.missing ? -EBADMSG : 0;
}

/*
 * The registers of user mode, and a copy of the stack from the stack pointer on. The kernel reserves room for the copy,
 * and says behind it how much of that it has filled.
 */
static int take_user(struct words *w, uint64_t type, struct perfdata_record *ret)
{
	uint64_t room, filled = 0;

	if (type & PERF_SAMPLE_REGS_USER)
		ret->regs_abi = next(w);
	if (ret->regs_abi != PERF_SAMPLE_REGS_ABI_NONE) {
		ret->regs = w->at;
		skip(w, nr_bits(ret->event->regs_user));
	}
	room = type & PERF_SAMPLE_STACK_USER ? next(w) : 0;
	if (room) {
		ret->stack = w->at;
		skip(w, room / sizeof(*w->at));
		filled = next(w);
	}
	ret->stack_room = room;
	ret->stack_bytes = filled;
	return w->missing || room % sizeof(*w->at) || filled > room ? -EBADMSG : 0;
}

/* { length; data }: the length is of 4 bytes, and the kernel adds bytes up to a multiple of 8. */
static void skip_raw(struct words *w)
{
	uint64_t bytes = w->at < w->end ? sizeof(uint32_t) + (uint64_t)low(*w->at) : 0;

	skip(w, (bytes + sizeof(*w->at) - 1) / sizeof(*w->at));
}

/* { number; index in the hardware; { from; to; flags } of each; counters of each }: the index and counters only if asked for. */
static void take_branches(struct words *w, uint64_t type, struct perfdata_record *ret)
{
	uint64_t nr = next(w);

	skip(w, !!(type & PERF_SAMPLE_BRANCH_HW_INDEX));
	if (nr > (uint64_t)(w->end - w->at)) {
		w->missing = true;
		return;
	}
	ret->branches = (const struct perfdata_branch *)w->at;
	ret->nr_branches = nr;
	skip(w, nr * (sizeof(*ret->branches) / sizeof(*w->at)));
	skip(w, type & BRANCH_COUNTERS ? nr : 0);
}

/* The fields behind the call chain, as far as they are needed. */
static int take_behind(const struct perfdata_event *e, struct words *w, struct perfdata_record *ret)
{
	if (e->sample_type & PERF_SAMPLE_RAW)
		skip_raw(w);
	if (e->sample_type & PERF_SAMPLE_BRANCH_STACK)
		take_branches(w, e->branch_type, ret);
	if (w->missing)
		return -EBADMSG;
	return e->regs_user ? take_user(w, e->sample_type, ret) : 0;
}

static int decode_sample(const struct perfdata_layout *l, struct words w, struct perfdata_record *ret)
{
	const struct perfdata_event *e = event_of(l, &w, true);
	uint64_t type = e ? e->sample_type : 0, word;

	if (!e)
		return -ENOENT;
	ret->event = e;
	ret->period = e->is_frequency ? 0 : e->period;
	skip(&w, !!(type & PERF_SAMPLE_IDENTIFIER));
	ret->address = type & PERF_SAMPLE_IP ? next(&w) : 0;
	word = next(&w); /* events without a thread are refused */
	ret->pid = low(word);
	ret->tid = high(word);
	ret->time_ns = type & PERF_SAMPLE_TIME ? next(&w) : 0;
	skip(&w, nr_bits(type & (PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID)));
	ret->cpu = type & PERF_SAMPLE_CPU ? low(next(&w)) : PERFDATA_NO_CPU;
	if (type & PERF_SAMPLE_PERIOD)
		ret->period = next(&w);
	if (type & PERF_SAMPLE_READ)
		skip_counters(&w, e->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		take_ips(&w, ret);
	if (w.missing)
		return -EBADMSG;
	if (type & PERF_SAMPLE_RAW && !strcmp(e->name, "offcpu-time"))
		return take_off_cpu(&w, ret);
	return e->regs_user || type & PERF_SAMPLE_BRANCH_STACK ? take_behind(e, &w, ret) : 0;
}

/* Take the string at the beginning of @w, which must end inside @w. */
static int take_text(const struct words *w, struct perfdata_record *ret)
{
	ret->text = (const char *)w->at;
	return w->missing || !memchr(w->at, 0, (const char *)w->end - (const char *)w->at) ? -EBADMSG : 0;
}

static int decode_map(const struct perf_event_header *h, struct words w, struct perfdata_record *ret)
{
	uint64_t word = next(&w), protection_flags;

	ret->pid = low(word);
	ret->tid = high(word);
	ret->start = next(&w);
	ret->bytes = next(&w);
	ret->offset = next(&w);
	if (h->type == PERF_RECORD_MMAP2) {
		const uint8_t *id = (const uint8_t *)w.at;

		word = next(&w);
		ret->ino = next(&w);
		ret->generation = next(&w);
		protection_flags = next(&w);
		ret->protection = low(protection_flags);
		ret->flags = high(protection_flags);
		if (w.missing)
			return -EBADMSG;
		if (h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
			buildid_hex(ret->build_id, id + 4, id[0] < MAX_BUILD_ID ? id[0] : MAX_BUILD_ID);
			ret->ino = ret->generation = 0;
		} else {
			ret->dev = makedev(low(word), high(word));
		}
	} else {
		ret->protection = PROT_READ | (h->misc & PERF_RECORD_MISC_MMAP_DATA ? 0 : PROT_EXEC);
	}
	return take_text(&w, ret);
}

static int decode_name(const struct perf_event_header *h, struct words w, struct perfdata_record *ret)
{
	uint64_t word = next(&w);

	ret->pid = low(word);
	ret->tid = high(word);
	ret->exec = h->misc & PERF_RECORD_MISC_COMM_EXEC;
	return take_text(&w, ret);
}

static int decode_fork(const struct perf_event_header *h, struct words w, struct perfdata_record *ret)
{
	uint64_t processes = next(&w), threads = next(&w), time = next(&w);

	ret->pid = low(processes);
	ret->ppid = high(processes);
	ret->tid = low(threads);
	ret->ptid = high(threads);
	ret->time_ns = ret->time_ns ?: time;
	ret->exec = h->misc & PERF_RECORD_MISC_FORK_EXEC;
	return w.missing ? -EBADMSG : 0;
}

static int decode_deferred(struct words w, struct perfdata_record *ret)
{
	ret->cookie = next(&w);
	take_ips(&w, ret);
	return w.missing ? -EBADMSG : 0;
}

static int decode_lost(const struct perf_event_header *h, struct words w, struct perfdata_record *ret)
{
	if (h->type == PERF_RECORD_LOST)
		next(&w); /* id of the event */
	ret->lost = next(&w);
	if (h->type == PERF_RECORD_LOST_SAMPLES && h->misc & MISC_LOST_BY_FILTER)
		ret->lost = 0;
	return w.missing ? -EBADMSG : 0;
}

/*
 * The thread is in the trailer: it is the one that the CPU switches from or to. Records of a CPU's events have the other
 * one in front of that.
 */
static int decode_switch(const struct perf_event_header *h, struct words w, struct perfdata_record *ret)
{
	ret->out = h->misc & PERF_RECORD_MISC_SWITCH_OUT;
	ret->preempted = ret->out && h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	if (h->type == PERF_RECORD_SWITCH_CPU_WIDE)
		next(&w);
	return w.missing ? -EBADMSG : 0;
}

static enum perfdata_kind kind_of(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_SAMPLE: return PERFDATA_SAMPLE;
	case RECORD_CALLCHAIN_DEFERRED: return PERFDATA_DEFERRED;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: return PERFDATA_MAP;
	case PERF_RECORD_COMM: return PERFDATA_NAME;
	case PERF_RECORD_FORK: return PERFDATA_FORK;
	case PERF_RECORD_EXIT: return PERFDATA_EXIT;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES: return PERFDATA_LOST;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE: return PERFDATA_SWITCH;
	default: return PERFDATA_OTHER;
	}
}

static enum perfdata_mode mode_of(uint16_t misc)
{
	uint16_t mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode <= PERFDATA_GUEST_USER ? mode : PERFDATA_UNKNOWN;
}

int perfdata_decode(const struct perfdata_layout *l, const struct perf_event_header *h, struct perfdata_record *ret)
{
	struct words w = words_of(h);
	int rc;

	*ret = (struct perfdata_record){.kind = kind_of(h->type), .mode = mode_of(h->misc), .cpu = PERFDATA_NO_CPU};
	if (h->type == RECORD_COMPRESSED || h->type == RECORD_COMPRESSED2)
		return -EBADMSG; /* the header does not say so, or it is in another one */
	if (ret->kind == PERFDATA_OTHER)
		return 0;
	if (ret->kind == PERFDATA_SAMPLE)
		return decode_sample(l, w, ret);
	rc = take_trailer(l, &w, ret);
	if (rc)
		return rc;
	switch (ret->kind) {
	case PERFDATA_DEFERRED: return decode_deferred(w, ret);
	case PERFDATA_MAP: return decode_map(h, w, ret);
	case PERFDATA_NAME: return decode_name(h, w, ret);
	case PERFDATA_FORK:
	case PERFDATA_EXIT: return decode_fork(h, w, ret);
	case PERFDATA_SWITCH: return decode_switch(h, w, ret);
	default: return decode_lost(h, w, ret);
	}
}
