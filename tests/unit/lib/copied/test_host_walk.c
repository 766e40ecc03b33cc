/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is a copied stack walked as it was when it was copied, and never as it is now? This process copies a stack of its own,
 * and walks it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/walk/walk.h"
#include "lib/arch/signal_return.h"
#include "lib/copied/host_walk.h"
#include "test_registers.h"

#define DEPTH 40
#define BIG 4096 /* bytes of each frame, about */

static struct {
	u64 regs[INPUT_REGS];
	u8 bytes[DEPTH * BIG * 2];
	u64 nr;
	u64 returns[DEPTH + 1]; /* innermost first */
} copied;

static uintptr_t stack_end;

/* As memcpy(), also of what lies between variables, where the address sanitizer allows nothing. */
__attribute__((no_sanitize("address"))) static void copy_stack(u8 *to, u64 from, u64 nr)
{
	const volatile u8 *bytes = (const u8 *)from;

	for (u64 i = 0; i < nr; i++)
		to[i] = bytes[i];
}

static void copy_from(const ucontext_t *c)
{
	test_registers(copied.regs, c);
	copied.nr = stack_end - copied.regs[REG_SP];
	assert_true(copied.nr <= sizeof(copied.bytes));
	copy_stack(copied.bytes, copied.regs[REG_SP], copied.nr);
}

__attribute__((noinline)) static int descend(int depth)
{
	volatile char room[BIG];

	room[0] = depth;
	copied.returns[depth] = (u64)__builtin_return_address(0);
	if (depth) {
		room[1] = descend(depth - 1);
	} else {
		ucontext_t c;

		getcontext(&c);
		copy_from(&c);
	}
	memset((void *)room, depth, sizeof(room)); /* the thread runs on: what was there is there no more */
	return room[1] + room[BIG - 1];
}

static struct spaces spaces;
static struct host_walk walk;
static uint32_t learnt;

static void learn(void *ctx, const struct event_module *e)
{
	learnt++;
}

static int begin(void **state)
{
	copied.nr = 0;
	stack_end = ((uintptr_t)__builtin_frame_address(0) | 0xfff) + 1;
	learnt = 0;
	return spaces_init(&spaces) || host_walk_init(&walk, &spaces, learn, NULL) || spaces_read(&spaces, getpid());
}

static int end(void **state)
{
	host_walk_done(&walk);
	spaces_done(&spaces);
	return 0;
}

static bool in_kernel;

static u32 run(u64 bytes)
{
	const struct copied_stack s = {getpid(), copied.regs, copied.bytes, bytes, bytes, in_kernel};

	return host_walk_run(&walk, &s, DEFAULT_DEPTH);
}

/* The frame of this program's code at @pc, in the numbers of the last walk. */
static u64 frame_of(u64 pc, bool is_return)
{
	struct place p;
	u32 module = frame_module(walk.walk->out.frame[0]);

	assert_true(spaces_find(&spaces, getpid(), pc - is_return, &p));
	return frame_make(module, pc - p.start + p.offset, is_return);
}

static void the_stack_is_as_it_was(void **state)
{
	uint64_t reads;

	descend(DEPTH);
	run(copied.nr);
	assert_true(walk.walk->out.nr > DEPTH);
	assert_int_equal(frame_place(walk.walk->out.frame[0]), frame_of(copied.regs[REG_PC], false));
	for (int i = 0; i <= DEPTH; i++)
		assert_int_equal(frame_place(walk.walk->out.frame[i + 1]), frame_of(copied.returns[i], true));
	assert_true(learnt >= 1);
	reads = walk.reads_of_processes;
	assert_int_equal(reads, 0); /* the copy and the files suffice */
	learnt = 0;
	run(copied.nr); /* by cached rows */
	assert_int_equal(learnt, 0);
	assert_int_equal(walk.reads_of_processes, reads);
	for (int i = 0; i <= DEPTH; i++)
		assert_int_equal(frame_place(walk.walk->out.frame[i + 1]), frame_of(copied.returns[i], true));
}

