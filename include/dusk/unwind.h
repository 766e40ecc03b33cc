/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Complete user stacks for other BPF tools: the user-space side of <dusk/dusk.bpf.h>.
 *
 *	dusk_unwind_open()	make or join the unwinder of this machine
 *	dusk_unwind_open_object()	open the tool's own programs, linked with dusk.bpf.o
 *	dusk_unwind_load()	load them
 *	dusk_unwind_add_consumer()	register a consumer: its programs may request stacks
 *	dusk_unwind_attach()	attach the programs
 *	dusk_unwind_poll()	read what has arrived
 *	dusk_unwind_remove_consumer()	remove the consumer; nothing of it stays
 *	dusk_unwind_close()
 *
 * Tools that run at the same time share one walk for each visit of a task to the kernel: the first one makes the shared
 * maps, pinned below /sys/fs/bpf/dusk, and the last one removes them. No tool depends on another one to stay alive.
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
	const char *pin;    /* a folder on bpffs; NULL: /sys/fs/bpf/dusk; "": do not share */
	uint32_t max_depth; /* frames; 0: 512; at most 2048. The largest that any tool requests holds for all */
	bool no_faults;	    /* never fault in a page of a target; holds for all tools from now on */
	bool no_languages;  /* native frames only, not those of interpreted languages; likewise */
	/* Sizes, if this tool is the first; 0: what fits most machines. max_walkers is a power of two. */
	uint32_t max_tasks, max_walkers, max_modules;
	uint32_t stackmap_bits; /* likewise: room for 2^bits stacks of 60 frames, 10 to 20; 0: 14, 8 MiB */
};

/*
 * Make or join the unwinder. @opts may be NULL. End *@ret with dusk_unwind_close(). If the unwinder cannot be shared,
 * it is a private one, and dusk_unwind_unshared_reason() says why; also if another tool, which may be stopped, keeps
 * the lock for ten seconds: then @err, which is empty otherwise, says which.
 *
 * Returns 0; -EINVAL: options out of range; -EPERM: a capability is missing; -EOPNOTSUPP: the kernel lacks something.
 */
int dusk_unwind_open(struct dusk_unwinder **ret, const struct dusk_unwind_options *opts, struct dusk_error *err);

/* Remove all consumers, unload the programs, and free @u, which may be NULL. */
void dusk_unwind_close(struct dusk_unwinder *u);

/* Returns why the unwinder is not shared, as text that belongs to it, or NULL: it is shared. */
const char *dusk_unwind_unshared_reason(const struct dusk_unwinder *u);

/* A BPF object in memory; dusk-link(1) makes NAME_plain and NAME_impl, to be declared extern const. */
struct dusk_image {
	const void *bytes;
	size_t size;
};

/*
 * Open the tool's programs, once for an unwinder. @plain is linked with dusk.bpf.o, @impl with dusk.impl.bpf.o; the one
 * for this kernel is used. *@ret belongs to the unwinder. Set its variables (dusk_unwind_variable()) and the sizes of
 * its maps now, before dusk_unwind_load().
 *
 * Returns 0; -EBUSY: there is an object already; -EINVAL: linked with another version of dusk.bpf.o; -EOPNOTSUPP:
 * the kernel is too old, or has no BTF; others of libbpf.
 */
int dusk_unwind_open_object(struct dusk_unwinder *u, const struct dusk_image *plain, const struct dusk_image *impl,
			    struct bpf_object **ret, struct dusk_error *err);

/*
 * Find the global variable @name, of @size bytes, of the tool's programs: to set it before dusk_unwind_load(), or to
 * read it afterwards, unless it is const. Do not look for it in .rodata or .bss yourself: the unwinder's variables are
 * there, too.
 *
 * Returns its address, which belongs to the unwinder, or NULL: there is none of that name and size.
 */
void *dusk_unwind_variable(struct dusk_unwinder *u, const char *name, size_t size);

/*
 * Load the tool's object. Then attach its programs: with libbpf in any way, to be detached before dusk_unwind_close();
 * or with dusk_unwind_attach(), those whose SEC() says where. Programs that need the consumer are attached after
 * dusk_unwind_add_consumer().
 *
 * Returns 0; -EINVAL: no object is open, or a program at a uprobe lacks dusk_unwind_at_uprobe(); -EPERM: a capability
 * is missing; -E2BIG, -EACCES: the verifier refuses a program; others of libbpf.
 */
int dusk_unwind_load(struct dusk_unwinder *u, struct dusk_error *err);

/*
 * Attach all programs whose SEC() says where; all or none.
 *
 * Returns 0; -EINVAL: nothing is loaded; others of libbpf.
 */
int dusk_unwind_attach(struct dusk_unwinder *u, struct dusk_error *err);

