/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the running kernel's BTF and kallsyms say, read once in a process: BTF has megabytes, and kallsyms, which the
 * kernel writes anew for each reader, over a hundred thousand lines. Neither changes in what is looked for here.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "lib/arch/kernel_head.h"
#include "lib/arch/names.h"
#include "lib/unwinder/probe.h"

#define KFUNC "bpf_task_work_schedule_resume"
#define PLAIN_PARAMS 4 /* task, work, map, callback */
#define IMPL_PARAMS 5  /* ... and the program's aux, which the verifier fills in */

struct from_btf {
	int err;
	enum task_work task_work;
	int task_work_number;
	bool holds_memory;
	bool reports_cgroups;
	struct {
		bool found;
		int from_run_queue;
	} variable[NR_CPU_VARIABLES];
};

/* The number of parameters of function @id, or -1: there is none. */
static int nr_params(const struct btf *btf, int id)
{
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, id) : NULL;
	const struct btf_type *proto = t ? btf__type_by_id(btf, t->type) : NULL;

	return proto && btf_is_func_proto(proto) ? btf_vlen(proto) : -1;
}

/*
 * The plain name first: since 7.0 BTF has both, but then only the plain one can be called. With the parameters of _impl it
 * cannot: where BTF was made without the tags of kfuncs, the kernel passes four arguments to what declares five.
 */
enum task_work probe_task_work_of(const struct btf *btf, int *number)
{
	int plain = btf__find_by_name_kind(btf, KFUNC, BTF_KIND_FUNC);
	int impl = btf__find_by_name_kind(btf, KFUNC "_impl", BTF_KIND_FUNC);

	*number = plain > 0 ? plain : impl;
	if (plain > 0)
		return nr_params(btf, plain) == PLAIN_PARAMS ? TASK_WORK_PLAIN : TASK_WORK_UNCALLABLE;
	if (impl > 0)
		return nr_params(btf, impl) == IMPL_PARAMS ? TASK_WORK_IMPL : TASK_WORK_UNCALLABLE;
	return TASK_WORK_NONE;
}

/* It does in kernels where it returns copies of mappings: both came with one change (doc/kernel.md). */
static bool holds_memory(const struct btf *btf)
{
	s32 id = btf__find_by_name_kind(btf, "bpf_iter_task_vma_kern_data", BTF_KIND_STRUCT);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, id) : NULL;
	bool yes = false;

	for (u32 i = 0; t && i < btf_vlen(t); i++)
		yes |= !strcmp(btf__name_by_offset(btf, btf_members(t)[i].name_off), "snapshot");
	return yes;
}

static const struct btf_var_secinfo *find_variable(const struct btf *btf, const struct btf_type *section,
						   const char *name)
{
	const struct btf_var_secinfo *v = btf_var_secinfos(section);

	for (int i = 0; i < btf_vlen(section); i++)
		if (!strcmp(btf__name_by_offset(btf, btf__type_by_id(btf, v[i].type)->name_off), name))
			return &v[i];
	return NULL;
}

static void find_variables(struct from_btf *ret, const struct btf *btf)
{
	static const char *const names[NR_CPU_VARIABLES] = {
		[CPU_KSTACK_STATE] = "kstack_rnd_state", [CPU_PREEMPT_COUNT] = "__preempt_count"};
	int id = btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC);
	const struct btf_type *section = id > 0 ? btf__type_by_id(btf, id) : NULL;
	const struct btf_var_secinfo *queue = section ? find_variable(btf, section, "runqueues") : NULL;

	for (int i = 0; queue && i < NR_CPU_VARIABLES; i++) {
		const struct btf_var_secinfo *found = find_variable(btf, section, names[i]);

		ret->variable[i].found = found;
		ret->variable[i].from_run_queue = found ? (int)found->offset - (int)queue->offset : 0;
	}
}

static struct from_btf btf_facts;

static void read_btf(void)
{
	struct btf *btf = btf__load_vmlinux_btf();

	if (!btf) {
		btf_facts.err = -errno;
		return;
	}
	btf_facts.task_work = probe_task_work_of(btf, &btf_facts.task_work_number);
	btf_facts.holds_memory = holds_memory(btf);
	btf_facts.reports_cgroups = btf__find_by_name_kind(btf, "btf_trace_cgroup_mkdir", BTF_KIND_TYPEDEF) > 0;
	find_variables(&btf_facts, btf);
	btf__free(btf);
}

static const struct from_btf *from_btf(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_btf);
	return &btf_facts;
}

int probe_task_work(enum task_work *ret)
{
	if (from_btf()->err)
		return from_btf()->err;
	*ret = from_btf()->task_work;
	return 0;
}

bool probe_reports_cgroups(void)
{
	return from_btf()->reports_cgroups;
}

