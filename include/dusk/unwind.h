/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Complete user stacks for other BPF tools: the user-space side of <dusk/dusk.bpf.h>.
 *
 *	dusk_unwind_open()	make or join the unwinder of this machine
 *	dusk_unwind_load()	load the tool's own programs, linked with dusk.bpf.o
 *	dusk_unwind_add_consumer()	register a consumer: its programs may ask, and it is served
 *	dusk_unwind_attach()	attach the programs
 *	dusk_unwind_poll()	take in what comes
 *	dusk_unwind_remove_consumer()	the consumer leaves; nothing of it stays
 *	dusk_unwind_close()
 *
 * Tools that run at the same time share one walk for each visit of a task to the kernel: the first one makes the shared
 * maps, pinned below /sys/fs/bpf/dusk, the last one removes them, and none depends on another to live.
 */
#pragma once
#include <dusk/dusk.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bpf_object;
struct dusk_unwinder;

struct dusk_unwind_options {
	size_t sz;	    /* sizeof(struct dusk_unwind_options) */
	const char *pin;    /* a folder on bpffs; NULL: /sys/fs/bpf/dusk; "": share with nobody */
	uint32_t max_depth; /* frames; 0: 512; at most 2048. The largest that any tool wants holds for all */
	bool no_faults;	    /* never fault in a page of a target; holds for all tools from now on */
	uint32_t max_tasks, max_walkers, max_modules; /* sizes, if we are the first; 0: what fits most machines.
							 * max_walkers: a power of two */
	uint32_t stackmap_bits; /* the same: room for 2^bits stacks of 60 frames, 10 to 20; 0: 14, 8 MiB */
};

/*
 * Make or join the unwinder; @opts may be NULL. *@ret is to be ended with dusk_unwind_close(). If it cannot be shared,
 * it is our own, and dusk_unwind_unshared_reason() says why; also if another tool, which may be stopped, keeps its lock
 * for ten seconds, and then @err, else empty, says which. -EPERM: a capability is missing; -EOPNOTSUPP: the kernel
 * lacks something.
 */
int dusk_unwind_open(struct dusk_unwinder **ret, const struct dusk_unwind_options *opts, struct dusk_error *err);

/* Ends all consumers, unloads the programs. */
void dusk_unwind_close(struct dusk_unwinder *u);

/* Why the unwinder is not shared, or NULL. */
const char *dusk_unwind_unshared_reason(const struct dusk_unwinder *u);

/* A BPF object in memory; dusk-link(1) makes NAME_plain and NAME_impl, to be declared extern const. */
struct dusk_image {
	const void *bytes;
	size_t size;
};

/*
 * Open the tool's programs: @plain is linked with dusk.bpf.o, @impl with dusk.impl.bpf.o, and the one for this kernel
 * is taken. *@ret is the unwinder's; set its variables
 * (dusk_unwind_variable()) and the sizes of its maps now, if need be. Once for an unwinder.
 */
int dusk_unwind_open_object(struct dusk_unwinder *u, const struct dusk_image *plain, const struct dusk_image *impl,
			    struct bpf_object **ret, struct dusk_error *err);

/*
 * Where global variable @name of the tool's programs lies, of @size bytes, to be set before dusk_unwind_load(); or
 * after it to be watched, unless it is const. NULL: there is none of that name and size. Do not look for it in .rodata
 * or .bss yourself: the unwinder's variables are there, too.
 */
void *dusk_unwind_variable(struct dusk_unwinder *u, const char *name, size_t size);

/*
 * Load it. Attach its programs then: with libbpf, as you like, to be detached before dusk_unwind_close(); or with
 * dusk_unwind_attach(), all those whose SEC() says where. Those that depend on the consumer, after
 * dusk_unwind_add_consumer().
 */
int dusk_unwind_load(struct dusk_unwinder *u, struct dusk_error *err);

/* Attach what can be attached without being told where; -EINVAL: nothing is loaded. */
int dusk_unwind_attach(struct dusk_unwinder *u, struct dusk_error *err);

