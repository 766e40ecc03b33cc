/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Check whether this machine can run dusk. Each check is a function and a row of the table at the end. */
#include <dusk/dusk.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/cgroup_tree.h"
#include "base/cleanup.h"
#include "lib/arch/names.h"
#include "lib/unwinder/object.h"
#include "lib/unwinder/probe.h"
#include "lib/copied/source.h"
#include "lib/record/sampler.h"
#include "lib/unwinder/tool.h"

DECLARE_IMAGE(record);
DECLARE_IMAGE(record_impl);

__attribute__((format(printf, 2, 3))) static void result(struct dusk_check *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->result, sizeof(c->result), format, args);
	va_end(args);
}

__attribute__((format(printf, 3, 4))) static void bad(struct dusk_check *c, enum dusk_check_state state,
						      const char *format, ...)
{
	va_list args;

	c->state = state;
	va_start(args, format);
	vsnprintf(c->remedy, sizeof(c->remedy), format, args);
	va_end(args);
}

static void check_machine(struct dusk_check *c)
{
	struct utsname u;

	uname(&u);
	result(c, "%s", u.machine);
	if (strcmp(u.machine, ARCH_UNAME))
		bad(c, DUSK_FAIL, "this dusk was built for " ARCH_NAME);
}

static void check_kernel(struct dusk_check *c)
{
	char lack[sizeof(c->result) / 2];
	enum task_work kfunc;
	struct utsname u;

	uname(&u);
	if (probe_no_task_work(lack, sizeof(lack))) {
		result(c, "Linux %s: %s", u.release, lack);
		bad(c, DUSK_FAIL, "boot a kernel that has it; record CPU samples without it: --mode copied");
	} else if (!probe_task_work(&kfunc)) {
		result(c, "Linux %s, bpf_task_work_schedule_resume%s", u.release,
		       kfunc == TASK_WORK_IMPL ? "_impl" : "");
	}
}

static void check_capabilities(struct dusk_check *c)
{
	char grant[sizeof(c->remedy) / 2];
	size_t used = 0;

	dusk_capabilities_grant(grant, sizeof(grant), "dusk");
	for (const struct dusk_capability *cap = dusk_capabilities(); cap->name; cap++) {
		if (probe_have(cap))
			continue;
		used += snprintf(c->result + used, sizeof(c->result) - used, "%s%s (%s)",
				 used ? "; " : "missing: ", cap->name, cap->purpose);
		if (used >= sizeof(c->result))
			used = sizeof(c->result) - 1;
		bad(c, cap->required || c->state == DUSK_FAIL ? DUSK_FAIL : DUSK_WARN, "run as root, or once: %s",
		    grant);
	}
	if (!used)
		result(c, "all that can be used");
}

static int load(struct service **s, struct tool **t, struct dusk_error *err)
{
	struct service_options options = {.pin = ""};
	int ret = service_new(s, &options, err);

	if (!ret)
		ret = tool_open(t, *s, &IMAGE(record), &IMAGE(record_impl), err);
	return ret ?: tool_load(*t, err);
}

static void check_load(struct dusk_check *c)
{
	struct dusk_error err = {""};
	struct service *s = NULL;
	struct tool *t = NULL;
	const char *largest;
	u32 verified;

	if (load(&s, &t, &err)) {
		if (err.remedy) /* the check of capabilities gives it already */
			err.text[err.remedy] = 0;
		result(c, "%s", err.text);
		bad(c, DUSK_FAIL, "mend what the other checks say; DUSK_DEBUG_BPF=1 shows the kernel's own words");
	} else {
		largest = object_largest(tool_object(t), &verified);
		result(c, "verified; %u instructions visited in %s, of a million at most", verified,
		       largest ? largest : "one");
	}
	tool_free(t);
	service_free(s);
}

static void check_timer(struct dusk_check *c)
{
	static const int first_cpu[] = {0};
	struct sampler *s = NULL;
	struct dusk_error err = {""};

	if (sampler_new(&s, 99, first_cpu, 1, &err)) {
		result(c, "%s", err.text);
		bad(c, DUSK_FAIL, "perf events are needed; see kernel.perf_event_paranoid and seccomp filters");
		return;
	}
	if (sampler_has_pmu())
		result(c, "cycles (hardware)");
	else
		result(c, "cpu-clock: this machine has no PMU; code that runs with interrupts off is seen at its end");
	sampler_free(s);
}

/* Can threads be sampled without BPF: @tid, or all of the machine if it is 0? */
static bool can_copy(pid_t tid, bool *kernel, struct dusk_error *err)
{
	const struct source_options o = {
		.hz = 99,
		.cpu = true,
		.switches = true,
		.tids = &tid,
		.nr_tids = tid ? 1 : 0,
	};
	struct perf_source *s;

	if (source_new(&s, &o, err))
		return false;
	*kernel = source_sees_kernel(s);
	source_free(s);
	return true;
}