/* Whatever is missing of the copy: the frames are the first ones of the whole stack, and the outcome says so. */
static void beyond_the_copy_nothing_is_read(void **state)
{
	static u64 whole[DEFAULT_DEPTH];
	u32 nr;

	descend(DEPTH);
	run(copied.nr);
	nr = walk.walk->out.nr;
	memcpy(whole, walk.walk->out.frame, nr * sizeof(*whole));
	for (u64 bytes = 0; bytes < (u64)DEPTH * BIG; bytes += 1000) {
		assert_int_equal(run(bytes), NOT_COPIED);
		assert_true(walk.walk->out.nr > 0 && walk.walk->out.nr < nr);
		/* of each page all must be there */
		assert_true(walk.walk->out.nr + 2 >= bytes / (copied.nr / DEPTH));
		for (u32 i = 0; i < walk.walk->out.nr; i++)
			assert_int_equal(frame_place(walk.walk->out.frame[i]), frame_place(whole[i]));
	}
	assert_int_equal(walk.reads_of_processes, 0);
}

#define HOLE (16 * PAGE_BYTES)

/* Pages of a stack: is this one in memory? */
static bool is_there(u64 addr)
{
	u64 entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	assert_int_equal(pread(fd, &entry, 8, addr / sysconf(_SC_PAGESIZE) * 8), 8);
	close(fd);
	return entry >> 63;
}

/* As the kernel does it: up to the first page that is not there. */
static u64 copy_what_is_there(u64 asked)
{
	u64 sp = copied.regs[REG_SP], nr = 0;

	while (nr < asked && is_there(sp + nr))
		nr += PAGE_BYTES - (sp + nr) % PAGE_BYTES;
	nr = nr < asked ? nr : asked;
	copy_stack(copied.bytes, sp, nr);
	return nr;
}

static u32 run_asked(u64 bytes, u64 asked)
{
	const struct copied_stack s = {getpid(), copied.regs, copied.bytes, bytes, asked, false};

	return host_walk_run(&walk, &s, DEFAULT_DEPTH);
}

__attribute__((noinline)) static void copy_at_end(void)
{
	ucontext_t c;
	u64 nr;

	getcontext(&c);
	test_registers(copied.regs, &c);
	nr = copy_what_is_there(HOLE / 2);
	assert_true(nr < HOLE / 2);
	/* more than was asked for is not touched */
	assert_int_equal(run_asked(nr, HOLE / 2), NOT_COPIED);
	assert_true(is_there(copied.regs[REG_SP] + nr + PAGE_BYTES));
	assert_false(is_there(copied.regs[REG_SP] + HOLE / 2 + 2 * PAGE_BYTES));
	assert_int_equal(run_asked(nr, HOLE + 4 * PAGE_BYTES), NOT_COPIED);
	nr = copy_what_is_there(HOLE + 4 * PAGE_BYTES);
	assert_true(nr > HOLE);
	run_asked(nr, HOLE + 4 * PAGE_BYTES);
}

static void *with_a_hole(void *nothing)
{
	volatile char room[HOLE];

	copied.returns[0] = (u64)__builtin_return_address(0);
	room[0] = 1;
	madvise((void *)(((u64)room + PAGE_BYTES) & -PAGE_BYTES), HOLE - 3 * PAGE_BYTES,
		MADV_DONTNEED); /* compilers may touch each page */
	copy_at_end();
	return (void *)(uintptr_t)(room[0] - 1);
}

