/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libdusk: record where a machine's CPU time goes, and read what was recorded.
 *
 * Functions that can fail return 0 or a negative errno and leave their results untouched on failure. @err, which may be
 * NULL, then says what failed, on what, why, and what would help. -ENOMEM is possible wherever an errno is. Nothing
 * here prints. Objects share no state: different objects may be used by different threads, one object by one thread at
 * a time.
 *
 * Option structs begin with their size in bytes, sz. Members that the caller's headers did not have yet get their
 * defaults; a member that is set and that the library does not know is -E2BIG.
 *
 * The comments here have the essentials; the man page of each function, in section 3, is its complete contract.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of these headers; dusk_version() is the library's. Until 1.0, programs built with 0.x need library 0.x. */
#define DUSK_VERSION "0.1.0"
#define DUSK_VERSION_MAJOR 0
#define DUSK_VERSION_MINOR 1
#define DUSK_VERSION_PATCH 0

struct dusk_error {
	char text[1024]; /* what failed, on what and why; often also what would help */
	uint32_t
		remedy; /* index in text of that last part, which begins with "; "; 0: there is none, or it is not known */
};

/*
 * A profile in memory: columns, joined by index. Index 0 of modules, functions, frames, nodes and wakers is "none".
 *
 * A stack is a path in a tree, so that stacks share the frames that they have in common: nodes[i] is a frame and the
 * node of its caller (parent). The outermost frame's parent is 0. A sample names the node of its innermost frame. The
 * kernel frames of a stack, if there are any, are inner to its user frames.
 */
enum dusk_module_kind {
	DUSK_MODULE_NONE,
	DUSK_MODULE_FILE,   /* an ELF file; offsets are offsets in the file */
	DUSK_MODULE_VDSO,   /* an ELF file that the kernel made */
	DUSK_MODULE_ANON,   /* memory of process @pid without a file (JIT code); offsets are addresses */
	DUSK_MODULE_KERNEL, /* the kernel and its modules; offsets are addresses */
	DUSK_MODULE_SOURCE, /* a source file that an interpreter runs; offsets tell places apart, and are no addresses */
};

struct dusk_module {
	enum dusk_module_kind kind;
	pid_t pid;	      /* FILE: a process that had it mapped; ANON: the process; SOURCE: one that ran it, or 0 */
	const char *path;     /* in that process's mount namespace; or "[vdso]", "[anon]", "[kernel]"; SOURCE: as the
				 language's compiler was given it */
	const char *build_id; /* hexadecimal, or ""; the kernel has one, too */
	uint64_t dev, ino;    /* as in struct stat; 0 if it is no file */
	uint32_t generation;  /* of the inode */
};

struct dusk_function {
	const char *name;   /* demangled */
	const char *symbol; /* as in the symbol table */
	const char *module; /* file name without folders, "[kernel]", "[ext4]", "[anon]" */
};

/* How the caller of a frame was found. */
enum dusk_method {
	DUSK_BY_NOTHING, /* not found, as the stack ends here; or not known (kernel frames, some profiles) */
	DUSK_BY_CFI,	 /* .eh_frame */
	DUSK_BY_SFRAME,
	DUSK_BY_FRAME_POINTER,
	DUSK_BY_CODE, /* code without CFI that is known by its bytes */
};

struct dusk_frame {
	uint32_t module, function; /* function 0: not looked up, or not known */
	uint64_t offset;
	uint64_t address;	  /* link-time address of @offset; @offset itself where that is not known */
	uint32_t function_offset; /* bytes from the function's start */
	bool is_return;		  /* a return address: the call is before it */
	bool is_inlined;	  /* made by dusk_profile_unfold(): it shares its code with its caller */
	enum dusk_method method;  /* of the outermost frame: which method failed, or said that there is no caller */
	uint32_t first_line, nr_lines; /* in dusk_profile.lines; nr_lines 0: no debug information */
};

/*
 * A place in the source. The lines of a frame are the functions at its address, innermost first: each but the last was
 * inlined into the next one, and the last is the frame's function. The line is where execution was, or where the
 * function calls the one before it.
 */
struct dusk_line {
	uint32_t function;
	uint32_t line;	  /* 0: not known */
	const char *file; /* as the compiler was given it, or "" */
};

struct dusk_node {
	uint32_t parent, frame;
};

/* A cgroup of cgroup2, and what its path says. What is not known, or does not apply, is "". */
struct dusk_cgroup {
	const char *path;      /* from the hierarchy's root: "/system.slice/cron.service" */
	const char *container; /* id, as its runtime gives it */
	const char *container_name;
	const char *pod; /* name; or uid, where only that is known */
	const char *pod_namespace;
	const char *unit; /* of systemd: "cron.service"; inside of a container: of its own systemd */
	const char *host; /* on which it is, if that is not the setting "hostname": the profile is of several */
};

