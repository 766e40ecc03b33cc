/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is asked of a server, as SQL. It is said in words:
 *
 *	service=shop	only samples with this text in this column, in which "*" is any; another of the same column is an alternative
 *	by=host,comm	tell these columns, and time, apart; without this all of them
 *	stacks=cpu	with the stacks of that kind only: cpu, off-cpu, usual (of CPU if there are any), all, or none
 *	others=one	of the kinds that have no stacks one sample, which says that there are some, instead of their sums
 *	rest=sums	what does not match too, as its sums by kind and outcome; rest=usual: one sample, if it settles what is usual
 *	rows=100000	at most so many rows; the others without their stacks
 */
#pragma once
#include <dusk/dusk.h>
#include <stdbool.h>
#include <stdint.h>

enum query_column {
	COLUMN_HOST,
	COLUMN_SERVICE,
	COLUMN_VERSION,
	COLUMN_UNIT,
	COLUMN_CONTAINER,
	COLUMN_POD,
	COLUMN_NAMESPACE,
	COLUMN_PID,
	COLUMN_COMM,
	NR_QUERY_COLUMNS
};

enum query_stacks { STACKS_ALL, STACKS_CPU, STACKS_OFF_CPU, STACKS_USUAL, STACKS_NONE };
enum query_rest { REST_NONE, REST_SUMS, REST_USUAL };

#define QUERY_ROWS 500000

struct query {
	const char *database, *suffix; /* of the names of tables */
	uint64_t from_s, to_s, step_s; /* samples are summed up over each step */
	bool has_sums;		       /* there is the table sums */
	bool apart[NR_QUERY_COLUMNS], by_time;
	bool of_process; /* the match is of what sums do not have */
	enum query_stacks stacks;
	bool one_of_others;
	enum query_rest rest;
	uint64_t max_rows;
	char *time, *match; /* conditions; match: NULL, anything does */
};

/* What samples a statement is of. */
enum query_kind { QUERY_ANY, QUERY_ON_CPU, QUERY_OFF_CPU };

/*
 * Set what @words say, which a NULL ends; the members before apart are set already. Free with query_done(), in any case. Returns 0;
 * -EINVAL: a word makes no sense; -ENOMEM.
 */
int query_read(struct query *q, const char *const *words, struct dusk_error *err);
void query_done(struct query *q);

/* Each of these returns a statement to free(), or NULL: out of memory. */
char *query_hosts(const struct query *q, enum query_kind);		  /* how many there are, and one of them */
char *query_any(const struct query *q, enum query_kind kind);		  /* 1 if there is anything of that time; 0 */
char *query_samples(const struct query *q, enum query_kind, bool stacks); /* rows of rebuild_sample() */
char *query_others(const struct query *q, enum query_kind);		  /* the same, as sums over all stacks */
char *query_one(const struct query *q, enum query_kind);		  /* one sample, if there is any */
char *query_rest(const struct query *q);
char *query_stacks(const struct query *q, const uint64_t *ids, size_t nr);
char *query_frames(const struct query *q, const uint64_t *ids, size_t nr);
char *query_counts(const struct query *q);

/* Hosts, with how many rows that the other statements leave out; and @words: that rebuild_sample() does. */
char *query_bad(const struct query *q, enum query_kind kind, bool words);
