/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the kernel side counts, one row each: code, name, sentence.
 *
 * The ledger, true whenever nothing is in flight:
 *
 *	SAMPLES + OFFCPU_INTERVALS - OFFCPU_SAMPLED_OUT + WAKERS + EVENTS = NO_USER + REQUESTS
 *	REQUESTS = REFUSED_* + CACHED + NOFAULT + NOW + JOINED + AFTERWARDS + SCHEDULED
 *	SCHEDULED + UNASKED = WALKS + CLOSED_*		(plus the stacks still due)
 *	SAMPLES = sample events read + LOST_SAMPLES
 *	EVENTS = occurrences read + LOST_EVENTS
 *
 * Samples and requests are counted by each tool for itself; walks, once for all tools that share the unwinder, so that
 * the third line holds for all of them together.
 */
#pragma once

#define COUNTERS(X)                                                                                                  \
	X(SAMPLES, "samples", "samples taken")                                                                       \
	X(OFFCPU_INTERVALS, "offcpu-intervals", "times that a task was off CPU, and is back")                        \
	X(OFFCPU_SAMPLED_OUT, "offcpu-sampled-out", "of these left to those that were sampled, to hold the budget")  \
	X(SWITCHES, "switches", "switches of tasks that were followed, from one in 61")                              \
	X(SWITCH_NS, "switch-ns", "time spent following switches, from one in 61")                                   \
	X(WAKERS, "wakers", "tasks that woke one, and were asked for their stack")                                   \
	X(EVENTS, "events", "occurrences of events of tracefs")                                                      \
	X(NO_USER, "no-user",                                                                                        \
	  "samples, intervals, wakers and events of tasks without user memory: kernel threads, and tasks at their "  \
	  "end")                                                                                                     \
	X(REQUESTS, "requests", "user stacks asked for")                                                             \
	X(REFUSED_NO_STATE, "refused-no-state", "requests refused: the table of tasks is full")                      \
	X(REFUSED_CONTENDED, "refused-contended", "requests refused: deferral word contended")                       \
	X(REFUSED_AGAIN, "refused-again",                                                                            \
	  "requests refused: right after two walks, and perhaps in the same kernel entry")                           \
	X(REFUSED_NO_COOKIE, "refused-no-cookie", "requests refused: the CPU has given out all its cookies")         \
	X(REFUSED_EXCLUDED, "refused-excluded", "requests refused: a walk of the process did not end")               \
	X(REFUSED_SCHEDULE, "refused-schedule", "requests refused: the kernel did not take the task work")           \
	X(REFUSED_NOW, "refused-now",                                                                                \
	  "walks refused to programs that may sleep: in execve(), in another walk, or all walkers were busy")        \
	X(CACHED, "cached", "requests answered at once: the task stood there before")                                \
	X(NOFAULT, "walked-nofault", "requests answered by a walk at once, over what was known")                     \
	X(NOW, "walked-now", "requests answered by a walk in the program that asked, which may sleep")               \
	X(JOINED, "joined", "requests that joined a stack already asked for")                                        \
	X(AFTERWARDS, "afterwards", "requests answered by the walk just done in the same kernel entry")              \
	X(SCHEDULED, "scheduled", "walks scheduled, or due when the task exits")                                     \
	X(UNASKED, "unasked",                                                                                        \
	  "walks of tasks that exited or called execve(), before anybody asked; or only for who walked")             \
	X(WALKS, "walks", "stacks walked")                                                                           \
	X(FRAMES, "frames", "user frames walked")                                                                    \
	X(WALK_NS, "walk-ns", "time spent walking")                                                                  \
	X(CLOSED_EXEC, "closed-exec", "walks not done: execve() came first, or was at work already")                 \
	X(CLOSED_EXITING, "closed-exiting", "walks not done: the task exited first")                                 \
	X(CLOSED_NO_WALKER, "closed-no-walker", "walks not done: all walkers were busy")                             \
	X(CLOSED_LOST, "closed-lost", "walks not done: the kernel dropped the task work")                            \
	X(CLOSED_IDLE, "closed-idle", "walks not done: all who had asked have left")                                 \
	X(ROW_MISSES, "row-misses", "frames whose row was not cached")                                               \
	X(VMA_LOOKUPS, "vma-lookups", "mappings looked up")                                                          \
	X(FAULTS, "faults", "pages faulted in to read stacks and tables")                                            \
	X(FAULTS_REFUSED, "faults-refused", "pages not faulted in because that was not safe")                        \
	X(MODULES, "modules", "modules met")                                                                         \
	X(MODULES_FULL, "modules-full", "modules not remembered: the table is full")                                 \
	X(KERNEL_CACHED, "kernel-cached", "kernel stacks of off-CPU intervals that were remembered")                 \
	X(KERNEL_CHECKED, "kernel-checked", "kernel stacks that were remembered, walked all the same, and compared") \
	X(KERNEL_WALKS, "kernel-walks", "kernel stacks of off-CPU intervals that the kernel walked")                 \
	X(KERNEL_WRONG, "kernel-wrong",                                                                              \
	  "kernel stacks wrongly remembered: found by a check, and no more are believed")                            \
	X(STACKS, "stacks", "distinct stacks kept in the stackmap")                                                  \
	X(STACKS_INLINE, "stacks-inline", "stacks sent whole because the stackmap was full")                         \
	X(TIMER_PERIODS, "timer-periods", "what the timers' ticks stood for, in nanoseconds or cycles")              \
	X(LOST_SAMPLES, "lost-samples", "sample events lost: the ring buffer was full")                              \
	X(LOST_OFFCPU, "lost-offcpu", "off-CPU intervals lost: the ring buffer was full")                            \
	X(LOST_EVENTS, "lost-events", "occurrences of events lost: the ring buffer was full")                        \
	X(LOST_FIELDS, "lost-fields",                                                                                \
	  "occurrences whose fields are not all there: their record is longer than what is taken of it")             \
	X(LOST_THREADS, "lost-threads", "threads lost: the ring buffer was full")                                    \
	X(LOST_STACKS, "lost-stacks", "stack events lost: the ring buffer was full")                                 \
	X(LOST_MODULES, "lost-modules", "module events lost: the ring buffer was full")

enum counter {
#define X(code, name, sentence) COUNT_##code,
	COUNTERS(X)
#undef X
		NR_COUNTERS
};
