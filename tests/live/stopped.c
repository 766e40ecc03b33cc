/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "stopped.h"
#include <dirent.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include "base/cleanup.h"

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

static void stop_threads(struct stopped *s)
{
	char path[64];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", s->pid);
	dir = opendir(path);
	assert_non_null(dir);
	while ((d = readdir(dir)) && s->nr_tids < MAX_STOPPED) {
		pid_t tid = atoi(d->d_name);
		int status;

		if (!tid)
			continue;
		assert_int_equal(ptrace(PTRACE_SEIZE, tid, NULL, NULL), 0);
		assert_int_equal(ptrace(PTRACE_INTERRUPT, tid, NULL, NULL), 0);
		assert_int_equal(waitpid(tid, &status, __WALL), tid);
		assert_true(WIFSTOPPED(status));
		s->tid[s->nr_tids++] = tid;
	}
	closedir(dir);
}

static void read_mappings(struct stopped *s)
{
	char path[64], line[4096];
	size_t room = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", s->pid);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		struct stopped_mapping m = {0};
		unsigned long start, end, offset;

		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %255[^\n]", &start, &end, &offset, m.path) < 4)
			continue;
		m.start = start;
		m.end = end;
		m.offset = offset;
		if (s->nr_mappings == room) {
			room = room ? room * 2 : 64;
			s->mapping = realloc(s->mapping, room * sizeof(*s->mapping));
			assert_non_null(s->mapping);
		}
		s->mapping[s->nr_mappings++] = m;
	}
	fclose(f);
}

void stopped_begin(struct stopped *s, pid_t pid)
{
	*s = (struct stopped){.pid = pid};
	stop_threads(s);
	read_mappings(s);
	s->dwfl = dwfl_begin(&callbacks);
	assert_non_null(s->dwfl);
	assert_int_equal(dwfl_linux_proc_report(s->dwfl, pid), 0);
	assert_int_equal(dwfl_report_end(s->dwfl, NULL, NULL), 0);
	assert_int_equal(dwfl_linux_proc_attach(s->dwfl, pid, true), 0);
}

void stopped_end(struct stopped *s)
{
	dwfl_end(s->dwfl);
	for (int i = 0; i < s->nr_tids; i++)
		ptrace(PTRACE_DETACH, s->tid[i], NULL, NULL);
	free(s->mapping);
	*s = (struct stopped){0};
}

void stopped_registers(const struct stopped *s, pid_t tid, struct user_regs_struct *ret)
{
	struct iovec io = {ret, sizeof(*ret)};

	assert_int_equal(ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &io), 0);
}

struct collected {
	struct stopped_frame *frame;
	size_t nr, max;
};

static int collect(Dwfl_Frame *frame, void *arg)
{
	struct collected *c = arg;
	Dwarf_Addr pc;
	bool exact;

	if (c->nr == c->max || !dwfl_frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	c->frame[c->nr++] = (struct stopped_frame){pc, exact};
	return DWARF_CB_OK;
}

size_t stopped_stack(const struct stopped *s, pid_t tid, struct stopped_frame *ret, size_t max)
{
	struct collected c = {ret, 0, max};

	dwfl_getthread_frames(s->dwfl, tid, collect, &c);
	return c.nr;
}

const char *stopped_place(const struct stopped *s, uint64_t pc, uint64_t *offset)
{
	for (size_t i = 0; i < s->nr_mappings; i++) {
		const struct stopped_mapping *m = &s->mapping[i];

		if (pc < m->start || pc >= m->end)
			continue;
		*offset = pc - m->start + m->offset;
		return m->path;
	}
	return NULL;
}
