/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Why a task was not on a CPU: code, name, sentence. Numbers are kept in profiles: new ones go to the end.
 *
 * In all but the first and the last a task may also wait for its turn, once it could run again: that is its runnable
 * time.
 */
#pragma once

#define ABSENCES(X)									\
	X(PREEMPTED, "preempted", "could run, but another task had the CPU")		\
	X(SLEEPING, "sleeping", "waited, and a signal would have ended it")		\
	X(UNINTERRUPTIBLE, "uninterruptible", "waited, mostly for storage or a lock of the kernel")	\
	X(STOPPED, "stopped", "stopped by a signal or a debugger")			\
	X(ENDED, "ended", "had ended")							\
	X(IDLE, "idle", "a kernel thread without work")					\
	X(BORN, "born", "waited for its first turn")

enum absence {
#define X(code, ...) ABSENCE_##code,
	ABSENCES(X)
#undef X
	NR_ABSENCES
};
