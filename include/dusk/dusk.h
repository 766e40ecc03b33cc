/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libdusk: record where a machine's CPU time goes, and read what was recorded.
 *
 * Functions that can fail return 0 or a negative errno, leave their results untouched on failure, and say in @err
 * (which may be NULL) what failed, on what, why, and what would help. Nothing here prints. Nothing is shared between
 * objects: different objects may be used by different threads, one object by one thread at a time.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of these headers; dusk_version() is the library's. Until 1.0, what was built with 0.x needs 0.x. */
#define DUSK_VERSION "0.1.0"
#define DUSK_VERSION_MAJOR 0
#define DUSK_VERSION_MINOR 1
#define DUSK_VERSION_PATCH 0

struct dusk_error {
	char text[1024];
};

/*
 * A profile in memory: columns, joined by index. Index 0 of modules, functions, frames, nodes and wakers is "none".
 *
 * A stack is a path in a tree whose nodes name their parent, so that stacks share what they have in common: nodes[i]
 * is a frame and its caller's node. The outermost frame's parent is 0. A sample names its innermost node: kernel
 * frames, if there are any, stand on the user frames that called them.
 */
enum dusk_module_kind {
	DUSK_MODULE_NONE,
	DUSK_MODULE_FILE,   /* an ELF file; offsets are offsets in it */
	DUSK_MODULE_VDSO,   /* as above, but the kernel made it */
	DUSK_MODULE_ANON,   /* memory of process @pid without a file (JIT code); offsets are addresses */
	DUSK_MODULE_KERNEL, /* the kernel and its modules; offsets are addresses */
};

struct dusk_module {
	enum dusk_module_kind kind;
	pid_t pid;	      /* FILE: a process that had it mapped; ANON: the process */
	const char *path;     /* in that process's mount namespace, "[vdso]", "[anon]", "[kernel]" */
	const char *build_id; /* hexadecimal, or ""; the kernel has one, too */
	uint64_t dev, ino;    /* as stat() has them; 0 if not a file */
	uint32_t generation;
};

struct dusk_function {
	const char *name;   /* demangled */
	const char *symbol; /* as it stands in the symbol table */
	const char *module; /* file name without folders, "[kernel]", "[ext4]", "[anon]" */
};

/* How the caller of a frame was found. */
enum dusk_method {
	DUSK_BY_NOTHING, /* it was not: the stack ends here; or nobody knows (kernel frames, profiles that do not tell) */
	DUSK_BY_CFI,	 /* .eh_frame */
	DUSK_BY_SFRAME,
	DUSK_BY_FRAME_POINTER,
	DUSK_BY_CODE, /* code without CFI that is known by its bytes */
};

struct dusk_frame {
	uint32_t module, function; /* function 0: not looked up, or nothing known */
	uint64_t offset;
	uint64_t address;	       /* link-time address of @offset; the offset itself where that is not known */
	uint32_t function_offset;      /* distance from the function's start */
	bool is_return;		       /* a return address: the call is before it */
	bool is_inlined;	       /* dusk_profile_unfold() made it: it shares its code with its caller */
	enum dusk_method method;       /* where a stack ends, what was tried in vain, or the word that nobody called */
	uint32_t first_line, nr_lines; /* in lines; nr_lines 0: no debug information */
};

/*
 * A place in the source. Those of a frame are the functions that are there, the innermost first; all but the last one
 * were inlined, each into the next one, and the last one is the frame's function. In each: where execution was, or
 * where the call of the one before it stands.
 */
struct dusk_line {
	uint32_t function;
	uint32_t line;	  /* 0: not known */
	const char *file; /* as the compiler knew it, or "" */
};

struct dusk_node {
	uint32_t parent, frame;
};

struct dusk_thread {
	pid_t pid, tid;
	const char *comm;
};

enum dusk_source { DUSK_CPU, DUSK_OFF_CPU, DUSK_EVENT };

#define DUSK_NO_CPU UINT16_MAX

/* A tick of the CPU's timer; or an off-CPU interval from the CPU, or the sum of some of one thread with one stack. */
struct dusk_sample {
	uint64_t time_ns;     /* since the recording began; of an off-CPU interval: its end */
	uint64_t value_ns;    /* what it stands for: the timer's period; the time off CPU */
	uint64_t runnable_ns; /* of that: only waiting for a CPU */
	uint32_t thread, node;
	uint32_t count;	 /* ticks or off-CPU intervals */
	uint16_t cpu;	 /* DUSK_NO_CPU: of a sum, which has no place and no time of its own */
	uint8_t outcome; /* index of dusk_profile.outcomes */
	uint8_t source;	 /* enum dusk_source */
	uint8_t state;	 /* of an off-CPU interval: why (dusk_state_name()) */
	uint32_t waker;	 /* of an off-CPU interval: who ended it, in wakers; 0: not known */
};

