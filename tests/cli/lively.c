/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * lively FILE: a program that does what a tracer must not disturb. Two threads burn; it gets SIGUSR1 from itself every
 * 10 ms; it forks a child that burns and ends with status 3; it stops itself with SIGSTOP until somebody sends SIGCONT;
 * then it calls execve() of itself from its second thread, and burns once more. FILE gets a line for each of these.
 * Exit status 7 if all was as it should be.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline, noclone))

static volatile unsigned long sum;
static volatile sig_atomic_t signals;
static volatile int stop;
static const char *self, *file;

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void tell(const char *what, long number)
{
	FILE *f = fopen(file, "a");

	if (!f || fprintf(f, "%s %ld\n", what, number) < 0 || fclose(f))
		exit(1);
}

static void on_signal(int signal)
{
	signals++;
}

NOINLINE static void burn(double seconds)
{
	for (double end = now_s() + seconds; now_s() < end && !stop;)
		for (int i = 0; i < 1000; i++)
			sum += i;
}

NOINLINE static void burn_in_child(void)
{
	burn(0.6);
	sum++;
}

NOINLINE static void burn_in_thread(void)
{
	burn(1);
	sum++;
}

NOINLINE static void burn_after_exec(void)
{
	burn(0.5);
	sum++;
}

static void *other(void *unused)
{
	burn_in_thread();
	while (!stop)
		usleep(1000);
	execl(self, self, file, "again", (char *)NULL);
	exit(1);
}

static int again(void)
{
	burn_after_exec();
	tell("exec", 1);
	return 7;
}

int main(int argc, char **argv)
{
	struct itimerval each = {{0, 10000}, {0, 10000}}, none = {{0}};
	struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	pthread_t thread;
	int status = 0;
	pid_t child;

	self = argv[0];
	file = argv[1];
	if (argc > 2)
		return again();
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &each, NULL);
	if (pthread_create(&thread, NULL, other, NULL))
		return 1;
	child = fork();
	if (!child) {
		setitimer(ITIMER_REAL, &none, NULL);
		burn_in_child();
		_exit(3);
	}
	burn(1);
	while (waitpid(child, &status, 0) < 0)
		;
	setitimer(ITIMER_REAL, &none, NULL);
	tell("signals", signals);
	tell("child", WEXITSTATUS(status));
	tell("stops", getpid());
	raise(SIGSTOP);
	tell("continues", 1);
	stop = 1;
	for (;;)
		pause(); /* until the other thread's execve() */
}
