/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the kernel side counts. One row each: code, name, sentence.
 *
 * These equations hold whenever nothing is in flight:
 *
 *	SAMPLES + OFFCPU_INTERVALS - OFFCPU_SAMPLED_OUT + WAKERS + EVENTS = NO_USER + REQUESTS
 *	REQUESTS = REFUSED_* + CACHED + NOFAULT + NOW + JOINED + AFTERWARDS + SCHEDULED
 *	SCHEDULED + UNASKED = WALKS + CLOSED_*		(plus the stacks still pending)
 *	SAMPLES = sample events read + LOST_SAMPLES
 *	EVENTS = occurrences read + LOST_EVENTS
 *	OFFCPU_INTERVALS + OFFCPU_UNENDED + OFFCPU_STOOD_FOR - OFFCPU_SAMPLED_OUT
 *		= off-CPU intervals read + LOST_OFFCPU, each as many as it stands for
 *
 * Each tool counts its own samples and requests. Walks are counted once for all tools that share the unwinder, so the
 * third line holds for the sum over all tools.
 */
#pragma once

#define COUNTERS(X)                                                                                                    \
	X(SAMPLES, "samples", "samples taken")                                                                         \
	X(OFFCPU_INTERVALS, "offcpu-intervals", "off-CPU intervals that have ended")                                   \
	X(OFFCPU_UNENDED, "offcpu-unended", "off-CPU intervals that had not ended when the recording did")             \
	X(OFFCPU_SAMPLED_OUT, "offcpu-sampled-out", "of these represented by sampled ones, to keep the budget")        \
	X(OFFCPU_STOOD_FOR, "offcpu-stood-for",                                                                        \
	  "off-CPU intervals that sampled ones stand for, beside themselves: as many as were sampled out, on average") \
	X(SWITCHES, "switches", "switches of recorded tasks, extrapolated from one in 61")                             \
	X(SWITCH_NS, "switch-ns", "time spent recording switches, extrapolated from one in 61")                        \
	X(WAKERS, "wakers", "user stacks of wakers requested")                                                         \
	X(EVENTS, "events", "occurrences of events of tracefs")                                                        \
	X(NO_USER, "no-user",                                                                                          \
	  "samples, intervals, wakers and events of tasks without user memory: kernel threads, and exiting tasks")     \
	X(REQUESTS, "requests", "user stacks asked for")                                                               \
	X(REFUSED_NO_STATE, "refused-no-state", "requests refused: the table of tasks is full")                        \
	X(REFUSED_CONTENDED, "refused-contended", "requests refused: deferral word contended")                         \
	X(REFUSED_AGAIN, "refused-again",                                                                              \
	  "requests refused: right after two walks, and perhaps in the same visit to the kernel")                      \
	X(REFUSED_NO_COOKIE, "refused-no-cookie", "requests refused: the CPU has used up its cookies")                 \
	X(REFUSED_EXCLUDED, "refused-excluded", "requests refused: a walk of the process did not end")                 \
	X(REFUSED_SCHEDULE, "refused-schedule", "requests refused: the kernel refused the task work")                  \
	X(REFUSED_NOW, "refused-now",                                                                                  \
	  "walks refused to programs that may sleep: in execve(), within another walk, or all walkers were busy")      \
	X(CACHED, "cached", "requests answered at once from the stack cache")                                          \
	X(NOFAULT, "walked-nofault", "requests answered at once by a no-fault walk")                                   \
	X(NOW, "walked-now", "requests answered by a walk in the requesting program, which may sleep")                 \
	X(JOINED, "joined", "requests that joined a pending request")                                                  \
	X(AFTERWARDS, "afterwards", "requests answered by the walk just done in the same visit to the kernel")         \
	X(SCHEDULED, "scheduled", "walks scheduled, or due when the task exits")                                       \
	X(UNASKED, "unasked",                                                                                          \
	  "walks without a pending request: last stacks, and walks for the requesting program alone")                  \
	X(WALKS, "walks", "stacks walked")                                                                             \
	X(FRAMES, "frames", "user frames walked")                                                                      \
	X(CODE_FRAMES, "language-frames", "frames of interpreted languages")                                           \
	X(CODE_LOST, "lost-language",                                                                                  \
	  "stacks that have native frames only, as those of an interpreted language could not be read")                \
	X(CODE_REFUSED, "language-unknown", "runtimes of interpreted languages whose version is not known")            \
	X(CODES, "codes", "pieces of code of interpreted languages that were kept")                                    \
	X(CODES_FULL, "codes-full", "functions of interpreted languages without a name: the table of code is full")    \
	X(WALK_NS, "walk-ns", "time spent walking")                                                                    \
	X(CLOSED_EXEC, "closed-exec", "walks not done: execve() came first, or was already running")                   \
	X(CLOSED_EXITING, "closed-exiting", "walks not done: the task exited first")                                   \
	X(CLOSED_NO_WALKER, "closed-no-walker", "walks not done: all walkers were busy")                               \
	X(CLOSED_LOST, "closed-lost", "walks not done: the kernel dropped the task work")                              \
	X(CLOSED_IDLE, "closed-idle", "walks not done: all consumers that waited have left")                           \
	X(ROW_MISSES, "row-misses", "frames without a cached row")                                                     \
	X(VMA_LOOKUPS, "vma-lookups", "mappings looked up")                                                            \
	X(FAULTS, "faults", "pages faulted in to read stacks and tables")                                              \
	X(FAULTS_REFUSED, "faults-refused", "pages not faulted in because that was not safe")                          \
	X(MODULES, "modules", "modules found")                                                                         \
	X(MODULES_FULL, "modules-full", "modules not remembered: the table is full")                                   \
	X(KERNEL_CACHED, "kernel-cached", "kernel stacks of off-CPU intervals found in the kernel stack cache")        \
	X(KERNEL_CHECKED, "kernel-checked", "cached kernel stacks that were walked again to compare")                  \
	X(KERNEL_WALKS, "kernel-walks", "kernel stacks of off-CPU intervals that the kernel walked")                   \
	X(KERNEL_WRONG, "kernel-wrong",                                                                                \
	  "cached kernel stacks that such a check found wrong: the cache is not used any more")                        \
	X(STACKS, "stacks", "distinct stacks kept in the stackmap")                                                    \
	X(STACKS_INLINE, "stacks-inline", "stacks sent inline because the stackmap was full")                          \
	X(TIMER_PERIODS, "timer-periods", "what the timers' ticks stand for, in nanoseconds or cycles")                \
	X(LOST_SAMPLES, "lost-samples", "sample events lost: the ring buffer was full")                                \
	X(LOST_OFFCPU, "lost-offcpu", "off-CPU intervals lost: the ring buffer was full")                              \
	X(LOST_EVENTS, "lost-events", "occurrences of events lost: the ring buffer was full")                          \
	X(LOST_FIELDS, "lost-fields",                                                                                  \
	  "occurrences with fields missing: their record is longer than what is copied of it, or not understood")      \
	X(LOST_THREADS, "lost-threads", "threads lost: the ring buffer was full")                                      \
	X(LOST_ARGUMENTS, "lost-arguments",                                                                            \
	  "arguments of new processes lost, and the titles of those that ended soon: the ring buffer was full")        \
	X(LOST_STACKS, "lost-stacks", "stack events lost: the ring buffer was full")                                   \
	X(LOST_MODULES, "lost-modules", "module events lost: the ring buffer was full")                                \
	X(LOST_CGROUPS, "lost-cgroups",                                                                                \
	  "new cgroups lost: the ring buffer was full, or more are recorded than there is room for")                   \
	X(LOST_CHILDREN, "lost-children",                                                                              \
	  "processes and threads not recorded: more were created than there is room for")

enum counter {
#define X(code, name, sentence) COUNT_##code,
	COUNTERS(X)
#undef X
		NR_COUNTERS
};
