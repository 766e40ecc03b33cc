/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Threads that are interrupted, moved, stopped and killed wherever they are. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include "victim.h"

#define WORKERS 4
#define STACK_BYTES (1 << 17)

KNOWN void migrate(void)
{
	struct truth_entry *e = truth_begin();
	static int nr_cpus;
	cpu_set_t set;

	if (!nr_cpus)
		nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	for (int i = 0; i < 4; i++) {
		CPU_ZERO(&set);
		CPU_SET(dice(nr_cpus), &set);
		sched_setaffinity(0, sizeof(set), &set);
		burn_cycles(dice(20000));
	}
	truth_end(e);
}

void scenario_migrations(void)
{
	int nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pid_t worker[WORKERS];
	cpu_set_t set;

	for (int i = 0; i < WORKERS; i++)
		worker[i] = start_worker(USUAL | ANY(migrate), -1);
	while (!time_is_up()) {
		CPU_ZERO(&set);
		CPU_SET(dice(nr_cpus), &set);
		sched_setaffinity(worker[dice(WORKERS)], sizeof(set), &set);
		nap_us(50);
	}
	for (int i = 0; i < WORKERS; i++)
		end_worker(worker[i]);
}

/* A worker that is also interrupted by its timer. */
static pid_t start_signalled(bool alternate)
{
	struct itimerval often = {{0, 700}, {0, 700}};
	pid_t pid = fork_victim();

	if (pid)
		return pid;
	handle_signals(alternate);
	setitimer(ITIMER_REAL, &often, NULL);
	run_some(USUAL | ANY(signal_self), -1);
	truth_note(TRUTH_DOOM, place.pid);
	_exit(0);
}

void scenario_signals(void)
{
	pid_t worker[WORKERS];

	for (int i = 0; i < WORKERS; i++)
		worker[i] = start_signalled(i % 2);
	nap_us(20000); /* until they handle them */
	while (!time_is_up()) {
		kill(worker[dice(WORKERS)], SIGUSR1);
		nap_us(50 + dice(200));
	}
	for (int i = 0; i < WORKERS; i++)
		end_worker(worker[i]);
}

static bool stopped(pid_t pid)
{
	int status;

	return waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status);
}

static void trace_steps(pid_t pid)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) || !stopped(pid))
		return;
	for (int i = dice(30); i > 0; i--)
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) || !stopped(pid))
			return;
	if (!ptrace(PTRACE_GETREGS, pid, NULL, &regs))
		ptrace(PTRACE_SETREGS, pid, NULL, &regs);
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

static void trace_calls(pid_t pid)
{
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL))
		return;
	if (ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) || !stopped(pid))
		return;
	for (int i = dice(10); i > 0; i--)
		if (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) || !stopped(pid))
			return;
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

static void stop_and_go(pid_t pid)
{
	kill(pid, SIGSTOP);
	waitpid(pid, NULL, WUNTRACED);
	nap_us(dice(500));
	kill(pid, SIGCONT);
}

void scenario_tracing(void)
{
	static void (*const ways[])(pid_t) = {trace_steps, trace_calls, stop_and_go};
	pid_t worker[WORKERS];

	for (int i = 0; i < WORKERS; i++)
		worker[i] = start_worker(USUAL, -1);
	while (!time_is_up()) {
		ways[dice(3)](worker[dice(WORKERS)]);
		nap_us(dice(200));
	}
	for (int i = 0; i < WORKERS; i++)
		end_worker(worker[i]);
}

/* Burning, sleeping, calling, faulting, in a handler; stopped, traced, or running. */
void scenario_kills(void)
{
	pid_t worker[WORKERS];

	for (int i = 0; i < WORKERS; i++)
		worker[i] = start_signalled(i % 2);
	while (!time_is_up()) {
		int i = dice(WORKERS);

		nap_us(dice(3000));
		if (dice(4) == 0)
			kill(worker[i], SIGSTOP);
		else if (dice(4) == 0)
			ptrace(dice(2) ? PTRACE_ATTACH : PTRACE_SEIZE, worker[i], NULL, NULL);
		end_worker(worker[i]);
		worker[i] = start_signalled(dice(2));
	}
	for (int i = 0; i < WORKERS; i++)
		end_worker(worker[i]);
}

void scenario_freezer(void)
{
	bool v2 = make_cgroup("cgroup.freeze"), v1 = !v2 && make_cgroup("freezer.state");
	const char *file = v2 ? "cgroup.freeze" : "freezer.state";
	pid_t worker[WORKERS];
	char number[16];

	if (!v1 && !v2)
		cannot("make a cgroup with a freezer");
	for (int i = 0; i < WORKERS; i++) {
		worker[i] = start_worker(USUAL, -1);
		snprintf(number, sizeof(number), "%d", worker[i]);
		write_cgroup("cgroup.procs", number);
	}
	while (!time_is_up()) {
		write_cgroup(file, v2 ? "1" : "FROZEN");
		nap_us(dice(2000));
		if (dice(20) == 0) {
			int i = dice(WORKERS);

			truth_note(TRUTH_DOOM, worker[i]);
			kill(worker[i], SIGKILL);
			write_cgroup(file, v2 ? "0" : "THAWED");
			waitpid(worker[i], NULL, 0);
			worker[i] = start_worker(USUAL, -1);
			snprintf(number, sizeof(number), "%d", worker[i]);
			write_cgroup("cgroup.procs", number);
		}
		write_cgroup(file, v2 ? "0" : "THAWED");
		nap_us(dice(4000));
	}
	for (int i = 0; i < WORKERS; i++)
		end_worker(worker[i]);
	remove_cgroup();
}
