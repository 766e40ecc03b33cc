/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A profile as rows. See rows.h. */
#include "fleet/clickhouse/rows.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/name.h"
#include "base/strings.h"

#define NS_A_S 1000000000ULL
#define DAY_S 86400
#define WINDOW_NS (10 * NS_A_S)	   /* of samples that are no sums */
#define KERNEL_BYTES (64ULL << 20) /* more than the kernel's own code has; modules lie elsewhere */
#define UNTRUSTED (1ULL << 63)	   /* of a hash: it is of what only its host says */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return hash64(hash * 0x9E3779B97F4A7C15ULL ^ value);
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
	return mix(hash, hash_text(text));
}

static const char *setting(const struct dusk_profile *p, const char *key)
{
	return dusk_profile_setting(p, key) ?: "";
}

/*
 * The kernel's own code is where it was linked, but for one distance in each boot. That of its modules is anywhere, as is
 * memory without a file: their addresses mean something in that boot, or that process, only.
 */
static uint64_t same_offset(const struct dusk_profile *p, const struct dusk_frame *f)
{
	uint64_t text = strtoull(setting(p, "kernel_text"), NULL, 16);
	bool moves = p->modules[f->module].kind == DUSK_MODULE_KERNEL && text && f->offset - text < KERNEL_BYTES;

	return moves ? f->offset - text : f->offset;
}

/*
 * Is what this file's functions are called the same for whoever has such a file? Anybody can make one with the build id, and at the path, of a file of
 * the system, and run it in a mount namespace where it has that path. So it has to be the file that the path leads to here, root's, and
 * nobody else may write to it. The kernel's names are the kernel's word. Code that an interpreter runs is called what its process says.
 */
static bool is_trusted(const struct dusk_module *m)
{
	struct stat st;

	if (m->kind != DUSK_MODULE_FILE)
		return m->kind != DUSK_MODULE_ANON && m->kind != DUSK_MODULE_SOURCE;
	return m->ino && !stat(m->path, &st) && st.st_dev == m->dev && st.st_ino == m->ino && !st.st_uid &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* What is known of others is kept apart: no hash of it is one of what is trusted. */
static uint64_t set_apart(uint64_t hash, bool trusted)
{
	return (hash & ~UNTRUSTED) | (trusted ? 0 : UNTRUSTED);
}

static uint64_t module_hash(const struct rows *r, const struct dusk_module *m, bool trusted)
{
	uint64_t hash = mix_text(mix(m->kind, 0), m->build_id);

	if (m->kind == DUSK_MODULE_FILE || m->kind == DUSK_MODULE_SOURCE)
		hash = mix_text(hash, m->path);
	if (trusted)
		return hash;
	hash = mix_text(hash, r->host);
	return m->kind == DUSK_MODULE_ANON ? mix_text(mix(hash, m->pid), setting(r->p, "boot_id"))
					   : mix(mix(hash, m->dev), m->ino);
}

static uint64_t frame_hash(const struct rows *r, const struct dusk_frame *f, uint64_t module, bool trusted)
{
	uint64_t offset = same_offset(r->p, f), hash = mix(module, f->is_return);
	const struct dusk_module *m = &r->p->modules[f->module];

	/* Of the kernel's modules, which are anywhere. */
	if (offset == f->offset && m->kind == DUSK_MODULE_KERNEL)
		hash = mix_text(hash, setting(r->p, "boot_id"));
	/* Memory that was other functions as well: lib/profile/write/eras.h. Of a source file the offset has few bits of the name. */
	if (((m->kind != DUSK_MODULE_FILE && m->generation) || m->kind == DUSK_MODULE_SOURCE) && f->function)
		hash = mix_text(hash, r->p->functions[f->function].symbol);
	return set_apart(mix(hash, offset), trusted);
}

/* The hashes of all frames. */
static int hash_frames(struct rows *r)
{
	const struct dusk_profile *p = r->p;
	_cleanup_(freep) uint64_t *modules = calloc(p->nr_modules + 1, sizeof(uint64_t));
	_cleanup_(freep) bool *trusted = calloc(p->nr_modules + 1, sizeof(bool));

	if (!modules || !trusted)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->nr_modules; i++) {
		trusted[i] = is_trusted(&p->modules[i]);
		modules[i] = module_hash(r, &p->modules[i], trusted[i]);
	}
	for (uint32_t i = 1; i < p->nr_frames; i++)
		r->frames[i] = frame_hash(r, &p->frames[i], modules[p->frames[i].module], trusted[p->frames[i].module]);
	return 0;
}

