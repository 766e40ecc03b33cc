/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does the walker find, in a live process of ours, the calls that the process itself says it has made? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/frame.h"
#include "core/walk/walk.h"
#include "lib/process/halt.h"
#include "lib/process/target.h"

#define DEEPEST 200

/* What the child says: the return address of each call, the outermost first. */
static struct {
	u32 nr;
	u64 ra[DEEPEST];
} *said;

static struct walk w;
static struct target target;

static __attribute__((noinline)) int recurse(int left)
{
	volatile int on_stack = left;

	said->ra[said->nr++] = (uintptr_t)__builtin_return_address(0);
	if (left > 1)
		return recurse(left - 1) + on_stack;
	raise(SIGSTOP);
	return on_stack;
}

static pid_t child_at(int depth)
{
	pid_t pid;
	int status;

	said->nr = 0;
	pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		_exit(recurse(depth) & 1);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	return pid;
}

static u32 walk(pid_t pid)
{
	struct user_regs_struct r;

	assert_int_equal(halt_read(pid, &r), 0);
	halt_registers(w.machine.reg, &r);
	modules_reset(&w.modules);
	w.max_depth = DEFAULT_DEPTH;
	walk_start(&w);
	walk_stack(&w);
	return w.outcome;
}

/* The frame that the walk must have for the return address @ra. */
static u64 frame_of(u64 ra)
{
	struct range *r;

	assert_int_equal(module_find(&w.modules, ra - 1), 0);
	r = module_here(&w.modules);
	return frame_make(r->module, ra + r->file_off, 1);
}

static void a_live_stack_is_the_one_that_its_process_made(void **state)
{
	static const int depths[] = {1, 10, 60, DEEPEST};

	for (size_t i = 0; i < COUNT(depths); i++) {
		pid_t pid = child_at(depths[i]);
		u32 first;

		assert_int_equal(target_open(&target, pid), 0);
		target_use(&target);
		for (int warm = 0; warm < 2; warm++) {
			assert_int_equal(walk(pid), UNDEFINED_RA);
			assert_int_equal(said->nr, depths[i]);
			first = 0;
			while (first < w.out.nr && frame_place(w.out.frame[first]) != frame_of(said->ra[said->nr - 1]))
				first++;
			assert_true(first + said->nr <= w.out.nr);
			for (u32 j = 0; j < said->nr; j++)
				assert_int_equal(frame_place(w.out.frame[first + j]),
						 frame_of(said->ra[said->nr - 1 - j]));
		}
		target_done(&target);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

static void a_process_that_is_gone_is_no_target(void **state)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	assert_int_equal(target_open(&target, pid), -ENOENT);
	assert_int_equal(port_read(&w.machine.word, 8, (uintptr_t)&w), -EFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_live_stack_is_the_one_that_its_process_made),
		cmocka_unit_test(a_process_that_is_gone_is_no_target),
	};

	said = mmap(NULL, sizeof(*said), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (said == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
