/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Export to JSON Lines: one object per line, with a "type". Nothing is left out, and an id is defined before its use.
 *
 * members[] is the schema, which `dusk export --schema` prints as JSON Schema. Members may be added; a change of their
 * meaning, or the removal of one, needs a new schema name. The last line is of type "end": a file without it is
 * truncated. Addresses are hexadecimal strings, since many readers keep only 53 bits of a number.
 */
#include <errno.h>
#include <inttypes.h>
#include "base/cleanup.h"
#include "base/json.h"
#include "export/export.h"
#include "export/names.h"
#include "export/samples.h"
#include "report/model/thread_label.h"
#include "report/model/unsure.h"

#define SCHEMA "dusk-jsonl-1"

enum json_type { INTEGER, ID, STRING, OBJECT }; /* ID: an integer or null */

static const struct member {
	const char *line, *name;
	enum json_type kind;
	const char *description;
} members[] = {
	{"profile", "schema", STRING, "the name of this schema"},
	{"profile", "period_ns", INTEGER, "CPU time between two samples"},
	{"profile", "settings", OBJECT, "how the recording was made; the keys of doc/format.md"},
	{"module", "id", INTEGER, "from 1"},
	{"module", "kind", STRING,
	 "none, file, vdso, anon (memory without a file), kernel, or source (a file that an interpreter runs)"},
	{"module", "pid", INTEGER, "of anon: the process; of file and source: one that had it"},
	{"module", "path", STRING, "in the mount namespace of that process"},
	{"module", "build_id", STRING, "hexadecimal; empty: none"},
	{"function", "id", INTEGER, "from 1"},
	{"function", "name", STRING, "demangled"},
	{"function", "symbol", STRING, "as in the symbol table"},
	{"function", "module", STRING, "file name without folders, [kernel], [ext4], [anon]"},
	{"frame", "id", INTEGER, "from 1"},
	{"frame", "module", ID, "null: not known"},
	{"frame", "function", ID, "null: not known"},
	{"frame", "offset", STRING,
	 "in the file; of anon and kernel the address; of source it only tells places apart"},
	{"frame", "address", STRING, "link-time address of the offset; the offset where that is not known"},
	{"frame", "return", INTEGER, "1: a return address, so the call is before it"},
	{"stack", "id", INTEGER, "from 1"},
	{"stack", "parent", ID, "the stack of the caller, which has a lower id; null: this is the outermost frame"},
	{"stack", "frame", INTEGER, "the innermost frame"},
	{"stack", "unsure", INTEGER,
	 "1: code without CFI was interrupted, and left by its frame pointer alone: a caller may be missing"},
	{"thread", "id", INTEGER, "from 0"},
	{"thread", "pid", INTEGER, ""},
	{"thread", "tid", INTEGER, ""},
	{"thread", "comm", STRING, "a thread that changed its name, or its cgroup, is two"},
	{"thread", "service", STRING, "of these labels, what is not known is empty"},
	{"thread", "unit", STRING, "of systemd"},
	{"thread", "container", STRING, "name, or id"},
	{"thread", "pod", STRING, "name, or uid"},
	{"thread", "namespace", STRING, "of the pod"},
	{"thread", "version", STRING, "build id of the process's program"},
	{"thread", "cgroup", STRING, "path in cgroup2"},
	{"thread", "host", STRING, "on which it was"},
	{"outcome", "name", STRING, "how the walk of a user stack can end"},
	{"outcome", "class", STRING, "complete, cut, none (there should be a stack) or absent (a kernel thread)"},
	{"outcome", "sentence", STRING, ""},
	{"sample", "time_ns", INTEGER, "since the recording began"},
	{"sample", "thread", INTEGER, ""},
	{"sample", "stack", ID, "null: none"},
	{"sample", "cpu", INTEGER, ""},
	{"sample", "source", STRING, "what the sample measures: cpu"},
	{"sample", "value_ns", INTEGER, "the time that it stands for"},
	{"sample", "outcome", STRING, ""},
	{"offcpu", "time_ns", INTEGER, "when it ended, since the recording began; of a sum, some moment of its second"},
	{"offcpu", "thread", INTEGER, ""},
	{"offcpu", "stack", ID, "null: none"},
	{"offcpu", "cpu", ID, "on which the thread came back; null: a sum"},
	{"offcpu", "state", STRING, "why the thread was off CPU"},
	{"offcpu", "value_ns", INTEGER, "for how long"},
	{"offcpu", "runnable_ns", INTEGER, "of that: only waiting for a CPU"},
	{"offcpu", "count", INTEGER, "of a sum: of so many"},
	{"offcpu", "outcome", STRING, ""},
	{"offcpu", "woken_by", STRING, "task or interrupt; empty: not known"},
	{"offcpu", "waker_thread", ID, "null: no task"},
	{"offcpu", "waker_stack", ID, "null: none; of an interrupt it may go on with what was interrupted"},
	{"thread_times", "thread", INTEGER, ""},
	{"thread_times", "start_ns", INTEGER, "since the recording began"},
	{"thread_times", "end_ns", INTEGER, ""},
	{"thread_times", "on_cpu_ns", INTEGER,
	 "kept without regard to samples and off-CPU intervals, as are the next two"},
	{"thread_times", "runnable_ns", INTEGER, ""},
	{"thread_times", "blocked_ns", INTEGER, ""},
	{"thread_times", "intervals", INTEGER, "how many"},
	{"counter", "name", STRING, ""},
	{"counter", "value", INTEGER, ""},
	{"counter", "sentence", STRING, "what was counted"},
	{"end", "samples", INTEGER, "how many lines of samples and off-CPU intervals stand before"},
	{0},
};

