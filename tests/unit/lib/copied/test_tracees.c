/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads that are sampled by ptrace(2): does each that runs give its registers, do signals, stops and new threads get
 * through, and is nobody left stopped? Children of this process, which say in memory that they share what they have done.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/procs.h"
#include "core/arch/regs.h"
#include "lib/copied/tracees.h"

#define PATIENCE_NS 60000000000ULL /* for what has to happen */
#define ROUNDS 20		   /* in which something must not happen */

/* What a child shares with us. */
struct shared {
	unsigned long turns, handled;
	bool go;
	pid_t born; /* the process that it has created */
};

static volatile struct shared *shared;
static struct tracees tracees;
static struct {
	unsigned int samples, elsewhere, execs;
	pid_t tid, other_tid;
} seen;
static pid_t children[8];
static int nr_children;

/* All that a child does for ever, in code that is nobody else's. */
__attribute__((noinline, section("spinning"))) static void spin(void)
{
	for (;;)
		shared->turns++;
}
extern const char __start_spinning[], __stop_spinning[];

static void *spin_thread(void *arg)
{
	spin();
	return NULL;
}

static void on_sample(void *ctx, const struct tracee *t, const u64 *regs)
{
	if (seen.tid && seen.tid != t->tid)
		seen.other_tid = t->tid;
	else
		seen.tid = t->tid;
	seen.samples++;
	seen.elsewhere += regs[REG_PC] < (uintptr_t)__start_spinning || regs[REG_PC] >= (uintptr_t)__stop_spinning;
	assert_true(t->sample_ns > 0);
}

static void on_exec(void *ctx, pid_t pid)
{
	assert_int_equal(pid, children[0]);
	seen.execs++;
}

/* A child that executes @what, and is killed at the end of the test. */
static pid_t child(void (*what)(void))
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		what();
		_exit(0);
	}
	children[nr_children++] = pid;
	return pid;
}

static int begin(void **state)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(&tracees, 0, sizeof(tracees));
	memset(&seen, 0, sizeof(seen));
	tracees.sample = on_sample;
	tracees.exec = on_exec;
	return shared == MAP_FAILED;
}

static int end(void **state)
{
	tracees_done(&tracees);
	if (shared->born)
		kill(shared->born, SIGKILL);
	while (nr_children) {
		kill(children[--nr_children], SIGKILL);
		waitpid(children[nr_children], NULL, __WALL);
	}
	return munmap((void *)shared, sizeof(*shared));
}

/* What a recorder does again and again: ask, serve, and wait a little. */
static void turn(void)
{
	tracees_ask(&tracees);
	tracees_wait(now_ns() + 5000000);
	assert_true(tracees_serve(&tracees) >= 0);
}

#define TURN_UNTIL(what)                                                        \
	do {                                                                    \
		for (uint64_t end_ns = now_ns() + PATIENCE_NS; !(what); turn()) \
			if (now_ns() > end_ns)                                  \
				fail_msg("did not happen: %s", #what);          \
	} while (0)

static char state_of(pid_t tid)
{
	bool kernel;

	return procs_state(procs_of_thread(tid), tid, &kernel);
}

static pid_t tracer_of(pid_t tid)
{
	char path[32], line[256];
	pid_t tracer = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f) && sscanf(line, "TracerPid: %d", &tracer) != 1)
		;
	if (f)
		fclose(f);
	return tracer;
}

static void a_thread_that_runs_is_sampled_with_its_registers(void **state)
{
	pid_t pid = child(spin);
	unsigned long before;

	while (!shared->turns)
		usleep(1000);
	assert_int_equal(tracees_add(&tracees, pid, NULL), 0);
	assert_true(tracees_is_alone(&tracees, pid));
	TURN_UNTIL(seen.samples >= ROUNDS);
	assert_int_equal(seen.tid, pid);
	assert_int_equal(seen.elsewhere, 0);
	assert_true(tracees.stops >= ROUNDS && tracees.longest_ns <= tracees.stopped_ns);
	before = shared->turns;
	TURN_UNTIL(shared->turns > before + 1000); /* it goes on */
}

static void sleep_for_ever(void)
{
	shared->turns = 1;
	for (;;)
		pause();
}

