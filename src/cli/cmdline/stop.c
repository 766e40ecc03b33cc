/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Count requests to stop. See stop.h. */
#include <stddef.h>
#include <unistd.h>
#include "base/clock.h"
#include "cli/cmdline/stop.h"

#define AT_ONCE_S 1

volatile sig_atomic_t stop_count, stop_signal, stop_forward;
volatile uint64_t stop_ns;
static volatile sig_atomic_t at_once;

static void on_stop(int signal, siginfo_t *info, void *context)
{
	if (!stop_count)
		stop_ns = now_ns();
	stop_count = stop_count + 1;
	stop_signal = signal;
	if (at_once)
		alarm(AT_ONCE_S);
	if (info->si_code <= 0)
		stop_forward = signal;
}

/* Exit now, as the process has not ended in order in time. */
static void on_late(int signal)
{
	if (at_once)
		_exit(128 + stop_signal);
}

static void on_child(int signal)
{
	/* Only to end a sleep early. */
}

void stop_catch(void)
{
	static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction stop = {.sa_sigaction = on_stop, .sa_flags = SA_SIGINFO}, old;
	struct sigaction child = {.sa_handler = on_child}, late = {.sa_handler = on_late};

	for (size_t i = 0; i < sizeof(stopping) / sizeof(*stopping); i++)
		if (stopping[i] != SIGHUP || (!sigaction(SIGHUP, NULL, &old) && old.sa_handler != SIG_IGN))
			sigaction(stopping[i], &stop, NULL);
	sigaction(SIGCHLD, &child, NULL);
	sigaction(SIGALRM, &late, NULL);
}

void stop_at_once(bool yes)
{
	at_once = yes;
	alarm(yes && stop_count ? AT_ONCE_S : 0);
}