static const char *const module_kinds[] = {
	[DUSK_MODULE_NONE] = "none", [DUSK_MODULE_FILE] = "file",     [DUSK_MODULE_VDSO] = "vdso",
	[DUSK_MODULE_ANON] = "anon", [DUSK_MODULE_KERNEL] = "kernel", [DUSK_MODULE_SOURCE] = "source",
};

static const char *const classes[] = {
	[DUSK_COMPLETE] = "complete",
	[DUSK_CUT] = "cut",
	[DUSK_NO_STACK] = "none",
	[DUSK_ABSENT] = "absent",
};

static void begin(struct json *j, const char *type)
{
	json_object(j, NULL);
	json_string(j, "type", type);
}

static void end(struct json *j)
{
	json_object_end(j);
	putc('\n', j->out);
	j->followed = false;
}

static void put_id(struct json *j, const char *key, uint32_t id)
{
	if (id)
		json_u64(j, key, id);
	else
		json_string(j, key, NULL);
}

static void put_address(struct json *j, const char *key, uint64_t address)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	json_string(j, key, text);
}

static void put_head(struct json *j, const struct dusk_profile *p, struct names *names)
{
	begin(j, "profile");
	json_string(j, "schema", SCHEMA);
	json_u64(j, "period_ns", p->period_ns);
	json_object(j, "settings");
	for (uint32_t i = 0; i < p->nr_settings; i++)
		json_string(j, p->settings[i].key, names_setting(names, p->settings[i].key));
	json_object_end(j);
	end(j);
}

static void put_module(struct json *j, const struct dusk_profile *p, const struct names *names, uint32_t id)
{
	begin(j, "module");
	json_u64(j, "id", id);
	json_string(j, "kind", module_kinds[p->modules[id].kind]);
	json_i64(j, "pid", p->modules[id].pid);
	json_string(j, "path", names->path[id]);
	json_string(j, "build_id", names->build_id[id]);
	end(j);
}

static void put_function(struct json *j, const struct dusk_profile *p, struct names *names, uint32_t id)
{
	const struct dusk_function *f = &p->functions[id];

	begin(j, "function");
	json_u64(j, "id", id);
	json_string(j, "name", names_clean(names, f->name));
	json_string(j, "symbol", names_clean(names, f->symbol));
	json_string(j, "module", names_clean(names, f->module));
	end(j);
}