/* Detach what dusk_unwind_attach() has attached; dusk_unwind_close() does, too. */
void dusk_unwind_detach(struct dusk_unwinder *u);

/* A stack that comes to a consumer's ring. */
struct dusk_stack_event {
	uint64_t cookie;
	pid_t pid, tid;
	uint32_t stack;	       /* its id; 0: it has none */
	uint32_t outcome;      /* dusk_outcome() */
	const uint64_t *frame; /* innermost first: dusk_unwind_name(). Valid until the function returns */
	uint32_t nr;
};

/* One row of a consumer's aggregation. */
struct dusk_sum {
	uint64_t key, amount, count;
	uint32_t stack, outcome;
	bool unresolved; /* its stack is not known yet, or never will be */
};

/* How a consumer is served; any of them together. */
enum {
	DUSK_DELIVER_RING = 1,	   /* dusk_consumer_options.on_stack is called for each cookie */
	DUSK_DELIVER_SUMS = 2,	   /* what its programs dusk_unwind_aggregate() is summed up by key and stack */
	DUSK_DELIVER_CALLBACK = 4, /* its BPF function dusk_unwind_done() is called for each cookie */
	DUSK_DELIVER_AT_ONCE = 8,  /* on_stack: dusk_unwind_poll() returns for each stack, not ten times a second */
	DUSK_DELIVER_LAST = 128,   /* not a way of its own, but who else is: tasks at work on their end, or in execve(),
					 * that nobody asked before. So each task is walked once when it comes to that */
};

struct dusk_consumer_options {
	size_t sz;	     /* sizeof(struct dusk_consumer_options) */
	uint32_t deliver;    /* DUSK_DELIVER_... */
	uint32_t ring_bytes; /* a power of two, at least a page; 0: 1 MiB. With a aggregation there is a ring, too:
					 * for stacks that do not fit in the stackmap, and what is charged to them */
	uint32_t aggregation_rows; /* 0: 16,384 */
	void (*on_stack)(void *ctx, const struct dusk_stack_event *e);
	void *ctx;
};

/*
 * Register consumer @number (below 16), as the tool's programs call it. -EBUSY: the number is taken, or another tool
 * keeps the lock for ten seconds (which: @err); -EUSERS: all tools together have 16 consumers already.
 */
int dusk_unwind_add_consumer(struct dusk_unwinder *u, uint32_t number, const struct dusk_consumer_options *opts,
			     struct dusk_error *err);

/*
 * The consumer leaves: when this returns, none of its functions runs or will, no program serves it, and no task's state
 * holds anything of it. What came before is lost unless it was polled. Others are not disturbed. -ENOENT: there is
 * none; -EBUSY: another tool keeps the lock: no function of it runs or will, and what is left in tasks goes with the
 * next consumer that any tool registers.
 */
int dusk_unwind_remove_consumer(struct dusk_unwinder *u, uint32_t number);

/*
 * Take in what has come, for at most @timeout_ms: on_stack() is called from here. Also looks after the unwinder about
 * once a second: walks that do not end, requests that the kernel has lost. Returns how many records, or a negative
 * errno.
 */
int dusk_unwind_poll(struct dusk_unwinder *u, int timeout_ms);

/*
 * Each row of the aggregation of consumer @number: @fn. It may be filled meanwhile. Takes in first what has come of
 * stacks that do not fit in the stackmap, unless the consumer has DUSK_DELIVER_RING: then dusk_unwind_poll() does.
 * Returns 0, or what @fn returned.
 */
int dusk_unwind_sums(struct dusk_unwinder *u, uint32_t number, int (*fn)(void *ctx, const struct dusk_sum *c),
		     void *ctx);

/*
 * The frames of stack @id, innermost first; they stay as they are until dusk_unwind_forget(). -ENOENT: there is no such
 * stack.
 */
int dusk_unwind_frames(struct dusk_unwinder *u, uint32_t id, const uint64_t **ret, uint32_t *nr);

/*
 * The caller holds no ids any more that it got before the stackmap's last change of epoch (<dusk/stackmap.h>), nor do
 * its programs: they lead nowhere from here on, and their memory is free. For tools that run for days.
 */