static void a_thread_that_sleeps_is_left_alone(void **state)
{
	pid_t pid = child(sleep_for_ever);

	while (!shared->turns || state_of(pid) != 'S')
		usleep(1000);
	assert_int_equal(tracees_add(&tracees, pid, NULL), 0);
	for (int i = 0; i < ROUNDS; i++)
		turn();
	assert_int_equal(seen.samples, 0);
	assert_int_equal(tracees.stops, 0);
	assert_int_equal(state_of(pid), 'S');
}

static void on_signal(int signal)
{
	shared->handled++;
}

static void handle_and_spin(void)
{
	signal(SIGUSR1, on_signal);
	spin();
}

static void a_signal_that_comes_meanwhile_is_handled_once(void **state)
{
	pid_t pid = child(handle_and_spin);

	while (!shared->turns)
		usleep(1000);
	assert_int_equal(tracees_add(&tracees, pid, NULL), 0);
	for (unsigned long i = 1; i <= ROUNDS; i++) {
		tracees_ask(&tracees);
		assert_int_equal(kill(pid, SIGUSR1), 0);
		TURN_UNTIL(shared->handled == i);
	}
	turn();
	assert_int_equal(shared->handled, ROUNDS);
}

static void a_stop_of_a_shell_lasts_until_it_is_continued(void **state)
{
	pid_t pid = child(spin);
	unsigned long turns;
	unsigned int samples;

	while (!shared->turns)
		usleep(1000);
	assert_int_equal(tracees_add(&tracees, pid, NULL), 0);
	TURN_UNTIL(seen.samples);
	assert_int_equal(kill(pid, SIGSTOP), 0);
	TURN_UNTIL(state_of(pid) == 'T' || state_of(pid) == 't');
	turn();
	turns = shared->turns;
	samples = seen.samples;
	for (int i = 0; i < ROUNDS; i++)
		turn();
	assert_int_equal(shared->turns, turns);
	assert_int_equal(seen.samples, samples);
	assert_int_equal(kill(pid, SIGCONT), 0);
	TURN_UNTIL(shared->turns > turns && seen.samples > samples);
}

static void create_a_thread(void)
{
	pthread_t thread;

	while (!shared->go)
		usleep(1000);
	if (!pthread_create(&thread, NULL, spin_thread, NULL))
		spin();
}

static void a_thread_that_it_creates_is_sampled_too(void **state)
{
	pid_t pid = child(create_a_thread);

	assert_int_equal(tracees_add(&tracees, pid, NULL), 0);
	tracees.only = true;
	shared->go = true;
	TURN_UNTIL(seen.tid && seen.other_tid);
	assert_false(tracees_is_alone(&tracees, pid));
	assert_true(procs_of_thread(seen.tid) == pid && procs_of_thread(seen.other_tid) == pid);
}

static void create_a_process(void)
{
	pid_t pid;

	while (!shared->go)
		usleep(1000);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		spin();
	}
	shared->born = pid;
	for (;;)
		pause();
}

static void a_process_that_it_creates_is_sampled_too(void **state)
{
	pid_t pid = child(create_a_process);

	assert_int_equal(tracees_add(&tracees, pid, NULL), 0);
	shared->go = true;
	TURN_UNTIL(shared->born && (seen.tid == shared->born || seen.other_tid == shared->born));
	assert_int_equal(tracer_of(shared->born), getpid());
}

static void but_not_where_that_was_not_wanted(void **state)
{
	pid_t pid = child(create_a_process);

	tracees.only = true;
	assert_int_equal(tracees_add(&tracees, pid, NULL), 0);
	shared->go = true;
	TURN_UNTIL(shared->born && shared->turns);
	for (int i = 0; i < ROUNDS; i++)
		turn();
	assert_int_equal(tracer_of(shared->born), 0);
	assert_true(!seen.tid || seen.tid == pid);
}

static void execute(void)
{
	while (!shared->go)
		usleep(1000);
	execl("/bin/sh", "sh", "-c", "while :; do :; done", NULL);
}

static void a_new_program_is_told(void **state)
{
	pid_t pid = child(execute);

	assert_int_equal(tracees_add(&tracees, pid, NULL), 0);
	shared->go = true;
	TURN_UNTIL(seen.execs);
	seen.samples = 0;
	TURN_UNTIL(seen.samples);
	assert_int_equal(seen.execs, 1);
}