/* The hash of the stack that goes on with @frame. */
static uint64_t stack_hash(uint64_t callers, uint64_t frame)
{
	return set_apart(mix(callers, frame) ?: 1, !((callers | frame) & UNTRUSTED)) ?: 1;
}

static bool is_kernel(const struct dusk_profile *p, uint32_t node)
{
	return p->modules[p->frames[p->nodes[node].frame].module].kind == DUSK_MODULE_KERNEL;
}

int rows_init(struct rows *r, const struct dusk_profile *p)
{
	*r = (struct rows){
		.p = p,
		.host = setting(p, "hostname"),
		.start_ns = dusk_profile_start_ns(p),
		.window_ns = strtoull(setting(p, "window_ns"), NULL, 10) ?: WINDOW_NS,
		.frames = calloc(p->nr_frames + 1, sizeof(uint64_t)),
		.ustacks = calloc(p->nr_nodes + 1, sizeof(uint64_t)),
		.kstacks = calloc(p->nr_nodes + 1, sizeof(uint64_t)),
	};
	if (!r->frames || !r->ustacks || !r->kstacks || hash_frames(r))
		return -ENOMEM;
	for (uint32_t i = 1; i < p->nr_nodes; i++) { /* callers come first */
		const struct dusk_node *n = &p->nodes[i];
		uint64_t frame = r->frames[n->frame];

		r->ustacks[i] = is_kernel(p, i) ? r->ustacks[n->parent] : stack_hash(r->ustacks[n->parent], frame);
		r->kstacks[i] = is_kernel(p, i) ? stack_hash(r->kstacks[n->parent], frame) : 0;
	}
	return 0;
}

void rows_done(struct rows *r)
{
	free(r->frames);
	free(r->ustacks);
	free(r->kstacks);
}

static uint64_t profile_id(const char *host, const char *boot_id, const char *start_monotonic_ns, uint64_t start_ns)
{
	return mix(mix_text(mix_text(mix_text(0, host), boot_id), start_monotonic_ns), start_ns);
}

uint64_t rows_profile_id(const struct rows *r)
{
	return profile_id(r->host, setting(r->p, "boot_id"), setting(r->p, "start_monotonic_ns"), r->start_ns);
}

uint64_t rows_last_part_id(const struct rows *r, uint32_t *day)
{
	char boot_id[64], start_monotonic_ns[32];
	uint64_t start_ns, id;

	if (sscanf(setting(r->p, "last_part"), "%63s %31s %" SCNu64, boot_id, start_monotonic_ns, &start_ns) != 3)
		return 0;
	*day = start_ns / NS_A_S / DAY_S;
	id = profile_id(r->host, boot_id, start_monotonic_ns, start_ns);
	return id == rows_profile_id(r) ? 0 : id;
}

uint64_t rows_batch_id(uint64_t profile, const struct profile_cursor *from, uint32_t day)
{
	uint64_t h = profile;

	h = hash64(h ^ from->sample * 3 ^ hash64(from->window * 5 + 1));
	h = hash64(h ^ from->offcpu * 7 ^ hash64(from->window_count * 11 + 2));
	return hash64(h ^ day) ?: 1;
}

/* When the window of @time_ns begins, in seconds since 1970. Sums have the beginning of theirs already. */
static uint32_t window_s(const struct rows *r, uint64_t time_ns)
{
	return (r->start_ns + time_ns - time_ns % r->window_ns) / NS_A_S;
}

/* The first and the last second of what there is from @from_s on and before @to_s. Returns false if there is nothing. */
static bool seconds(const struct rows *r, uint32_t from_s, uint32_t to_s, uint32_t *first, uint32_t *last)
{
	const struct dusk_profile *p = r->p;

	*first = UINT32_MAX;
	*last = 0;
	for (int counts = 0; counts < 2; counts++) {
		uint64_t nr = counts ? p->nr_window_counts : p->nr_samples;

		for (uint64_t i = 0; i < nr; i++) {
			uint32_t s = window_s(r, counts ? p->window_counts[i].time_ns : p->samples[i].time_ns);

			if (s < from_s || s >= to_s)
				continue;
			*first = s < *first ? s : *first;
			*last = s > *last ? s : *last;
		}
	}
	return *first <= *last;
}

bool rows_days(const struct rows *r, uint32_t *first, uint32_t *last)
{
	bool any = seconds(r, 0, UINT32_MAX, first, last);

	*first /= DAY_S;
	*last /= DAY_S;
	return any;
}

/* What samples are summed up by; there is no padding, as it is compared as bytes. */
struct sum_key {
	uint64_t ustack, kstack;
	uint32_t second, thread;
	uint32_t kind, outcome; /* kind: 0 on-cpu, 1 + state off CPU */
};