/* An event of tracefs: "sched:sched_process_exec". */
struct dusk_event {
	const char *name;
};

/* It has occurred. The sample's source is DUSK_EVENT, its count 1, and it stands for no time. */
struct dusk_occurrence {
	struct dusk_sample sample;
	uint32_t event;	    /* index of dusk_profile.events */
	const char *fields; /* "filename=/bin/true pid=12 old_pid=12", as the kernel prints it; or "" */
};

/* Who woke a thread: a task, or an interrupt, whatever task it came upon. */
enum dusk_waker_kind { DUSK_WAKER_NONE, DUSK_WAKER_TASK, DUSK_WAKER_INTERRUPT };

struct dusk_waker {
	uint32_t node;	 /* of an interrupt: of the kernel only */
	uint32_t thread; /* of an interrupt 0, as outcome, and without a meaning */
	uint8_t kind;	 /* enum dusk_waker_kind */
	uint8_t outcome; /* as in dusk_sample */
};

/*
 * How a thread spent its time within the recording, kept without regard to its samples: end - start = on CPU +
 * runnable + blocked.
 */
struct dusk_thread_times {
	uint32_t thread;
	uint64_t start_ns, end_ns, on_cpu_ns, runnable_ns, blocked_ns;
	uint64_t intervals;
};

/* "sleeping": why a task was off CPU. NULL: there is no such state; they are numbered from 0. */
const char *dusk_state_name(unsigned state);

/* "CFI": how the caller of a frame was found. */
const char *dusk_method_name(enum dusk_method method);

enum dusk_outcome_class { DUSK_COMPLETE, DUSK_CUT, DUSK_NO_STACK, DUSK_ABSENT };

struct dusk_outcome {
	const char *name, *sentence;
	enum dusk_outcome_class kind;
};

struct dusk_counter {
	const char *name, *sentence;
	uint64_t value;
};

struct dusk_setting {
	const char *key, *value;
};

struct dusk_profile {
	uint32_t nr_modules, nr_functions, nr_frames, nr_nodes, nr_threads, nr_outcomes, nr_counters, nr_settings;
	uint32_t nr_lines, nr_thread_times, nr_wakers, nr_events;
	uint64_t nr_samples, nr_occurrences;
	struct dusk_module *modules;
	struct dusk_function *functions;
	struct dusk_frame *frames;
	struct dusk_line *lines;
	struct dusk_node *nodes;
	struct dusk_thread *threads;
	struct dusk_sample *samples;		/* by time */
	struct dusk_event *events;		/* of tracefs, that were recorded */
	struct dusk_occurrence *occurrences;	/* by time */
	struct dusk_thread_times *thread_times; /* none where only CPU time was recorded */
	struct dusk_waker *wakers;		/* index 0 is "none" */
	struct dusk_outcome *outcomes;
	struct dusk_counter *counters;
	struct dusk_setting *settings; /* doc/format.md lists the keys */
	uint64_t period_ns;	       /* of the CPU's timer */
	bool finished;		       /* false: the recording goes on, or was killed; the ledger is missing */
	bool live;		       /* its recorder lives */
	uint64_t bytes;		       /* of the file, or of the recording so far */
	bool symbolized;
	void *store; /* of the library */
};

/*
 * Read the profile at @path. *@ret is to be freed with dusk_profile_free(). -ENOENT, -EACCES; -EINVAL: not a profile,
 * or damaged; -EPROTONOSUPPORT: written by a newer version. While there is no such file, a recording that is to become
 * it, in the folder @path.recording, is read: what of it is committed. That folder can be @path itself, too. Nothing is
 * written, and no other file is opened.
 */
int dusk_profile_read(struct dusk_profile **ret, const char *path, struct dusk_error *err);
void dusk_profile_free(struct dusk_profile *p);

/* The value of a setting, or NULL. The string lives as long as the profile. */
const char *dusk_profile_setting(const struct dusk_profile *p, const char *key);

/* Called now and then while symbols are looked up. Anything but 0 stops; what is done stays. */
typedef int (*dusk_progress_fn)(void *ctx, uint32_t done, uint32_t total);

