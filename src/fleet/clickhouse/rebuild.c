/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows to a profile. See rebuild.h. */
#include "fleet/clickhouse/rebuild.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "abi/offcpu.h"
#include "fleet/clickhouse/rows.h"
#include "lib/profile/file/abi_names.h"
#include "lib/profile/read/read.h"

#define NS_A_S 1000000000ULL
#define MAX_GENERATIONS 256
#define MAX_NS (1ULL << 62) /* of sums */

static int add_outcomes(struct rebuild *b)
{
	for (uint32_t i = 0; i < NR_OUTCOMES; i++)
		if (vec_push(&b->outcomes,
			     ((struct dusk_outcome){outcomes[i].name, outcomes[i].sentence, outcomes[i].kind})))
			return -ENOMEM;
	return 0;
}

int rebuild_init(struct rebuild *b, uint64_t from_s)
{
	memset(b, 0, sizeof(*b));
	b->from_s = from_s;
	b->p = calloc(1, sizeof(*b->p));
	b->texts = b->p ? profile_strings(b->p) : NULL;
	if (!b->texts || vec_push(&b->modules, ((struct dusk_module){.path = "", .build_id = ""})) ||
	    vec_push(&b->functions, ((struct dusk_function){"", "", ""})) ||
	    vec_push(&b->cgroups, ((struct dusk_cgroup){"", "", "", "", "", "", ""})) || !vec_add(&b->frames) ||
	    !vec_add(&b->nodes))
		return -ENOMEM;
	return add_outcomes(b);
}

/* @file: the source of the frame, or "". What an interpreter runs is in the source itself, which has no build id. */
static enum dusk_module_kind kind_of(const char *path, const char *build_id, const char *file)
{
	if (*path && !*build_id && !strcmp(path, file))
		return DUSK_MODULE_SOURCE;
	if (!strcmp(path, "[kernel]"))
		return DUSK_MODULE_KERNEL;
	if (!strcmp(path, "[anon]"))
		return DUSK_MODULE_ANON;
	return !strcmp(path, "[vdso]") ? DUSK_MODULE_VDSO : DUSK_MODULE_FILE;
}

/* Modules that are the same but for their generation are code of different processes, or boots. */
static int module_of(struct rebuild *b, const struct dusk_module *m, uint32_t *ret)
{
	const struct {
		const char *path, *build_id; /* texts are interned */
		uint32_t generation, kind;
	} key = {m->path, m->build_id, m->generation, m->kind};
	uint32_t number;
	bool fresh;

	if (strings_number(&b->module_keys, &key, sizeof(key), &number, &fresh) || (fresh && vec_push(&b->modules, *m)))
		return -ENOMEM;
	*ret = number + 1;
	return 0;
}

static int function_of(struct rebuild *b, const char *name, const char *image, uint32_t *ret)
{
	const struct dusk_function f = {name, name, image};
	uint32_t number;
	bool fresh;

	*ret = 0;
	if (!*name)
		return 0;
	if (strings_number(&b->function_keys, &f, sizeof(f), &number, &fresh) || (fresh && vec_push(&b->functions, f)))
		return -ENOMEM;
	*ret = number + 1;
	return 0;
}

/* The lines of a frame: of what was inlined there, of which there may be too many, and its own. */
static int read_lines(struct rebuild *b, struct answer_reader *r, struct dusk_frame *f, const char *image)
{
	const char *file = answer_text(r);
	struct dusk_line own = {f->function, answer_number(r, uint32_t), file}, inlined[ROWS_MAX_INLINED] = {{0}},
			 *line;
	struct dusk_line more;
	uint64_t nr[3];

	for (int column = 0; column < 3; column++) {
		nr[column] = answer_array(r, column == 2 ? 4 : 1);
		for (uint64_t i = 0; i < nr[column]; i++) {
			line = i < ROWS_MAX_INLINED ? &inlined[i] : &more;
			if (column == 0 && function_of(b, answer_text(r), image, &line->function))
				return -ENOMEM;
			if (column == 1)
				line->file = answer_text(r);
			if (column == 2)
				line->line = answer_number(r, uint32_t);
		}
	}
	if (nr[0] > ROWS_MAX_INLINED || nr[1] != nr[0] || nr[2] != nr[0])
		nr[0] = 0;
	if (!nr[0] && !*file)
		return 0;
	f->first_line = b->lines.nr;
	f->nr_lines = nr[0] + 1;
	return vec_append(&b->lines, inlined, nr[0]) ?: vec_push(&b->lines, own);
}

