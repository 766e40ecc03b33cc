/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any user may hold back pages for ever. Does that hang the program, dusk, or other tracers?
 */
#include <errno.h>
#include <link.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <bpf/bpf.h>
#include <unistd.h>
#include "live.h"

#define FOLDER "/mnt"
#define START_NOW(...) live_start(false, (const char *const[]){__VA_ARGS__, NULL})
#define SOON_SECONDS 60 /* for what takes milliseconds, or for ever */

static int uprobe_type(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	int type = -1;

	if (!f || fscanf(f, "%d", &type) != 1)
		return -1;
	fclose(f);
	return type;
}

/* Where in this program's file is function @addr? */
static int find_offset(struct dl_phdr_info *info, size_t size, void *addr)
{
	uint64_t at = *(uint64_t *)addr - info->dlpi_addr;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && at - p->p_vaddr < p->p_filesz)
			*(uint64_t *)addr = at - p->p_vaddr + p->p_offset;
	}
	return 1; /* the program comes first */
}

/* Attach a BPF program to a function of this program, and detach it, which waits for all sleeping programs. */
static int attach_and_detach(void)
{
	static const struct bpf_insn nothing[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K}, {.code = BPF_JMP | BPF_EXIT}};
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = uprobe_type(),
		.uprobe_path = (uintptr_t)"/proc/self/exe",
		.probe_offset = (uintptr_t)uprobe_type,
	};
	int program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "nothing", "GPL", nothing, 2, NULL), event;

	dl_iterate_phdr(find_offset, &attr.probe_offset);
	event = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (program < 0 || event < 0 || ioctl(event, PERF_EVENT_IOC_SET_BPF, program))
		return fprintf(stderr, "uprobe: program %d, event %d: %s\n", program, event, strerror(errno)), 1;
	close(event);
	return 0;
}

static void others_can_trace(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(attach_and_detach());
	assert_int_equal(live_wait(pid, SOON_SECONDS), 0);
}

static void wait_for_more(volatile unsigned long *number)
{
	unsigned long before = *number;
	double end = live_now_s() + SOON_SECONDS;

	while (*number == before && live_now_s() < end)
		live_sleep_ms(20);
	assert_true(*number != before);
}

/* A thread that keeps reading files of process @pid takes its locks, so that dusk must go without. */
static pid_t start_prying(pid_t pid)
{
	pid_t prying = fork();
	char path[64], text[512];

	assert_true(prying >= 0);
	if (prying)
		return prying;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpriority(PRIO_PROCESS, 0, 19);
	snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	for (;;) {
		int fd = open(path, O_RDONLY);

		if (fd < 0 || read(fd, text, sizeof(text)) < 0)
			_exit(1);
		close(fd);
	}
}

/* The server of the file: a process waits for it in the middle of its exit, too. */
static void end_child_of(pid_t pid)
{
	char path[64];
	FILE *f;
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	f = fopen(path, "re");
	if (f && fscanf(f, "%d", &child) == 1)
		kill(child, SIGKILL);
	if (f)
		fclose(f);
}

static struct dusk_profile *record(const char *mode, const char *way, pid_t *ret)
{
	const char *number = live_file("rounds"), *file = live_file("unserved.dusk");
	volatile unsigned long *rounds = live_number(number);
	pid_t pid, prying, recorder;

	pid = START(live_victim("unserved"), way, number, FOLDER);
	others_can_trace();
	recorder = START_RECORD(file, "--mode", mode, "-a", "-F", "199");
	prying = start_prying(pid);
	for (int i = 0; i < 3; i++) {
		wait_for_more(rounds);
		others_can_trace();
		live_sleep_ms(300);
	}
	assert_int_equal(live_stop_record(recorder), 0);
	wait_for_more(rounds);
	live_end(prying);
	end_child_of(pid);
	live_end(pid);
	*ret = pid;
	return live_read(file);
}

/* Stacks end at the page, the innermost frames are there, and the counters agree. */
static void check(const char *way, size_t least_frames)
{
	static struct live_stack stack;
	size_t cut = 0, unknown = 0;
	pid_t pid;
	_cleanup_profile_ p = record("full", way, &pid);

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];

		if (!live_is_of(p, s, pid))
			continue;
		if (!strcmp(live_outcome(p, s), "table-unreadable")) {
			unknown++; /* where the file begins could not be looked up, for a lock was taken */
			continue;
		}
		assert_string_equal(live_outcome(p, s), "page-not-safe");
		live_user_stack(p, s->node, &stack);
		assert_in_range(stack.nr, least_frames, 10);
		cut++;
	}
	print_message("%s: %zu stacks cut at the page, the program and other tools ran on\n", way, cut);
	live_check_counters(p);
	assert_true(cut > 20);
	assert_true(unknown <= cut / 20);
	assert_true(live_counter(p, "faults-refused") + live_counter(p, "joined") + live_counter(p, "afterwards") >=
		    cut);
}

static void a_stack_that_userfaultfd_holds_back(void **state)
{
	check("userfaultfd", 2);
}

static void a_stack_that_fuse_holds_back(void **state)
{
	check("stack", 2);
}

