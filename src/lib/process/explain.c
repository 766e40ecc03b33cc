/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Explain a stack: halt a thread or read a specimen, walk the stack, and name each frame. */
#include <dusk/dusk.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include "abi/frame.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "lib/buildid.h"
#include "lib/error.h"
#include "lib/process/halt.h"
#include "lib/profile/file/abi_names.h"
#include "lib/profile/read/read.h"
#include "lib/process/specimen.h"
#include "lib/process/target.h"
#include "lib/process/trace.h"

#define RULES_BYTES 128

static void walk_freep(struct dusk_walk **w)
{
	dusk_walk_free(*w);
}

static void profile_freep(struct dusk_profile **p)
{
	dusk_profile_free(*p);
}

/* Return what @t has cached about the file mapped as @m, or NULL. */
static const struct module *module_of(const struct target *t, const struct target_mapping *m)
{
	struct module_key key = {.dev = m->vma.dev, .ino = m->vma.vdso ? 1 : m->vma.ino};

	for (size_t i = 0; i < t->modules.nr; i++)
		if (!memcmp(&t->modules.v[i].key, &key, sizeof(key)))
			return &t->modules.v[i].module;
	return NULL;
}

static const char *build_id(struct strings *strings, const struct module *m)
{
	char text[2 * BUILD_ID_MAX + 1] = "";

	if (m)
		buildid_hex(text, m->build_id, m->build_id_bytes < BUILD_ID_MAX ? m->build_id_bytes : BUILD_ID_MAX);
	return strings_intern(strings, text);
}

/* Describe the module of @m as the profile of a recording would. */
static int describe(struct dusk_profile *p, struct dusk_module *ret, const struct target *t,
		    const struct target_mapping *m, pid_t pid)
{
	size_t len = m ? strlen(m->path) : 0;

	if (len > 10 && !strcmp(m->path + len - 10, " (deleted)"))
		len -= 10;
	*ret = (struct dusk_module){.kind = DUSK_MODULE_ANON, .pid = pid};
	if (m && m->vma.vdso)
		ret->kind = DUSK_MODULE_VDSO;
	else if (m && m->vma.ino)
		ret->kind = DUSK_MODULE_FILE;
	ret->path = ret->kind == DUSK_MODULE_ANON ? "[anon]" : strings_intern_bytes(profile_strings(p), m->path, len);
	ret->build_id = build_id(profile_strings(p), ret->kind == DUSK_MODULE_ANON ? NULL : module_of(t, m));
	ret->dev = m ? m->vma.dev : 0;
	ret->ino = m ? m->vma.ino : 0;
	return ret->path && ret->build_id ? 0 : -ENOMEM;
}

/* Return the number of @m's module in @p, which is added if it is new. 0: memory is short. */
static uint32_t number(struct dusk_profile *p, const struct target *t, const struct target_mapping *m, pid_t pid)
{
	struct dusk_module new;

	if (describe(p, &new, t, m, pid))
		return 0;
	for (uint32_t i = 1; i < p->nr_modules; i++)
		if (p->modules[i].kind == new.kind && !strcmp(p->modules[i].path, new.path))
			return i;
	p->modules[p->nr_modules] = new;
	return p->nr_modules++;
}

/* Make a profile that has only the frames of @trace, in their order from 1 on, and name them. */
static int name_frames(struct dusk_profile **ret, const struct trace *trace, const struct target *t, pid_t pid)
{
	_cleanup_(profile_freep) struct dusk_profile *p = calloc(1, sizeof(*p));
	struct dusk_symbol_options options = {.sz = sizeof(options), .no_lines = true};
	size_t nr = trace->frames.nr + 1;

	if (!p || !profile_strings(p))
		return -ENOMEM;
	p->modules = calloc(nr, sizeof(*p->modules));
	p->frames = calloc(nr, sizeof(*p->frames));
	p->functions = calloc(1, sizeof(*p->functions));
	if (!p->modules || !p->frames || !p->functions)
		return -ENOMEM;
	p->modules[0] = (struct dusk_module){.path = "", .build_id = ""};
	p->functions[0] = (struct dusk_function){"", "", ""};
	p->nr_modules = p->nr_functions = 1;
	p->nr_frames = nr;
	for (size_t i = 1; i < nr; i++) {
		const struct trace_frame *f = &trace->frames.v[i - 1];

		p->frames[i].module = number(p, t, target_find(t, f->pc - !f->pc_is_exact), pid);
		p->frames[i].offset = p->frames[i].address = frame_offset(f->word);
		p->frames[i].is_return = frame_is_return(f->word);
		if (!p->frames[i].module)
			return -ENOMEM;
	}
	dusk_profile_symbolize(p, &options, NULL); /* frames may stay without names */
	*ret = steal(p);
	return 0;
}