/*
 * Can servers of debug information be asked? Not by a program that is linked statically: it cannot load libdebuginfod.
 */
bool dusk_can_ask_servers(void);

struct dusk_symbol_options {
	size_t sz;	      /* sizeof(struct dusk_symbol_options) */
	const int *module_fd; /* nr_modules file descriptors, -1 where there is none; or NULL. Borrowed. */
	dusk_progress_fn progress;
	void *ctx;
	bool no_lines;	   /* functions only: debug information is not read */
	bool no_servers;   /* those in $DEBUGINFOD_URLS are not asked */
	const char *cache; /* folder of what earlier look-ups found (dusk_cache_folder()), or NULL */
};

/*
 * Give each frame of @p that has no name its function, from the files and the kernel of this machine; files are
 * believed only if the build id, or where there is none device and inode, is the recorded one. A function without
 * symbol is named after the place in its file where it begins, "module+0x1234", if an FDE tells. Kernel frames are
 * looked up in the boot that was recorded in kallsyms, to the end whatever progress says, and in another one in the
 * vmlinux of the recorded kernel. Where there is debug information frames get their lines, too. Files are read in
 * child processes, one after the other, which are waited for by their ids. 0, also with a text in @err that says what
 * could not be looked up; -ECANCELED: stopped by progress.
 */
int dusk_profile_symbolize(struct dusk_profile *p, const struct dusk_symbol_options *opts, struct dusk_error *err);

/*
 * Make a profile of the recording that was left in @path.recording, because its recorder was killed or the disk was
 * full: it becomes @path, and what was there @path.old. -ENOENT: there is none; -ENODATA: nothing had been recorded,
 * and it is gone; -EBUSY: its recorder lives; others from the files.
 */
int dusk_profile_recover(const char *path, struct dusk_error *err);

/*
 * Write the functions and lines of @p, which must not be unfolded, into the profile at @path. What was stopped half-way
 * can be written, too: the profile then is one whose functions are still to be looked up. It is done in a copy, which
 * takes the place of the file when it is whole.
 */
int dusk_profile_save_symbols(const struct dusk_profile *p, const char *path, struct dusk_error *err);

/*
 * Give each function that was inlined a frame and a node of its own, so that stacks read as the source does. Frames
 * keep their numbers, nodes do not; each frame has one line at most afterwards. Once a profile. 0, or -ENOMEM, and
 * nothing was changed.
 */
int dusk_profile_unfold(struct dusk_profile *p);

/*
 * Where look-ups are kept, $XDG_CACHE_HOME/dusk or ~/.cache/dusk, to @ret. -ENOENT: no home; -EPERM: it is another
 * user's, or leads through what is; -ENAMETOOLONG; others of open(2).
 */
int dusk_cache_folder(char *ret, size_t room);

/* Has @f no name, or that of its place only ("module+0x1234")? */
bool dusk_frame_lacks_symbol(const struct dusk_profile *p, const struct dusk_frame *f);

/*
 * Would dusk_profile_symbolize() find names: were none looked up yet, or are there debug symbols now for what lacks
 * them?
 */
bool dusk_profile_needs_names(const struct dusk_profile *p);

/*
 * What would give the unnamed functions of @module their names on this machine: a package, a command, or an advice, as
 * text to @ret, which has room for @room bytes.
 */
void dusk_symbol_hint(const struct dusk_profile *p, uint32_t module, char *ret, size_t room);

/*
 * The code of a function, and the source lines that it was compiled from.
 */
struct dusk_code_line {
	uint64_t address;    /* link-time; the line holds up to the next row's */
	uint32_t file, line; /* line 0: none */
};

struct dusk_code {
	uint64_t start, end;	      /* link-time addresses */
	int fd;			      /* the ELF file, open for reading */
	uint32_t nr_files, nr_lines;  /* 0: there are no line tables */
	const char **files;	      /* as the compiler named them */
	struct dusk_code_line *lines; /* by address */
};

/*
 * The function that frame @frame of @p is in, which has been looked up. *@ret is to be freed with dusk_code_free().
 * -EOPNOTSUPP: its code is in no file (kernel, JIT); -ENOENT: the file is not here, or not the recorded one; -ENODATA:
 * where the function ends is not known; -ENOEXEC.
 */
int dusk_code_read(struct dusk_code **ret, const struct dusk_profile *p, uint32_t frame, struct dusk_error *err);
void dusk_code_free(struct dusk_code *c);

