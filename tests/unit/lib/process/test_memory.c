/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The memory of another process: it is read whole, and a page that never comes holds nobody up. */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "lib/process/memory.h"

#define PAGE 4096
#define PAGES 4

static char *memory; /* shared with the other process: PAGES pages, and nothing is mapped behind them */
static struct memory_reader reader;

static pid_t start(void (*fn)(char *private, int ready))
{
	int ready[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fn(memory + (PAGES + 1) * PAGE, ready[1]);
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void stay(char *private, int ready)
{
	if (write(ready, "", 1) == 1)
		pause();
}

/* The second page of @private belongs to a userfaultfd that nobody reads. */
static void withhold(char *private, int ready)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {.range = {(uintptr_t)private + PAGE, PAGE},
					.mode = UFFDIO_REGISTER_MODE_MISSING};
	int faults = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (faults < 0 || ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &range))
		_exit(1);
	private[0] = 'p';
	private[2 * PAGE] = 'q';
	stay(private, ready);
}

static int set_up(void **state)
{
	memory = mmap(NULL, (2 * PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || munmap(memory + PAGES * PAGE, (PAGES + 1) * PAGE))
		return -1;
	for (int i = 0; i < PAGES * PAGE; i++)
		memory[i] = i / 7;
	return mmap(memory + (PAGES + 1) * PAGE, PAGES * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED;
}

static int tear_down(void **state)
{
	memory_reader_done(&reader);
	reader = (struct memory_reader){0};
	return munmap(memory, (2 * PAGES + 1) * PAGE);
}

static void it_is_read_whole_or_not_at_all(void **state)
{
	static char bytes[PAGES * PAGE];
	pid_t pid = start(stay);
	uint64_t addr = (uintptr_t)memory;

	assert_int_equal(memory_read(&reader, pid, bytes, 3000, addr + 3000), 0); /* of two pages */
	assert_memory_equal(bytes, memory + 3000, 3000);
	assert_int_equal(memory_read(&reader, pid, bytes, sizeof(bytes), addr), 0);
	assert_memory_equal(bytes, memory, sizeof(bytes));
	assert_int_equal(memory_read(&reader, pid, bytes, 8, addr + sizeof(bytes) - 4), -EFAULT);
	assert_int_equal(memory_copy(&reader, pid, bytes, 3 * PAGE, addr + 3 * PAGE), PAGE); /* what there is */
	assert_memory_equal(bytes, memory + 3 * PAGE, PAGE);
	assert_int_equal(memory_copy(&reader, pid, bytes, 8, addr + PAGES * PAGE), -EFAULT);
	assert_int_equal(memory_touch(&reader, pid, addr + PAGE, PAGES), PAGES - 1);
	assert_int_equal(reader.given_up, 0);
	end(pid);
	assert_int_equal(memory_copy(&reader, pid, bytes, 8, addr), -ESRCH);
}

static void what_is_kept_is_not_kept_for_long(void **state)
{
	pid_t pid = start(stay), other = start(stay);
	char now = 0;

	alarm(60);
	memory[0] = 'a';
	assert_int_equal(memory_read(&reader, pid, &now, 1, (uintptr_t)memory), 0);
	assert_int_equal(now, 'a');
	memory[0] = 'b';
	assert_int_equal(memory_read(&reader, other, &now, 1, (uintptr_t)memory), 0);
	assert_int_equal(now, 'b'); /* it is another one's */
	while (now != 'c') {
		memory[0] = 'c';
		assert_int_equal(memory_read(&reader, pid, &now, 1, (uintptr_t)memory), 0);
	}
	alarm(0);
	end(pid);
	end(other);
}

static void a_reader_that_died_is_replaced(void **state)
{
	pid_t pid = start(stay);
	char c;

	assert_int_equal(memory_copy(&reader, pid, &c, 1, (uintptr_t)memory), 1);
	kill(reader.child.pid, SIGKILL);
	assert_int_equal(memory_copy(&reader, pid, &c, 1, (uintptr_t)memory), -ECHILD);
	assert_int_equal(reader.given_up, 1);
	assert_int_equal(memory_copy(&reader, pid, &c, 1, (uintptr_t)memory), 1);
	end(pid);
}

static void a_page_that_never_comes_holds_nobody_up(void **state)
{
	uint64_t addr = (uintptr_t)memory + (PAGES + 1) * PAGE;
	pid_t hostile = start(withhold), pid = start(stay);
	char c;

	if (hostile < 0) {
		print_message("userfaultfd is not allowed here\n");
		end(pid);
		skip();
	}
	alarm(60); /* for a reader that goes on */
	assert_int_equal(memory_copy(&reader, hostile, &c, 1, addr), 1);
	assert_int_equal(c, 'p');
	assert_int_equal(memory_touch(&reader, hostile, addr, PAGES), -ETIMEDOUT);
	assert_int_equal(memory_copy(&reader, pid, &c, 1, (uintptr_t)memory), 1); /* others are read */
	assert_int_equal(memory_copy(&reader, hostile, &c, 1, addr + 2 * PAGE), 1);
	assert_int_equal(c, 'q');
	assert_int_equal(memory_read(&reader, hostile, &c, 1, addr + PAGE), -ETIMEDOUT);
	assert_int_equal(reader.given_up, MEMORY_LATE);
	assert_int_equal(memory_copy(&reader, hostile, &c, 1, addr), -ETIMEDOUT); /* it had its chances */
	assert_int_equal(reader.child.pid, 0);
	assert_int_equal(memory_copy(&reader, pid, &c, 1, (uintptr_t)memory), 1);
	alarm(0);
	end(hostile);
	end(pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_is_read_whole_or_not_at_all, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_kept_is_not_kept_for_long, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_reader_that_died_is_replaced, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_page_that_never_comes_holds_nobody_up, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