static int explain_frame(struct dusk_walk_frame *ret, struct dusk_profile *p, uint32_t frame,
			 const struct trace_frame *t, bool compat)
{
	const struct dusk_frame *f = &p->frames[frame];
	char rules[RULES_BYTES];

	trace_rules(&t->row, compat, rules, sizeof(rules));
	if (t->rule)
		snprintf(rules + strlen(rules), sizeof(rules) - strlen(rules), "%s(%s)", *rules ? " " : "",
			 trace_rule_name(t->rule));
	*ret = (struct dusk_walk_frame){
		.address = t->pc,
		.sp = t->sp,
		.cfa = t->cfa,
		.offset = f->offset,
		.module = p->modules[f->module].path,
		.function = p->functions[f->function].name,
		.function_offset = f->function_offset,
		.is_return = f->is_return,
		.is_signal = t->row.flags & ROW_SIGNAL,
		.method = t->method,
		.rules = strings_intern(profile_strings(p), rules),
	};
	return ret->rules ? 0 : -ENOMEM;
}

/* @of: thread and name. */
static int explain(struct dusk_walk **ret, const struct trace *trace, const struct target *t,
		   const struct dusk_walk *of)
{
	_cleanup_(walk_freep) struct dusk_walk *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	*w = *of;
	w->frames = calloc(trace->frames.nr + 1, sizeof(*w->frames));
	err = w->frames ? name_frames(&w->names, trace, t, of->tid) : -ENOMEM;
	for (size_t i = 0; i < trace->frames.nr && !err; i++)
		err = explain_frame(&w->frames[i], w->names, i + 1, &trace->frames.v[i],
				    trace->walk->machine.compat != 0);
	if (err)
		return err;
	w->nr = trace->frames.nr;
	w->outcome = &outcomes[trace->walk->outcome];
	*ret = steal(w);
	return 0;
}

static void read_comm(pid_t tid, char *ret, size_t room)
{
	_cleanup_(freep) char *comm = NULL;
	char path[32];
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	if (!file_read(&comm, &len, path, 4096))
		snprintf(ret, room, "%.*s", (int)strcspn(comm, "\n"), comm);
}

static int write_specimen(const struct specimen *s, const char *path, struct dusk_error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), failed;
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out)
		return error_set(err, -errno, "cannot create %s: %s", path, strerror(errno));
	failed = specimen_write(s, out);
	if (fclose(out))
		failed = -errno;
	return failed ? error_set(err, failed, "cannot write %s: %s", path, strerror(-failed)) : 0;
}

static int keep_specimen(struct target *t, const u64 *regs, const char *comm, const char *path, struct dusk_error *err)
{
	_cleanup_(specimen_freep) struct specimen *s = NULL;
	int failed = specimen_cut(&s, t, regs, MAX_DEPTH, comm);

	if (failed)
		return error_set(err, failed, "cannot keep what the walk read: %s", strerror(-failed));
	return write_specimen(s, path, err);
}

/* What must be done while the thread is halted. Naming takes longer, and comes later. */
static int walk_halted(struct target *t, struct trace *trace, const struct dusk_walk *of, const u64 *regs,
		       const char *keep, struct dusk_error *err)
{
	int failed = target_open(t, of->tid);

	if (failed)
		return error_set(err, failed, "cannot read the memory of thread %d: %s", of->tid, strerror(-failed));
	target_use(t);
	failed = trace_walk(trace, regs, MAX_DEPTH);
	target_use(NULL);
	if (failed)
		return error_set(err, failed, "cannot walk: %s", strerror(-failed));
	return keep ? keep_specimen(t, regs, of->comm, keep, err) : 0;
}

int dusk_walk_thread(struct dusk_walk **ret, pid_t tid, const char *keep, struct dusk_error *err)
{
	_cleanup_(target_done) struct target t = {.mem = -1};
	_cleanup_(trace_done) struct trace trace = {};
	struct dusk_walk of = {.tid = tid};
	u64 regs[TRACE_REGS];
	int failed = trace_init(&trace);

	if (failed)
		return error_set(err, failed, "out of memory");
	read_comm(tid, of.comm, sizeof(of.comm));
	failed = halt_begin(tid, regs, err);
	if (failed)
		return failed;
	failed = walk_halted(&t, &trace, &of, regs, keep, err);
	halt_end(tid);
	if (failed)
		return failed;
	failed = explain(ret, &trace, &t, &of);
	return failed ? error_set(err, failed, "cannot explain the walk: %s", strerror(-failed)) : 0;
}

int dusk_walk_specimen(struct dusk_walk **ret, const char *path, struct dusk_error *err)
{
	_cleanup_(specimen_freep) struct specimen *s = NULL;
	_cleanup_(trace_done) struct trace trace = {};
	struct dusk_walk of = {};
	int failed = specimen_read(&s, path, err);

	if (failed)
		return failed;
	snprintf(of.comm, sizeof(of.comm), "%s", s->comm);
	failed = trace_init(&trace);
	if (!failed)
		failed = specimen_walk(s, &trace);
	of.agrees = !failed && specimen_agrees(s, &trace);
	if (!failed)
		failed = explain(ret, &trace, &s->target, &of);
	return failed ? error_set(err, failed, "cannot walk %s: %s", path, strerror(-failed)) : 0;
}

void dusk_walk_free(struct dusk_walk *w)
{
	if (!w)
		return;
	dusk_profile_free(w->names);
	free(w->frames);
	free(w);
}
