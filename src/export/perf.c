/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Export to a perf.data, for perf report and perf script.
 *
 * It has a header, the sampled event, the records, and facts about the machine. Off-CPU intervals are samples of a
 * second event, in the form of perf record --off-cpu; each record then has the id of its event, samples at the
 * beginning, other records at the end. Records of the name of each process, and of the files of its frames with their
 * build ids, at the addresses of layout.h, precede the samples. A perf.data has no function names: perf looks them up
 * itself. The header has the size of the records, so a first pass counts it, without writing. Numbers are in the byte
 * order of the machine, as in perf.
 *
 * If deferred, as by perf record --call-graph fp,defer since Linux 6.19, a sample has the kernel part of its stack and
 * a cookie, and a later record has the user stack of that cookie.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/map.h"
#include "base/vec.h"
#include "export/deferred.h"
#include "export/export.h"
#include "export/layout.h"
#include "export/names.h"
#include "export/samples.h"

#define MAGIC "PERFILE2"
#define NO_PID UINT32_MAX  /* the PID of kernel mappings */
#define MAX_CALLCHAIN 4096 /* keeps records below 64 KiB */
#define BUILD_ID_BYTES 20
#define SAMPLE_TYPE                                                                                   \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
	 PERF_SAMPLE_CALLCHAIN)

/* Missing in older kernel headers. */
#define RECORD_CALLCHAIN_DEFERRED 22
#define CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define ATTR_FLAGS (offsetof(struct perf_event_attr, read_format) + sizeof(uint64_t)) /* the word of flag bits */
#define ATTR_DEFER_CALLCHAIN (1ULL << 38)
#define ATTR_DEFER_OUTPUT (1ULL << 39)

struct section {
	uint64_t offset, bytes;
};

struct file_header {
	char magic[8];
	uint64_t bytes, attr_bytes;
	struct section attrs, data, event_types;
	uint64_t features[4]; /* a bit for each feature after the data, in the order of bits */
};

struct file_attr {
	struct perf_event_attr attr;
	struct section ids;
};

/* perf's HEADER_HOSTNAME and so on. */
static const struct {
	unsigned int bit;
	const char *setting;
} features[] = {
	{3, "hostname"},
	{4, "kernel"},
	{6, "machine"},
};

enum { NR_FEATURES = sizeof(features) / sizeof(features[0]) };

#define EVENT_DESC 12 /* HEADER_EVENT_DESC: the names of the events */