bool probe_no_task_work(char *ret, size_t room)
{
	enum task_work t;
	int err = probe_task_work(&t);

	if (err)
		snprintf(ret, room, "its types cannot be read (/sys/kernel/btf/vmlinux): %s", strerror(-err));
	else if (t == TASK_WORK_NONE)
		snprintf(ret, room, "its BTF has no " KFUNC ", by which walks are deferred");
	else if (t == TASK_WORK_UNCALLABLE)
		snprintf(ret, room,
			 "its BTF declares " KFUNC " with other parameters than can be passed: it was built "
			 "with a pahole that does not know kfuncs");
	return err || t == TASK_WORK_NONE || t == TASK_WORK_UNCALLABLE;
}

int probe_task_work_number(void)
{
	return from_btf()->err ?: from_btf()->task_work_number;
}

bool probe_holds_memory(void)
{
	return from_btf()->holds_memory;
}

int probe_from_run_queue(int *ret, enum cpu_variable variable)
{
	if (!from_btf()->variable[variable].found)
		return -ENOENT;
	*ret = from_btf()->variable[variable].from_run_queue;
	return 0;
}

struct from_kallsyms {
	int err; /* it cannot be read */
	bool has_text;
	uint64_t text;
	struct kernel_places places;
	struct kernel_text random_frame, call_begins, call_ends;
};

/* A range of code to be found: the symbol where it begins, and the one where it ends; NULL: the next symbol. */
struct place {
	const char *start, *end;
	struct kernel_text *text;
};

/* Is @name that of @function, or of what the compiler has made of it for its callers? */
static bool is_function(const char *name, const char *function)
{
	size_t len = strlen(function);

	return !strncmp(name, function, len) &&
	       (!name[len] || !strncmp(name + len, ".constprop.", 11) || !strncmp(name + len, ".isra.", 6));
}

static void find_place(const struct place *p, uint64_t addr, const char *name)
{
	if (p->text->start && !p->text->end && addr > p->text->start && (!p->end || !strcmp(name, p->end)))
		p->text->end = addr;
	if (!p->text->start && is_function(name, p->start))
		p->text->start = addr;
}

static struct from_kallsyms kallsyms_facts;

/* Take the symbol @name. Returns whether something is still missing. */
static bool take_symbol(struct from_kallsyms *ret, uint64_t addr, const char *name)
{
	const struct place places[] = {
		{"__entry_text_start", "__entry_text_end", &ret->places.entry},
		{"__noinstr_text_start", "__noinstr_text_end", &ret->places.noinstr_text},
		{"__schedule", NULL, &ret->places.schedule},
		{"schedule_tail", NULL, &ret->places.schedule_tail},
		{"try_to_wake_up", NULL, &ret->places.wake},
		{"syscall_trace_enter", NULL, &ret->call_begins},
		{"syscall_exit_work", NULL, &ret->call_ends},
		{"syscall_trace_exit", NULL, &ret->call_ends}, /* arm64 */
		{"__local_bh_enable_ip", NULL, &ret->places.softirqs},
		{ARCH_RANDOM_FRAME, NULL, &ret->random_frame},
	};
	bool missing;

	if (!ret->has_text && (!strcmp(name, "_text") || !strcmp(name, "_stext"))) {
		ret->has_text = true;
		ret->text = addr && !strcmp(name, "_stext") ? addr - KERNEL_HEAD_BYTES : addr;
	}
	missing = !ret->has_text;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && places[i].start; i++) {
		find_place(&places[i], addr, name);
		missing |= !places[i].text->end;
	}
	return missing;
}

/* Lines are "ADDRESS TYPE NAME", with the module behind a tab. */
static void read_kallsyms(void)
{
	_cleanup_(fclosep) FILE *f = fopen("/proc/kallsyms", "re");
	_cleanup_(freep) char *line = NULL;
	bool missing = true;
	size_t room = 0;

	kallsyms_facts.err = f ? 0 : -errno;
	while (missing && f && getline(&line, &room, f) > 0) {
		char *end, *name;
		uint64_t addr = strtoull(line, &end, 16);

		if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
			continue;
		name = end + 3;
		name[strcspn(name, "\t\n")] = 0;
		missing = take_symbol(&kallsyms_facts, addr, name);
	}
}

static const struct from_kallsyms *from_kallsyms(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_kallsyms);
	return &kallsyms_facts;
}

int probe_kernel_places(struct kernel_places *ret)
{
	*ret = from_kallsyms()->places;
	return from_kallsyms()->err ?: ret->entry.end ? 0 : -ENOENT;
}

struct kernel_text probe_random_frame(void)
{
	return from_kallsyms()->random_frame;
}

void probe_call_places(struct kernel_text *begins, struct kernel_text *ends)
{
	*begins = from_kallsyms()->call_begins;
	*ends = from_kallsyms()->call_ends;
}

int probe_kernel_text(uint64_t *ret)
{
	const struct from_kallsyms *k = from_kallsyms();

	if (k->err || !k->has_text)
		return k->err ?: -ENOENT;
	*ret = k->text;
	return k->text ? 0 : -EPERM;
}