/*
 * Where two frames would be the same for a profile, as JIT code of two processes, the second is in a module of its own; but not
 * without an end. Code that an interpreter runs is the same on all hosts if its function has the same name.
 */
static int place_frame(struct rebuild *b, struct dusk_frame *f, struct dusk_module m, uint32_t *ret)
{
	uint32_t number = 0;
	bool fresh = false;

	for (m.generation = 0; !fresh && m.generation < MAX_GENERATIONS; m.generation++) {
		if (module_of(b, &m, &f->module))
			return -ENOMEM;
		const struct {
			uint64_t offset;
			uint32_t module, is_return;
		} key = {f->offset, f->module, f->is_return};

		if (strings_number(&b->frame_keys, &key, sizeof(key), &number, &fresh))
			return -ENOMEM;
		if (!fresh && m.kind == DUSK_MODULE_SOURCE && b->frames.v[number + 1].function == f->function)
			break;
	}
	*ret = number + 1;
	return fresh ? vec_push(&b->frames, *f) : 0;
}

int rebuild_frame(struct rebuild *b, struct answer_reader *r)
{
	uint64_t hash = answer_number(r, uint64_t);
	const char *build_id = answer_text(r), *path = answer_text(r), *function, *image;
	struct dusk_module m = {.path = path, .build_id = build_id};
	struct dusk_frame f = {.offset = answer_number(r, uint64_t)};
	uint32_t *number;
	bool fresh;
	int err;

	f.is_return = answer_number(r, uint8_t);
	function = answer_text(r);
	image = answer_text(r);
	f.function_offset = answer_number(r, uint32_t);
	/* Of code without a name it is the distance to its address. */
	f.address = *function ? f.offset : f.offset + (int32_t)f.function_offset;
	f.function_offset = *function ? f.function_offset : 0;
	err = function_of(b, function, image, &f.function);
	err = err ?: read_lines(b, r, &f, image);
	if (err || r->failed)
		return err ?: -EBADMSG;
	number = map_at(&b->frame_of, hash, &fresh);
	if (!number)
		return -ENOMEM;
	if (!fresh)
		return 0;
	m.kind = kind_of(m.path, m.build_id, f.nr_lines ? b->lines.v[b->lines.nr - 1].file : "");
	return place_frame(b, &f, m, number);
}

static int note(struct rebuild_ids *ids, uint64_t id)
{
	bool fresh;

	if (!map_at(&ids->seen, id, &fresh))
		return -ENOMEM;
	return fresh ? vec_push(ids, id) : 0;
}

int rebuild_stack(struct rebuild *b, struct answer_reader *r)
{
	uint64_t hash = answer_number(r, uint64_t), nr = answer_array(r, 8);
	bool fresh;
	uint32_t *at;

	if (nr > ROWS_MAX_FRAMES) {
		r->at += 8 * nr;
		return 0;
	}
	at = map_at(&b->stack_of, hash, &fresh);
	if (!at)
		return -ENOMEM;
	*at = b->stack_frames.nr;
	if (vec_push(&b->stack_frames, nr))
		return -ENOMEM;
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t frame = answer_number(r, uint64_t);

		if (vec_push(&b->stack_frames, frame) || note(&b->frame_ids, frame))
			return -ENOMEM;
	}
	return r->failed ? -EBADMSG : 0;
}