struct sum {
	uint64_t n, value, runnable;
};

/* Of what is longer than a collector takes the beginning. */
static void write_label(struct buffer *b, const char *text)
{
	char room[NAME_LIMIT_BYTES + 1];

	buffer_text(b, name_limit(room, text));
}

/* The process of a thread: what rows have of it. Threads with the same text are one. */
static void write_process(struct buffer *b, const struct dusk_profile *p, uint32_t thread)
{
	const struct dusk_thread *t = &p->threads[thread];
	const struct dusk_cgroup *c = &p->cgroups[t->cgroup];
	const char *service = *t->service	   ? t->service
			      : *c->unit	   ? c->unit
			      : *c->container_name ? c->container_name
						   : t->comm;

	write_label(b, service);
	write_label(b, t->version);
	write_label(b, c->unit);
	write_label(b, *c->container_name ? c->container_name : c->container);
	write_label(b, c->pod);
	write_label(b, c->pod_namespace);
	buffer_number(b, uint32_t, t->pid);
	write_label(b, t->comm);
}

struct processes {
	struct strings text;
	struct vec(uint32_t) of; /* thread -> number of its text */
};

static int find_processes(struct processes *ret, const struct dusk_profile *p)
{
	struct buffer b = {.failed = false};
	int err = 0;

	for (uint32_t i = 0; !err && i < p->nr_threads; i++) {
		uint32_t number;

		b.bytes.nr = 0;
		write_process(&b, p, i);
		err = b.failed || strings_number(&ret->text, b.bytes.v, b.bytes.nr, &number, NULL) ||
				      vec_push(&ret->of, number)
			      ? -ENOMEM
			      : 0;
	}
	buffer_done(&b);
	return err;
}

struct sums {
	struct strings keys;
	struct vec(struct sum) v;
};

static int add(struct sums *s, const struct sum_key *key, const struct dusk_sample *sample)
{
	uint32_t number;
	bool fresh;

	if (strings_number(&s->keys, key, sizeof(*key), &number, &fresh) || (fresh && !vec_add(&s->v)))
		return -ENOMEM;
	s->v.v[number].n += sample->count;
	s->v.v[number].value += sample->value_ns;
	s->v.v[number].runnable += sample->runnable_ns;
	return 0;
}

static void write_sum(struct buffer *b, const struct rows *r, const struct processes *processes,
		      const struct sum_key *key, const struct sum *sum, uint64_t batch)
{
	const struct strings_entry *process = &processes->text.entries[key->thread];

	buffer_number(b, uint32_t, key->second);
	write_label(b, r->host);
	buffer_bytes(b, process->text, process->len_bytes);
	buffer_text(b, key->kind ? dusk_state_name(key->kind - 1) ?: "?" : "on-cpu");
	buffer_text(b, r->p->outcomes[key->outcome].name);
	buffer_number(b, uint64_t, key->ustack);
	buffer_number(b, uint64_t, key->kstack);
	buffer_number(b, uint64_t, sum->n);
	buffer_number(b, uint64_t, sum->value);
	buffer_number(b, uint64_t, sum->runnable);
	buffer_number(b, uint64_t, batch);
	b->nr_rows++;
}

void rows_samples(struct buffer *b, const struct rows *r, uint32_t day, uint64_t batch)
{
	struct processes processes = {.of = {0}};
	struct sums sums = {.v = {0}};
	int err = find_processes(&processes, r->p);

	for (uint64_t i = 0; !err && i < r->p->nr_samples; i++) {
		const struct dusk_sample *s = &r->p->samples[i];
		const struct sum_key key = {r->ustacks[s->node],
					    r->kstacks[s->node],
					    window_s(r, s->time_ns),
					    processes.of.v[s->thread],
					    s->source == DUSK_CPU ? 0 : 1 + s->state,
					    s->outcome};

		if (key.second / DAY_S == day)
			err = add(&sums, &key, s);
	}
	for (size_t i = 0; !err && i < sums.v.nr; i++) {
		struct sum_key key;

		memcpy(&key, strings_text(&sums.keys, i), sizeof(key)); /* it is not aligned */
		write_sum(b, r, &processes, &key, &sums.v.v[i], batch);
	}
	b->failed |= err != 0;
	strings_done(&processes.text);
	vec_done(&processes.of);
	strings_done(&sums.keys);
	vec_done(&sums.v);
}

static void write_count(struct buffer *b, const struct rows *r, uint32_t second, const char *name, uint64_t value,
			uint64_t batch)
{
	buffer_number(b, uint32_t, second);
	write_label(b, r->host);
	write_label(b, name);
	buffer_number(b, uint64_t, value);
	buffer_number(b, uint64_t, batch);
	b->nr_rows++;
}

