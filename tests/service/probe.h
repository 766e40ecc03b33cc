/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the programs of probe.bpf.c and the tests that load them say to each other. */
#pragma once
#include "abi/types.h"

#define PROBE_CONSUMERS 16
#define PROBE_KEYS 64

/* The programs, one of each type that can ask. */
enum probe_kind {
	BY_TICK,       /* perf_event: the CPU's clock */
	BY_POINT,      /* perf_event: memory is written, as a breakpoint sees it */
	BY_SWITCH,     /* tp_btf/sched_switch */
	BY_RAW,	       /* raw_tp/sys_enter */
	BY_TRACEPOINT, /* tp/syscalls/sys_enter_getppid */
	BY_KPROBE,
	BY_UPROBE,
	BY_UPROBE_ALONE, /* the same, without dusk_unwind_at_uprobe() */
	BY_FENTRY,
	BY_LSM,
	BY_SIGNAL,	/* tp_btf/signal_deliver: before the handler's frame is made */
	BY_FAULT,	/* raw_tp/page_fault_user: in an exception, and sooner after the last one than anything else */
	BY_RETURN,	/* tp_btf/rseq_update: on the way to user mode, behind task work */
	BY_NOW,		/* uprobe.s: walks itself; so do those below */
	BY_NOW_SYSCALL, /* syscall: of the task that runs it */
	BY_NOW_EXEC,	/* lsm.s/bprm_committed_creds: execve() has exchanged the memory, not yet the registers */
	BY_NMI,		/* fentry/nmi_cpu_backtrace_handler */
	NR_KINDS
};

/* A request of by_nmi(), and what it interrupted. */
struct probe_nmi {
	u64 ip, cookie;
	s32 result;
	u32 stack, outcome;
	u32 place;	   /* of place.h; 0: it could not be read */
	u32 preempt_count; /* the kernel's */
	u32 pad;
};

#define PROBE_NMIS 16384
#define PROBE_IN_NMI 0xf00000 /* of the preemption count (linux 7.2 include/linux/preempt.h) */

/* Set by the test at any time. */
struct probe_control {
	u32 tgid;		 /* the process that is asked for; 0: none */
	u32 keys;		 /* add to so many keys in turn (at most PROBE_KEYS); 0: request only */
	u32 again;		 /* how often each program asks in one run, less one */
	u32 known;		 /* first for what is known at once */
	u64 ip;			 /* of BY_SIGNAL: what it says that it has interrupted */
	u32 consumers[NR_KINDS]; /* a bit each, with the numbers of dusk_unwind_add_consumer() */
	u64 turn, runs[NR_KINDS], unnoted;
	u64 mixed; /* runs that found another task's value in a variable of theirs */
	/* Of the task that asked last, where the kernel keeps */
	u64 trace_nesting; /* a word that is written before and after each task work */
	u64 walker;	   /* a word that is written right before a walk, and when it has ended and is delivered */
	u64 pending;	   /* a word that is written while a walk is delivered, for a callback of another tool */
	/*
	 * Once, if not 0: what is kept of the next task that asks becomes that of one that had its tid before, and
	 * whose end went unnoticed while this deferral word waited. By which the two differ: bits of task and time of
	 * birth.
	 */
	u64 left_word, left_task, left_birth;
	u64 left_in_exec; /* only by a thread, not the first, whose last stack was walked */
	/*
	 * Once, if not 0: the task that asks next has an answer with this cookie that waits for the callback of consumer 0,
	 * which has slot 0, from before it asks, or from behind that.
	 */
	u64 left_answer;
	u32 left_behind;
	u64 sums_owner; /* of the task that asked last, before it did: core/shared/aggregation.h */
	u64 place;	/* of BY_NMI: the address of the victim's variable of that name */
	u32 no_ip;	/* and not to say what was interrupted */
	u32 nr_nmis;	/* requests in .bss.nmis */
};

/* A cookie of a consumer: what requests said, and what dusk_unwind_done() got. */
struct probe_key {
	u64 cookie;
	u32 consumer, tgid;
};

struct probe_answers {
	u32 queued, pending, executed, refused;
	u32 stack, outcome; /* of DUSK_EXECUTED */
	u32 done, done_stack, done_outcome;
	s32 error; /* the last refusal: refusals are all under cookie 0 */
};

/* What was added, as the program itself counts it. */
struct probe_sum {
	u64 amount, count;
};
