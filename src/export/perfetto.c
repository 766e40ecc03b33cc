/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Export to a Perfetto trace, for ui.perfetto.dev and trace_processor: a PerfSample for each sample, and a slice for
 * each off-CPU interval, on the track of its thread.
 *
 * A trace is a sequence of packets. Data that samples share (names, mappings, frames, stacks) is numbered from 1 and
 * written in the first packet that needs it. The name of a thread is written before its first packet. Times are since
 * the beginning of the recording.
 */
#include <errno.h>
#include "base/cleanup.h"
#include "export/export.h"
#include "export/names.h"
#include "export/protobuf.h"
#include "export/samples.h"

enum { TRACE_PACKET = 1 };
enum {
	PACKET_PROCESS_TREE = 2,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIME_NS = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT,
	PACKET_INTERNED_DATA,
	PACKET_FLAGS,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK,
	PACKET_PERF_SAMPLE = 66
};
enum { FLAG_STATE_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum { CLOCK_SNAPSHOT_CLOCK = 1 };
enum { CLOCK_ID = 1, CLOCK_NS };
enum { ID_REALTIME = 1, ID_BOOTTIME = 6 };
enum { DEFAULTS_PERF_SAMPLE = 12 };
enum { PERF_SAMPLE_DEFAULTS_TIMEBASE = 1 };
enum { TIMEBASE_PERIOD = 1, TIMEBASE_COUNTER = 4, TIMEBASE_NAME = 10 };
enum { COUNTER_CPU_CLOCK = 1 };
enum { TREE_PROCESS = 1, TREE_THREAD };
enum { PROCESS_PID = 1, PROCESS_COMMAND = 3 };
enum { THREAD_TID = 1, THREAD_NAME, THREAD_PID };
enum {
	INTERNED_FUNCTION = 5,
	INTERNED_FRAME,
	INTERNED_STACK,
	INTERNED_BUILD_ID = 16,
	INTERNED_PATH,
	INTERNED_MAPPING = 19
};
enum { STRING_ID = 1, STRING_BYTES };
enum { MAPPING_ID = 1, MAPPING_BUILD_ID, MAPPING_PATH = 7 };
enum { FRAME_ID = 1, FRAME_FUNCTION, FRAME_MAPPING, FRAME_ADDRESS };
enum { STACK_ID = 1, STACK_FRAME };
enum { SAMPLE_CPU = 1, SAMPLE_PID, SAMPLE_TID, SAMPLE_STACK, SAMPLE_MODE, SAMPLE_UNWIND_ERROR = 16 };
enum { MODE_KERNEL = 1, MODE_USER };
enum { UNWIND_UNKNOWN };
enum { TRACK_UUID = 1, TRACK_THREAD = 4 };
enum { TRACK_THREAD_PID = 1, TRACK_THREAD_TID };
enum { EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_CATEGORY = 22, EVENT_NAME = 23, EVENT_STACK = 56 };
enum { TYPE_SLICE_BEGIN = 1, TYPE_SLICE_END };
enum { ANNOTATION_UINT = 3, ANNOTATION_NAME = 10 };

#define FLUSH_BYTES 65536

struct writer {
	const struct dusk_profile *profile;
	struct names *names;
	FILE *out;
	struct pb pb;
	struct path path;
	bool *function_known, *module_known, *frame_known, *stack_known, *thread_known; /* written; stacks by place */
	bool *track_known;								/* by thread */
};

static void flush(struct writer *w)
{
	fwrite(w->pb.v, 1, w->pb.nr, w->out);
	w->pb.nr = 0;
}

static size_t open_packet(struct writer *w, uint64_t time_ns, unsigned int flags)
{
	size_t open = pb_open(&w->pb, TRACE_PACKET);

	pb_u64(&w->pb, PACKET_TIME_NS, time_ns);
	pb_u64(&w->pb, PACKET_SEQUENCE, 1);
	pb_u64(&w->pb, PACKET_FLAGS, flags);
	return open;
}

static void put_clock(struct writer *w, unsigned int id, uint64_t ns)
{
	size_t open = pb_open(&w->pb, CLOCK_SNAPSHOT_CLOCK);

	pb_u64(&w->pb, CLOCK_ID, id);
	pb_u64(&w->pb, CLOCK_NS, ns);
	pb_close(&w->pb, open);
}

/* Timestamps of packets are of CLOCK_BOOTTIME; we declare that it was 0 when the recording began. */
static void put_clocks(struct writer *w, uint64_t start_ns)
{
	size_t open = pb_open(&w->pb, PACKET_CLOCK_SNAPSHOT);

	put_clock(w, ID_BOOTTIME, 0);
	put_clock(w, ID_REALTIME, start_ns);
	pb_close(&w->pb, open);
}

static void put_timebase(struct writer *w)
{
	size_t packet = pb_open(&w->pb, PACKET_DEFAULTS), sample = pb_open(&w->pb, DEFAULTS_PERF_SAMPLE);
	size_t open = pb_open(&w->pb, PERF_SAMPLE_DEFAULTS_TIMEBASE);

	pb_u64(&w->pb, TIMEBASE_PERIOD, w->profile->period_ns);
	pb_u64(&w->pb, TIMEBASE_COUNTER, COUNTER_CPU_CLOCK);
	pb_string(&w->pb, TIMEBASE_NAME, sources[0].name);
	pb_close(&w->pb, open);
	pb_close(&w->pb, sample);
	pb_close(&w->pb, packet);
}

static void put_head(struct writer *w)
{
	uint64_t start_ns = samples_start_ns(w->profile);
	size_t open = open_packet(w, 0, FLAG_STATE_CLEARED);

	put_timebase(w);
	if (start_ns)
		put_clocks(w, start_ns);
	pb_close(&w->pb, open);
}

static void put_thread(struct writer *w, const struct dusk_sample *s)
{
	const struct dusk_thread *t = &w->profile->threads[s->thread];
	size_t packet = open_packet(w, s->time_ns, FLAG_NEEDS_STATE), tree = pb_open(&w->pb, PACKET_PROCESS_TREE);
	size_t open = pb_open(&w->pb, TREE_PROCESS);

	pb_u64(&w->pb, PROCESS_PID, t->pid);
	pb_string(&w->pb, PROCESS_COMMAND, w->names->process[s->thread]);
	pb_close(&w->pb, open);
	open = pb_open(&w->pb, TREE_THREAD);
	pb_u64(&w->pb, THREAD_TID, t->tid);
	pb_string(&w->pb, THREAD_NAME, w->names->thread[s->thread]);
	pb_u64(&w->pb, THREAD_PID, t->pid);
	pb_close(&w->pb, open);
	pb_close(&w->pb, tree);
	pb_close(&w->pb, packet);
}

static void put_text(struct writer *w, uint32_t field, uint64_t id, const void *text, size_t len)
{
	size_t open = pb_open(&w->pb, field);

	pb_u64(&w->pb, STRING_ID, id);
	pb_bytes(&w->pb, STRING_BYTES, text, len);
	pb_close(&w->pb, open);
}

/* Build ids are binary, not hexadecimal. */
static void put_build_id(struct writer *w, uint32_t module)
{
	uint8_t bytes[64];
	size_t len = names_build_id(w->names, module, bytes, sizeof(bytes));

	put_text(w, INTERNED_BUILD_ID, module, bytes, len);
}

/* A path is a list of parts, before each of which readers put a slash. They know the kernel as "/kernel". */
static void put_mapping(struct writer *w, uint32_t module)
{
	const char *path = w->names->path[module];
	size_t open;

	if (w->profile->modules[module].kind == DUSK_MODULE_KERNEL)
		path = "/kernel";
	path += *path == '/';
	put_text(w, INTERNED_PATH, module, path, strlen(path));
	put_build_id(w, module);
	open = pb_open(&w->pb, INTERNED_MAPPING);
	pb_u64(&w->pb, MAPPING_ID, module);
	pb_u64(&w->pb, MAPPING_BUILD_ID, module);
	pb_u64(&w->pb, MAPPING_PATH, module);
	pb_close(&w->pb, open);
}

static void put_function(struct writer *w, uint32_t label)
{
	const char *name = w->names->function[label];

	if (!w->function_known[label])
		put_text(w, INTERNED_FUNCTION, label + 1, name, strlen(name));
	w->function_known[label] = true;
}

static void put_frame(struct writer *w, uint32_t frame)
{
	const struct dusk_frame *f = &w->profile->frames[frame];
	uint32_t label = w->names->labels->of_frame[frame];
	size_t open;

	if (w->frame_known[frame])
		return;
	w->frame_known[frame] = true;
	if (f->module && !w->module_known[f->module])
		put_mapping(w, f->module);
	w->module_known[f->module] = true;
	if (f->function)
		put_function(w, label);
	open = pb_open(&w->pb, INTERNED_FRAME);
	pb_u64(&w->pb, FRAME_ID, frame);
	if (f->function)
		pb_u64(&w->pb, FRAME_FUNCTION, label + 1);
	pb_u64(&w->pb, FRAME_MAPPING, f->module);
	if (w->profile->modules[f->module].kind != DUSK_MODULE_SOURCE)
		pb_u64(&w->pb, FRAME_ADDRESS, f->address - f->is_return);
	pb_close(&w->pb, open);
}

/* The frame of a sample without frames has only a function, which names the outcome. */
static void put_reason(struct writer *w, uint32_t outcome)
{
	uint32_t label = w->names->labels->of_outcome[outcome];
	size_t open;

	put_function(w, label);
	open = pb_open(&w->pb, INTERNED_FRAME);
	pb_u64(&w->pb, FRAME_ID, w->profile->nr_frames + outcome);
	pb_u64(&w->pb, FRAME_FUNCTION, label + 1);
	pb_close(&w->pb, open);
}

/* Write the stack of @s, from the outermost frame to the innermost, unless it is known. */
static int put_stack(struct writer *w, const struct dusk_sample *s)
{
	const struct dusk_profile *p = w->profile;
	uint32_t place = place_of(p, s);
	size_t interned, open;

	if (w->stack_known[place])
		return 0;
	w->stack_known[place] = true;
	if (path_to(&w->path, p, s->node))
		return -ENOMEM;
	interned = pb_open(&w->pb, PACKET_INTERNED_DATA);
	if (!s->node)
		put_reason(w, s->outcome);
	for (size_t i = 0; i < w->path.nr; i++)
		put_frame(w, p->nodes[w->path.v[i]].frame);
	open = pb_open(&w->pb, INTERNED_STACK);
	pb_u64(&w->pb, STACK_ID, place);
	if (!s->node)
		pb_u64(&w->pb, STACK_FRAME, p->nr_frames + s->outcome);
	for (size_t i = w->path.nr; i > 0; i--)
		pb_u64(&w->pb, STACK_FRAME, p->nodes[w->path.v[i - 1]].frame);
	pb_close(&w->pb, open);
	pb_close(&w->pb, interned);
	return 0;
}

static int put_sample(struct writer *w, const struct dusk_sample *s)
{
	const struct dusk_profile *p = w->profile;
	const struct dusk_thread *t = &p->threads[s->thread];
	enum dusk_outcome_class class = p->outcomes[s->outcome].kind;
	bool kernel = p->modules[p->frames[p->nodes[s->node].frame].module].kind == DUSK_MODULE_KERNEL;
	size_t packet, open;

	if (!w->thread_known[s->thread])
		put_thread(w, s);
	w->thread_known[s->thread] = true;
	packet = open_packet(w, s->time_ns, FLAG_NEEDS_STATE);
	if (put_stack(w, s))
		return -ENOMEM;
	open = pb_open(&w->pb, PACKET_PERF_SAMPLE);
	pb_u64(&w->pb, SAMPLE_CPU, s->cpu);
	pb_u64(&w->pb, SAMPLE_PID, t->pid);
	pb_u64(&w->pb, SAMPLE_TID, t->tid);
	pb_u64(&w->pb, SAMPLE_STACK, place_of(p, s));
	pb_u64(&w->pb, SAMPLE_MODE, kernel ? MODE_KERNEL : MODE_USER);
	if (class == DUSK_CUT || class == DUSK_NO_STACK)
		pb_u64(&w->pb, SAMPLE_UNWIND_ERROR, UNWIND_UNKNOWN);
	pb_close(&w->pb, open);
	pb_close(&w->pb, packet);
	return 0;
}

static uint64_t track_of(const struct dusk_thread *t)
{
	return (uint64_t)t->pid << 32 | t->tid;
}

static void put_track(struct writer *w, const struct dusk_sample *s)
{
	const struct dusk_thread *t = &w->profile->threads[s->thread];
	size_t packet = open_packet(w, sample_start_ns(s), FLAG_NEEDS_STATE), track = pb_open(&w->pb, PACKET_TRACK),
	       open;

	pb_u64(&w->pb, TRACK_UUID, track_of(t));
	open = pb_open(&w->pb, TRACK_THREAD);
	pb_u64(&w->pb, TRACK_THREAD_PID, t->pid);
	pb_u64(&w->pb, TRACK_THREAD_TID, t->tid);
	pb_close(&w->pb, open);
	pb_close(&w->pb, track);
	pb_close(&w->pb, packet);
}

static void put_annotation(struct writer *w, const char *name, uint64_t value)
{
	size_t open = pb_open(&w->pb, EVENT_ANNOTATION);

	pb_string(&w->pb, ANNOTATION_NAME, name);
	pb_u64(&w->pb, ANNOTATION_UINT, value);
	pb_close(&w->pb, open);
}

static void put_end(struct writer *w, const struct dusk_sample *s)
{
	size_t packet = open_packet(w, s->time_ns, FLAG_NEEDS_STATE), open = pb_open(&w->pb, PACKET_TRACK_EVENT);

	pb_u64(&w->pb, EVENT_TYPE, TYPE_SLICE_END);
	pb_u64(&w->pb, EVENT_TRACK, track_of(&w->profile->threads[s->thread]));
	pb_close(&w->pb, open);
	pb_close(&w->pb, packet);
}

/* Write a slice from sched-out to sched-in. A sum of off-CPU intervals has no such times, and is left out. */
static int put_interval(struct writer *w, const struct dusk_sample *s)
{
	size_t packet, open;

	if (!sample_has_time(s))
		return 0;
	if (!w->thread_known[s->thread])
		put_thread(w, s);
	if (!w->track_known[s->thread])
		put_track(w, s);
	w->thread_known[s->thread] = w->track_known[s->thread] = true;
	packet = open_packet(w, sample_start_ns(s), FLAG_NEEDS_STATE);
	if (put_stack(w, s))
		return -ENOMEM;
	open = pb_open(&w->pb, PACKET_TRACK_EVENT);
	pb_u64(&w->pb, EVENT_TYPE, TYPE_SLICE_BEGIN);
	pb_u64(&w->pb, EVENT_TRACK, track_of(&w->profile->threads[s->thread]));
	pb_string(&w->pb, EVENT_CATEGORY, sources[DUSK_OFF_CPU].name);
	pb_string(&w->pb, EVENT_NAME, dusk_state_name(s->state));
	pb_u64(&w->pb, EVENT_STACK, place_of(w->profile, s));
	put_annotation(w, "runnable_ns", s->runnable_ns);
	pb_close(&w->pb, open);
	pb_close(&w->pb, packet);
	put_end(w, s);
	return 0;
}

static int put_trace(struct writer *w)
{
	int err = 0;

	put_head(w);
	for (uint64_t i = 0; i < w->profile->nr_samples && !err && !ferror(w->out); i++) {
		const struct dusk_sample *s = &w->profile->samples[i];

		err = (s->source == DUSK_OFF_CPU ? put_interval : put_sample)(w, s);
		if (w->pb.nr > FLUSH_BYTES)
			flush(w);
	}
	flush(w);
	return err ? err : w->pb.failed ? -ENOMEM : 0;
}

int perfetto_write(FILE *out, const struct dusk_profile *p, const struct export_options *o)
{
	_cleanup_(names_freep) struct names *names = NULL;
	_cleanup_(freep) bool *known = NULL;
	struct writer w = {.profile = p, .out = out};
	int err = names_new(&names, p);

	if (err)
		return err;
	w.names = names;
	known = calloc((size_t)names->labels->names.nr + p->nr_modules + p->nr_frames + nr_places(p) +
			       2 * (size_t)p->nr_threads + 1,
		       sizeof(*known));
	if (!known)
		return -ENOMEM;
	w.function_known = known;
	w.module_known = w.function_known + names->labels->names.nr;
	w.frame_known = w.module_known + p->nr_modules;
	w.stack_known = w.frame_known + p->nr_frames;
	w.thread_known = w.stack_known + nr_places(p);
	w.track_known = w.thread_known + p->nr_threads;
	err = put_trace(&w);
	pb_done(&w.pb);
	vec_done(&w.path);
	return err;
}
