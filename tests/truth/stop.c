/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is the walk right in any process? Its threads are halted, and each is walked by dusk and by elfutils, the library
 * under eu-stack, which reads the files and not the memory.
 *
 *	stop [-q] LIST PID...|all
 *
 *	-q	no line for a process in which all is the same
 *
 * A line for each process, and one for all: stacks, frames, and how many stacks are longer (elfutils did not come to
 * the end, dusk did), shorter, or different. The last two have to be in LIST (differences.h); what is not is
 * described on stderr, and the exit status is 1.
 */
#include <ctype.h>
#include <dirent.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "abi/frame.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "differences.h"
#include "lib/process/halt.h"
#include "lib/profile/file/abi_names.h"
#include "lib/process/target.h"
#include "lib/process/trace.h"

#define MAX_THREADS 1024

struct thread {
	pid_t tid;
	u64 regs[TRACE_REGS];
};

struct tally {
	unsigned long stacks, frames, longer, shorter, different, explained, refused;
};

struct theirs {
	size_t nr;
	uint64_t pc[MAX_DEPTH];
	bool pc_is_exact[MAX_DEPTH];
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};
static struct thread threads[MAX_THREADS];
static size_t nr_threads;
static struct trace trace;
static struct theirs theirs;
static struct differences differences;
static struct tally all;
static bool quiet;

static int collect(Dwfl_Frame *frame, void *arg)
{
	Dwarf_Addr pc;
	bool pc_is_exact;

	if (theirs.nr == MAX_DEPTH || !dwfl_frame_pc(frame, &pc, &pc_is_exact))
		return DWARF_CB_ABORT;
	theirs.pc[theirs.nr] = pc;
	theirs.pc_is_exact[theirs.nr++] = pc_is_exact;
	return DWARF_CB_OK;
}

/* Halt all threads of @pid that can be halted; those that come meanwhile are not seen. */
static void halt_all(pid_t pid, struct tally *t)
{
	char path[32];
	struct dirent *d;
	DIR *dir;

	nr_threads = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (d = readdir(dir)) && nr_threads < MAX_THREADS) {
		struct thread *thread = &threads[nr_threads];

		thread->tid = atoi(d->d_name);
		if (!thread->tid)
			continue;
		if (halt_begin(thread->tid, thread->regs, NULL))
			t->refused++;
		else
			nr_threads++;
	}
	if (dir)
		closedir(dir);
}

static Dwfl *open_theirs(pid_t pid)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);

	if (dwfl && !dwfl_linux_proc_report(dwfl, pid) && !dwfl_report_end(dwfl, NULL, NULL) &&
	    !dwfl_linux_proc_attach(dwfl, pid, true))
		return dwfl;
	dwfl_end(dwfl);
	return NULL;
}

/* Is our frame @ours their frame @i? */
static bool is_same(size_t ours, size_t i)
{
	const struct trace_frame *f = &trace.frames.v[ours];

	return f->pc == theirs.pc[i] && !frame_is_return(f->word) == theirs.pc_is_exact[i];
}

/* Are all frames the same but for one more of ours, behind @same of them? */
static bool has_one_more(size_t same)
{
	bool is = trace.frames.nr == theirs.nr + 1;

	for (size_t i = same; is && i < theirs.nr; i++)
		is = is_same(i + 1, i);
	return is;
}

static void compare(const struct target *target, struct tally *t)
{
	size_t same = 0, ours = trace.frames.nr;
	uint64_t place;

	while (same < ours && same < theirs.nr && is_same(same, same))
		same++;
	t->stacks++;
	t->frames += same;
	if (same == theirs.nr && (same == ours || outcomes[trace.walk->outcome].kind == DUSK_COMPLETE)) {
		t->longer += same != ours;
		return;
	}
	t->shorter += same == ours;
	t->different += same != ours;
	place = same ? trace.frames.v[same - 1].pc - !trace.frames.v[same - 1].pc_is_exact : theirs.pc[0];
	t->explained += differences_take(&differences, target, place, trace.walk, theirs.pc, theirs.nr, same,
					 has_one_more(same));
}

static void compare_threads(Dwfl *dwfl, struct target *target, struct tally *t)
{
	for (size_t i = 0; i < nr_threads; i++) {
		theirs.nr = 0;
		dwfl_getthread_frames(dwfl, threads[i].tid, collect, NULL);
		target_use(target);
		if (trace_walk(&trace, threads[i].regs, MAX_DEPTH))
			exit(2);
		target_use(NULL);
		compare(target, t);
	}
}

static void say(const char *what, pid_t pid, const struct tally *t)
{
	printf("%-15s %7.0d stacks %lu frames %lu longer %lu shorter %lu different %lu explained %lu refused %lu\n",
	       what, pid, t->stacks, t->frames, t->longer, t->shorter, t->different, t->explained, t->refused);
}

static void add(const struct tally *t)
{
	unsigned long *sum = (unsigned long *)&all;

	for (size_t i = 0; i < sizeof(*t) / sizeof(*sum); i++)
		sum[i] += ((const unsigned long *)t)[i];
}

static void look_at(pid_t pid)
{
	_cleanup_(freep) char *comm = NULL;
	struct target target;
	struct tally t = {0};
	char path[32];
	size_t len;
	Dwfl *dwfl;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (file_read(&comm, &len, path, 4096))
		return;
	comm[strcspn(comm, "\n")] = 0;
	halt_all(pid, &t);
	dwfl = nr_threads ? open_theirs(pid) : NULL;
	if (dwfl && !target_open(&target, pid)) {
		compare_threads(dwfl, &target, &t);
		target_done(&target);
	}
	dwfl_end(dwfl);
	for (size_t i = 0; i < nr_threads; i++)
		halt_end(threads[i].tid);
	add(&t);
	if (!quiet || t.longer || t.shorter || t.different)
		say(comm, pid, &t);
}

/* Not a kernel thread, and neither ourselves nor one of those that wait for us. */
static bool is_wanted(pid_t pid)
{
	char path[32], exe[8];

	for (pid_t p = getpid(); p > 1;) {
		_cleanup_(fclosep) FILE *stat = NULL;

		if (p == pid)
			return false;
		snprintf(path, sizeof(path), "/proc/%d/stat", p);
		stat = fopen(path, "re");
		if (!stat || fscanf(stat, "%*d (%*[^)]) %*c %d", &p) != 1)
			break;
	}
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return readlink(path, exe, sizeof(exe)) > 0;
}

static void look_at_all(void)
{
	struct dirent *d;
	DIR *proc = opendir("/proc");

	while (proc && (d = readdir(proc)))
		if (isdigit((unsigned char)*d->d_name) && is_wanted(atoi(d->d_name)))
			look_at(atoi(d->d_name));
	if (proc)
		closedir(proc);
}

int main(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "q")) == 'q')
		quiet = true;
	if (option != -1 || argc - optind < 2) {
		fprintf(stderr, "usage: stop [-q] LIST PID...|all\n");
		return 2;
	}
	if (!differences_read(&differences, argv[optind]) || trace_init(&trace))
		return 2;
	for (int i = optind + 1; i < argc; i++) {
		if (strcmp(argv[i], "all"))
			look_at(atoi(argv[i]));
		else
			look_at_all();
	}
	say("all", 0, &all);
	fflush(stdout);
	differences_say(&differences);
	return all.shorter + all.different > all.explained || !all.stacks;
}