struct dusk_thread {
	pid_t pid, tid;
	const char *comm;
	const char *title;   /* of the process: its arguments, or what it has put in their place; "": not known */
	const char *service; /* OTEL_SERVICE_NAME of the process, or "" */
	const char *version; /* build id of the process's program, or "" */
	uint32_t cgroup;     /* index of dusk_profile.cgroups */
};

enum dusk_source { DUSK_CPU, DUSK_OFF_CPU, DUSK_EVENT };

#define DUSK_NO_CPU UINT16_MAX

/* A tick of a CPU's timer; an off-CPU interval; or the sum of several intervals of one thread with one stack. */
struct dusk_sample {
	uint64_t time_ns;     /* since the recording began; of an off-CPU interval: its end */
	uint64_t value_ns;    /* what it stands for: the timer's period, or the time off CPU */
	uint64_t runnable_ns; /* the part of value_ns in which the thread only waited for a CPU */
	uint32_t thread, node;
	uint32_t count;	 /* ticks or off-CPU intervals */
	uint16_t cpu;	 /* DUSK_NO_CPU: a sum, which has no CPU and no time of its own */
	uint8_t outcome; /* index of dusk_profile.outcomes */
	uint8_t source;	 /* enum dusk_source */
	uint8_t state;	 /* of an off-CPU interval: its reason (dusk_state_name()) */
	uint32_t waker;	 /* of an off-CPU interval: what ended it, in dusk_profile.wakers; 0: not known */
};

/* An event of tracefs: "sched:sched_process_exec". */
struct dusk_event {
	const char *name;
};

/* An occurrence of an event. The sample's source is DUSK_EVENT, its count 1, and it stands for no time. */
struct dusk_occurrence {
	struct dusk_sample sample;
	uint32_t event;	    /* index of dusk_profile.events */
	const char *fields; /* "filename=/bin/true pid=12 old_pid=12", as the kernel prints it; or "" */
};

/* What woke a thread: a task, or an interrupt, in whatever task it arrived. */
enum dusk_waker_kind { DUSK_WAKER_NONE, DUSK_WAKER_TASK, DUSK_WAKER_INTERRUPT };

struct dusk_waker {
	uint32_t node;	 /* of an interrupt: kernel frames only */
	uint32_t thread; /* of an interrupt: 0, without a meaning, as is outcome */
	uint8_t kind;	 /* enum dusk_waker_kind */
	uint8_t outcome; /* as in struct dusk_sample */
};

/*
 * How a thread spent its time within the recording, measured independently of its samples: end - start = on CPU +
 * runnable + blocked.
 */
struct dusk_thread_times {
	uint32_t thread;
	uint64_t start_ns, end_ns, on_cpu_ns, runnable_ns, blocked_ns;
	uint64_t intervals; /* off CPU */
};

/*
 * Name a reason why a task was off CPU: "sleeping". States are numbered from 0.
 *
 * Returns a constant string, or NULL: there is no such state.
 */
const char *dusk_state_name(unsigned state);

/*
 * Name the method by which the caller of a frame was found: "CFI".
 *
 * Returns a constant string.
 */
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

/* What a counter has counted in a window of time. Not all counters are kept by windows: see doc/format.md. */
struct dusk_window_count {
	uint64_t time_ns; /* when the window began, since the recording began */
	uint64_t value;
	uint32_t counter; /* index of dusk_profile.counters */
};

struct dusk_setting {
	const char *key, *value;
};

struct dusk_profile {
	uint32_t nr_modules, nr_functions, nr_frames, nr_nodes, nr_threads, nr_outcomes, nr_counters, nr_settings;
	uint32_t nr_lines, nr_thread_times, nr_wakers, nr_events, nr_cgroups;
	uint64_t nr_samples, nr_occurrences, nr_window_counts;
	struct dusk_module *modules;
	struct dusk_function *functions;
	struct dusk_frame *frames;
	struct dusk_line *lines;
	struct dusk_node *nodes;
	struct dusk_thread *threads;
	struct dusk_sample *samples;		/* by time */
	struct dusk_event *events;		/* events of tracefs that were recorded */
	struct dusk_occurrence *occurrences;	/* by time */
	struct dusk_thread_times *thread_times; /* none where only CPU time was recorded */
	struct dusk_waker *wakers;		/* index 0 is "none" */
	struct dusk_outcome *outcomes;
	struct dusk_counter *counters;
	struct dusk_setting *settings;		 /* doc/format.md lists the keys */
	struct dusk_cgroup *cgroups;		 /* index 0 is "not known" */
	uint64_t period_ns;			 /* of the CPU's timer */
	struct dusk_window_count *window_counts; /* by time; none if there are no windows */
	/*
	 * false: the recording goes on, or was killed; the counters are missing, or, if there are windows, those of the
	 * last one
	 */
	bool finished;
	bool live;	/* its recorder is alive */
	uint64_t bytes; /* of the file, or of the recording so far */
	bool symbolized;
	void *store; /* private to the library */
};

