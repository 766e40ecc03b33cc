/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Has anyone asked us to stop? See stop.h. */
#include <stddef.h>
#include "cli/stop.h"

volatile sig_atomic_t stop_count, stop_signal, stop_forward;

static void on_stop(int signal, siginfo_t *info, void *context)
{
	stop_count = stop_count + 1;
	stop_signal = signal;
	if (info->si_code <= 0)
		stop_forward = signal;
}

static void on_child(int signal)
{
	/* Only to end a wait early. */
}

void stop_catch(void)
{
	static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction stop = {.sa_sigaction = on_stop, .sa_flags = SA_SIGINFO}, old;
	struct sigaction child = {.sa_handler = on_child};

	for (size_t i = 0; i < sizeof(stopping) / sizeof(*stopping); i++)
		if (stopping[i] != SIGHUP || (!sigaction(SIGHUP, NULL, &old) && old.sa_handler != SIG_IGN))
			sigaction(stopping[i], &stop, NULL);
	sigaction(SIGCHLD, &child, NULL);
}