static int node_of(struct rebuild *b, uint32_t parent, uint32_t frame, uint32_t *ret)
{
	bool fresh;
	uint32_t *number = map_at(&b->node_of, (uint64_t)parent << 32 | frame, &fresh);

	if (!number)
		return -ENOMEM;
	if (fresh) {
		*number = b->nodes.nr;
		if (vec_push(&b->nodes, ((struct dusk_node){parent, frame})))
			return -ENOMEM;
	}
	*ret = *number;
	return 0;
}

/* Put the frames of @stack below *@node, which becomes the innermost one. */
static int chain(struct rebuild *b, uint64_t stack, uint32_t *node)
{
	const uint32_t *at = stack ? map_find(&b->stack_of, stack) : NULL;
	int err = 0;

	b->nr_unknown += stack && !at;
	for (uint64_t i = 1; at && !err && i <= b->stack_frames.v[*at]; i++) {
		const uint32_t *frame = map_find(&b->frame_of, b->stack_frames.v[*at + i]);

		b->nr_unknown += !frame;
		if (frame)
			err = node_of(b, *node, *frame, node);
	}
	return err;
}

static int place(struct rebuild *b, uint64_t ustack, uint64_t kstack, uint32_t *ret)
{
	bool fresh;
	uint32_t *known = map_at(&b->chains, hash64(ustack * 3 + 1) ^ kstack, &fresh);
	int err = known ? 0 : -ENOMEM;

	if (!err && fresh) {
		*known = 0;
		err = chain(b, ustack, known) ?: chain(b, kstack, known);
	}
	if (!err)
		*ret = *known;
	return err;
}

enum { LEFT_OUT = 1 };

/* Labels stand where the path of a cgroup would: a profile has one cgroup of each path and host. */
static int cgroup_of(struct rebuild *b, struct dusk_cgroup *c, uint32_t *ret)
{
	const struct {
		const char *label, *text;
	} parts[] = {
		{"namespace", c->pod_namespace}, {"pod", c->pod}, {"container", c->container_name}, {"unit", c->unit}};
	const char *const key[] = {c->host, c->pod_namespace, c->pod, c->container_name,
				   c->unit}; /* they are interned */
	char path[4096];
	size_t len = 0;
	uint32_t number;
	bool fresh;

	*path = 0;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && len < sizeof(path); i++)
		if (*parts[i].text)
			len += snprintf(path + len, sizeof(path) - len, "/%s=%s", parts[i].label, parts[i].text);
	if (len >= sizeof(path))
		return LEFT_OUT;
	c->path = strings_intern(b->texts, path);
	if (!c->path || strings_number(&b->cgroup_keys, key, sizeof(key), &number, &fresh) ||
	    (fresh && vec_push(&b->cgroups, *c)))
		return -ENOMEM;
	*ret = number + 1;
	return 0;
}

static int thread_of(struct rebuild *b, struct dusk_thread *t, uint32_t *ret)
{
	const struct {
		const char *comm, *service, *version;
		uint32_t pid, cgroup;
	} key = {t->comm, t->service, t->version, t->pid, t->cgroup};
	bool fresh;

	if (strings_number(&b->thread_keys, &key, sizeof(key), ret, &fresh) || (fresh && vec_push(&b->threads, *t)))
		return -ENOMEM;
	return 0;
}

/* Returns false if there is no such kind. */
static bool set_kind(struct dusk_sample *s, const char *kind)
{
	s->source = strcmp(kind, "on-cpu") ? DUSK_OFF_CPU : DUSK_CPU;
	while (s->source == DUSK_OFF_CPU && dusk_state_name(s->state) && strcmp(dusk_state_name(s->state), kind))
		s->state++;
	return s->source == DUSK_CPU || dusk_state_name(s->state);
}

static bool set_outcome(struct dusk_sample *s, const char *name)
{
	uint32_t i = 0;

	while (i < NR_OUTCOMES && strcmp(outcomes[i].name, name))
		i++;
	s->outcome = i;
	return i < NR_OUTCOMES;
}

