/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The records of the ring buffer.
 *
 * A sample with a cookie waits for its user stack. A stack event with the same cookie follows when the task is about to
 * return to user mode, and has the stack of all samples that carry the cookie. A sample with cookie 0 and no
 * @user_stack will not get a stack: its outcome says why.
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
	EVENT_OCCURRENCE,
	EVENT_CGROUP,
	EVENT_ARGUMENTS
};

#define COMM_BYTES 16
#define BUILD_ID_BYTES 20
#define PATH_BYTES 1024
#define MAX_KERNEL_FRAMES 128

struct event_sample {
	u32 kind, cpu;
	u64 time_ns; /* CLOCK_MONOTONIC */
	u64 cookie;
	u64 cgroup;   /* number of the task's cgroup of cgroup2, as its folder's inode; 0: not known */
	u32 pid, tid; /* in the initial PID namespace; pid is the process */
	u32 kernel_stack,
		user_stack; /* ids in the stackmap; 0: none, or the kernel's frames follow, the user's are pending */
	u8 source, outcome;
	u16 nr;	    /* kernel frames that follow */
	u32 cached; /* @user_stack was answered at once; with a cookie, the walk's stack is to be compared with it */
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
	u64 same_as; /* not 0: the stack is that of this cookie, which was sent as an inline stack */
	u64 frame[];
};

enum vdso { VDSO = 1, VDSO_COMPAT }; /* VDSO: that of 64-bit tasks; VDSO_COMPAT: of 32-bit tasks */

struct event_module {
	u32 kind, id;
	u64 dev, ino; /* dev as the kernel encodes it: major << 20 | minor */
	u32 generation, pid;
	u64 start, end; /* a mapping of it in @pid */
	u32 parent;	/* parent of @pid: it may live longer, and see the same files */
	u16 vdso;	/* enum vdso; 0: it is a file */
	u16 build_id_bytes;
	u8 build_id[BUILD_ID_BYTES];
	u32 owner;	       /* the user whom the inode belongs to, in the initial user namespace */
	u64 size;	       /* of the file, in bytes */
	u32 path_start;	       /* where the path begins in @path; it ends with @path; PATH_BYTES: there is none */
	char path[PATH_BYTES]; /* as @pid sees it; not terminated */
};

/* A row that is not in the aggregation map: there was no room, or its stack is inline, under the row's cookie. */
struct event_sum {
	u32 kind, pad;
	u64 time_ns; /* CLOCK_MONOTONIC */
	struct aggregation_key key;
	struct aggregation_sum sum;
};

/*
 * An off-CPU interval of a thread, ended by its sched-in or, if @unended, by the end of the recording. Behind it come a
 * struct event_waker, if the waker is known, and then the kernel frames: see offcpu_waker() and offcpu_frames().
 */
struct event_offcpu {
	u32 kind, cpu; /* of the sched-in */
	u64 time_ns;   /* when the interval ended */
	u64 off_ns, runnable_ns;
	u64 cookie; /* of the user stack, unless @user_stack is known; 0: no stack, see @outcome */
	u64 cgroup; /* as in struct event_sample */
	u32 pid, tid;
	u32 kernel_stack, user_stack; /* ids in the stackmap; 0: none, or the kernel's frames follow */
	u8 state, outcome;	      /* abi/offcpu.h */
	u16 nr;			      /* kernel frames that follow */
	u8 unended;		      /* the thread is still off CPU */
	u8 woken;		      /* a struct event_waker follows */
	u8 cached, pad;		      /* as in struct event_sample */
	u32 count, sampled;	      /* if intervals are sampled: how many this one stands for, as a sum; else 1 */
	u64 switches; /* the thread's switches at sched-out: while they are the same, it has not been on CPU */
	char comm[COMM_BYTES];
	u64 frame[];
};

/* An inline kernel stack: it has a number instead of an id, and is sent before the number is used. */
#define INLINE_STACK (1u << 31) /* ids have 31 bits */

struct event_kernel_stack {
	u32 kind, number;
	u32 nr, pad;
	u64 frame[];
};