/*
 * A question in SQL to a profile file: one statement that reads (doc/format.md lists views and tables). What would
 * write, touch another file or load code is refused.
 */
struct dusk_query;

enum dusk_value_kind { DUSK_VALUE_NULL, DUSK_VALUE_INTEGER, DUSK_VALUE_REAL, DUSK_VALUE_TEXT, DUSK_VALUE_BLOB };

struct dusk_value {
	enum dusk_value_kind kind;
	int64_t integer;  /* INTEGER */
	double real;	  /* REAL */
	const char *text; /* TEXT, BLOB: until the next row, and a 0 byte behind it; else "" */
	size_t len_bytes; /* of text */
};

/*
 * *@ret is to be freed with dusk_query_free(). -ENOENT, -EACCES; -EINVAL: not a profile, or damaged; -EPROTONOSUPPORT:
 * of another version; -EBADMSG: not SQL, or it names what there is not; -EPERM: it is refused (what of it: @err).
 */
int dusk_query_new(struct dusk_query **ret, const char *path, const char *sql, struct dusk_error *err);
void dusk_query_free(struct dusk_query *q);

uint32_t dusk_query_columns(const struct dusk_query *q);
const char *dusk_query_name(const struct dusk_query *q, uint32_t column);

/* To the next row: 1; 0: there is none; a negative errno: the file is damaged, or memory is short. */
int dusk_query_next(struct dusk_query *q, struct dusk_error *err);
void dusk_query_value(const struct dusk_query *q, uint32_t column, struct dusk_value *ret);

/*
 * A recording: the kernel programs, the profile that is being written, and what joins them.
 */
struct dusk_record;

/*
 * What is recorded; any of them together; WAKERS, who ended off-CPU intervals, only with OFF_CPU; EVENTS: those that
 * are named.
 */
enum { DUSK_RECORD_CPU = 1, DUSK_RECORD_OFF_CPU = 2, DUSK_RECORD_WAKERS = 4, DUSK_RECORD_EVENTS = 8 };

struct dusk_record_options {
	size_t sz;	       /* sizeof(struct dusk_record_options) */
	const char *path;      /* the profile, mode 0600. Until it is whole, it is in the folder PATH.recording; then
					 * an older one becomes PATH.old */
	uint32_t frequency_hz; /* samples per second and CPU; 0: 99 */
	uint32_t max_depth;    /* frames; 0: 512; at most 2048 */
	uint32_t sources;      /* DUSK_RECORD_...; 0: CPU */
	uint64_t min_block_ns; /* off-CPU intervals of so long are kept one by one, shorter ones summed up by stack */
	bool kernel_threads;   /* their off-CPU intervals, too */
	double budget; /* of all CPUs, the share that following switches may cost: 0.02; then short off-CPU intervals are
					 * sampled where that must be, and summed up. 0: all are taken, whatever it
					 * costs */
	bool verify;   /* walk what was told at once, too, and count what differs (counters verified-...) */
	uint32_t stackmap_bits; /* room for 2^bits distinct stacks of 60 frames, 10 to 20; 0: 14, 8 MiB. Of those
					 * who share it the first one chooses */
	uint32_t max_tasks;	/* threads that may have a stack due, or had one since they began; 0: 32,768. The first
					 * one of those who share them chooses, too */
	bool no_faults;		/* never fault in a page of a target */
	bool no_sharing;	/* an unwinder of our own: <dusk/unwind.h> */
	const pid_t *pids, *tids; /* only these, and the children they make; none: the whole machine */
	size_t nr_pids, nr_tids;
	bool from_exec;	    /* pids: from when they next call execve() */
	const char *cgroup; /* only tasks below this folder of cgroup2, or NULL */
	const int *cpus;    /* only these CPUs; none: all that are online */
	size_t nr_cpus;
	const char *command;	   /* for the header of the profile, or NULL */
	const volatile int *stops; /* when this changes, counted by a signal handler say, dusk_record_new() ends with
					 * -EINTR, and dusk_record_stop() does not wait for threads that hang. NULL */
	uid_t owner_uid;	   /* who owns the file; (uid_t)-1: who we are */
	gid_t owner_gid;
	const char *const *events; /* EVENTS: of tracefs, by their names, "group:event" */
	size_t nr_events;
};

struct dusk_record_status {
	uint64_t samples, complete; /* samples, off-CPU intervals and occurrences of events */
	uint64_t user_samples;	    /* those that have a user stack or should have one */
	uint64_t lost, bytes;	    /* bytes: size of the profile */
	uint64_t stacks;	    /* distinct */
	uint32_t stackmap_bits, max_tasks;
};