/* Variables of a function that have never been written: the kernel's copy ends there, and the next one does not. */
static void a_hole_in_the_stack_is_filled_for_the_next_copy(void **state)
{
	size_t bytes = 4 * HOLE;
	void *stack = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;
	struct place p;

	assert_true(stack != MAP_FAILED);
	madvise(stack, bytes, MADV_NOHUGEPAGE);
	assert_int_equal(pthread_attr_init(&attr), 0);
	assert_int_equal(pthread_attr_setstack(&attr, stack, bytes), 0);
	assert_int_equal(pthread_create(&thread, &attr, with_a_hole, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	pthread_attr_destroy(&attr);
	assert_true(walk.walk->out.nr >= 3); /* copy_at_end(), with_a_hole(), the C library */
	assert_true(spaces_find(&spaces, getpid(), copied.returns[0], &p));
	assert_int_equal(frame_offset(walk.walk->out.frame[2]), copied.returns[0] - p.start + p.offset);
	assert_int_equal(walk.reads_of_processes, 0);
	munmap(stack, bytes);
}

static u64 interrupted_pc;

/* As it is just before the system call to which it returns has done its work. */
static void handle(int signal, siginfo_t *info, void *context)
{
	test_registers(copied.regs, context);
	interrupted_pc = copied.regs[REG_PC];
	copied.regs[REG_PC] = (u64)__builtin_return_address(0) + SIGNAL_RETURN_BYTES;
	copied.regs[REG_SP] = RA_IN_A_REGISTER ? (u64)info : (u64)context;
	copied.regs[REG_FP] = 0;
	copied.nr = stack_end - copied.regs[REG_SP];
	copy_stack(copied.bytes, copied.regs[REG_SP], copied.nr);
}

static void what_a_handler_interrupted_is_there_until_its_last_system_call_is_done(void **state)
{
	const struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
	struct place p;

	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	raise(SIGUSR1);
	in_kernel = true;
	run(copied.nr);
	in_kernel = false;
	assert_true(walk.walk->out.nr > 2);
	assert_true(spaces_find(&spaces, getpid(), interrupted_pc, &p));
	assert_int_equal(frame_offset(walk.walk->out.frame[1]), interrupted_pc - p.start + p.offset);
	assert_false(frame_is_return(walk.walk->out.frame[1]));
}

/* A file that cannot be opened: its bytes come from the process, and nothing is kept for others. */
static void without_its_file_the_process_is_read(void **state)
{
	descend(DEPTH);
	for (size_t i = 0; i < spaces.files.v.nr; i++)
		if (spaces.files.v.v[i].fd >= 0) {
			close(spaces.files.v.v[i].fd);
			spaces.files.v.v[i].fd = -1;
		}
	run(copied.nr);
	assert_true(walk.reads_of_processes > 0);
	assert_true(walk.walk->out.nr > DEPTH);
	for (int i = 0; i <= DEPTH; i++)
		assert_int_equal(frame_place(walk.walk->out.frame[i + 1]), frame_of(copied.returns[i], true));
}

static struct perfdata_record map_record(pid_t pid, u64 start, u64 bytes, u32 protection, const char *path)
{
	return (struct perfdata_record){.kind = PERFDATA_MAP,
					.mode = PERFDATA_USER,
					.pid = pid,
					.tid = pid,
					.start = start,
					.bytes = bytes,
					.protection = protection,
					.flags = MAP_PRIVATE,
					.dev = 1,
					.ino = *path == '/' ? path[1] : 0,
					.text = path};
}

static void take_map(pid_t pid, u64 start, u64 bytes, u32 protection, const char *path)
{
	struct perfdata_record r = map_record(pid, start, bytes, protection, path);

	assert_int_equal(spaces_take(&spaces, &r), 0);
}

/* What the program writes is as it is now. */
static void what_can_change_is_not_read_from_the_process(void **state)
{
	static volatile u64 written = 1;
	u64 word;

	descend(DEPTH);
	run(copied.nr);
	assert_int_equal(walk.target.read(&walk.target, &word, 8, (uintptr_t)&written), -EFAULT);
	assert_int_equal(walk.reads_of_processes, 0);
	assert_int_equal(walk.target.read(&walk.target, &word, 8, (uintptr_t)descend), 0);
}

static void what_is_mapped_anew_is_looked_at_anew(void **state)
{
	u32 module;
	struct place p;

	descend(DEPTH);
	run(copied.nr);
	module = frame_module(walk.walk->out.frame[0]);
	assert_true(spaces_find(&spaces, getpid(), copied.regs[REG_PC], &p));
	take_map(getpid(), p.start, p.end - p.start, PROT_READ | PROT_EXEC, "/x");
	run(copied.nr);
	assert_int_not_equal(frame_module(walk.walk->out.frame[0]), module);
}

static bool is_shared(u64 addr)
{
	struct vma v;

	assert_int_equal(walk.target.world->vma(&walk.target, addr, &v), 0);
	return !v.copied;
}

static void of_private_copies_nothing_is_kept_for_others(void **state)
{
	u64 pc = (uintptr_t)descend;
	struct perfdata_record r;
	struct code_file *f;
	struct place p;

	descend(0);
	run(copied.nr);
	assert_true(is_shared(pc));
	assert_true(spaces_find(&spaces, getpid(), pc, &p));
	f = &spaces.files.v.v[p.file];
	r = map_record(getpid(), p.start, p.end - p.start, PROT_READ | PROT_WRITE | PROT_EXEC, f->path);
	r.dev = f->dev;
	r.ino = f->ino;
	r.generation = f->generation;
	r.offset = p.offset;
	assert_int_equal(spaces_take(&spaces, &r), 0);
	assert_true(code_files_has(&spaces.files, p.file));
	assert_false(is_shared(pc));
}

#define NAME_BYTES 240
#define FOLDERS 15 /* so that a line of /proc/PID/maps takes nearly a page */
#define LINES 1200 /* more of them than are read */

/* Map a file with a long path in a child, which then waits. Returns its PID. */
static pid_t child_with_long_lines(char *path)
{
	size_t page = sysconf(_SC_PAGESIZE);
	pid_t child;
	int fd;

	assert_non_null(mkdtemp(path));
	for (int i = 0; i < FOLDERS; i++) {
		path[strlen(path) + NAME_BYTES + 1] = 0;
		memset(path + strlen(path), 'd', NAME_BYTES + 1);
		path[strlen(path) - NAME_BYTES - 1] = '/';
		assert_int_equal(mkdir(path, 0700), 0);
	}
	strcat(path, "/f");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int i = 0; i < LINES; i++)
			if (mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
				_exit(1);
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, WUNTRACED), child);
	close(fd);
	return child;
}