/* The waker of a thread. Of an interrupt only the kernel stack is known. */
struct event_waker {
	u64 cookie, cgroup; /* as in struct event_offcpu */
	u32 pid, tid;
	u32 kernel_stack, user_stack; /* ids in the stackmap, or INLINE_STACK | number of an event_kernel_stack */
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

/*
 * The recording sees a thread for the first time (EVENT_THREAD), or its last time on CPU is over (EVENT_THREAD_TIMES).
 */
struct event_thread_times {
	u32 kind, pid;
	u32 tid, pad;
	u64 cgroup; /* as in struct event_sample */
	u64 start_ns, end_ns;
	u64 on_cpu_ns, runnable_ns, blocked_ns;
	u64 intervals;
	char comm[COMM_BYTES];
};

/* A cgroup of cgroup2 is made, in which no task is so far. */
struct event_cgroup {
	u32 kind, pad;
	u64 id;
	char path[PATH_BYTES]; /* from the hierarchy's root, up to its 0 byte; cut if it is longer */
};

#define ARGUMENTS_BYTES 256

/*
 * A process begins, by fork() with the arguments of its parent or by execve() with its own: all of them, each with a 0 byte
 * behind it, or the first half and the last half of ARGUMENTS_BYTES if they are longer.
 */
struct event_arguments {
	u32 kind, pid;
	u32 uid; /* the real one */
	u16 executed, bytes;
	char comm[COMM_BYTES];
	char text[ARGUMENTS_BYTES];
};

#define RECORD_BYTES 1024 /* the most that is copied of the record of an event */
#define MAX_DYNAMIC 8
#define DYNAMIC_RELATIVE 0x8000

/* How to copy the record of an event of tracefs, which holds its fields. */
struct record_shape {
	u16 bytes;     /* of the fields at a fixed place; 0: the event's programs see no record */
	u8 is_probe;   /* its record is made by what struct probe says */
	u8 is_user;    /* ... of a uprobe */
	u8 unfetched;  /* ... but something in it cannot be fetched, so there is none */
	u8 in_syscall; /* the event is one of a system call, where a user stack may be answered at once */
	u8 pad;
	u8 nr_dynamic; /* more than MAX_DYNAMIC: copy all of RECORD_BYTES */
	/*
	 * Where the record describes a field of varying length, in 32 bits: length << 16 | offset, from the start of
	 * the record or, with DYNAMIC_RELATIVE, from behind these bits.
	 */
	u16 dynamic[MAX_DYNAMIC];
};

/*
 * The record of a probe, an event made by kprobe_events or uprobe_events, is made by its program, which gets registers
 * instead: behind the common fields the address of the function, and if the probe is where it returns the address that it
 * returns to; then what is fetched. A fetch begins with a word, and may follow it as a pointer: each time the word
 * becomes what is in memory, a number of bytes from where it points. A text is read where the last one points.
 */
#define MAX_FETCHES 16
#define MAX_POINTERS 4

enum fetch_from { FETCH_REGISTER, FETCH_NUMBER, FETCH_COMM };

struct fetch {
	u8 from, reg;	    /* enum fetch_from; the register's index in the kernel's pt_regs */
	u8 pointers, bytes; /* followed; of the number that is fetched, 0: a text */
	u16 at;	    /* where in the record it goes; of a text, where its place and length go, as in record_shape */
	u16 kernel; /* memory of the kernel is read */
	s32 offset[MAX_POINTERS];
	u64 number;
};

struct probe {
	u32 nr, pad; /* fetches */
	struct fetch fetch[MAX_FETCHES];
};

/*
 * A filter of occurrences by their records: comparisons of fields, each with the one that follows if it holds, and if it does not.
 * Behind the last one are the two ends.
 */
#define MAX_COMPARISONS 16
#define COMPARED_WORDS 4 /* of a text */
enum { FILTER_REJECTS = MAX_COMPARISONS, FILTER_ACCEPTS };
enum comparison_kind { COMPARE_EQUAL, COMPARE_LESS, COMPARE_GREATER, COMPARE_BITS };

struct comparison {
	u16 at;			  /* of the field in the record */
	u8 bytes;		  /* of a number; 0: a text */
	u8 kind;		  /* enum comparison_kind; of a text EQUAL */
	u8 is_signed, is_dynamic; /* the number; the place and length of the text are there */
	u8 yes, no;		  /* what follows */
	u64 number;
	u64 text[COMPARED_WORDS], mask[COMPARED_WORDS]; /* which of its bytes are compared */
};

struct event_filter {
	u32 nr, pad; /* comparisons; 0: all occurrences are recorded */
	struct comparison comparison[MAX_COMPARISONS];
};

/*
 * The events of a system call, which all share two programs: its number is the index. 0: not recorded; else one more
 * than the number of the event.
 */
struct call_events {
	u32 enter, exit;
};

#define MAX_CALLS 512	 /* their numbers are below */
#define CALL_ARGUMENTS 6 /* at most */

/* The records of these events (linux 6.18 kernel/trace/trace.h, struct syscall_trace_enter and syscall_trace_exit). */
#define CALL_FIXED 16 /* bytes before the arguments or the result: common fields, and the call's number */

/*
 * An event of tracefs has occurred. Behind it come its record, padded to a multiple of 8 bytes, of which the first 8
 * have no meaning, and then the kernel frames: see occurrence_frames().
 */
struct event_occurrence {
	u32 kind, cpu;
	u64 time_ns; /* CLOCK_MONOTONIC */
	u64 cookie;  /* like the next five: as in struct event_sample */
	u64 cgroup;
	u32 pid, tid;
	u32 kernel_stack, user_stack;
	u32 event; /* the number that its program was attached with */
	u8 outcome, cached;
	u16 nr;		  /* kernel frames that follow */
	u16 record_bytes; /* that follow, without the padding; 0: there is no record */
	u16 cut;	  /* the record is longer than what follows of it */
	u32 pad;
	char comm[COMM_BYTES];
	u64 record[];
};

static inline const u64 *occurrence_frames(const struct event_occurrence *e)
{
	return e->record + (e->record_bytes + 7) / 8;
}

/* The source of a sample. */
enum source { SOURCE_CPU };
