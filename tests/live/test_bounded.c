/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How long can a program that is made for it hold a CPU, by its exit alone? What the walk may do there is bounded by
 * steps (unit/core/test_work asserts that); here such programs exit, each is walked, and the kernel says how long our
 * programs ran. Before there was a bound it was 20 to 300 ms an exit.
 */
#include <bpf/bpf.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "live.h"
#include "test_arch.h"
#include "victim_code.h"

#define EXITS 20
#define SEGMENTS 4
#define SEGMENT_BYTES (16UL << 20)
#define SEGMENTS_AT 0x10000000UL /* READS_PAGES knows it, and where they end */

struct ran {
	unsigned long long ns, times;
};

/* Has process @pid a descriptor of program @id, or of a link to it? Other recorders come and go meanwhile. */
static bool holds(pid_t pid, uint32_t id)
{
	char command[128];

	snprintf(command, sizeof(command), "grep -qsw 'prog_id:.%u' /proc/%d/fdinfo/*", id, pid);
	return !system(command);
}

/* The program of that name that process @pid has loaded. */
static int program_of(pid_t pid, const char *name)
{
	struct bpf_prog_info info;
	uint32_t id = 0, len;

	while (!bpf_prog_get_next_id(id, &id)) {
		int fd = bpf_prog_get_fd_by_id(id);

		memset(&info, 0, sizeof(info));
		len = sizeof(info);
		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len) && !strcmp(info.name, name) && holds(pid, id))
			return fd;
		close(fd);
	}
	fail_msg("the recorder has no program %s", name);
	return -1;
}

/* What program @fd has run for. */
static struct ran ran(int fd)
{
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &len), 0);
	return (struct ran){info.run_time_ns, info.run_cnt};
}

/* A fresh file, so that nothing is known of it. */
static const char *copy(const char *victim)
{
	char command[8192];
	const char *file = live_file("slow");

	snprintf(command, sizeof(command), "rm -f '%s' && cp '%s' '%s'", file, live_victim(victim), file);
	assert_int_equal(system(command), 0);
	return file;
}

/* A program that touches all of its read-only segments, in which .eh_frame would have to be searched, and exits. */
static const char *without_tables(void)
{
	static const uint8_t code[] = READS_PAGES;
	Elf64_Ehdr eh = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = TEST_MACHINE,
		.e_version = EV_CURRENT,
		.e_entry = 0x401000,
		.e_phoff = sizeof(eh),
		.e_ehsize = sizeof(eh),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2 + SEGMENTS,
	};
	Elf64_Phdr ph[2 + SEGMENTS] = {
		{PT_LOAD, PF_R, 0, 0x400000, 0x400000, 4096, 4096, 4096},
		{PT_LOAD, PF_R | PF_X, 4096, 0x401000, 0x401000, sizeof(code), sizeof(code), 4096},
	};
	const char *file = live_file("slow");
	int fd;

	for (int i = 0; i < SEGMENTS; i++)
		ph[2 + i] = (Elf64_Phdr){PT_LOAD,
					 PF_R,
					 8192 + i * SEGMENT_BYTES,
					 SEGMENTS_AT + i * SEGMENT_BYTES,
					 SEGMENTS_AT + i * SEGMENT_BYTES,
					 SEGMENT_BYTES,
					 SEGMENT_BYTES,
					 4096};
	unlink(file);
	fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &eh, sizeof(eh), 0), sizeof(eh));
	assert_int_equal(pwrite(fd, ph, sizeof(ph), sizeof(eh)), sizeof(ph));
	assert_int_equal(pwrite(fd, code, sizeof(code), 4096), sizeof(code));
	assert_int_equal(ftruncate(fd, 8192 + SEGMENTS * SEGMENT_BYTES), 0);
	close(fd);
	return file;
}

/* EXITS exits of what @make makes, called with @word; @program walks each. */
static void look(int program, const char *what, const char *(*make)(const char *), const char *word)
{
	struct ran first = ran(program), before = first, after;
	unsigned long long longest_ns = 0;
	int bad = 0;

	for (int i = 0; i < EXITS; i++, before = after) {
		bad += live_wait(live_start(false, (const char *const[]){make(word), word, NULL}), 60) != 0;
		after = ran(program);
		if (after.ns - before.ns > longest_ns)
			longest_ns = after.ns - before.ns;
	}
	assert_int_equal(bad, 0);
	assert_true(before.times >= first.times + EXITS);
	print_message("%-10s %llu exits and execs, %.3f ms for each of %d, at most %.3f\n", what,
		      before.times - first.times, (before.ns - first.ns) / 1e6 / EXITS, EXITS, longest_ns / 1e6);
}

static const char *make_without_tables(const char *word)
{
	return without_tables();
}

static const char *make_copy(const char *word)
{
	return copy("slow");
}

static void an_exit_is_over_soon_in_whatever_program(void **state)
{
	static const char *const names[] = {"last_stack", "sample_cpu", "task_free", "task_exec"};
	int stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	int program[sizeof(names) / sizeof(names[0])];
	pid_t recorder;

	assert_true(stats >= 0);
	recorder = START_RECORD(live_file("bounded.dusk"), "-F", "199");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		program[i] = program_of(recorder, names[i]);
	look(program[0], "no tables", make_without_tables, "none");
	look(program[0], "deep", make_copy, "deep");
	look(program[0], "mappings", make_copy, "mappings");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct ran r = ran(program[i]);

		print_message("%-10s ran %llu times, %.1f us on average\n", names[i], r.times,
			      r.times ? r.ns / 1e3 / r.times : 0);
		close(program[i]);
	}
	close(stats);
	assert_int_equal(live_stop_record(recorder), 0);
	_cleanup_profile_ p = live_read(live_file("bounded.dusk"));
	print_message("%llu samples whose walk was too long\n",
		      (unsigned long long)live_outcome_samples(p, "too-long"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exit_is_over_soon_in_whatever_program),
	};

	return LIVE_MAIN(argc, argv, tests);
}