static void put_frame(struct json *j, const struct dusk_profile *p, uint32_t id)
{
	const struct dusk_frame *f = &p->frames[id];

	begin(j, "frame");
	json_u64(j, "id", id);
	put_id(j, "module", f->module);
	put_id(j, "function", f->function);
	put_address(j, "offset", f->offset);
	put_address(j, "address", f->address);
	json_u64(j, "return", f->is_return);
	end(j);
}

static void put_stack(struct json *j, const struct dusk_profile *p, uint32_t id, bool unsure)
{
	begin(j, "stack");
	json_u64(j, "id", id);
	put_id(j, "parent", p->nodes[id].parent);
	json_u64(j, "frame", p->nodes[id].frame);
	json_u64(j, "unsure", unsure);
	end(j);
}

static void put_thread(struct json *j, const struct dusk_profile *p, struct names *names, uint32_t id)
{
	begin(j, "thread");
	json_u64(j, "id", id);
	json_i64(j, "pid", p->threads[id].pid);
	json_i64(j, "tid", p->threads[id].tid);
	json_string(j, "comm", names->thread[id]);
	for (enum thread_label i = 0; i < NR_THREAD_LABELS; i++)
		json_string(j, thread_label_name(i), names_clean(names, thread_label(p, &p->threads[id], i)));
	end(j);
}

static void put_outcome(struct json *j, const struct dusk_outcome *o)
{
	begin(j, "outcome");
	json_string(j, "name", o->name);
	json_string(j, "class", classes[o->kind]);
	json_string(j, "sentence", o->sentence);
	end(j);
}

static void put_sample(struct json *j, const struct dusk_profile *p, const struct dusk_sample *s)
{
	begin(j, "sample");
	json_u64(j, "time_ns", s->time_ns);
	json_u64(j, "thread", s->thread);
	put_id(j, "stack", s->node);
	json_u64(j, "cpu", s->cpu);
	json_string(j, "source", sources[sample_source(s)].name);
	json_u64(j, "value_ns", s->value_ns);
	json_string(j, "outcome", p->outcomes[s->outcome].name);
	end(j);
}

static void put_waker(struct json *j, const struct dusk_profile *p, uint32_t waker)
{
	static const char *const kinds[] = {
		[DUSK_WAKER_NONE] = "", [DUSK_WAKER_TASK] = "task", [DUSK_WAKER_INTERRUPT] = "interrupt"};
	const struct dusk_waker none = {0}, *by = waker ? &p->wakers[waker] : &none;

	json_string(j, "woken_by", kinds[by->kind]);
	if (by->kind == DUSK_WAKER_TASK)
		json_u64(j, "waker_thread", by->thread);
	else
		json_string(j, "waker_thread", NULL);
	put_id(j, "waker_stack", by->node);
}

static void put_interval(struct json *j, const struct dusk_profile *p, const struct dusk_sample *s)
{
	begin(j, "offcpu");
	json_u64(j, "time_ns", s->time_ns);
	json_u64(j, "thread", s->thread);
	put_id(j, "stack", s->node);
	if (s->cpu == DUSK_NO_CPU)
		json_string(j, "cpu", NULL);
	else
		json_u64(j, "cpu", s->cpu);
	json_string(j, "state", dusk_state_name(s->state));
	json_u64(j, "value_ns", s->value_ns);
	json_u64(j, "runnable_ns", s->runnable_ns);
	json_u64(j, "count", s->count);
	json_string(j, "outcome", p->outcomes[s->outcome].name);
	put_waker(j, p, s->waker);
	end(j);
}

static void put_thread_times(struct json *j, const struct dusk_thread_times *l)
{
	begin(j, "thread_times");
	json_u64(j, "thread", l->thread);
	json_u64(j, "start_ns", l->start_ns);
	json_u64(j, "end_ns", l->end_ns);
	json_u64(j, "on_cpu_ns", l->on_cpu_ns);
	json_u64(j, "runnable_ns", l->runnable_ns);
	json_u64(j, "blocked_ns", l->blocked_ns);
	json_u64(j, "intervals", l->intervals);
	end(j);
}