int rebuild_leave_out(struct rebuild *b, const char *host, uint64_t nr)
{
	uint32_t number;
	bool fresh;

	if (strings_number(&b->left_out_hosts, host, strlen(host) + 1, &number, &fresh) ||
	    (fresh && vec_push(&b->left_out, 0)))
		return -ENOMEM;
	b->left_out.v[number] += nr;
	return 0;
}

/* A row: a sample but for its node, and the stacks that make it. Returns 0, LEFT_OUT with *@host, or a negative errno. */
static int read_row(struct rebuild *b, struct answer_reader *r, struct dusk_sample *s, uint64_t *ustack,
		    uint64_t *kstack, const char **host)
{
	uint32_t second = answer_number(r, uint32_t);
	const char *kind, *outcome;
	struct dusk_thread t = {.title = ""};
	struct dusk_cgroup c = {.container = "", .host = answer_text(r)};
	uint64_t n;

	*s = (struct dusk_sample){.cpu = DUSK_NO_CPU};
	*host = c.host;
	t.service = answer_text(r);
	t.version = answer_text(r);
	c.unit = answer_text(r);
	c.container_name = answer_text(r);
	c.pod = answer_text(r);
	c.pod_namespace = answer_text(r);
	t.pid = t.tid = answer_number(r, uint32_t) & INT32_MAX;
	t.comm = answer_text(r);
	kind = answer_text(r);
	outcome = answer_text(r);
	*ustack = answer_number(r, uint64_t);
	*kstack = answer_number(r, uint64_t);
	n = answer_number(r, uint64_t);
	s->value_ns = answer_number(r, uint64_t);
	s->runnable_ns = answer_number(r, uint64_t);
	if (r->failed)
		return -EBADMSG;
	if (second < b->from_s || !n || s->value_ns > MAX_NS || !set_kind(s, kind) || !set_outcome(s, outcome))
		return LEFT_OUT;
	s->count = n < UINT32_MAX ? n : UINT32_MAX;
	s->runnable_ns = s->runnable_ns < s->value_ns ? s->runnable_ns : s->value_ns;
	s->time_ns = (second - b->from_s) * NS_A_S;
	if (!b->p->period_ns && s->source == DUSK_CPU)
		b->p->period_ns = s->value_ns / n;
	return cgroup_of(b, &c, &t.cgroup) ?: thread_of(b, &t, &s->thread);
}

int rebuild_note_stacks(struct rebuild *b, struct answer_reader *r)
{
	struct dusk_sample s;
	uint64_t stacks[2];
	const char *host;
	int err = read_row(b, r, &s, &stacks[0], &stacks[1], &host);

	for (int i = 0; !err && i < 2; i++)
		if (stacks[i])
			err = note(&b->stack_ids, stacks[i]);
	return err == LEFT_OUT ? 0 : err;
}

int rebuild_sample(struct rebuild *b, struct answer_reader *r)
{
	struct dusk_sample s;
	uint64_t ustack, kstack;
	const char *host;
	int err = read_row(b, r, &s, &ustack, &kstack, &host);

	if (err == LEFT_OUT)
		return rebuild_leave_out(b, host, 1);
	err = err ?: place(b, ustack, kstack, &s.node);
	return err ?: vec_push(&b->samples, s);
}

/* The sum of the samples so far that are as @s but for their stack. */
static int sum_of(struct rebuild *b, const struct dusk_sample *s, struct rebuild_sum **ret)
{
	const struct {
		uint64_t time_ns;
		uint32_t thread, source, state, outcome;
	} key = {s->time_ns, s->thread, s->source, s->state, s->outcome};
	uint32_t number;
	bool fresh;

	if (strings_number(&b->sum_keys, &key, sizeof(key), &number, &fresh) || (fresh && !vec_add(&b->sums)))
		return -ENOMEM;
	*ret = &b->sums.v[number];
	return 0;
}

