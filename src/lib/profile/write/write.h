/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Write a profile during a recording: doc/format.md describes the schema.
 *
 * The functions for a module, frame, node or thread return its index, and the same index again for the same content. If
 * the process is killed, what was added since the last commit is lost. The first error is sticky: later calls do
 * nothing, and profile_commit() and profile_close() return it, so that the path of a sample needs no error handling.
 */
#pragma once
#include <dusk/dusk.h>

struct profile_writer;

/*
 * Begin the profile that will be at @path, with mode 0600, owned by @uid and @gid unless they are -1; lib/profile/file/place.h
 * says where it is until then. A recording that was killed there becomes a profile first. Free *@ret with
 * profile_close() or profile_discard().
 * Returns 0, -EBUSY (another recording writes to it), -EACCES, -ENOSPC, ...
 */
int profile_create(struct profile_writer **ret, const char *path, uid_t uid, gid_t gid, struct dusk_error *err);

/* Likewise in the open file @fd, which is empty and has no name (O_TMPFILE, memfd). */
int profile_create_unnamed(struct profile_writer **ret, int fd, struct dusk_error *err);

/* Set a row of the table "setting"; an existing key is replaced. */
void profile_set(struct profile_writer *w, const char *key, const char *value);
void profile_set_u64(struct profile_writer *w, const char *key, uint64_t value);

/* Add a module; the strings of @m are copied. Modules are equal if all members except pid are; ANON: also pid. */
uint32_t profile_module(struct profile_writer *w, const struct dusk_module *m);

/* Add the path and the build id of @m, if it has them, to a module that was added without. */
void profile_module_update(struct profile_writer *w, uint32_t module, const struct dusk_module *m);

uint32_t profile_frame(struct profile_writer *w, uint32_t module, uint64_t offset, bool is_return,
		       enum dusk_method method);

/* A place in code of an interpreted language. */
struct profile_code {
	const char *name;    /* of the function, qualified: "Decoder.decode" */
	const char *file;    /* of the source, as the language's compiler was given it */
	uint32_t first_line; /* of the function */
	uint32_t line;	     /* 0: not known */
};

/*
 * Add a frame of such code, with a module of the kind SOURCE, its function and its line, which are written at once. The
 * module gets @pid if it is new. To be called before profile_save_names() only, which numbers functions anew.
 */
uint32_t profile_code_frame(struct profile_writer *w, pid_t pid, const struct profile_code *c);

/* The offset of such a frame: doc/format.md. It is the same in all profiles. */
uint64_t profile_code_offset(const struct profile_code *c);

uint32_t profile_node(struct profile_writer *w, uint32_t parent, uint32_t frame);
/* @comm: 16 bytes as TASK_COMM_LEN, the last of which need not be 0; or fewer, and a 0 byte. */
uint32_t profile_thread(struct profile_writer *w, pid_t pid, pid_t tid, const char *comm);

/* The same thread in @cgroup, a number of profile_cgroup(): one for each cgroup that it has been in. */
uint32_t profile_thread_in(struct profile_writer *w, uint32_t cgroup, pid_t pid, pid_t tid, const char *comm);

/* Another thread with these ids, of a later process or of another boot: it gets a number of its own. */
uint32_t profile_thread_anew(struct profile_writer *w, uint32_t cgroup, pid_t pid, pid_t tid, const char *comm);

/* Set the cgroup of @thread, which was added without one. */
void profile_thread_cgroup(struct profile_writer *w, uint32_t thread, uint32_t cgroup);

/* Add @c, or replace what was added with its path. */
uint32_t profile_cgroup(struct profile_writer *w, const struct dusk_cgroup *c);

/* Set @pid and @tid to the ids of @thread, a number of profile_thread(). Returns false if there is no such thread. */
bool profile_thread_ids(const struct profile_writer *w, uint32_t thread, pid_t *pid, pid_t *tid);

/* The name of @thread, which there is; at most 16 characters. */
const char *profile_thread_comm(const struct profile_writer *w, uint32_t thread);

/* As in struct dusk_thread. */
struct profile_process {
	const char *title, *service, *version;
};

/* Say what the process of @thread is. That holds for this and later threads of it, up to the next one that is set. */
void profile_process(struct profile_writer *w, uint32_t thread, const struct profile_process *p);

/*
 * From now on sum samples, and off-CPU intervals that have no time of their own, by windows of @length_ns, the first of
 * which begins now, at time 0. To be called before any of them is added.
 */
void profile_sum_windows(struct profile_writer *w, uint64_t length_ns);

/* Is the open window over at @time_ns? Then it is time for profile_count(), and for profile_end_window(). */
bool profile_window_is_over(const struct profile_writer *w, uint64_t time_ns);

/* It is @time_ns: write the window that is over then, if one is. */
void profile_end_window(struct profile_writer *w, uint64_t time_ns);

/* Add a sample, or an off-CPU interval without a waker. @s->value_ns of a sample is 0 if it stands for the period. */
void profile_sample(struct profile_writer *w, const struct dusk_sample *s);

/*
 * Add an off-CPU interval that other rows may refer to before it is written: get its number from
 * profile_new_interval(), and write it with profile_interval(). For one without a waker call profile_sample() instead.
 */
uint64_t profile_new_interval(struct profile_writer *w);
void profile_interval(struct profile_writer *w, const struct dusk_sample *s, uint64_t interval);
void profile_waker(struct profile_writer *w, const struct dusk_waker *by, uint64_t interval);

/* Events are numbered from 0, in the order of these calls; an occurrence must be of an event already written. */
void profile_event(struct profile_writer *w, const char *name);
void profile_occurrence(struct profile_writer *w, const struct dusk_occurrence *o);

void profile_thread_times(struct profile_writer *w, const struct dusk_thread_times *l);

/* Set a counter; an existing name is replaced. */
void profile_counter(struct profile_writer *w, const char *name, const char *sentence, uint64_t value);

/*
 * Set a counter of a recording that goes on. If there are windows, what it has counted since the last call belongs to the
 * open one (window_counts.h).
 */
void profile_count(struct profile_writer *w, const char *name, const char *sentence, uint64_t value);

/* The counter @name, which is set elsewhere, has counted @n in the open window. */
void profile_counted(struct profile_writer *w, const char *name, uint64_t n);

/* Commit what was added so far. Returns 0, or the first error of all calls since profile_create(). */
int profile_commit(struct profile_writer *w, struct dusk_error *err);

/* Return the size of the database so far, in bytes. */
uint64_t profile_bytes(const struct profile_writer *w);

/*
 * Write the functions and lines of @p, which profile_read_so_far() has read.
 * Returns 0, or a negative errno, with the names unchanged.
 */
int profile_save_names(struct profile_writer *w, const struct dusk_profile *p, struct dusk_error *err);

/* Read what is committed so far, as dusk_profile_read(). */
int profile_read_so_far(const struct profile_writer *w, struct dusk_profile **ret, struct dusk_error *err);

/* Mark the profile as finished, when all is written, and commit. Returns as profile_commit(). */
int profile_finish(struct profile_writer *w, struct dusk_error *err);

/*
 * Commit and publish the profile under its name; an older file becomes PATH.old. @finished: as profile_finish(). Frees
 * @w, also on failure.
 * Returns 0, or the first error of all calls since profile_create(); @err says where the data recorded before it is.
 */
int profile_close(struct profile_writer *w, bool finished, struct dusk_error *err);

/* Free @w and remove its files. */
void profile_discard(struct profile_writer *w);
