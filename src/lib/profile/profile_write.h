/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A profile while it is being recorded: doc/format.md is the schema.
 *
 * Each function that names something (module, frame, node, thread) returns its index; asked again with the same content
 * it returns the same index. What was added since the last commit is lost if the process is killed. The first error
 * sticks: later calls do nothing, and profile_commit() and profile_close() return it, so that the path of a sample
 * needs no error handling.
 */
#pragma once
#include <dusk/dusk.h>

struct profile_writer;

/*
 * Begin the profile that is to be at @path, mode 0600, owned by @uid and @gid unless they are -1; profile_place.h says
 * where it is until then. A recording that was killed there becomes a profile first. *@ret is to be freed with
 * profile_close() or profile_discard(). -EBUSY: another one is at it; -EACCES, -ENOSPC, ...
 */
int profile_create(struct profile_writer **ret, const char *path, uid_t uid, gid_t gid, struct dusk_error *err);

/* Settings: rows of the table "setting"; a key that is there is replaced. */
void profile_set(struct profile_writer *w, const char *key, const char *value);
void profile_set_u64(struct profile_writer *w, const char *key, uint64_t value);

/* The strings of @m are copied. A module is the same if all members but pid are; ANON: if the pid is. */
uint32_t profile_module(struct profile_writer *w, const struct dusk_module *m);

/* Complete what was not known when the module was first named: path and build id, if @m has them. */
void profile_module_update(struct profile_writer *w, uint32_t module, const struct dusk_module *m);

uint32_t profile_frame(struct profile_writer *w, uint32_t module, uint64_t offset, bool is_return,
		       enum dusk_method method);
uint32_t profile_node(struct profile_writer *w, uint32_t parent, uint32_t frame);
/* @comm: 16 bytes, as TASK_COMM_LEN, of which the last need not be 0; or fewer, and 0. */
uint32_t profile_thread(struct profile_writer *w, pid_t pid, pid_t tid, const char *comm);
/* @s->value_ns of a tick: 0 if it stands for the period. */
void profile_sample(struct profile_writer *w, const struct dusk_sample *s);

/*
 * An off-CPU interval may be written later than what refers to it: take its number first, by profile_new_interval(),
 * and write it by profile_interval(). One without a waker needs none: profile_sample().
 */
uint64_t profile_new_interval(struct profile_writer *w);
void profile_interval(struct profile_writer *w, const struct dusk_sample *s, uint64_t interval);
void profile_waker(struct profile_writer *w, const struct dusk_waker *by, uint64_t interval);

/* Events are numbered from 0, in this order; an occurrence is of one that was written. */
void profile_event(struct profile_writer *w, const char *name);
void profile_occurrence(struct profile_writer *w, const struct dusk_occurrence *o);

void profile_thread_times(struct profile_writer *w, const struct dusk_thread_times *l);

/* Counters: a name that is there is replaced. */
void profile_counter(struct profile_writer *w, const char *name, const char *sentence, uint64_t value);

/* Make what was added so far survive. 0, or the first error of all calls since profile_create(). */
int profile_commit(struct profile_writer *w, struct dusk_error *err);

/* Bytes of the file so far. */
uint64_t profile_bytes(const struct profile_writer *w);

/*
 * The functions and lines of @p, which profile_read_so_far() read. 0, or a negative errno: the names are as they were.
 */
int profile_save_names(struct profile_writer *w, const struct dusk_profile *p, struct dusk_error *err);

/* What is committed so far, as dusk_profile_read(). */
int profile_read_so_far(const struct profile_writer *w, struct dusk_profile **ret, struct dusk_error *err);

/* The ledger is in: commit. As profile_commit(). */
int profile_finish(struct profile_writer *w, struct dusk_error *err);

/*
 * Commit, and give the profile its name; an older one becomes PATH.old. @finished: as profile_finish(). The first error
 * of all calls since profile_create(), and in @err where that is which was recorded before it. Frees @w also on
 * failure.
 */
int profile_close(struct profile_writer *w, bool finished, struct dusk_error *err);

/* Free @w, and leave nothing of it. */
void profile_discard(struct profile_writer *w);
