/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a user stack ended, or why there is none.
 *
 * One row each: code, name (stable: files and scripts use it), class, sentence. The number is the position and is
 * written to files: append, never reorder. The classes:
 *
 *	COMPLETE	the walk reached the outermost frame
 *	CUT		the frames up to the named obstacle
 *	NONE		no user stack: it was not walked, or it was lost after the walk
 *	ABSENT		the task had no user stack at that moment: not a loss
 */
#pragma once

#define OUTCOMES(X)                                                                                                 \
	X(GOING_ON, "going-on", CUT, "the walk was abandoned")                                                      \
	X(UNDEFINED_RA, "outermost", COMPLETE, "the outermost frame says that it has no caller")                    \
	X(ZERO_RA, "zero-return", CUT, "the return address is zero: the end of a coroutine's stack, or a lost one") \
	X(ENTRY_POINT, "entry-point", COMPLETE, "the entry point of the program or of ld.so")                       \
	X(THREAD_START, "thread-start", COMPLETE,                                                                   \
	  "the first instruction of a new thread or context: it has no caller")                                     \
	X(NO_MAPPING, "no-mapping", CUT, "the frame's address is not mapped")                                       \
	X(JIT_CODE, "jit", CUT, "code without a file, and no frame pointer that leads to a call")                   \
	X(NO_EH_FRAME, "no-eh-frame", CUT, "the module has no .eh_frame, and the frame pointer leads nowhere")      \
	X(NO_ELF, "no-elf", CUT, "the mapped file is not an ELF file that can be read")                             \
	X(NO_FDE, "no-fde", CUT, "code without CFI in a module that has CFI, and no frame pointer")                 \
	X(BAD_ENCODING, "bad-encoding", CUT, "an encoding in .eh_frame that is not supported")                      \
	X(BAD_CIE, "bad-cie", CUT, "malformed CIE or FDE")                                                          \
	X(BAD_CFI, "bad-cfi", CUT, "malformed call frame instructions")                                             \
	X(BAD_EXPRESSION, "bad-expression", CUT, "malformed or unsupported DWARF expression")                       \
	X(BAD_RA_RULE, "bad-ra-rule", CUT, "the rule of the return address cannot be followed")                     \
	X(TOO_MANY_OPS, "too-many-ops", CUT, "a CFI program that does not end")                                     \
	X(CFA_REGISTER_LOST, "cfa-register-lost", CUT, "the CFA needs a register that was not saved")               \
	X(NOT_MONOTONIC, "not-monotonic", CUT, "the caller's frame would not lie above this one")                   \
	X(TOO_DEEP, "too-deep", CUT, "deeper than --max-depth: frames in the middle, [...], were not kept")         \
	X(STACK_UNREADABLE, "stack-unreadable", CUT, "stack memory that is not mapped")                             \
	X(TABLE_UNREADABLE, "table-unreadable", CUT, "unwind tables that are not mapped")                           \
	X(PAGE_NOT_SAFE, "page-not-safe", CUT, "a page that is not there and is not safe to fault in")              \
	X(COMPAT, "compat", NONE, "a 32-bit process, which older versions of dusk did not walk")                    \
	X(EXEC, "exec", NONE, "execve() replaced the program before its stack was walked")                          \
	X(EXITING, "exiting", NONE, "the task exited before its stack was walked")                                  \
	X(NO_WALKER, "no-walker", NONE, "all walkers were busy, or all that one process may have")                  \
	X(NO_TASK_STATE, "no-task-state", NONE, "the table of tasks is full")                                       \
	X(NOT_SCHEDULED, "not-scheduled", NONE, "the kernel refused the task work")                                 \
	X(CONTENDED, "contended", NONE, "interrupts kept changing the task's deferral word")                        \
	X(PENDING, "pending", NONE, "the task had not returned to user mode when the recording ended")              \
	X(RING_LOST, "ring-lost", NONE, "the stack was walked, but the ring buffer was full")                       \
	X(KERNEL_THREAD, "kernel-thread", ABSENT, "a kernel thread: it has no user stack")                          \
	X(EXEC_NEW, "exec-new", ABSENT, "execve() was running, and the new program had not begun")                  \
	X(EXITED, "exited", ABSENT, "the exiting task had already given up its memory")                             \
	X(EXCLUDED, "excluded", NONE, "a walk of this process did not end: the process is excluded")                \
	X(WORK_LOST, "work-lost", NONE, "the kernel dropped the task work")                                         \
	X(STACKMAP_FULL, "stackmap-full", NONE, "the stack was walked, but the stackmap was full")                  \
	X(BAD_SFRAME, "bad-sframe", CUT, "malformed .sframe, or a rule in it that cannot be true")                  \
	X(MISALIGNED, "misaligned", CUT, "the caller's frame would not begin at a word")                            \
	X(RUNNING, "running", NONE, "the thread was on a CPU: its stack was changing")                              \
	X(MOVED, "moved", NONE, "the thread ran while its stack was walked")                                        \
	X(TOO_LONG, "too-long", CUT, "the walk needed more work than it may do there")                              \
	X(MAPPINGS_BUSY, "mappings-busy", CUT, "the process kept changing its mappings")                            \
	X(ASKED_AGAIN, "asked-again", NONE,                                                                         \
	  "requested right after two walks, and perhaps in the same visit to the kernel")                           \
	X(NOT_REPORTED, "not-reported", CUT, "walked by another profiler, which does not say how it ended")         \
	X(NOT_GIVEN, "not-given", NONE, "another profiler recorded no user stack, and no reason")                   \
	X(NO_COOKIE, "no-cookie", NONE, "the CPU had used up its cookies, and none is used twice")                  \
	X(NOT_COPIED, "not-copied", CUT, "the stack goes on beyond the part of it that was copied (--stack-bytes)") \
	X(NOT_SAMPLED, "not-sampled", NONE,                                                                         \
	  "mode copied had no sample when the thread left its CPU: not allowed, lost, or before the recording")     \
	X(URETPROBE, "uretprobe", CUT,                                                                              \
	  "a uretprobe has replaced the return address, and the true one could not be read")                        \
	X(NO_FILE, "no-file", CUT, "the file of the frame's code is not here as it was when perf recorded it")      \
	X(LANDING, "landing", CUT, "on the way to a handler, whose frame's registers lie in place of the caller's") \
	X(FIRST_FUNCTION, "first-function", COMPLETE,                                                               \
	  "the function was begun without a return address, as the first one of a coroutine is")

enum outcome {
#define X(code, name, class, sentence) code,
	OUTCOMES(X)
#undef X
		NR_OUTCOMES
};