/* Where do the lines begin that are read last as a whole, and the one after it? */
static void find_cut(pid_t child, unsigned long long *last, unsigned long long *cut)
{
	static char text[(4 << 20) + 1];
	size_t nr = 0;
	ssize_t got;
	char *line;
	int fd;

	snprintf(text, sizeof(text), "/proc/%d/maps", child);
	fd = open(text, O_RDONLY | O_CLOEXEC);
	while (nr < sizeof(text) - 1 && (got = read(fd, text + nr, sizeof(text) - 1 - nr)) > 0)
		nr += got;
	close(fd);
	assert_int_equal(nr, sizeof(text) - 1);
	text[nr] = 0;
	line = strrchr(text, '\n');
	assert_int_equal(sscanf(line + 1, "%llx-", cut), 1);
	*line = 0;
	assert_int_equal(sscanf(strrchr(text, '\n') + 1, "%llx-", last), 1);
}

static void a_line_that_is_cut_is_no_mapping(void **state)
{
	static char path[PATH_MAX] = "/tmp/dusk-maps-XXXXXX";
	unsigned long long last, cut;
	pid_t child = child_with_long_lines(path);
	struct place p;

	find_cut(child, &last, &cut);
	assert_int_equal(spaces_read(&spaces, child), 0);
	assert_true(spaces_find(&spaces, child, last, &p));
	assert_false(spaces_find(&spaces, child, cut, &p));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	unlink(path);
	for (int i = 0; i <= FOLDERS; i++) {
		*strrchr(path, '/') = 0;
		rmdir(path);
	}
}

static void take(enum perfdata_kind kind, pid_t pid, pid_t tid, pid_t ppid, bool exec)
{
	struct perfdata_record r = {
		.kind = kind, .pid = pid, .tid = tid, .ppid = ppid, .ptid = ppid, .exec = exec, .text = "name"};

	assert_int_equal(spaces_take(&spaces, &r), 0);
}

#define A 4000001
#define B 4000002

static void what_was_writable_is_not_the_files(void **state)
{
	struct place p;

	take_map(A, 0x10000, 0x4000, PROT_READ, "/x");
	take_map(A, 0x12000, 0x2000, PROT_READ | PROT_WRITE, "/x");
	assert_true(spaces_find(&spaces, A, 0x11fff, &p) && !p.written);
	assert_true(spaces_find(&spaces, A, 0x12000, &p) && p.written);
	take_map(A, 0x12000, 0x1000, PROT_READ, "/x"); /* relocated */
	assert_true(spaces_find(&spaces, A, 0x12000, &p) && p.written);
	take_map(A, 0x12000, 0x1000, PROT_READ, "/y"); /* another file */
	assert_true(spaces_find(&spaces, A, 0x12000, &p) && !p.written);
	take_map(A, 0x10000, 0x1000, PROT_READ | PROT_WRITE, "//anon");
	assert_false(spaces_find(&spaces, A, 0x10000, &p));
	take_map(A, 0x10000, 0x1000, PROT_READ | PROT_EXEC, "//anon");
	assert_true(spaces_find(&spaces, A, 0x10000, &p) && p.executable && p.file == CODE_FILE_NONE);
}

static void others_end(uint32_t nr)
{
	for (uint32_t pid = 1000; pid < 1000 + nr; pid++) {
		take(PERFDATA_FORK, pid, pid, 1, false);
		take(PERFDATA_EXIT, pid, pid, 1, false);
	}
}