/*
 * Load and attach all kernel programs, and create the profile; samples begin at dusk_record_start(). *@ret is to be
 * freed with dusk_record_free(). -EPERM: a capability is missing (which one: @err); -EOPNOTSUPP: the kernel lacks
 * something (what: @err); -ESRCH: no such process; -EINTR: see stops; others from the file. If another tool is in the
 * way it shares nothing with others, as with no_sharing: 0, after ten seconds, and @err, else empty, says which tool.
 */
int dusk_record_new(struct dusk_record **ret, const struct dusk_record_options *opts, struct dusk_error *err);
int dusk_record_start(struct dusk_record *r, struct dusk_error *err);

/* Take in what has come, for at most @timeout_ms; commits to the profile about once a second. */
int dusk_record_poll(struct dusk_record *r, int timeout_ms, struct dusk_error *err);

/*
 * Stop sampling, wait shortly for stacks that are due, close the ledger. If the profile cannot be written, @err says
 * where that is which was recorded until then.
 */
int dusk_record_stop(struct dusk_record *r, struct dusk_error *err);

/*
 * Look up the functions, write them into the profile, and give it its name. After dusk_record_stop(). Without this call
 * dusk_record_free() gives it its name. -ECANCELED: see above.
 */
int dusk_record_symbolize(struct dusk_record *r, dusk_progress_fn progress, void *ctx, struct dusk_error *err);

void dusk_record_status(const struct dusk_record *r, struct dusk_record_status *ret);

/* Walks that have been waiting for a page for over @age_ns: up to @max thread ids to @ret, returns how many. */
size_t dusk_record_stuck(const struct dusk_record *r, uint64_t age_ns, pid_t *ret, size_t max);
void dusk_record_free(struct dusk_record *r);

/* The same for a recording that is of no use: there will be no profile, and an older one stays where it is. */
void dusk_record_discard(struct dusk_record *r);

/* The event that samples: "cycles" or "cpu-clock"; "off-cpu" or "tracefs" if none does. */
const char *dusk_record_event(const struct dusk_record *r);

/*
 * A profile of what another profiler recorded.
 */
struct dusk_import_options {
	size_t sz;		   /* sizeof(struct dusk_import_options) */
	const char *event;	   /* whose samples; NULL: the first one that has some, on all kinds of CPUs */
	dusk_progress_fn progress; /* also called while records are read, with a total of 0. NULL */
	void *ctx;
	uid_t owner_uid; /* who owns the profile; (uid_t)-1: who we are */
	gid_t owner_gid;
};

/*
 * Make a profile at @to of the perf.data at @from, as dusk_record_symbolize() leaves one: perf's off-CPU intervals
 * (perf record --off-cpu) are off-CPU intervals, the other samples ticks, with their periods as weights. Names are
 * those of this machine's files with the recorded build ids, and of its kernel if it is the one that was recorded, in
 * the same boot. What could not be taken over is counted in the profile. 0, also with a text in @err that says which
 * names are missing; -EINVAL: no perf.data, or damaged; -EOPNOTSUPP: of a form that is not read; -ENOENT: no such file
 * or event; -ECANCELED: stopped by progress, before there was a profile; others from the files.
 */
int dusk_import_perf(const char *from, const char *to, const struct dusk_import_options *opts, struct dusk_error *err);

/*
 * Can this machine run dusk? One check a row; dusk doctor prints them.
 */
enum dusk_check_state { DUSK_OK, DUSK_WARN, DUSK_FAIL };

struct dusk_check {
	const char *name;
	enum dusk_check_state state;
	char result[256], remedy[256];
};

/* Run all checks; *@ret is to be freed with free(). Returns how many, or a negative errno. */
int dusk_doctor(struct dusk_check **ret);

/* A capability that recording needs (required) or can use, instead of root. */
struct dusk_capability {
	int number;	  /* linux/capability.h */
	const char *name; /* "cap_bpf" */
	bool required;
	const char *purpose;
};

/* All of them, ended by a NULL name. */
const struct dusk_capability *dusk_capabilities(void);

/* The same as setcap takes them: "cap_bpf,cap_perfmon,...=ep". */
const char *dusk_capabilities_setcap(void);

/*
 * A line of shell that gives them to @program, which is found in PATH, for the members of the group "dusk" alone: who
 * may record sees all users' processes. To @ret, which has room for @room bytes.
 */