static void check_copied(struct dusk_check *c)
{
	struct dusk_error err = {""};
	bool kernel;

	if (can_copy(0, &kernel, &err)) {
		result(c, "possible, for the whole machine");
	} else if (can_copy(getpid(), &kernel, &err)) {
		result(c, "possible, for one's own processes%s",
		       kernel ? "" : ", in user mode only, and off-CPU intervals without stacks");
	} else {
		result(c, "%s", err.text);
		bad(c, DUSK_WARN, "only record --mode copied needs it, which is for where the full mode cannot work");
	}
}

static void check_ptrace(struct dusk_check *c)
{
	_cleanup_(fclosep) FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = 0;
	bool any = geteuid() == 0;

	if (f && fscanf(f, "%d", &scope) != 1)
		scope = 0;
	if (scope >= 3 || (scope == 2 && !any)) {
		result(c, "kernel.yama.ptrace_scope is %d: no process may be traced", scope);
		bad(c, DUSK_WARN, "only record --mode ptrace needs it, which is for where perf events are refused");
	} else if (scope == 1 && !any) {
		result(c, "possible, for commands that dusk starts: kernel.yama.ptrace_scope is 1");
	} else {
		result(c, "possible, for %s processes", any ? "all" : "one's own");
	}
}

static void check_kernel_symbols(struct dusk_check *c)
{
	struct kernel_places places;

	if (!probe_kernel_places(&places)) {
		result(c, "addresses in /proc/kallsyms");
		return;
	}
	result(c, "/proc/kallsyms shows no addresses");
	bad(c, DUSK_WARN,
	    "kernel functions stay addresses, and no kernel stack is remembered, so that off-CPU intervals cost more; "
	    "cap_syslog and kernel.kptr_restrict=1 or 0 show them");
}

/* The file: "0.20 0.18 0.12 1/80 11206"; the fourth field is runnable threads/all threads. */
static void check_threads(struct dusk_check *c)
{
	_cleanup_(fclosep) FILE *f = fopen("/proc/loadavg", "re");
	unsigned long threads;

	if (!f || fscanf(f, "%*f %*f %*f %*u/%lu", &threads) != 1) {
		result(c, "cannot be counted: /proc/loadavg");
		bad(c, DUSK_WARN, "with more than %u threads, record needs --max-tasks", DEFAULT_TASKS);
		return;
	}
	result(c, "%lu, and room for %u at once", threads, DEFAULT_TASKS);
	if (threads > DEFAULT_TASKS / 4 * 3)
		bad(c, DUSK_WARN, "record --max-tasks %lu makes room for all of them; who finds none has no user stack",
		    2 * threads);
}

static void check_preemption(struct dusk_check *c)
{
	struct utsname u;

	uname(&u);
	if (!strstr(u.version, "PREEMPT_RT")) {
		result(c, "not a real-time kernel");
		return;
	}
	result(c, "PREEMPT_RT");
	bad(c, DUSK_WARN, "a request may be scheduled after its task has been to user mode: such stacks can be wrong");
}

static void check_other_threads(struct dusk_check *c)
{
	if (probe_holds_memory()) {
		result(c, "their memory can be looked at");
		return;
	}
	result(c, "no safe look at their memory (bpf_iter_task_vma)");
	bad(c, DUSK_WARN, "only dusk stacks needs it: Linux 6.18.44, 7.2 or newer");
}

static void check_cgroup(struct dusk_check *c)
{
	char folder[PATH_MAX];

	if (cgroup_tree_find(folder)) {
		result(c, "cgroup2 at %s", folder);
		return;
	}
	result(c, "cgroup2 is not mounted");
	bad(c, DUSK_WARN, "units and containers are known by it: mount -t cgroup2 none DIR");
}

static const struct {
	const char *name;
	void (*run)(struct dusk_check *c);
} checks[] = {
	{"machine", check_machine},
	{"kernel", check_kernel},
	{"capabilities", check_capabilities},
	{"programs", check_load},
	{"timer", check_timer},
	{"mode copied", check_copied},
	{"mode ptrace", check_ptrace},
	{"kernel symbols", check_kernel_symbols},
	{"threads", check_threads},
	{"preemption", check_preemption},
	{"other threads", check_other_threads},
	{"cgroups", check_cgroup},
};

int dusk_doctor(struct dusk_check **ret)
{
	size_t nr = sizeof(checks) / sizeof(checks[0]);
	struct dusk_check *c = calloc(nr, sizeof(*c));

	if (!c)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		c[i].name = checks[i].name;
		checks[i].run(&c[i]);
	}
	*ret = c;
	return nr;
}