/*
 * Read the profile at @path into memory. If there is no such file, read what is committed of a recording that is to
 * become it, in the folder @path.recording; @path may also be that folder itself. Writes nothing and opens no other
 * file. Free *@ret with dusk_profile_free().
 *
 * Returns 0; -ENOENT, -EACCES; -EINVAL: not a profile, or damaged; -EPROTONOSUPPORT: written by a newer version;
 * -EBUSY: the recording is being made a profile just now.
 */
int dusk_profile_read(struct dusk_profile **ret, const char *path, struct dusk_error *err);

/* Free @p, which may be NULL, and all that it points to. */
void dusk_profile_free(struct dusk_profile *p);

/*
 * Look up the setting @key.
 *
 * Returns its value, which lives as long as the profile, or NULL.
 */
const char *dusk_profile_setting(const struct dusk_profile *p, const char *key);

/* Returns when the recording of @p began, by CLOCK_REALTIME in nanoseconds since 1970; 0: that is not known. */
uint64_t dusk_profile_start_ns(const struct dusk_profile *p);

/*
 * Called now and then while symbols are looked up: @done of @total frames.
 *
 * Returns 0, or another value to stop; what has been done stays.
 */
typedef int (*dusk_progress_fn)(void *ctx, uint32_t done, uint32_t total);

/*
 * Say whether debuginfod servers can be asked. A statically linked program cannot, as it cannot load libdebuginfod.
 *
 * Returns true if so.
 */
bool dusk_can_ask_servers(void);

struct dusk_symbol_options {
	size_t sz;		   /* sizeof(struct dusk_symbol_options) */
	const int *module_fd;	   /* nr_modules file descriptors, -1 where there is none; or NULL. Borrowed. */
	dusk_progress_fn progress; /* or NULL */
	void *ctx;
	bool no_lines;	   /* functions only: debug information is not read */
	bool no_servers;   /* do not ask the servers in $DEBUGINFOD_URLS */
	const char *cache; /* folder of earlier look-ups (dusk_cache_folder()), or NULL */
};

/*
 * Find the function of each frame of @p that has no name, from the files and the kernel of this machine. @opts may be
 * NULL.
 *
 * A file is used only if it is the recorded one, by device and inode, or another one with the recorded build id that belongs to root
 * or to the caller and that nobody else may write to. A
 * function without a symbol is named after its start in the file, "module+0x1234", if an FDE says where that is. Kernel
 * frames are looked up in kallsyms during the boot that was recorded, to the end whatever progress returns; in another
 * boot, in the vmlinux of the recorded kernel. Where there is debug information, frames get their lines, too. Files are
 * read in child processes, one after the other, which are waited for by their ids.
 *
 * Returns 0, also if something could not be looked up: then @err says what; -ECANCELED: stopped by progress.
 */
int dusk_profile_symbolize(struct dusk_profile *p, const struct dusk_symbol_options *opts, struct dusk_error *err);

/*
 * Make a profile of the recording in @path.recording that was left because its recorder was killed or the disk was
 * full. It becomes @path; a file that was there becomes @path.old. @alive_ns: when the recorder was last seen alive, by
 * CLOCK_MONOTONIC; 0: that is not known. By it the windows that are lost are counted: one if it is not known.
 *
 * Returns 0; -ENOENT: there is no recording; -ENODATA: nothing had been recorded, and the folder is removed; -EBUSY:
 * its recorder is alive, or another process reads it; -EPERM: it is another user's; others from the files.
 */
int dusk_profile_recover(const char *path, uint64_t alive_ns, struct dusk_error *err);

/*
 * Write the functions and lines of @p, which must not be unfolded, into the profile at @path that it was read from. If
 * their look-up was stopped half-way, the profile stays one whose functions are still to be looked up. Works on a copy,
 * which replaces the file when it is complete.
 *
 * Returns 0; -ESTALE: @path is another recording now; others from the files.
 */
int dusk_profile_save_symbols(const struct dusk_profile *p, const char *path, struct dusk_error *err);

/*
 * Give each inlined function a frame and a node of its own, so that stacks read as the source does. Frames keep their
 * numbers, nodes do not; afterwards each frame has at most one line. To be called at most once for a profile.
 *
 * Returns 0, or -ENOMEM: nothing was changed.
 */
int dusk_profile_unfold(struct dusk_profile *p);