/* Detach what dusk_unwind_attach() has attached; dusk_unwind_close() does so, too. */
void dusk_unwind_detach(struct dusk_unwinder *u);

/* A stack that arrives in a consumer's ring buffer. */
struct dusk_stack_event {
	uint64_t cookie;
	pid_t pid, tid;
	uint32_t stack;	       /* its id; 0: it has none */
	uint32_t outcome;      /* dusk_outcome() */
	const uint64_t *frame; /* innermost first: dusk_unwind_name(). Valid until on_stack() returns */
	uint32_t nr;
};

/* One row of a consumer's aggregation map. */
struct dusk_sum {
	uint64_t key, amount, count;
	uint32_t stack, outcome;
	bool unresolved; /* its stack is not known yet, or never will be */
};

/* How stacks are delivered to a consumer; combine them as needed. */
enum {
	DUSK_DELIVER_RING = 1,	   /* call dusk_consumer_options.on_stack for each cookie */
	DUSK_DELIVER_SUMS = 2,	   /* sum up the amounts of dusk_unwind_aggregate() by key and stack */
	DUSK_DELIVER_CALLBACK = 4, /* call the tool's BPF function dusk_unwind_done() for each cookie */
	DUSK_DELIVER_AT_ONCE = 8,  /* RING: wake dusk_unwind_poll() for each stack, not ten times a second */
	/*
	 * Not a way of its own: also answer requests for tasks that exit or are in execve() and had no request
	 * before. For that, each task of the machine is walked once when it gets there.
	 */
	DUSK_DELIVER_LAST = 128,
};

struct dusk_consumer_options {
	size_t sz;	  /* sizeof(struct dusk_consumer_options) */
	uint32_t deliver; /* DUSK_DELIVER_... */
	/*
	 * A power of two, at least a page; 0: 1 MiB. A consumer with SUMS has a ring, too, for stacks that do not fit
	 * in the stackmap, and the amounts that belong to them.
	 */
	uint32_t ring_bytes;
	uint32_t aggregation_rows;				       /* 0: 16,384 */
	void (*on_stack)(void *ctx, const struct dusk_stack_event *e); /* required with RING */
	void *ctx;
};

/*
 * Register consumer @number (below 16), by which the tool's programs name it.
 *
 * Returns 0; -EINVAL: options out of range, or nothing is loaded; -EBUSY: the number is taken, or another tool keeps
 * the lock for ten seconds (which: @err); -EUSERS: all tools together have 16 consumers already.
 */
int dusk_unwind_add_consumer(struct dusk_unwinder *u, uint32_t number, const struct dusk_consumer_options *opts,
			     struct dusk_error *err);

/*
 * Remove consumer @number. When this returns, none of its functions runs or will run, no program delivers to it, and
 * no task's state holds anything of it. What has arrived is lost unless it was polled. Other consumers are not
 * disturbed.
 *
 * Returns 0; -ENOENT: there is none; -EBUSY: another tool keeps the lock: none of its functions runs or will run, and
 * what is left in tasks is removed when any tool registers its next consumer; -ETIMEDOUT: a program that may have seen
 * the consumer has got no CPU for three seconds; others of bpf(2). With all but -ENOENT the consumer is removed.
 */
int dusk_unwind_remove_consumer(struct dusk_unwinder *u, uint32_t number);

/*
 * Read what has arrived, and call on_stack() for it. Waits for at most @timeout_ms milliseconds, and never for more
 * than 100, also if @timeout_ms is negative. About once a second it also looks for walks that do not end, and for
 * requests that the kernel has lost.
 *
 * Returns the number of records; -EPROTO: a record makes no sense; others of poll(2).
 */
int dusk_unwind_poll(struct dusk_unwinder *u, int timeout_ms);

/*
 * Call @fn for each row of the aggregation map of consumer @number, which may be filled meanwhile, until @fn returns
 * anything but 0. Unless the consumer has DUSK_DELIVER_RING, this first reads stacks that did not fit in the stackmap;
 * with it, dusk_unwind_poll() does.
 *
 * Returns 0, or what @fn returned; -ENOENT: there is no such consumer, or it has no aggregation map.
 */
int dusk_unwind_sums(struct dusk_unwinder *u, uint32_t number, int (*fn)(void *ctx, const struct dusk_sum *c),
		     void *ctx);

/*
 * Get the *@nr frames of stack @id, innermost first. They stay valid and unchanged until dusk_unwind_forget() or
 * dusk_unwind_close().
 *
 * Returns 0, or -ENOENT: there is no such stack.
 */
int dusk_unwind_frames(struct dusk_unwinder *u, uint32_t id, const uint64_t **ret, uint32_t *nr);