/* By source: the id in records, and the event that perf shows. */
static const struct event {
	uint64_t id;
	uint32_t config;
	const char *name;
} events[] = {
	[DUSK_CPU] = {1, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock"},
	[DUSK_OFF_CPU] = {2, PERF_COUNT_SW_BPF_OUTPUT, "offcpu-time"},
};

enum { NR_EVENTS = sizeof(events) / sizeof(events[0]) };

/* At the end of each record that is not a sample (sample_id_all): task, time and CPU. */
struct trailer {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, zero;
};

struct mapping {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, bytes, offset;
	uint8_t build_id_bytes, zero[3], build_id[BUILD_ID_BYTES];
	uint32_t protection, flags;
};

struct sample {
	struct perf_event_header header;
	uint64_t address;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, zero;
	uint64_t period_ns, nr_callchain;
};

struct deferred_stack {
	struct perf_event_header header;
	uint64_t cookie, nr;
};

struct task_name {
	struct perf_event_header header;
	uint32_t pid, tid;
	char text[16];
};

struct writer {
	const struct dusk_profile *profile;
	struct names *names;
	struct layout_range *layout;
	const struct deferred *deferred; /* by sample; NULL: samples contain their user stacks */
	FILE *out;			 /* NULL: only count bytes */
	uint64_t bytes;			 /* written or counted */
	bool two;			 /* two events: there are off-CPU intervals */
	struct vec(uint64_t) callchain;
	const char *landmark; /* a kernel function, or "" */
	uint64_t landmark_address;
};

static void put(struct writer *w, const void *data, size_t len)
{
	w->bytes += len;
	if (w->out && len)
		fwrite(data, 1, len, w->out);
}

static size_t padded(size_t len)
{
	return (len + 7) & ~(size_t)7;
}

/* Write @text, padded with zeros to @bytes. */
static void put_text(struct writer *w, const char *text, size_t bytes)
{
	static const char zeros[8];
	size_t len = strlen(text);

	put(w, text, len);
	for (; len < bytes; len += bytes - len < 8 ? bytes - len : 8)
		put(w, zeros, bytes - len < 8 ? bytes - len : 8);
}

static void put_trailer(struct writer *w, struct trailer t)
{
	put(w, &t, sizeof(t));
	if (w->two)
		put(w, &events[DUSK_CPU].id, sizeof(events->id));
}

static size_t trailer_bytes(const struct writer *w)
{
	return sizeof(struct trailer) + (w->two ? sizeof(events->id) : 0);
}

static void put_name(struct writer *w, uint32_t pid, uint32_t tid, const char *name, uint64_t time_ns)
{
	struct task_name r = {
		.header = {PERF_RECORD_COMM, PERF_RECORD_MISC_USER, sizeof(r) + trailer_bytes(w)},
		.pid = pid,
		.tid = tid,
	};
	size_t len = strlen(name);

	memcpy(r.text, name, len < sizeof(r.text) ? len : sizeof(r.text) - 1);
	put(w, &r, sizeof(r));
	put_trailer(w, (struct trailer){.pid = pid, .tid = tid, .time_ns = time_ns});
}

/*
 * Store the path of a module in perf's form in @ret, and return the mapping's offset. The kernel's path ends with the
 * name of a function, and its offset is that function's address: perf computes from it by how much the kernel's
 * addresses have changed after a reboot.
 */
static uint64_t path_of(const struct writer *w, uint32_t module, char *ret, size_t size)
{
	switch (w->profile->modules[module].kind) {
	case DUSK_MODULE_KERNEL: snprintf(ret, size, "[kernel.kallsyms]%s", w->landmark); return w->landmark_address;
	case DUSK_MODULE_ANON: snprintf(ret, size, "//anon"); return w->layout[module].offset;
	default: snprintf(ret, size, "%s", w->names->path[module]); return w->layout[module].offset;
	}
}

static void put_mapping(struct writer *w, uint32_t pid, uint32_t module)
{
	const struct layout_range *l = &w->layout[module];
	bool kernel = w->profile->modules[module].kind == DUSK_MODULE_KERNEL;
	char path[NAME_BYTES + 1];
	uint64_t offset = path_of(w, module, path, sizeof(path));
	size_t len = padded(strlen(path) + 1);
	struct mapping r = {
		.header = {PERF_RECORD_MMAP2, kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
			   sizeof(r) + len + trailer_bytes(w)},
		.pid = pid,
		.tid = kernel ? 0 : pid,
		.start = l->start,
		.bytes = l->limit - l->start,
		.offset = offset,
		.protection = 5 /* PROT_READ | PROT_EXEC */,
		.flags = 2 /* MAP_PRIVATE */,
	};

	r.build_id_bytes = names_build_id(w->names, module, r.build_id, BUILD_ID_BYTES);
	if (r.build_id_bytes)
		r.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	put(w, &r, sizeof(r));
	put_text(w, path, len);
	put_trailer(w, (struct trailer){.pid = pid, .tid = r.tid});
}

/*
 * Write the name of a process and the mappings of its stacks. @turn: the number of the process, from 1. @met: by
 * module, then by node, the number of the last process that had it.
 */
static void put_process(struct writer *w, const uint64_t *samples, uint64_t nr, uint32_t *met, uint32_t turn)
{
	const struct dusk_profile *p = w->profile;
	uint32_t *node_met = met + p->nr_modules, thread = p->samples[samples[0]].thread, pid = p->threads[thread].pid;

	put_name(w, pid, pid, w->names->process[thread], 0);
	for (uint64_t i = 0; i < nr; i++) {
		uint32_t n = p->samples[samples[i]].node;

		for (; n && node_met[n] != turn; n = p->nodes[n].parent) {
			uint32_t module = p->frames[p->nodes[n].frame].module;

			node_met[n] = turn;
			if (module && met[module] != turn && p->modules[module].kind != DUSK_MODULE_KERNEL &&
			    w->layout[module].limit)
				put_mapping(w, pid, module);
			met[module] = turn;
		}
	}
}

static int put_processes(struct writer *w)
{
	const struct dusk_profile *p = w->profile;
	_cleanup_(freep) uint64_t *order = NULL;
	_cleanup_(freep) uint32_t *met = calloc((size_t)p->nr_modules + p->nr_nodes + 1, sizeof(*met));
	uint64_t left = p->nr_samples, nr;
	uint32_t turn = 0;
	int err = met ? samples_sort(&order, p, false) : -ENOMEM;

	for (uint32_t i = 1; i < p->nr_modules; i++)
		if (p->modules[i].kind == DUSK_MODULE_KERNEL && w->layout[i].limit)
			put_mapping(w, NO_PID, i);
	for (const uint64_t *at = order; !err && left; at += nr, left -= nr) {
		nr = samples_of_process(p, at, left);
		put_process(w, at, nr, met, ++turn);
	}
	return err;
}

/* Inlined frames are left out, as perf finds them itself, and code that an interpreter runs, which has no address. */
static int add_address(struct writer *w, uint32_t node)
{
	const struct dusk_profile *p = w->profile;
	uint32_t frame = p->nodes[node].frame;

	return p->frames[frame].is_inlined || !layout_has(p, frame)
		       ? 0
		       : vec_push(&w->callchain, layout_address(w->layout, p, frame));
}

/*
 * Set the callchain: frames from the innermost outwards, with marks where kernel and user frames begin. If @cookie is
 * not 0, it stands for the user frames.
 */
static int set_callchain(struct writer *w, uint32_t node, uint64_t cookie)
{
	const struct dusk_profile *p = w->profile;
	uint64_t mark = 0;

	w->callchain.nr = 0;
	for (uint32_t n = node; n && w->callchain.nr < MAX_CALLCHAIN; n = p->nodes[n].parent) {
		uint64_t wanted = deferred_in_kernel(p, n) ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;

		if (cookie && wanted == PERF_CONTEXT_USER)
			return vec_push(&w->callchain, CONTEXT_USER_DEFERRED) ?: vec_push(&w->callchain, cookie);
		if (wanted != mark && vec_push(&w->callchain, wanted))
			return -ENOMEM;
		mark = wanted;
		if (add_address(w, n))
			return -ENOMEM;
	}
	return 0;
}

/* Write the user stack of @s and of all samples with its cookie. */
static int put_deferred(struct writer *w, const struct dusk_sample *s, const struct deferred *d)
{
	const struct dusk_profile *p = w->profile;
	const struct dusk_thread *t = &p->threads[s->thread];
	struct deferred_stack r = {
		.header = {RECORD_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER, 0},
		.cookie = d->cookie,
	};
	size_t bytes;

	w->callchain.nr = 0;
	for (uint32_t n = deferred_user(p, s->node); n && w->callchain.nr < MAX_CALLCHAIN; n = p->nodes[n].parent)
		if (add_address(w, n))
			return -ENOMEM;
	r.nr = w->callchain.nr;
	bytes = r.nr * sizeof(*w->callchain.v);
	r.header.size = sizeof(r) + bytes + trailer_bytes(w);
	put(w, &r, sizeof(r));
	put(w, w->callchain.v, bytes);
	put_trailer(w, (struct trailer){t->pid, t->tid, s->time_ns + !d->hurried, sample_cpu(s), 0});
	return 0;
}

/* The address of the innermost frame that has one. 0: there is none. */
static uint64_t address_in(const struct writer *w, uint32_t node)
{
	const struct dusk_profile *p = w->profile;

	while (node && !layout_has(p, p->nodes[node].frame))
		node = p->nodes[node].parent;
	return node ? layout_address(w->layout, p, p->nodes[node].frame) : 0;
}

static int put_sample(struct writer *w, const struct dusk_sample *s, uint64_t cookie)
{
	const struct dusk_profile *p = w->profile;
	const struct dusk_thread *t = &p->threads[s->thread];
	struct sample r = {
		.header = {PERF_RECORD_SAMPLE,
			   deferred_in_kernel(p, s->node) ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER},
		.address = address_in(w, s->node),
		.pid = t->pid,
		.tid = t->tid,
		.time_ns = s->time_ns,
		.cpu = sample_cpu(s),
		.period_ns = s->value_ns,
	};
	size_t bytes;

	if (set_callchain(w, s->node, cookie))
		return -ENOMEM;
	r.nr_callchain = w->callchain.nr;
	bytes = w->callchain.nr * sizeof(*w->callchain.v);
	r.header.size = sizeof(r) + bytes + (w->two ? sizeof(events->id) : 0);
	put(w, &r.header, sizeof(r.header));
	if (w->two)
		put(w, &events[sample_source(s)].id, sizeof(events->id));
	put(w, &r.address, sizeof(r) - sizeof(r.header));
	put(w, w->callchain.v, bytes);
	return 0;
}

/* Write the samples by time, and the name of a thread before its first sample and after each change of the name. */
static int put_samples(struct writer *w)
{
	const struct dusk_profile *p = w->profile;
	struct map named = {0}; /* tid -> index of the thread, plus 1 */
	int err = 0;

	for (uint64_t i = 0; i < p->nr_samples && !err && !(w->out && ferror(w->out)); i++) {
		const struct dusk_sample *s = &p->samples[i];
		const struct dusk_thread *t = &p->threads[s->thread];
		const struct deferred *d = w->deferred ? &w->deferred[i] : NULL;
		bool fresh;
		uint32_t *last = map_at(&named, (uint32_t)t->tid, &fresh);

		if (!last) {
			err = -ENOMEM;
			break;
		}
		if (*last != s->thread + 1)
			put_name(w, t->pid, t->tid, w->names->thread[s->thread], s->time_ns);
		*last = s->thread + 1;
		err = put_sample(w, s, d ? d->cookie : 0);
		if (!err && d && d->last)
			err = put_deferred(w, s, d);
	}
	map_done(&named);
	return err;
}

/* Find a kernel function with a unique name that is in nearly every recording. */
static void find_landmark(struct writer *w)
{
	const struct dusk_profile *p = w->profile;

	w->landmark = "";
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		const struct dusk_frame *f = &p->frames[i];
		const char *symbol = p->functions[f->function].symbol;

		if (p->modules[f->module].kind != DUSK_MODULE_KERNEL)
			continue;
		if (!strcmp(symbol, "do_syscall_64") || !strcmp(symbol, "asm_exc_page_fault")) {
			w->landmark = symbol;
			w->landmark_address = f->address - f->function_offset;
			return;
		}
	}
}