/*
 * Make one profile of @nr @parts, which were recorded one after the other on one machine, in this order, and are not
 * unfolded. @from_ns, @to_ns: only what was in this time, by CLOCK_REALTIME, with 0 for no bound; the times of threads
 * are left out if that leaves anything out. A sum over a window counts by the window's beginning. Settings are those of
 * the last part. The parts stay as they are, and are not referred to. Free *@ret with dusk_profile_free().
 *
 * Returns 0; -EINVAL: there are no parts, or one of several does not say when it began; -E2BIG: they have too many
 * outcomes.
 */
int dusk_profile_merge(struct dusk_profile **ret, const struct dusk_profile *const *parts, uint32_t nr,
		       uint64_t from_ns, uint64_t to_ns, struct dusk_error *err);

/*
 * What may be lost for a result that is small; all-zero: nothing.
 *
 * Sums, which have no time of their own, but that of their window (DUSK_NO_CPU): those of one thread, stack and outcome
 * whose windows begin in the same @sum_ns of CLOCK_REALTIME become one, which has the time of the first.
 * Threads that are alike: those of one name, cgroup, service and version become one. What they differ in is 0, or "", and
 * the times of threads are left out.
 */
struct dusk_merge_options {
	size_t sz;		 /* sizeof(struct dusk_merge_options) */
	uint64_t from_ns, to_ns; /* as of dusk_profile_merge() */
	uint64_t sum_ns;	 /* a second at least; UINT64_MAX: whenever they were; 0: sums stay as they are */
	uint32_t max_sums;	 /* until there are more, they do so, too */
	bool alike;		 /* false: threads stay as they are */
	uint32_t max_threads;	 /* until there are more, they do so, too */
};

/*
 * As dusk_profile_merge(), one part after the other, so that each can be freed once it is added. After -EINVAL or -E2BIG
 * of dusk_merge_add() others can be added; after another error only dusk_merge_free() is left to call, which also accepts
 * NULL. dusk_merge_leave_out() counts a part that is left out, as it cannot be read or added: the counter "lost-profiles".
 *
 * dusk_merge_new() returns 0, -ENOMEM, or of @o (NULL: all-zero) -EINVAL or -E2BIG; the others as dusk_profile_merge().
 */
struct dusk_merge;

int dusk_merge_new(struct dusk_merge **ret, const struct dusk_merge_options *o, struct dusk_error *err);
int dusk_merge_add(struct dusk_merge *m, const struct dusk_profile *part, struct dusk_error *err);
void dusk_merge_leave_out(struct dusk_merge *m);

/* Hand over what was merged. Nothing can be added any more, and @m is still to be freed. */
int dusk_merge_end(struct dusk_profile **ret, struct dusk_merge *m, struct dusk_error *err);
void dusk_merge_free(struct dusk_merge *m);

/*
 * Make @p, which was read or merged and is not unfolded, so small that a file with it and windows of @window_ns takes about
 * @max_bytes. Sums are over these windows then. As long as it is larger, in this order: threads that were in one of them
 * only become one with those alike, as of dusk_merge_options; off-CPU intervals with a time of their own become sums; and
 * of stacks in which little time was spent, callers in their middle become one frame, "[...]", the more, the larger it
 * still is. The innermost frame stays. Counters "threads-alike", "intervals-summed" and "stacks-shortened" have how many
 * these were, and the setting "rare_ns" what was little.
 *
 * Returns 0, also if it is still larger; -EINVAL: @window_ns is 0. After -ENOMEM only dusk_profile_free() is left to call.
 */
int dusk_profile_reduce(struct dusk_profile *p, uint64_t window_ns, uint64_t max_bytes, struct dusk_error *err);

/*
 * Write @p, which was read or merged and is not unfolded, to a new file at @path, mode 0600; an older file becomes
 * PATH.old. @window_ns: keep sums over windows of this length; 0: as @p has it, samples or windows.
 *
 * Returns 0; -EBUSY: a recording writes to @path; -EINVAL: @p is none of these; others from the files.
 */
int dusk_profile_write(const struct dusk_profile *p, const char *path, uint64_t window_ns, struct dusk_error *err);

/* As dusk_profile_write(), to the file that the descriptor @fd has open for reading and writing, which is empty and may have no name. */
int dusk_profile_write_fd(const struct dusk_profile *p, int fd, uint64_t window_ns, struct dusk_error *err);

/*
 * Write the name of the folder of the symbol cache, $XDG_CACHE_HOME/dusk or ~/.cache/dusk, to @ret of @room bytes. The
 * folder need not exist.
 *
 * Returns 0; -ENOENT: no home folder is known; -EPERM: another user owns it, or can write to a folder on its path;
 * -ENAMETOOLONG; others of open(2). On failure @ret is undefined.
 */
int dusk_cache_folder(char *ret, size_t room);