/* What is counted by second: several windows may begin in one. */
struct count_key {
	uint32_t second, counter;
};

enum { SENT_OFFCPU = UINT32_MAX - 1, SENT_SAMPLES };

struct second_counts {
	struct strings keys;
	struct vec(uint64_t) v;
	uint32_t day;
};

static int add_count(struct second_counts *s, uint32_t second, uint32_t counter, uint64_t value)
{
	const struct count_key key = {second, counter};
	uint32_t number;
	bool fresh;

	if (second / DAY_S != s->day)
		return 0;
	if (strings_number(&s->keys, &key, sizeof(key), &number, &fresh) || (fresh && vec_push(&s->v, 0)))
		return -ENOMEM;
	s->v.v[number] += value;
	return 0;
}

static const char *name_of(const struct rows *r, uint32_t counter)
{
	return counter == SENT_SAMPLES	? ROWS_SENT_SAMPLES
	       : counter == SENT_OFFCPU ? ROWS_SENT_OFFCPU
					: r->p->counters[counter].name;
}

void rows_counts(struct buffer *b, const struct rows *r, uint32_t day, uint64_t batch)
{
	struct second_counts counts = {.day = day};
	int err = 0;

	for (uint64_t i = 0; !err && i < r->p->nr_window_counts; i++) {
		const struct dusk_window_count *c = &r->p->window_counts[i];

		err = add_count(&counts, window_s(r, c->time_ns), c->counter, c->value);
	}
	for (uint64_t i = 0; !err && i < r->p->nr_samples; i++) {
		const struct dusk_sample *s = &r->p->samples[i];

		err = add_count(&counts, window_s(r, s->time_ns), s->source == DUSK_CPU ? SENT_SAMPLES : SENT_OFFCPU,
				s->count);
	}
	for (size_t i = 0; !err && i < counts.v.nr; i++) {
		struct count_key key;

		memcpy(&key, strings_text(&counts.keys, i), sizeof(key)); /* it is not aligned */
		write_count(b, r, key.second, name_of(r, key.counter), counts.v.v[i], batch);
	}
	b->failed |= err != 0;
	strings_done(&counts.keys);
	vec_done(&counts.v);
}

void rows_refused(struct buffer *b, const struct rows *r, uint32_t day, uint64_t batch)
{
	uint64_t nr[2] = {0};
	uint32_t first, last;

	for (uint64_t i = 0; i < r->p->nr_samples; i++) {
		const struct dusk_sample *s = &r->p->samples[i];

		if (window_s(r, s->time_ns) / DAY_S == day)
			nr[s->source == DUSK_CPU] += s->count;
	}
	if (!seconds(r, day * DAY_S, (day + 1) * DAY_S, &first, &last))
		return;
	write_count(b, r, first, ROWS_REFUSED_SAMPLES, nr[1], batch);
	write_count(b, r, first, ROWS_REFUSED_OFFCPU, nr[0], batch);
}

void rows_batch(struct buffer *b, const struct rows *r, uint32_t day, uint64_t batch, const struct profile_cursor *to)
{
	uint32_t first, last;

	if (!seconds(r, day * DAY_S, (day + 1) * DAY_S, &first, &last))
		return;
	write_count(b, r, first, ROWS_END_SAMPLE, to->sample, batch);
	write_count(b, r, first, ROWS_END_WINDOW, to->window, batch);
	write_count(b, r, first, ROWS_END_OFFCPU, to->offcpu, batch);
	write_count(b, r, first, ROWS_END_COUNT, to->window_count, batch);
	write_count(b, r, first, ROWS_PROFILE, rows_profile_id(r), batch);
	write_count(b, r, last, ROWS_BOOT, hash_text(setting(r->p, "boot_id")), batch);
}

/* Is @hash new? The value that goes with it is not less than @rev from now on. */
static bool is_new(struct buffer *b, struct map *sent, uint64_t hash, uint32_t rev)
{
	bool fresh;
	uint32_t *known = map_at(sent, hash, &fresh);

	if (!known) {
		b->failed = true;
		return false;
	}
	if (!fresh && *known >= rev)
		return false;
	*known = rev;
	return true;
}

