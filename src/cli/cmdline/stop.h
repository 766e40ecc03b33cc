/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Count requests to stop: the signals SIGINT, SIGTERM and SIGHUP. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

extern volatile sig_atomic_t stop_count;
extern volatile sig_atomic_t stop_signal; /* the last one */

/* Time of the first one, by now_ns(); 0: there was none. */
extern volatile uint64_t stop_ns;

/* The last one sent by a process. Children get those of the terminal themselves; this one must be passed on to them. */
extern volatile sig_atomic_t stop_forward;

/*
 * Start counting, and let SIGCHLD interrupt sleeps. SIGHUP stays ignored if it is (nohup). SIGINT does not, although
 * shells ignore it for background commands of a script, since scripts end recordings by it.
 */
void stop_catch(void);

/*
 * @yes: as long as there is no data to lose, exit with 128 + signal if the process has not ended by itself within a
 * second after a request to stop.
 */
void stop_at_once(bool yes);
