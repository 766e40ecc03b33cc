/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What dusk agent is to do: its options, which a configuration file may set as well, and its store. */
#pragma once
#include "base/vec.h"
#include "cli/cmdline/command.h"

#define AGENT_CONFIG "/etc/dusk/agent.conf"
#define DAY_S 86400

struct agent_options {
	const char *config; /* NULL: AGENT_CONFIG, if it is there */
	bool check, quiet;
	const char *store, *events, *mode;
	const char *metrics; /* where to answer how it goes, or NULL */
	const char *to;	     /* the servers that get a copy, with commas between them; or NULL */
	uint32_t frequency_hz;
	uint64_t window_ns, rotate_ns, slow_ns, keep_ns, keep_bytes, compact_ns, compact_window_ns, compact_size;
	double budget_percent, max_cpu_percent;
	uint64_t max_memory_bytes;
	struct vec(char *) texts; /* of the file; members point into them */
};

extern const struct option agent_option_table[];

/*
 * Set @o by the command line, the configuration file, and the defaults, the first of which that says something. Free
 * with agent_options_done(), in any case. Returns true to go on; false to exit with *status.
 */
bool agent_options(const struct command *self, int argc, char **argv, struct agent_options *o, int *status);
void agent_options_done(struct agent_options *o);

/* Print what the agent would do, in the form of the file. */
void agent_options_print(const struct agent_options *o);

/* Can what they say be recorded, and sent? Returns STATUS_OK, or a status after an error. */
int agent_check(const struct command *self, const struct agent_options *o);

/*
 * Take the store for this agent, alone: its folder is made if it is not there, and what an agent that was killed has left is
 * made profiles. *@ret is a descriptor that holds it. Returns STATUS_OK, or STATUS_FAILED after an error.
 */
int agent_take_store(const char *store, int *ret);

/*
 * Open the folder. Others that may write to it could choose what is removed there. Returns a descriptor; -EPERM: it is another user's,
 * or others may write to it; or another negative errno.
 */
int agent_open_store(const char *store);

/* Is the folder that @taken holds still the one at the path @store? Not if it was removed, or moved. */
bool agent_has_store(const char *store, int taken);

/*
 * Make profiles of what recorders have left that were killed, or had no space on the disk. What is being recorded stays as it is.
 */
void agent_recover_store(const char *store);

/*
 * dusk_profile_recover() of a recording of which the recorder has ended: its lock is held as long as a child of it is left, which ends
 * with it. -EBUSY: the recording goes on.
 */
int agent_recover_profile(const char *path, uint64_t alive_ns, struct dusk_error *err);

/* A profile in a store, by its name. */
struct agent_profile {
	char name[32];
	time_t start_s; /* by CLOCK_REALTIME, as the name says */
	uint64_t bytes;
};

struct agent_profiles {
	struct vec(struct agent_profile) v;
};

/*
 * Set @ret to the profiles in @store with names as the agent gives, the oldest first. What else there may be is not ours. Free
 * it with agent_profiles_done(), in any case. Returns 0 or a negative errno.
 */
int agent_list_profiles(struct agent_profiles *ret, const char *store);
void agent_profiles_done(struct agent_profiles *p);

/* Remove the profiles that are older than @keep_ns, and the oldest ones that exceed @keep_bytes; 0: no limit. */
void agent_clean_store(const char *store, uint64_t keep_ns, uint64_t keep_bytes);

/*
 * Write to @ret of @room bytes the path of a new profile in @store that begins at @start_s, by CLOCK_REALTIME. @after: the path of one that
 * is planned, whose file may not be there yet, or NULL.
 */
void agent_profile_path(char *ret, size_t room, const char *store, time_t start_s, const char *after);

/*
 * Start the program @words[0], "dusk" or one of helper.h, with @words, in @folder (NULL: here). It gets @death_signal when the agent is
 * gone. Returns its pid when it is dusk, as it would lose a signal that comes before; or a negative errno.
 */
pid_t agent_start_child(const char *const *words, const char *folder, int death_signal);

/* Each dusk calls it first. If it is such a child it sees to that signal. Returns whether its agent, if it has one, still lives. */
bool agent_child_begin(void);

/* The processes that send the store to servers, one each: they are started again when they end. All-zero: there is none. */
struct agent_senders {
	char *urls;
	struct vec(struct agent_sender {
		const char *url;
		pid_t pid;
		uint64_t next_ns; /* when the next one may begin */
	}) v;
};

/* One for each URL of o->to. Returns STATUS_OK, or STATUS_FAILED after an error. */
int agent_prepare_senders(struct agent_senders *s, const struct agent_options *o);

/* Look after them. */
void agent_follow_senders(struct agent_senders *s, const struct agent_options *o, uint64_t now_ns);

/* Let them send what there is now, for a short time, and end them. */
void agent_end_senders(struct agent_senders *s, const struct agent_options *o);

/* The process that answers at o->metrics, if that is somewhere: it is started again when it ends. All-zero: it is not there. */
struct agent_metrics {
	pid_t pid;
	uint64_t next_ns; /* when the next one may begin */
};

void agent_follow_metrics(struct agent_metrics *s, const struct agent_options *o, uint64_t now_ns);
void agent_end_metrics(struct agent_metrics *s);

/* What recorders take, in bytes: of anonymous memory, and in BPF maps, which they may share. */
struct agent_memory {
	struct vec(uint32_t) maps; /* ids of those that are in @map_bytes */
	uint64_t map_bytes;
};

/* Add the maps of the process @pid. Returns the anonymous memory of it and its children. A process that is gone has none. */
uint64_t agent_memory_of(struct agent_memory *m, pid_t pid);

/* Return the sum of @of(PID) for the children of the process @pid. One that is gone has none. */
uint64_t agent_sum_children(pid_t pid, uint64_t (*of)(pid_t pid));

/* The anonymous memory of this process, of its children, and of theirs. */
uint64_t agent_memory_of_all(void);

/* CPU time so far of the process @pid with its children, in ns. A process that is gone has none. */
uint64_t agent_cpu_of(pid_t pid);

/* Tell the service manager @state ("READY=1"), if one started us: sd_notify(3). */
void agent_notify(const char *state);