void dusk_capabilities_grant(char *ret, size_t room, const char *program);

/*
 * The walk of one stack, explained: by the same code as in the kernel, which here reads a thread that stands still,
 * or a specimen: a file with all that such a walk needed, of which doc/unwinding.md tells.
 */
struct dusk_walk_frame {
	uint64_t address;
	uint64_t sp, cfa;     /* cfa 0: it is not known */
	uint64_t offset;      /* in the module's file, or the address */
	const char *module;   /* as in struct dusk_module */
	const char *function; /* demangled, or "" */
	uint32_t function_offset;
	bool is_return;		 /* a return address: the call is before it */
	bool is_signal;		 /* of the kernel's making, between a handler and what it interrupted */
	enum dusk_method method; /* how the caller was found, */
	const char *rules;	 /* and by which rules: "cfa=rsp+16 rbx=c-16 ra=c-8", or "" */
};

struct dusk_walk {
	char comm[64];
	pid_t tid; /* 0: of a specimen */
	const struct dusk_outcome *outcome;
	uint32_t nr;
	struct dusk_walk_frame *frames; /* innermost first */
	bool agrees;			/* of a specimen: it went as it did when the specimen was made */
	struct dusk_profile *names;	/* of the library */
};

/*
 * Walk the stack of thread @tid, which is halted meanwhile (ptrace). @keep: where to write a specimen of it, mode 0600,
 * or NULL. *@ret is to be freed with dusk_walk_free(). -ESRCH; -EPERM: it may not be looked at; -ETIMEDOUT: it does
 * not halt; others from @keep.
 */
int dusk_walk_thread(struct dusk_walk **ret, pid_t tid, const char *keep, struct dusk_error *err);

/* Walk the specimen at @path again. -ENOENT, ...; -EINVAL: it is none, or damaged. */
int dusk_walk_specimen(struct dusk_walk **ret, const char *path, struct dusk_error *err);
void dusk_walk_free(struct dusk_walk *w);

/*
 * What the section .sframe of an ELF file says (SFrame 1 to 3, x86-64): for each function rows, one a stretch of code,
 * that tell where the CFA is and where the caller's return address and frame pointer are.
 */
enum dusk_sframe_base {
	DUSK_SFRAME_UNCHANGED, /* FP: nothing is said, so it still has the caller's value */
	DUSK_SFRAME_FIXED,     /* RA: where it always is, at CFA + ra_offset */
	DUSK_SFRAME_LEFT_OUT,  /* RA: the same, but said in so many words, for FP follows */
	DUSK_SFRAME_CFA,
	DUSK_SFRAME_REGISTER,
};

/* @base + @offset, or what lies there. */
struct dusk_sframe_rule {
	enum dusk_sframe_base base;
	uint32_t reg;	/* REGISTER: its DWARF number */
	int32_t offset; /* bytes */
	bool lies_there;
};

struct dusk_sframe_row {
	uint64_t address; /* link-time; in a masked function: from the start of the block */
	bool outermost;	  /* there is no caller, and there are no rules */
	struct dusk_sframe_rule cfa, fp, ra;
};

struct dusk_sframe_function {
	uint64_t address;   /* link-time */
	uint32_t size;	    /* bytes of code */
	uint32_t first, nr; /* its rows */
	bool masked;	    /* the code repeats in blocks, as a PLT does */
	bool flexible, signal;
};

struct dusk_sframe {
	uint32_t version;
	bool sorted, frame_pointer, pcrel;
	uint32_t unknown_flags;
	int32_t fp_offset, ra_offset; /* fixed distances from the CFA in bytes; 0: none */
	uint32_t nr_functions, nr_rows;
	uint32_t claimed_rows; /* as many as the header says there are */
	struct dusk_sframe_function *functions;
	struct dusk_sframe_row *rows;
};

/*
 * Read .sframe of the ELF file at @path, by its name or by PT_GNU_SFRAME. *@ret is to be freed with dusk_sframe_free().
 * From open(); -ENOEXEC: no ELF file; -ENODATA: it has no .sframe; -EOPNOTSUPP: it is not linked, or not for x86-64;
 * -EINVAL: the section is malformed (where: @err).
 */
int dusk_sframe_read(struct dusk_sframe **ret, const char *path, struct dusk_error *err);
void dusk_sframe_free(struct dusk_sframe *s);

/* The version of the library, as in DUSK_VERSION; it belongs to the library. */
const char *dusk_version(void);

#ifdef __cplusplus
}
#endif