/* Returns true if @f has no name, or only that of its place ("module+0x1234"). */
bool dusk_frame_lacks_symbol(const struct dusk_profile *p, const struct dusk_frame *f);

/*
 * Returns true if dusk_profile_symbolize() may find names: no look-up has been done yet, or there are debug symbols now
 * for frames that lack them.
 */
bool dusk_profile_needs_names(const struct dusk_profile *p);

/*
 * Write to @ret of @room bytes what would give the unnamed functions of @module (an index) their names on this machine:
 * a package, a command, or advice.
 */
void dusk_symbol_hint(const struct dusk_profile *p, uint32_t module, char *ret, size_t room);

/* The code of a function, and the source lines that it was compiled from. */
struct dusk_code_line {
	uint64_t address;    /* link-time; the line holds up to the next row's address */
	uint32_t file, line; /* file: index of dusk_code.files; line 0: none */
};

struct dusk_code {
	uint64_t start, end;	      /* link-time addresses; end is the first one behind it */
	int fd;			      /* the ELF file, open for reading */
	uint32_t nr_files, nr_lines;  /* 0: there are no line tables */
	const char **files;	      /* as the compiler named them */
	struct dusk_code_line *lines; /* by address */
};

/*
 * Read where the function of frame @frame (an index) of @p, which has been looked up, begins and ends, and its lines.
 * Free *@ret with dusk_code_free(), which closes its file.
 *
 * Returns 0; -EOPNOTSUPP: the code is in no file (kernel, JIT), or the process that reads it cannot be confined here;
 * -ENOENT: the file is not here, or is not the recorded one; -ENODATA: the end of the function is not known; -ENOEXEC:
 * not an ELF file; -ETIMEDOUT: reading took too long; -EBADMSG: the process that reads it crashed.
 */
int dusk_code_read(struct dusk_code **ret, const struct dusk_profile *p, uint32_t frame, struct dusk_error *err);

/* Free @c, which may be NULL. */
void dusk_code_free(struct dusk_code *c);

/*
 * A query in SQL to a profile file: one statement that reads (doc/format.md lists views and tables). Statements that
 * write, touch another file or load code are refused.
 */
struct dusk_query;

enum dusk_value_kind { DUSK_VALUE_NULL, DUSK_VALUE_INTEGER, DUSK_VALUE_REAL, DUSK_VALUE_TEXT, DUSK_VALUE_BLOB };

struct dusk_value {
	enum dusk_value_kind kind;
	int64_t integer;  /* INTEGER */
	double real;	  /* REAL */
	const char *text; /* TEXT, BLOB: valid until the next row, with a 0 byte behind it; else "" */
	size_t len_bytes; /* of text */
};

/*
 * Prepare the statement @sql on the profile at @path. Free *@ret with dusk_query_free().
 *
 * Returns 0; -ENOENT, -EACCES, -EBUSY: as dusk_profile_read(); -EINVAL: not a profile, or damaged; -EPROTONOSUPPORT: of
 * another version; -EBADMSG: not SQL, or it names something that does not exist; -EPERM: it is refused (which part:
 * @err).
 */
int dusk_query_new(struct dusk_query **ret, const char *path, const char *sql, struct dusk_error *err);

/* Free @q, which may be NULL. */
void dusk_query_free(struct dusk_query *q);

/* Returns the number of columns of the result. */
uint32_t dusk_query_columns(const struct dusk_query *q);

/* Returns the name of column @column, which belongs to the query; "" if there is none. */
const char *dusk_query_name(const struct dusk_query *q, uint32_t column);

/*
 * Go to the next row.
 *
 * Returns 1; 0: there is no more row; a negative errno: the file is damaged, or memory is short.
 */
int dusk_query_next(struct dusk_query *q, struct dusk_error *err);

/* Get the value of column @column in the current row. */
void dusk_query_value(const struct dusk_query *q, uint32_t column, struct dusk_value *ret);

/* Functions and USDT probes of a file, which dusk_record_options.events can name. */
struct dusk_probes;

/*
 * List those that match @pattern, "uprobe:FILE:FUNCTION" or "usdt:FILE:PROVIDER:PROBE", in which all but FILE may have wildcards, or
 * be missing. FILE is a path, or the name of a library or program. Free *@ret with dusk_probes_free().
 *
 * Returns 0; -EINVAL: it is no such pattern; -ENOENT: there is no such file; -ENOEXEC: it is no ELF file; -EOPNOTSUPP: no process
 * can be confined here to read it; or another negative errno.
 */
int dusk_probes_list(struct dusk_probes **ret, const char *pattern, struct dusk_error *err);
size_t dusk_probes_nr(const struct dusk_probes *p);