/* Programs one after the other, and the last one stays. Each is a stop of its own, which a stop that was asked for may be lost in. */
static void execute_often(void)
{
	static const char script[] = "[ $1 -gt 0 ] || while :; do :; done; exec sh -c \"$0\" \"$0\" $(($1 - 1))";

	while (!shared->go)
		usleep(1000);
	execl("/bin/sh", "sh", "-c", script, script, "400", NULL);
}

static void one_that_executes_again_and_again_is_still_sampled(void **state)
{
	pid_t pid = child(execute_often);

	assert_int_equal(tracees_add(&tracees, pid, NULL), 0);
	shared->go = true;
	TURN_UNTIL(seen.execs == 401);
	seen.samples = 0;
	TURN_UNTIL(seen.samples >= ROUNDS);
}

static void end_when_told(void)
{
	while (!shared->go)
		usleep(1000);
	_exit(7);
}

static void what_has_ended_is_forgotten_and_our_own_child_left_to_us(void **state)
{
	pid_t pid = child(end_when_told);
	int status;

	tracees.own_child = pid;
	assert_int_equal(tracees_add(&tracees, pid, NULL), 0);
	shared->go = true;
	TURN_UNTIL(!tracees.v.nr);
	assert_true(tracees.child_ended);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	nr_children--;
}

static void all_go_on_when_they_are_left(void **state)
{
	pid_t runs = child(spin), stopped = child(sleep_for_ever);
	unsigned long turns;

	while (!shared->turns || state_of(stopped) != 'S')
		usleep(1000);
	assert_int_equal(tracees_add(&tracees, runs, NULL), 0);
	assert_int_equal(tracees_add(&tracees, stopped, NULL), 0);
	assert_int_equal(kill(stopped, SIGSTOP), 0);
	TURN_UNTIL(seen.samples && (state_of(stopped) == 'T' || state_of(stopped) == 't'));
	turn();
	tracees_ask(&tracees); /* in the middle of a sample */
	tracees_leave(&tracees);
	assert_int_equal(tracees.left, 0);
	assert_int_equal(tracer_of(runs), 0);
	assert_int_equal(tracer_of(stopped), 0);
	turns = shared->turns;
	TURN_UNTIL(shared->turns > turns);
	TURN_UNTIL(state_of(stopped) == 'T'); /* as the shell wanted it; it runs into that stop (__ptrace_unlink()) */
}

static void trace_the_first(void)
{
	if (!ptrace(PTRACE_SEIZE, children[0], NULL, NULL))
		shared->go = true;
	for (;;)
		pause();
}

static void a_process_that_a_debugger_has_is_refused(void **state)
{
	pid_t pid = child(sleep_for_ever);
	struct dusk_error err;

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	child(trace_the_first);
	while (!shared->go)
		usleep(1000);
	assert_int_equal(tracees_add(&tracees, pid, &err), -EPERM);
	assert_non_null(strstr(err.text, "debugger"));
	assert_int_equal(tracees.v.nr, 0);
}

static void what_is_not_there_is_said(void **state)
{
	struct dusk_error err;
	pid_t pid = child(end_when_told);

	shared->go = true;
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	nr_children--;
	assert_int_equal(tracees_add(&tracees, pid, &err), -ESRCH);
	assert_non_null(strstr(err.text, "cannot trace process"));
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_thread_that_runs_is_sampled_with_its_registers),
		CLAIM(a_thread_that_sleeps_is_left_alone),
		CLAIM(a_signal_that_comes_meanwhile_is_handled_once),
		CLAIM(a_stop_of_a_shell_lasts_until_it_is_continued),
		CLAIM(a_thread_that_it_creates_is_sampled_too),
		CLAIM(a_process_that_it_creates_is_sampled_too),
		CLAIM(but_not_where_that_was_not_wanted),
		CLAIM(a_new_program_is_told),
		CLAIM(one_that_executes_again_and_again_is_still_sampled),
		CLAIM(what_has_ended_is_forgotten_and_our_own_child_left_to_us),
		CLAIM(all_go_on_when_they_are_left),
		CLAIM(a_process_that_a_debugger_has_is_refused),
		CLAIM(what_is_not_there_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
