/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Group samples into rows by what is known of their threads, and by time.
 *
 * A group is the samples of all threads, and their states, that are the same by the requested keys. With KEY_TIME they are
 * of the same part of time, too: an off-CPU interval of that in which it ended. Without a key of tasks all threads are
 * one group.
 */
#pragma once
#include <dusk/dusk.h>
#include "report/model/thread_label.h"
#include "report/model/time_base.h"
#include "report/model/time_bucket.h"

enum key {
	KEY_COMM = 1,
	KEY_PID = 2,
	KEY_TID = 4,
	KEY_DSO = 8,
	KEY_FUNCTION = 16,
	KEY_LINE = 32,
	KEY_STATE = 64,

	/* Labels of threads, in the order of enum thread_label: */
	KEY_SERVICE = 32768,
	KEY_UNIT = 65536,
	KEY_CONTAINER = 131072,
	KEY_POD = 262144,
	KEY_NAMESPACE = 524288,
	KEY_VERSION = 1048576,
	KEY_CGROUP = 2097152,
	KEY_HOST = 4194304,

	KEY_TIME = 8388608,

	/* Columns of weight, which do not distinguish rows: */
	KEY_SELF_PERCENT = 128,
	KEY_TOTAL_PERCENT = 256,
	KEY_SELF = 512,
	KEY_TOTAL = 1024,
	KEY_COUNT = 2048,
	KEY_RUNNABLE = 4096,
	KEY_AVERAGE = 8192,
	KEY_LONGEST = 16384,
};

#define NR_KEYS 24

#define KEYS_OF_LABELS \
	(KEY_SERVICE | KEY_UNIT | KEY_CONTAINER | KEY_POD | KEY_NAMESPACE | KEY_VERSION | KEY_CGROUP | KEY_HOST)
#define KEYS_OF_TASKS (KEY_COMM | KEY_PID | KEY_TID | KEY_STATE | KEYS_OF_LABELS)
#define KEYS_OF_FRAMES (KEY_DSO | KEY_FUNCTION | KEY_LINE)
#define KEYS_OF_ROWS (KEYS_OF_TASKS | KEYS_OF_FRAMES | KEY_TIME)
#define KEYS_OF_PERCENT (KEY_SELF_PERCENT | KEY_TOTAL_PERCENT)
#define KEYS_OF_AMOUNT (KEY_COUNT | KEY_RUNNABLE | KEY_AVERAGE | KEY_LONGEST)
#define KEYS_OF_WEIGHT (KEYS_OF_PERCENT | KEY_SELF | KEY_TOTAL | KEYS_OF_AMOUNT)

static inline enum key key_of_label(enum thread_label which)
{
	return KEY_SERVICE << which;
}

/* @key is one of KEYS_OF_LABELS. */
static inline enum thread_label label_of_key(enum key key)
{
	return __builtin_ctz(key) - __builtin_ctz(KEY_SERVICE);
}

struct group {
	const char *comm;		     /* NULL: KEY_COMM is not requested */
	pid_t pid, tid;			     /* -1: not requested */
	const char *state;		     /* NULL: not requested */
	const char *label[NR_THREAD_LABELS]; /* NULL: not requested */
	uint64_t time_ns;		     /* when its time begins: time_bucket(); 0 if not requested */
};

struct groups {
	struct group *v;
	uint32_t nr;
	uint32_t *of;			   /* index of @v by thread (of dusk_profile.threads) and state; or by sample */
	uint32_t nr_states;		   /* 1: states do not matter */
	const struct dusk_sample *samples; /* those by which @of goes; NULL: it goes by thread and state */
	struct time_buckets time;
};

static inline uint32_t group_of(const struct groups *g, const struct dusk_sample *s)
{
	if (g->samples)
		return g->of[s - g->samples];
	return g->of[(size_t)s->thread * g->nr_states + (g->nr_states > 1 ? state_of(s) : 0)];
}

/* Group the samples of @p by @keys, a set of enum key. Free *@ret with groups_free(). Returns 0 or -ENOMEM. */
int groups_new(struct groups **ret, const struct dusk_profile *p, unsigned int keys);
void groups_free(struct groups *g);

static inline void groups_freep(struct groups **g)
{
	groups_free(*g);
}

int group_compare(const struct group *a, const struct group *b);
