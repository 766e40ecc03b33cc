/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Has the user, or whoever manages this process, asked it to stop? SIGINT, SIGTERM and SIGHUP are counted. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

extern volatile sig_atomic_t stop_count;
extern volatile sig_atomic_t stop_signal; /* the last one */

/* When the first one came, by now_ns(); 0: none has. */
extern volatile uint64_t stop_ns;

/* The last one that a process sent: what the terminal sends, our children get too, but this is for us to pass on. */
extern volatile sig_atomic_t stop_forward;

/*
 * From now on. Also has SIGCHLD interrupt waiting. SIGHUP stays ignored if it is (nohup); SIGINT does not, which shells
 * ignore for what a script runs in the background: scripts end recordings by it.
 */
void stop_catch(void);

/*
 * While there is nothing to lose, who is asked to stop and does not end in order within a second ends anyhow: with 128
 * and the signal.
 */
void stop_at_once(bool yes);
