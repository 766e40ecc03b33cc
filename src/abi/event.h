/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The records of the ring buffer.
 *
 * A sample whose user stack is due carries a cookie; a stack event with the same cookie follows when the task is about
 * to return to user mode, and serves all samples that carry the cookie. A sample with cookie 0 has no stack to wait
 * for: its outcome says why.
 *
 * Samples and stack events may come in either order. A module event comes before the first stack that names the module,
 * unless it was lost.
 */
#pragma once
#include "abi/config.h"
#include "abi/consumer.h"
#include "abi/frame.h"

enum event_kind {
	EVENT_SAMPLE = 1,
	EVENT_STACK,
	EVENT_MODULE,
	EVENT_SUM,
	EVENT_OFFCPU,
	EVENT_THREAD,
	EVENT_THREAD_TIMES,
	EVENT_KERNEL_STACK,
	EVENT_OCCURRENCE
};

#define COMM_BYTES 16
#define BUILD_ID_BYTES 20
#define PATH_BYTES 1024
#define MAX_KERNEL_FRAMES 128

struct event_sample {
	u32 kind, cpu;
	u64 time_ns; /* CLOCK_MONOTONIC */
	u64 cookie;
	u32 pid, tid; /* in the initial PID namespace; pid is the process */
	u32 kernel_stack,
		user_stack; /* ids in the stackmap; 0: none, or the kernel's frames follow, the user's are due */
	u8 source, outcome;
	u16 nr;	    /* kernel frames that follow */
	u32 cached; /* @user_stack was told at once, and if there is a cookie, it is to be verified */
	char comm[COMM_BYTES];
	u64 frame[];
};

struct event_stack {
	u32 kind, outcome;
	u64 cookie;
	u32 pid, tid;
	u32 stack; /* id in the stackmap; 0: none, or the frames follow */
	u32 nr;	   /* user frames that follow */
	u64 walk_ns;
	u64 same_as; /* not 0: the stack is that of this cookie, which travelled whole */
	u64 frame[];
};

enum vdso { VDSO = 1, VDSO_COMPAT }; /* that of 64-bit tasks, of 32-bit ones */

struct event_module {
	u32 kind, id;
	u64 dev, ino; /* dev as the kernel encodes it: major << 20 | minor */
	u32 generation, pid;
	u64 start, end; /* a mapping of it in @pid */
	u32 parent;	/* of @pid: it may live longer, and see the same files */
	u16 vdso;	/* enum vdso; 0: it is a file */
	u16 build_id_bytes;
	u8 build_id[BUILD_ID_BYTES];
	u32 path_start;	       /* in @path, which it fills to the end; PATH_BYTES: there is none */
	char path[PATH_BYTES]; /* as @pid sees it; not terminated */
};

/* A row of the ledger that is not in it: there is no room, or its stack travels whole, under the row's cookie. */
struct event_sum {
	u32 kind, pad;
	u64 time_ns; /* CLOCK_MONOTONIC */
	struct aggregation_key key;
	struct aggregation_sum sum;
};

/*
 * A thread was off CPU, and is back; or still off, when the recording ends. Behind it, in this order: who woke it, if
 * that is known, and kernel frames. offcpu_waker() and offcpu_frames() find them.
 */
struct event_offcpu {
	u32 kind, cpu; /* where it came back */
	u64 time_ns;   /* when */
	u64 off_ns, runnable_ns;
	u64 cookie; /* of the user stack, unless @user_stack is known; 0: there is none, see outcome */
	u32 pid, tid;
	u32 kernel_stack, user_stack; /* ids in the stackmap; 0: none, or the kernel's frames follow */
	u8 state, outcome;	      /* abi/offcpu.h */
	u16 nr;			      /* kernel frames that follow */
	u8 unended;		      /* it is still off CPU */
	u8 woken;		      /* a struct event_waker follows */
	u8 cached, pad;		      /* as in struct event_sample */
	u32 count, sampled; /* off-CPU intervals that it stands for, if they are sampled: a sum, then; else 1 */
	u64 switches;	    /* of the thread, when it left: if they are still so many, it has not been back */
	char comm[COMM_BYTES];
	u64 frame[];
};

/* A kernel stack that has no id in the stackmap, and a number instead, before it is used. */
#define INLINE_STACK (1u << 31) /* ids have 31 bits */

struct event_kernel_stack {
	u32 kind, number;
	u32 nr, pad;
	u64 frame[];
};

/* Who woke a thread. Of an interrupt there is no more than the kernel stack. */
struct event_waker {
	u64 cookie; /* as in struct event_offcpu */
	u32 pid, tid;
	u32 kernel_stack, user_stack; /* ids in the stackmap; or a INLINE_STACK */
	u8 kind, outcome;	      /* kind: enum waker_kind */
	u16 pad[3];
	char comm[COMM_BYTES];
};

static inline const struct event_waker *offcpu_waker(const struct event_offcpu *e)
{
	return e->woken ? (const struct event_waker *)e->frame : 0;
}

static inline const u64 *offcpu_frames(const struct event_offcpu *e)
{
	return e->woken ? e->frame + sizeof(struct event_waker) / sizeof(u64) : e->frame;
}

/* A thread is met for the first time, or its last CPU time is over. */
struct event_thread_times {
	u32 kind, pid;
	u32 tid, pad;
	u64 start_ns, end_ns;
	u64 on_cpu_ns, runnable_ns, blocked_ns;
	u64 intervals;
	char comm[COMM_BYTES];
};

#define RECORD_BYTES 1024 /* of the record of an event so much is taken */
#define MAX_DYNAMIC 8
#define DYNAMIC_RELATIVE 0x8000

/* How the record of an event of tracefs, which holds its fields, is taken. */
struct record_shape {
	u16 bytes;     /* of the fields whose place is fixed; 0: programs see no record of it */
	u8 in_syscall; /* the event is of a system call, where a user stack may be told at once */
	u8 nr_dynamic; /* more than MAX_DYNAMIC: all of RECORD_BYTES is taken */
	/*
	 * Where 32 bits say where a field of varying length is: length << 16 | offset, from the start of the record;
	 * or, with DYNAMIC_RELATIVE, from behind these bits.
	 */
	u16 dynamic[MAX_DYNAMIC];
};

/*
 * An event of tracefs has occurred. Behind it, in this order: its record, filled up to a multiple of 8 bytes, of which
 * the first 8 have no meaning; and kernel frames. occurrence_frames() finds them.
 */
struct event_occurrence {
	u32 kind, cpu;
	u64 time_ns; /* CLOCK_MONOTONIC */
	u64 cookie;  /* as in struct event_sample, as what follows */
	u32 pid, tid;
	u32 kernel_stack, user_stack;
	u32 event; /* by the number that its program was attached with */
	u8 outcome, cached;
	u16 nr;		  /* kernel frames that follow */
	u16 record_bytes; /* that follow, without what fills them up; 0: there is no record */
	u16 cut;	  /* the record goes on beyond them */
	u32 pad;
	char comm[COMM_BYTES];
	u64 record[];
};

static inline const u64 *occurrence_frames(const struct event_occurrence *e)
{
	return e->record + (e->record_bytes + 7) / 8;
}

/* A sample's source. */
enum source { SOURCE_CPU };