static int put_records(struct writer *w)
{
	int err = put_processes(w);

	return err ? err : put_samples(w);
}

/* Mark the event as deferred. @output: one event receives the stacks for all. */
static void defer(struct perf_event_attr *attr, bool output)
{
	uint64_t *flags = (uint64_t *)((char *)attr + ATTR_FLAGS);

	*flags |= ATTR_DEFER_CALLCHAIN | (output ? ATTR_DEFER_OUTPUT : 0);
}

/* The event is the clock, whatever triggered the samples, since periods are in nanoseconds. */
static struct perf_event_attr attr_of(const struct writer *w, const struct event *e)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = e->config,
		.sample_period = w->profile->period_ns,
		.sample_type = SAMPLE_TYPE,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.sample_id_all = 1,
		.build_id = 1,
		.exclude_guest = 1,
	};

	if (w->two)
		attr.sample_type |= PERF_SAMPLE_IDENTIFIER;
	if (e == &events[DUSK_OFF_CPU])
		attr.sample_period = 1;
	if (w->deferred)
		defer(&attr, e == &events[DUSK_CPU]);
	return attr;
}

/* Write the header, the ids of the events if there are two, and the events. */
static void put_header(struct writer *w, uint64_t data_bytes)
{
	uint64_t nr = w->two ? NR_EVENTS : 1, ids_bytes = w->two ? nr * sizeof(events->id) : 0;
	struct file_header h = {
		.magic = MAGIC,
		.bytes = sizeof(h),
		.attr_bytes = sizeof(struct file_attr),
		.attrs = {sizeof(h) + ids_bytes, nr * sizeof(struct file_attr)},
		.data = {sizeof(h) + ids_bytes + nr * sizeof(struct file_attr), data_bytes},
	};

	for (size_t i = 0; i < NR_FEATURES; i++)
		h.features[0] |= 1ULL << features[i].bit;
	if (w->two)
		h.features[0] |= 1ULL << EVENT_DESC;
	put(w, &h, sizeof(h));
	for (size_t i = 0; i < nr && w->two; i++)
		put(w, &events[i].id, sizeof(events->id));
	for (size_t i = 0; i < nr; i++) {
		struct file_attr attr = {.attr = attr_of(w, &events[i]), .ids = {.offset = sizeof(h)}};

		if (w->two)
			attr.ids = (struct section){sizeof(h) + i * sizeof(events->id), sizeof(events->id)};
		put(w, &attr, sizeof(attr));
	}
}