/* ... and a while after that, as its memory is still there when the kernel says that the thread ends. */
static void a_process_is_gone_with_its_last_thread(void **state)
{
	struct place p;

	take(PERFDATA_FORK, A, A, 1, false);
	take_map(A, 0x10000, 0x1000, PROT_READ, "/x");
	take(PERFDATA_FORK, A, A + 10, A, false);
	take(PERFDATA_FORK, B, B, A, false);
	take(PERFDATA_EXIT, A, A, 1, false);
	assert_true(spaces_find(&spaces, A, 0x10000, &p));
	others_end(SPACES_ENDED);
	assert_true(spaces_find(&spaces, A, 0x10000, &p));
	take(PERFDATA_EXIT, A, A + 10, A, false);
	others_end(SPACES_ENDED - 1);
	assert_true(spaces_find(&spaces, A, 0x10000, &p));
	others_end(1);
	assert_false(spaces_find(&spaces, A, 0x10000, &p));
	assert_true(spaces_find(&spaces, B, 0x10000, &p));
}

static void a_number_that_is_used_again_is_another_process(void **state)
{
	struct place p;

	take(PERFDATA_FORK, A, A, 1, false);
	take_map(A, 0x10000, 0x1000, PROT_READ, "/x");
	take(PERFDATA_EXIT, A, A, 1, false);
	take(PERFDATA_FORK, A, A, 1, false);
	assert_false(spaces_find(&spaces, A, 0x10000, &p));
	take_map(A, 0x20000, 0x1000, PROT_READ, "/x");
	others_end(SPACES_ENDED);
	assert_true(spaces_find(&spaces, A, 0x20000, &p));
}

/* What said that the first one ends was lost. */
static void threads_of_another_process_keep_none_of_that_number(void **state)
{
	struct place p;

	take(PERFDATA_FORK, A, A, 1, false);
	take(PERFDATA_FORK, A, A + 10, A, false);
	take(PERFDATA_FORK, A, A, 1, false);
	take_map(A, 0x10000, 0x1000, PROT_READ, "/x");
	take(PERFDATA_EXIT, A, A, 1, false);
	others_end(SPACES_ENDED);
	assert_false(spaces_find(&spaces, A, 0x10000, &p));
}

static void a_program_is_new_until_it_shows(void **state)
{
	take(PERFDATA_FORK, A, A, 1, false);
	assert_false(spaces_is_new(&spaces, A));
	take(PERFDATA_NAME, A, A, 0, true);
	assert_true(spaces_is_new(&spaces, A));
	take_map(A, 0x10000, 0x1000, PROT_READ, "/program");
	take_map(A, 0x20000, 0x1000, PROT_READ, "/loader");
	take_map(A, 0x21000, 0x1000, PROT_READ | PROT_EXEC, "/loader");
	take_map(A, 0x30000, 0x1000, PROT_READ | PROT_WRITE, "//anon");
	assert_true(spaces_is_new(&spaces, A));
	take_map(A, 0x40000, 0x1000, PROT_READ, "/clib"); /* the loader runs */
	assert_false(spaces_is_new(&spaces, A));
	take(PERFDATA_NAME, A, A, 0, true);
	assert_true(spaces_is_new(&spaces, A));
	spaces_begun(&spaces, A);
	assert_false(spaces_is_new(&spaces, A));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_stack_is_as_it_was, begin, end),
		cmocka_unit_test_setup_teardown(beyond_the_copy_nothing_is_read, begin, end),
		cmocka_unit_test_setup_teardown(a_hole_in_the_stack_is_filled_for_the_next_copy, begin, end),
		cmocka_unit_test_setup_teardown(what_a_handler_interrupted_is_there_until_its_last_system_call_is_done,
						begin, end),
		cmocka_unit_test_setup_teardown(without_its_file_the_process_is_read, begin, end),
		cmocka_unit_test_setup_teardown(what_can_change_is_not_read_from_the_process, begin, end),
		cmocka_unit_test_setup_teardown(what_is_mapped_anew_is_looked_at_anew, begin, end),
		cmocka_unit_test_setup_teardown(of_private_copies_nothing_is_kept_for_others, begin, end),
		cmocka_unit_test_setup_teardown(a_line_that_is_cut_is_no_mapping, begin, end),
		cmocka_unit_test_setup_teardown(what_was_writable_is_not_the_files, begin, end),
		cmocka_unit_test_setup_teardown(a_process_is_gone_with_its_last_thread, begin, end),
		cmocka_unit_test_setup_teardown(a_number_that_is_used_again_is_another_process, begin, end),
		cmocka_unit_test_setup_teardown(threads_of_another_process_keep_none_of_that_number, begin, end),
		cmocka_unit_test_setup_teardown(a_program_is_new_until_it_shows, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