static void unwind_tables_that_fuse_holds_back(void **state)
{
	check("tables", 1);
}

/*
 * What is not known of its mappings by then cannot be learnt; nobody waits for the lock, neither on the way nor at the
 * end.
 */
static void a_lock_of_mappings_that_fuse_holds(void **state)
{
	size_t complete = 0, busy = 0;
	pid_t pid;
	_cleanup_profile_ p = record("full", "lock", &pid);

	for (uint64_t i = 0; i < p->nr_samples; i++) {
		const struct dusk_sample *s = &p->samples[i];

		if (!live_is_of(p, s, pid))
			continue;
		if (live_class(p, s) == DUSK_COMPLETE)
			complete++;
		else if (!strcmp(live_outcome(p, s), "mappings-busy"))
			busy++;
		else
			fail_msg("neither whole nor without mappings: %s", live_outcome(p, s));
	}
	print_message("lock: %zu stacks whole, %zu without mappings, the program and other tools ran on\n", complete,
		      busy);
	live_check_counters(p);
	assert_true(complete + busy > 20);
}

/* Recorded from outside, where nothing of it has to be read that does not come. */
static void check_copied(const char *way)
{
	size_t nr = 0;
	pid_t pid;
	_cleanup_profile_ p = record("copied", way, &pid);

	for (uint64_t i = 0; i < p->nr_samples; i++)
		nr += live_is_of(p, &p->samples[i], pid);
	print_message("%s, mode copied: %zu stacks, %llu reads given up\n", way, nr,
		      (unsigned long long)live_counter(p, "unserved-reads"));
	assert_true(nr > 20);
	assert_int_equal(live_counter(p, "unserved-reads"), 0);
}

static void mode_copied_and_a_stack_that_fuse_holds_back(void **state)
{
	check_copied("stack"); /* a file's */
}

static void mode_copied_and_a_lock_of_mappings_that_fuse_holds(void **state)
{
	check_copied("lock");
}

/*
 * Two of its threads wait in mmap(). A tool that looks at them, now or at the end of a recording, goes on without what the lock
 * hides.
 */
static void looking_at_a_process_that_waits_for_a_lock_ends(void **state)
{
	const char *number = live_file("rounds"), *file = live_file("looked.dusk");
	volatile unsigned long *rounds = live_number(number);
	pid_t pid = START(live_victim("unserved"), "lock", number, FOLDER);
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	assert_int_equal(live_wait(START_NOW(live_dusk(), "stacks", "--json", text), SOON_SECONDS), 0);
	assert_int_equal(live_wait(START_NOW(live_dusk(), "stacks", "--json", "--all"), SOON_SECONDS), 0);
	assert_int_equal(
		live_wait(live_spawn_record(file, (const char *const[]){"-e", "offcpu", "-d", "1s", "-p", text, NULL}),
			  SOON_SECONDS),
		0);
	wait_for_more(rounds);
	end_child_of(pid);
	live_end(pid);
	_cleanup_profile_ p = live_read(file);
	print_message("%llu rows\n", (unsigned long long)p->nr_samples);
	assert_true(p->nr_samples >= 2);
}

static void check_map(const char *way)
{
	const char *number = live_file("rounds"), *file = live_file("map.dusk");
	volatile unsigned long *rounds = live_number(number);
	pid_t pid = START(live_victim("unserved"), way, number, FOLDER);
	char text[16];
	size_t nr = 0;

	snprintf(text, sizeof(text), "%d", pid);
	assert_int_equal(
		live_wait(live_spawn_record(file, (const char *const[]){"-F", "199", "-d", "2s", "-p", text, NULL}),
			  SOON_SECONDS),
		0);
	assert_int_equal(live_wait(START_NOW(live_dusk(), "stacks", "--json", text), SOON_SECONDS), 0);
	wait_for_more(rounds);
	end_child_of(pid);
	live_end(pid);
	_cleanup_profile_ p = live_read(file);
	for (uint64_t i = 0; i < p->nr_samples; i++)
		nr += live_is_of(p, &p->samples[i], pid);
	print_message("%s: %zu samples of code without its map\n", way, nr);
	assert_true(nr > 20);
}

static void a_perf_map_that_never_opens(void **state)
{
	check_map("map");
}

static void a_perf_map_of_which_nothing_comes(void **state)
{
	check_map("unread");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_that_userfaultfd_holds_back),
		cmocka_unit_test(a_stack_that_fuse_holds_back),
		cmocka_unit_test(unwind_tables_that_fuse_holds_back),
		cmocka_unit_test(a_lock_of_mappings_that_fuse_holds),
		cmocka_unit_test(mode_copied_and_a_stack_that_fuse_holds_back),
		cmocka_unit_test(mode_copied_and_a_lock_of_mappings_that_fuse_holds),
		cmocka_unit_test(looking_at_a_process_that_waits_for_a_lock_ends),
		cmocka_unit_test(a_perf_map_that_never_opens),
		cmocka_unit_test(a_perf_map_of_which_nothing_comes),
	};

	chmod("/dev/fuse", 0666); /* as udev has it */
	setenv("PAGER", "", 1);
	return LIVE_MAIN(argc, argv, tests);
}