/* The name of probe @i, as dusk record -e takes it; and the arguments of a USDT probe, "arg1:s64 arg2:?", or "". NULL: none. */
const char *dusk_probes_name(const struct dusk_probes *p, size_t i);
const char *dusk_probes_fields(const struct dusk_probes *p, size_t i);
void dusk_probes_free(struct dusk_probes *p);

/* A recording: the kernel programs, the profile that is being written, and what joins them. */
struct dusk_record;

/*
 * What is recorded; combine them as needed. WAKERS, what ended off-CPU intervals, needs OFF_CPU. EVENTS are those that
 * dusk_record_options.events names.
 */
enum { DUSK_RECORD_CPU = 1, DUSK_RECORD_OFF_CPU = 2, DUSK_RECORD_WAKERS = 4, DUSK_RECORD_EVENTS = 8 };

/*
 * How stacks are recorded. FULL: walked in the kernel, by BPF. COPIED: perf events copy a piece of the stack, which is
 * walked in this process; it needs no BPF and, for one's own processes, no privilege, and records CPU and OFF_CPU only.
 * PTRACE: threads of pids are stopped for a moment each, 20 times a second if they run; for where perf events are
 * refused. It records CPU only.
 */
enum dusk_record_mode { DUSK_MODE_FULL, DUSK_MODE_COPIED, DUSK_MODE_PTRACE };

/* Strings and arrays are borrowed during dusk_record_new(), stops as long as the recording lives. */
struct dusk_record_options {
	size_t sz; /* sizeof(struct dusk_record_options) */
	/*
	 * The profile, mode 0600. Until it is complete, it is in the folder PATH.recording; then an older profile
	 * becomes PATH.old.
	 */
	const char *path;
	uint32_t frequency_hz; /* samples per second and CPU; 0: 99 */
	uint32_t max_depth;    /* frames; 0: 512; at most 2048 */
	uint32_t sources;      /* DUSK_RECORD_...; 0: CPU */
	/* Off-CPU intervals of at least this length are kept singly, shorter ones as sums by stack. */
	uint64_t min_block_ns;
	bool kernel_threads; /* record off-CPU intervals of kernel threads, too */
	/*
	 * The share of all CPUs that following switches may cost, such as 0.02. Where that does not suffice, short
	 * off-CPU intervals are sampled, and summed up. 0: all are taken, whatever it costs.
	 */
	double budget;
	bool verify; /* also walk stacks that were answered at once, and count differences (counters verified-...) */
	/*
	 * Room for 2^bits distinct stacks of 60 frames, 10 to 20; 0: 14, 8 MiB. The first of the tools that share the
	 * stackmap chooses.
	 */
	uint32_t stackmap_bits;
	/*
	 * Threads that may have a stack pending, or have had one since they began; 0: 32,768. The first of the tools
	 * that share the table chooses.
	 */
	uint32_t max_tasks;
	bool no_faults;	   /* never fault in a page of a target */
	bool no_sharing;   /* use an unwinder of our own: <dusk/unwind.h> */
	bool no_languages; /* native frames only, not those of interpreted languages */
	/*
	 * Only these processes with all that they have created and create, and these threads with what they create from
	 * now on; none: the whole machine.
	 */
	const pid_t *pids, *tids;
	size_t nr_pids, nr_tids;
	bool from_exec;	    /* record pids only from their next execve() on */
	const char *cgroup; /* only tasks below this folder of cgroup2, or NULL */
	const int *cpus;    /* only these CPUs; none: all that are online */
	size_t nr_cpus;
	const char *command; /* for the header of the profile, or NULL */
	/*
	 * When this changes (a signal handler counts it up, say), dusk_record_new() ends with -EINTR, and
	 * dusk_record_stop() does not wait for threads that hang. NULL: it does not change.
	 */
	const volatile int *stops;
	uid_t owner_uid; /* owner of the file; (uid_t)-1: ourselves */
	gid_t owner_gid;
	const char *const *events; /* EVENTS: events of tracefs, by name, "group:event"; probes, "uprobe:libc:malloc" */
	size_t nr_events;
	bool no_children; /* of pids and tids, only these processes and threads themselves */
	bool only_user;	  /* only tasks of user @user */
	uid_t user;	  /* an effective user id */
	enum dusk_record_mode mode;
	uint32_t stack_bytes; /* COPIED, PTRACE: how much of a stack is copied; 0: by room; at most 65528 */
	/*
	 * Samples and short off-CPU intervals are kept as their sums by thread and stack in windows of this length, and a
	 * kill loses the open one; 0: each sample is kept. At least 100 ms.
	 */
	uint64_t window_ns;
	/*
	 * FULL: only tasks in cgroups with one of these labels, patterns as of glob(7); not together with cgroup. Those that
	 * are made while it records are recorded from some milliseconds later on; if there is none at first, @err of
	 * dusk_record_new() says so. The lists must live as long as the recording.
	 */
	const char *const *units, *const *containers, *const *pods, *const *namespaces;
	size_t nr_units, nr_containers, nr_pods, nr_namespaces;
	/*
	 * FULL, OFF_CPU: as budget, but of what following task switches and this process take together; in other modes it is
	 * not held. 0: no limit.
	 */
	double max_cpu;
	/*
	 * The caller counts here when it ends the recording as it takes too much memory: the profile says so (ended_by, counter
	 * memory-limit). NULL: it does not.
	 */
	const volatile int *memory_limit;
	/* EVENTS: only occurrences with fields that fulfil this, as in tracefs: "dev == 8 && bytes > 4096"; NULL: all */
	const char *filter;
};