void dusk_unwind_forget(struct dusk_unwinder *u);

/* What is known of a frame. The strings are the unwinder's, until the next one is looked up. */
struct dusk_place {
	const char *function; /* demangled; NULL: not known */
	const char *module;   /* "libc.so.6", "[kernel]", "[ext4]", "[vdso]", "[anon]": memory without a file */
	uint64_t offset;      /* from the start of the function; without one, in the file, or the address */
};

/* Look up a frame of a user or a kernel stack. The first of a file reads its symbols: soon, while the file is there. */
void dusk_unwind_place(struct dusk_unwinder *u, uint64_t frame, struct dusk_place *ret);

/* The same as text, "function+0x12 (module)" or "0x12 (module)", to @ret of @room bytes. */
void dusk_unwind_name(struct dusk_unwinder *u, uint64_t frame, char *ret, size_t room);

/*
 * A thread as it is, looked at from outside and not stopped. One that is off its CPU stands still, and is walked; if
 * it has run meanwhile, that is noticed, and it is tried again some times. So a stack that is given is a true one.
 * The outcome "running": it was on a CPU; "moved": it could not be had, as it kept coming and going.
 */
struct dusk_thread_stack {
	pid_t pid, tid; /* in the initial PID namespace; pid is the process */
	const char *comm;
	char state;	   /* as in /proc/PID/stat: R runs or waits for a CPU, S sleeps, D, T, t, Z, X, P, I */
	uint32_t outcome;  /* dusk_outcome() */
	uint64_t switches; /* how often it has left a CPU since it was born */
	const uint64_t *user, *kernel; /* innermost first: dusk_unwind_place() */
	uint32_t nr_user, nr_kernel;
};

struct dusk_threads_options {
	size_t sz;		   /* sizeof(struct dusk_threads_options) */
	const pid_t *pids, *tids;  /* threads of these processes, and these threads; none: all but our own process's */
	size_t nr_pids, nr_tids;   /* 65,535 together at most */
	bool no_kernel;		   /* user stacks only */
	unsigned int timeout_ms;   /* for all of it; 0: as long as it takes, but few hang */
	const volatile int *stops; /* when this changes it ends: counted by a signal handler, say. NULL: it does not */
};

/*
 * Call @fn once for each thread, with what is valid until it returns; threads that are born or end meanwhile may be
 * missing, and so are those that do not exist. No page that somebody can hold back is waited for; --no-faults of any
 * tool on the shared unwinder means that no memory is read. Loads a BPF program when it is called first; reads in a
 * child process, which is waited for by its id. Returns 0, or what @fn returned, which stops; -EOPNOTSUPP: the kernel
 * lacks something (what: @err); -EPERM; -ETIMEDOUT, -EINTR: it ended before, and @fn was called for some threads only.
 */
int dusk_unwind_threads(struct dusk_unwinder *u, const struct dusk_threads_options *opts,
			int (*fn)(void *ctx, const struct dusk_thread_stack *t), void *ctx, struct dusk_error *err);

/* How a stack ended, or why there is none. NULL: there is no such outcome. */
const struct dusk_outcome *dusk_outcome(uint32_t outcome);

/*
 * A counter, by its name in src/abi/counter.h ("scheduled", "joined", "walks", ...): requests of this tool, walks of
 * all tools since this one was loaded. Or of a consumer: "lost-stacks", "lost-sums". UINT64_MAX: there is no such.
 */
uint64_t dusk_unwind_counter(const struct dusk_unwinder *u, const char *name);
uint64_t dusk_unwind_lost(const struct dusk_unwinder *u, uint32_t number, const char *name);

/*
 * Processes that any tool has excluded since the unwinder was made, because a walk of theirs did not end within a
 * second; they may be gone. Up to @max to @ret; returns how many.
 */
size_t dusk_unwind_excluded(const struct dusk_unwinder *u, pid_t *ret, size_t max);

#ifdef __cplusplus
}
#endif