/* The size of a string in perf's form: its length, and the padded text. */
static size_t string_bytes(const char *text)
{
	return sizeof(uint32_t) + padded(strlen(text) + 1);
}

static void put_string(struct writer *w, const char *text)
{
	uint32_t len = padded(strlen(text) + 1);

	put(w, &len, sizeof(len));
	put_text(w, text, len);
}

static size_t descriptions_bytes(void)
{
	size_t bytes = 2 * sizeof(uint32_t);

	for (size_t i = 0; i < NR_EVENTS; i++)
		bytes += sizeof(struct perf_event_attr) + sizeof(uint32_t) + string_bytes(events[i].name) +
			 sizeof(events->id);
	return bytes;
}

static void put_descriptions(struct writer *w)
{
	uint32_t head[] = {NR_EVENTS, sizeof(struct perf_event_attr)}, one = 1;

	put(w, head, sizeof(head));
	for (size_t i = 0; i < NR_EVENTS; i++) {
		struct perf_event_attr attr = attr_of(w, &events[i]);

		put(w, &attr, sizeof(attr));
		put(w, &one, sizeof(one));
		put_string(w, events[i].name);
		put(w, &events[i].id, sizeof(events->id));
	}
}

/* Write the section of each feature, then the features, in the order of their bits. */
static void put_features(struct writer *w)
{
	struct section at = {.offset = w->bytes + (NR_FEATURES + w->two) * sizeof(at)};

	for (size_t i = 0; i < NR_FEATURES; i++) {
		at.bytes = string_bytes(names_setting(w->names, features[i].setting));
		put(w, &at, sizeof(at));
		at.offset += at.bytes;
	}
	at.bytes = descriptions_bytes();
	if (w->two)
		put(w, &at, sizeof(at));
	for (size_t i = 0; i < NR_FEATURES; i++)
		put_string(w, names_setting(w->names, features[i].setting));
	if (w->two)
		put_descriptions(w);
}

int perf_write(FILE *out, const struct dusk_profile *p, const struct export_options *o)
{
	_cleanup_(names_freep) struct names *names = NULL;
	_cleanup_(freep) struct layout_range *layout = NULL;
	_cleanup_(freep) struct deferred *deferred = NULL;
	struct writer w = {.profile = p, .two = samples_have(p, DUSK_OFF_CPU)};
	int err = names_new(&names, p);

	if (!err)
		err = layout_new(&layout, p);
	if (!err && o->deferred)
		err = deferred_new(&deferred, p);
	if (err)
		return err;
	w.names = names;
	w.layout = layout;
	w.deferred = deferred;
	find_landmark(&w);
	err = put_records(&w);
	if (!err) {
		uint64_t data_bytes = w.bytes;

		w.out = out;
		w.bytes = 0;
		put_header(&w, data_bytes);
		err = put_records(&w);
	}
	if (!err)
		put_features(&w);
	vec_done(&w.callchain);
	return err;
}