/* What came from one source: samples, off-CPU intervals, or occurrences of events. */
struct dusk_record_share {
	uint64_t nr;
	uint64_t user;	   /* of these: that have a user stack or should have one */
	uint64_t complete; /* of these: whose user stack is complete */
};

struct dusk_record_status {
	struct dusk_record_share share[3]; /* by enum dusk_source */
	uint64_t lost, bytes;		   /* bytes: size of the profile */
	uint64_t stacks;		   /* distinct */
	uint32_t stackmap_bits, max_tasks;
	bool no_off_cpu_stacks; /* COPIED: this user may not see what threads do when they leave their CPU */
	uint32_t stack_bytes;	/* COPIED, PTRACE: how much of a stack a sample has, if it is that deep */
	uint64_t start_ns;	/* CLOCK_MONOTONIC: when the recording began, from which its duration counts */
};

/*
 * Load and attach all kernel programs, and create the profile. Samples begin at dusk_record_start(). Free *@ret with
 * dusk_record_free() or dusk_record_discard().
 *
 * Returns 0; -EINVAL: options out of range; -EPERM: a capability is missing (which one: @err); -EOPNOTSUPP: the kernel
 * lacks something (what: @err); -ESRCH: no such process; -ENOENT: no such event or cgroup; -ENODEV: no tracefs; -EINTR:
 * see stops; -EBUSY: another recording writes to path; others from the file. If another tool keeps the lock of the
 * shared unwinder for ten seconds, the recording uses its own, as with no_sharing: then it returns 0, and @err, which
 * is empty otherwise, says which tool that was.
 */
int dusk_record_new(struct dusk_record **ret, const struct dusk_record_options *opts, struct dusk_error *err);

/*
 * Begin to sample.
 *
 * Returns 0 or a negative errno.
 */
int dusk_record_start(struct dusk_record *r, struct dusk_error *err);

/*
 * Write arrived events to the profile, and wait for them for at most @timeout_ms milliseconds; commits about once a
 * second.
 *
 * Returns 0 or a negative errno.
 */
int dusk_record_poll(struct dusk_record *r, int timeout_ms, struct dusk_error *err);

/*
 * Stop sampling, wait a short time for pending stacks, and write the counters.
 *
 * Returns 0 or a negative errno. If the profile cannot be written, @err says where the part is that was recorded until
 * then.
 */
int dusk_record_stop(struct dusk_record *r, struct dusk_error *err);

/*
 * Look up the functions, write them into the profile, and give the profile its final name. To be called after
 * dusk_record_stop(). Without this call, dusk_record_free() gives the profile its name.
 *
 * Returns 0; -ECANCELED: stopped by progress; what was found until then is kept; -EINVAL: dusk_record_stop() could not
 * write the profile, and has closed it; others from the profile.
 */
int dusk_record_symbolize(struct dusk_record *r, dusk_progress_fn progress, void *ctx, struct dusk_error *err);

/* Fill @ret with the state of the recording. */
void dusk_record_status(const struct dusk_record *r, struct dusk_record_status *ret);

/*
 * Find walks that have been waiting for a page for more than @age_ns; write the ids of up to @max threads to @ret.
 *
 * Returns how many were written.
 */
size_t dusk_record_stuck(const struct dusk_record *r, uint64_t age_ns, pid_t *ret, size_t max);

/* End and free @r, which may be NULL; a profile that has been started is kept. */
void dusk_record_free(struct dusk_record *r);

/* As dusk_record_free(), but keep no profile; an older one stays where it is. */
void dusk_record_discard(struct dusk_record *r);

/* Returns the name of the event that samples: "cycles" or "cpu-clock"; "off-cpu" or "tracefs" if none does. */
const char *dusk_record_event(const struct dusk_record *r);