/* Once, as samples of other stacks are added behind. */
static int sum_up(struct rebuild *b)
{
	int err = 0;

	for (uint64_t i = 0; !err && !b->other_node && i < b->samples.nr; i++) {
		const struct dusk_sample *s = &b->samples.v[i];
		struct rebuild_sum *sum;

		err = sum_of(b, s, &sum);
		if (err)
			break;
		sum->n += s->count;
		sum->value += s->value_ns;
		sum->runnable += s->runnable_ns;
	}
	return err;
}

static int make_other_node(struct rebuild *b)
{
	const char *name = strings_intern(b->texts, "[other stacks]"), *image = strings_intern(b->texts, "");
	struct dusk_frame f = {.function = 0};

	if (b->other_node)
		return 0;
	if (!name || !image || function_of(b, name, image, &f.function) || vec_push(&b->frames, f))
		return -ENOMEM;
	return node_of(b, 0, b->frames.nr - 1, &b->other_node);
}

static uint64_t without(uint64_t all, uint64_t part)
{
	return all > part ? all - part : 0; /* more may have come since */
}

int rebuild_others(struct rebuild *b, struct answer_reader *r)
{
	struct dusk_sample s;
	struct rebuild_sum *sum;
	uint64_t ustack, kstack;
	const char *host;
	int err = read_row(b, r, &s, &ustack, &kstack, &host);

	if (err == LEFT_OUT) /* of these the rows were counted */
		return 0;
	err = err ?: sum_up(b) ?: make_other_node(b);
	err = err ?: sum_of(b, &s, &sum);
	if (err)
		return err;
	s.count = without(s.count, sum->n);
	s.value_ns = without(s.value_ns, sum->value);
	s.runnable_ns = without(s.runnable_ns, sum->runnable);
	s.runnable_ns = s.runnable_ns < s.value_ns ? s.runnable_ns : s.value_ns;
	s.node = b->other_node;
	if (!s.count)
		return 0;
	b->others.n += s.count;
	b->others.value += s.value_ns;
	return vec_push(&b->samples, s);
}

int rebuild_count(struct rebuild *b, struct answer_reader *r)
{
	struct dusk_counter c = {.name = answer_text(r), .sentence = "", .value = answer_number(r, uint64_t)};

	for (uint32_t i = 0; i < NR_COUNTERS; i++)
		if (!strcmp(counters[i].name, c.name))
			c.sentence = counters[i].sentence;
	return r->failed ? -EBADMSG : vec_push(&b->counters, c);
}

int rebuild_setting(struct rebuild *b, const char *key, const char *value)
{
	struct dusk_setting s = {strings_intern(b->texts, key), strings_intern(b->texts, value)};

	return s.key && s.value ? vec_push(&b->settings, s) : -ENOMEM;
}

static int by_time(const void *a, const void *b)
{
	const struct dusk_sample *x = a, *y = b;

	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

struct dusk_profile *rebuild_end(struct rebuild *b)
{
	struct dusk_profile *p = b->p;

	if (b->samples.nr)
		qsort(b->samples.v, b->samples.nr, sizeof(*b->samples.v), by_time);
	profile_columns_move(p, b);
	p->finished = p->symbolized = true;
	b->p = NULL;
	return p;
}

void rebuild_done(struct rebuild *b)
{
	map_done(&b->frame_of);
	map_done(&b->stack_of);
	map_done(&b->node_of);
	map_done(&b->chains);
	strings_done(&b->module_keys);
	strings_done(&b->function_keys);
	strings_done(&b->frame_keys);
	strings_done(&b->thread_keys);
	strings_done(&b->cgroup_keys);
	strings_done(&b->sum_keys);
	map_done(&b->stack_ids.seen);
	map_done(&b->frame_ids.seen);
	vec_done(&b->stack_ids);
	vec_done(&b->frame_ids);
	vec_done(&b->sums);
	vec_done(&b->stack_frames);
	strings_done(&b->left_out_hosts);
	vec_done(&b->left_out);
	profile_columns_done(b);
	dusk_profile_free(b->p);
}
