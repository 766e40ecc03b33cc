/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/symbols/jit_hint.h"
#include <stdio.h>
#include <string.h>
#include "base/path.h"

enum runtime { JAVA, NODE, PYTHON, OTHER };

/* The beginnings of the names of files, and of main threads. */
static const struct {
	const char *file, *program;
} runtimes[OTHER] = {
	[JAVA] = {"libjvm.so", "java"},
	[NODE] = {"libnode.so", "node"},
	[PYTHON] = {"libpython3", "python3"},
};

static bool begins_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* The runtime that has the file @path: its library, or its program. */
static enum runtime runtime_of_file(const char *path)
{
	const char *name = path_name(path);
	enum runtime r = 0;

	while (r < OTHER && !begins_with(name, runtimes[r].file) && !begins_with(name, runtimes[r].program))
		r++;
	return r;
}

static enum runtime runtime_of_stack(const struct dusk_profile *p, uint32_t node)
{
	for (; node; node = p->nodes[node].parent) {
		const struct dusk_module *m = &p->modules[p->frames[p->nodes[node].frame].module];
		enum runtime r = m->kind == DUSK_MODULE_FILE ? runtime_of_file(m->path) : OTHER;

		if (r != OTHER)
			return r;
	}
	return OTHER;
}

/* By the files in any of its stacks; a stack that ends in such code may have none. Else by its name. */
static enum runtime runtime_of(const struct dusk_profile *p, pid_t pid)
{
	enum runtime r = OTHER;

	for (uint64_t i = 0; r == OTHER && i < p->nr_samples; i++)
		if (p->threads[p->samples[i].thread].pid == pid)
			r = runtime_of_stack(p, p->samples[i].node);
	for (uint32_t i = 0; r == OTHER && i < p->nr_threads; i++)
		if (p->threads[i].pid == pid && p->threads[i].tid == pid)
			r = runtime_of_file(p->threads[i].comm);
	return r;
}

/* Where functions of Python are shown anyway, other code of such a process is a library's. */
static bool shows_python(const struct dusk_profile *p)
{
	for (uint32_t i = 1; i < p->nr_modules; i++)
		if (p->modules[i].kind == DUSK_MODULE_SOURCE)
			return true;
	return false;
}

void jit_hint(const struct dusk_profile *p, pid_t pid, char *ret, size_t room)
{
	enum runtime r = runtime_of(p, pid);

	switch (r == PYTHON && shows_python(p) ? OTHER : r) {
	case JAVA:
		snprintf(ret, room,
			 "code made at run time: while it is recorded, jcmd %d Compiler.perfmap writes "
			 "/tmp/perf-%d.map, "
			 "without a restart",
			 pid, pid);
		break;
	case NODE: snprintf(ret, room, "code made at run time: node --perf-basic-prof, or --perf-prof"); break;
	case PYTHON: snprintf(ret, room, "code made at run time: python3 -X perf"); break;
	case OTHER:
		snprintf(ret, room,
			 "code made at run time: have it write /tmp/perf-%d.map or a jitdump while it is recorded",
			 pid);
	}
}