/* Make a profile of what another profiler recorded. */
struct dusk_import_options {
	size_t sz;	   /* sizeof(struct dusk_import_options) */
	const char *event; /* import its samples; NULL: of the first event that has some, on all kinds of CPUs */
	dusk_progress_fn progress; /* also called while records are read, with a total of 0. Or NULL */
	void *ctx;
	uid_t owner_uid; /* owner of the profile; (uid_t)-1: ourselves */
	gid_t owner_gid;
};

/*
 * Make a profile at @to of the perf.data at @from, as dusk_record_symbolize() leaves one. @opts may be NULL.
 *
 * perf's off-CPU intervals (perf record --off-cpu) become off-CPU intervals; its other samples become ticks, with their
 * periods as weights. Names are looked up in files of this machine with the recorded build ids, and in its kernel if it
 * is the recorded one in the same boot. What could not be imported is counted in the profile.
 *
 * Returns 0, also if names are missing: then @err says which; -EINVAL: not a perf.data, or damaged; -EOPNOTSUPP: a
 * variant that is not supported; -ENOENT: no such file or event; -ECANCELED: stopped by progress while records are
 * read, and there is no profile; others from the files.
 */
int dusk_import_perf(const char *from, const char *to, const struct dusk_import_options *opts, struct dusk_error *err);

/* Checks whether this machine can run dusk; dusk doctor prints them. */
enum dusk_check_state { DUSK_OK, DUSK_WARN, DUSK_FAIL };

struct dusk_check {
	const char *name;
	enum dusk_check_state state;
	char result[1024], remedy[1024]; /* whole sentences */
};

/*
 * Run all checks. Free *@ret, an array, with free().
 *
 * Returns how many there are, or a negative errno.
 */
int dusk_doctor(struct dusk_check **ret);

/* A capability that recording needs (required) or can use, instead of root. */
struct dusk_capability {
	int number;	  /* linux/capability.h */
	const char *name; /* "cap_bpf" */
	bool required;
	const char *purpose;
};

/* Returns the constant array of all of them, ended by a NULL name. */
const struct dusk_capability *dusk_capabilities(void);

/* Returns the same as a constant string for setcap(8): "cap_bpf,cap_perfmon,...=ep". */
const char *dusk_capabilities_setcap(void);

/*
 * Write a shell command to @ret of @room bytes that gives these capabilities to @program, which the shell looks up in
 * PATH, for members of the group "dusk" only, as recording shows the processes of all users.
 */
void dusk_capabilities_grant(char *ret, size_t room, const char *program);

/*
 * The walk of one stack, explained. It is done by the same code as in the kernel, on a halted thread or on a specimen:
 * a file with everything that such a walk needed (doc/unwinding.md).
 */
struct dusk_walk_frame {
	uint64_t address;
	uint64_t sp, cfa;	  /* cfa 0: not known */
	uint64_t offset;	  /* in the module's file, or the address */
	const char *module;	  /* as in struct dusk_module */
	const char *function;	  /* demangled, or "" */
	uint32_t function_offset; /* bytes */
	bool is_return;		  /* a return address: the call is before it */
	bool is_signal;		  /* a signal frame, between a handler and the code that it interrupted */
	enum dusk_method method;  /* how the caller was found, */
	/*
	 * and by which rules: "cfa=rsp+16 rbx=c-16 ra=c-8", or ""; of code that is known by its bytes, with the name that
	 * this has in rules.txt: "cfa=rsp+8 ra=c-8 (ret)"
	 */
	const char *rules;
};

struct dusk_walk {
	char comm[64];
	pid_t tid; /* 0: of a specimen */
	const struct dusk_outcome *outcome;
	uint32_t nr;
	struct dusk_walk_frame *frames; /* innermost first */
	bool agrees;			/* of a specimen: the walk is the same as when the specimen was made */
	struct dusk_profile *names;	/* private to the library */
};

/*
 * Walk the stack of thread @tid, which is halted meanwhile (ptrace). If @keep is not NULL, write a specimen of it to
 * that file, mode 0600. Free *@ret with dusk_walk_free().
 *
 * Returns 0; -ESRCH: no such thread; -EPERM: access to it is denied; -ETIMEDOUT: it does not halt; -EBUSY: the
 * specimen's walk differs; others from @keep.
 */
int dusk_walk_thread(struct dusk_walk **ret, pid_t tid, const char *keep, struct dusk_error *err);

/*
 * Repeat the walk of the specimen at @path. Free *@ret with dusk_walk_free().
 *
 * Returns 0; -ENOENT or others of open(2); -EINVAL: not a specimen, or damaged.
 */
int dusk_walk_specimen(struct dusk_walk **ret, const char *path, struct dusk_error *err);

/* Free @w, which may be NULL. */
void dusk_walk_free(struct dusk_walk *w);

/* Returns the version of the library, in the form of DUSK_VERSION; a constant string. */
const char *dusk_version(void);

#ifdef __cplusplus
}
#endif