/* The frames of the part of a stack that ends at @node: the kernel's, or the user's. */
static void write_stack(struct buffer *b, const struct rows *r, uint32_t node, uint64_t hash, bool kernel)
{
	const struct dusk_profile *p = r->p;
	uint32_t depth = 0, at = node;
	size_t first;

	while (at && is_kernel(p, at) == kernel)
		depth++, at = p->nodes[at].parent;
	if (depth > ROWS_MAX_FRAMES)
		return;
	buffer_number(b, uint64_t, hash);
	buffer_number(b, uint32_t, time(NULL));
	buffer_varint(b, depth);
	first = b->bytes.nr;
	for (uint32_t i = 0; i < depth; i++)
		buffer_number(b, uint64_t, 0);
	for (at = node; depth && !b->failed; at = p->nodes[at].parent)
		memcpy(&b->bytes.v[first + 8 * (size_t)--depth], &r->frames[p->nodes[at].frame], 8);
	b->nr_rows++;
}

void rows_stacks(struct buffer *b, const struct rows *r, struct map *sent)
{
	const struct dusk_profile *p = r->p;

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		uint32_t node = p->samples[i].node;

		if (r->kstacks[node] && is_new(b, sent, r->kstacks[node], 1))
			write_stack(b, r, node, r->kstacks[node], true);
		while (node && is_kernel(p, node))
			node = p->nodes[node].parent;
		if (r->ustacks[node] && is_new(b, sent, r->ustacks[node], 1))
			write_stack(b, r, node, r->ustacks[node], false);
	}
}

static void write_lines(struct buffer *b, const struct dusk_profile *p, const struct dusk_frame *f)
{
	uint32_t nr = f->nr_lines ? f->nr_lines - 1 : 0; /* the last one is the frame's own */
	const struct dusk_line none = {.file = ""}, *own = nr || f->nr_lines ? &p->lines[f->first_line + nr] : &none;

	nr = nr < ROWS_MAX_INLINED ? nr : ROWS_MAX_INLINED;
	write_label(b, own->file);
	buffer_number(b, uint32_t, own->line);
	buffer_varint(b, nr);
	for (uint32_t i = 0; i < nr; i++)
		write_label(b, p->functions[p->lines[f->first_line + i].function].name);
	buffer_varint(b, nr);
	for (uint32_t i = 0; i < nr; i++)
		write_label(b, p->lines[f->first_line + i].file);
	buffer_varint(b, nr);
	for (uint32_t i = 0; i < nr; i++)
		buffer_number(b, uint32_t, p->lines[f->first_line + i].line);
}

/* How far the address of code without a name is from where it is in the file, which is known when names were looked up; 0 if that is far. */
static int32_t address_shift(const struct dusk_frame *f)
{
	int64_t shift = f->address - f->offset;

	return shift == (int32_t)shift ? shift : 0;
}

/*
 * How good a name is, which is the row's rev: of several hosts that have sent the same frame the best one is shown. A host that
 * has only a stripped copy knows where a function begins, and calls it "module+0x1234".
 */
static uint32_t rank(const struct dusk_profile *p, const struct dusk_frame *f)
{
	const struct dusk_function *function = &p->functions[f->function];
	size_t len = strlen(function->module);
	enum { NOTHING, PLACE, BEGINNING, NAME, LINES };

	if (!f->function)
		return address_shift(f) ? PLACE : NOTHING;
	if (!strncmp(function->name, function->module, len) && !strncmp(function->name + len, "+0x", 3))
		return BEGINNING;
	return f->nr_lines ? LINES : NAME;
}

void rows_frames(struct buffer *b, const struct rows *r, struct map *sent)
{
	const struct dusk_profile *p = r->p;

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		const struct dusk_frame *f = &p->frames[i];
		const struct dusk_module *m = &p->modules[f->module];
		const struct dusk_function *function = &p->functions[f->function];
		uint32_t place = f->function ? f->function_offset : address_shift(f);
		uint32_t rev = rank(p, f);

		if (!is_new(b, sent, r->frames[i], rev + 1))
			continue;
		buffer_number(b, uint64_t, r->frames[i]);
		buffer_number(b, uint32_t, rev);
		write_label(b, m->build_id);
		write_label(b, m->path);
		buffer_number(b, uint64_t, same_offset(p, f));
		buffer_number(b, uint8_t, f->is_return);
		write_label(b, function->name);
		write_label(b, function->module);
		buffer_number(b, uint32_t, place);
		write_lines(b, p, f);
		b->nr_rows++;
	}
}

void rows_host(struct buffer *b, const struct rows *r)
{
	write_label(b, r->host);
	buffer_number(b, uint32_t, time(NULL));
	write_label(b, setting(r->p, "kernel"));
	write_label(b, setting(r->p, "machine"));
	buffer_number(b, uint32_t, strtoul(setting(r->p, "cpus"), NULL, 10));
	write_label(b, setting(r->p, "version"));
	b->nr_rows++;
}