/*
 * Declare that neither the caller nor its programs hold ids from before the stackmap's last change of epoch
 * (<dusk/stackmap.h>) any more: they become invalid, and their memory is freed. For tools that run for days.
 */
void dusk_unwind_forget(struct dusk_unwinder *u);

/* What is known of a frame. The strings belong to the unwinder, until the next frame is looked up. */
struct dusk_place {
	const char *function; /* demangled; NULL: not known */
	const char *module; /* "libc.so.6", "[kernel]", "[ext4]", "[vdso]", "[anon]" (no file), "[unknown]" (not yet) */
	uint64_t offset;    /* bytes from the start of the function; without one, offset in the file, or the address */
	uint32_t line;	    /* in the source file @module; 0: not known */
	bool is_source; /* of an interpreted language: @module is a source file. Its caller, if that is none, is the interpreter */
};

/*
 * Look up a frame of a user or kernel stack. The first frame of a file reads its symbols; so call this soon, while the
 * file is there.
 */
void dusk_unwind_place(struct dusk_unwinder *u, uint64_t frame, struct dusk_place *ret);

/*
 * As dusk_unwind_place(), as text to @ret of @room bytes: "function+0x12 (module)", "0x12 (module)", or "function (source:12)".
 */
void dusk_unwind_name(struct dusk_unwinder *u, uint64_t frame, char *ret, size_t room);

/*
 * The state of a thread, seen from outside without stopping it. The stack of a thread that is off CPU stands still and
 * is walked; if the thread has run meanwhile, that is detected, and the walk is repeated some times. So a stack that is
 * reported is a true one. Outcome "running": the thread was on a CPU; "moved": it ran during each walk.
 */
struct dusk_thread_stack {
	pid_t pid, tid; /* in the initial PID namespace; pid is the process */
	const char *comm;
	char state;	   /* as in /proc/PID/stat: R runs or waits for a CPU, S sleeps, D, T, t, Z, X, P, I */
	uint32_t outcome;  /* dusk_outcome() */
	uint64_t switches; /* number of times it has left a CPU since it was created */
	const uint64_t *user, *kernel; /* innermost first: dusk_unwind_place() */
	uint32_t nr_user, nr_kernel;
};

struct dusk_threads_options {
	size_t sz; /* sizeof(struct dusk_threads_options) */
	/* Threads of these processes, and these threads; none: all but those of our own process. */
	const pid_t *pids, *tids;
	size_t nr_pids, nr_tids;   /* together at most 65,535 */
	bool no_kernel;		   /* user stacks only */
	unsigned int timeout_ms;   /* for the whole call; 0: no limit, though a thread may hang */
	const volatile int *stops; /* the call ends when this changes, counted up by a signal handler, say; or NULL */
};

/*
 * Call @fn once for each thread, until it returns anything but 0; what @t points to is valid until @fn returns. Threads
 * that are born or end meanwhile may be missing, as are those that do not exist. Never waits for a page that a process
 * can hold back; if any tool on the shared unwinder has no_faults, no memory is read. The first call loads a BPF
 * program. Reads in a child process, which is waited for by its id. @opts may be NULL.
 *
 * Returns 0, or what @fn returned; -EOPNOTSUPP: the kernel lacks something (what: @err); -EPERM: a capability is
 * missing; -ETIMEDOUT, -EINTR: ended before all threads were seen, so that @fn was called for some only.
 */
int dusk_unwind_threads(struct dusk_unwinder *u, const struct dusk_threads_options *opts,
			int (*fn)(void *ctx, const struct dusk_thread_stack *t), void *ctx, struct dusk_error *err);

/* Returns how a stack ended, or why there is none, as a constant; NULL: there is no such outcome. */
const struct dusk_outcome *dusk_outcome(uint32_t outcome);

/*
 * Read a counter by its name in src/abi/counter.h ("scheduled", "joined", "walks", ...). Requests are those of this
 * tool; walks are those of all tools since this tool's programs were loaded.
 *
 * Returns its value, or UINT64_MAX: there is no such counter, or no object is open.
 */
uint64_t dusk_unwind_counter(const struct dusk_unwinder *u, const char *name);

/*
 * Read a counter of consumer @number: "lost-stacks" or "lost-sums".
 *
 * Returns its value, or UINT64_MAX: there is no such counter or consumer.
 */
uint64_t dusk_unwind_lost(const struct dusk_unwinder *u, uint32_t number, const char *name);

/*
 * Find the processes that any tool has excluded since the unwinder was made, because a walk of them did not end within
 * five seconds; some may not exist any more. Write up to @max of their ids to @ret.
 *
 * Returns how many were written.
 */
size_t dusk_unwind_excluded(const struct dusk_unwinder *u, pid_t *ret, size_t max);

#ifdef __cplusplus
}
#endif