static void put_counter(struct json *j, const struct dusk_counter *c)
{
	begin(j, "counter");
	json_string(j, "name", c->name);
	json_u64(j, "value", c->value);
	json_string(j, "sentence", c->sentence);
	end(j);
}

int jsonl_write(FILE *out, const struct dusk_profile *p, const struct export_options *o)
{
	_cleanup_(names_freep) struct names *names = NULL;
	struct json json = {.out = out}, *j = &json;
	_cleanup_(freep) bool *unsure = unsure_nodes(p);
	int err = unsure ? names_new(&names, p) : -ENOMEM;

	if (err)
		return err;
	put_head(j, p, names);
	for (uint32_t i = 1; i < p->nr_modules; i++)
		put_module(j, p, names, i);
	for (uint32_t i = 1; i < p->nr_functions; i++)
		put_function(j, p, names, i);
	for (uint32_t i = 1; i < p->nr_frames; i++)
		put_frame(j, p, i);
	for (uint32_t i = 1; i < p->nr_nodes; i++)
		put_stack(j, p, i, unsure[i]);
	for (uint32_t i = 0; i < p->nr_threads; i++)
		put_thread(j, p, names, i);
	for (uint32_t i = 0; i < p->nr_outcomes; i++)
		put_outcome(j, &p->outcomes[i]);
	for (uint64_t i = 0; i < p->nr_samples && !ferror(out); i++)
		(p->samples[i].source == DUSK_OFF_CPU ? put_interval : put_sample)(j, p, &p->samples[i]);
	for (uint32_t i = 0; i < p->nr_thread_times; i++)
		put_thread_times(j, &p->thread_times[i]);
	for (uint32_t i = 0; i < p->nr_counters; i++)
		put_counter(j, &p->counters[i]);
	begin(j, "end");
	json_u64(j, "samples", p->nr_samples);
	end(j);
	return 0;
}

static void put_type(struct json *j, enum json_type kind)
{
	static const char *const types[] = {[INTEGER] = "integer", [STRING] = "string", [OBJECT] = "object"};

	if (kind != ID) {
		json_string(j, "type", types[kind]);
		return;
	}
	json_array(j, "type");
	json_string(j, NULL, "integer");
	json_string(j, NULL, "null");
	json_array_end(j);
}

/* Write the properties of the line type that begins at @m. */
static void put_properties(struct json *j, const struct member *m)
{
	const char *line = m->line;

	json_object(j, "properties");
	json_object(j, "type");
	json_string(j, "const", line);
	json_object_end(j);
	for (; m->line && !strcmp(m->line, line); m++) {
		json_object(j, m->name);
		put_type(j, m->kind);
		if (*m->description)
			json_string(j, "description", m->description);
		json_object_end(j);
	}
	json_object_end(j);
}

/* Write that all members of the line type at @m are required. Returns the beginning of the next line type. */
static const struct member *put_required(struct json *j, const struct member *m)
{
	const char *line = m->line;

	json_array(j, "required");
	json_string(j, NULL, "type");
	for (; m->line && !strcmp(m->line, line); m++)
		json_string(j, NULL, m->name);
	json_array_end(j);
	return m;
}

void jsonl_schema(FILE *out)
{
	struct json json = {.out = out, .indent = 2}, *j = &json;

	json_object(j, NULL);
	json_string(j, "$schema", "https://json-schema.org/draft/2020-12/schema");
	json_string(j, "title", SCHEMA);
	json_string(j, "description", "A line of `dusk export --format jsonl`. Ids stand before their first use.");
	json_array(j, "oneOf");
	for (const struct member *m = members; m->line;) {
		json_object(j, NULL);
		json_string(j, "type", "object");
		put_properties(j, m);
		m = put_required(j, m);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
	putc('\n', out);
}
