/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the BPF programs of dusk trace and the command that loads them agree on. */
#pragma once

#define TRACE_CONSUMER 0
#define TRACE_MAX_EVENTS 1024
#define TRACE_MAX_PROCESSES 16384 /* traced ones at once, if not all are */
#define TRACE_MAX_OUTCOMES 64
#define TRACE_EVENT_BYTES 128 /* of "sched:sched_switch" */
#define TRACE_OUTCOME_BYTES 32

/* A flag of an event's number: it occurs in a system call, where dusk_unwind_try() may succeed. */
#define TRACE_IN_SYSCALL (1ULL << 32)

/* What a process of the map trace_wanted is: traced after its next execve(), or traced. */
enum trace_wish { TRACE_FROM_EXEC, TRACE_WANTED };
