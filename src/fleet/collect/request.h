/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One request, from what its head says up to the answer, whatever carries it (src/fleet/collect/server.c).
 *
 * A post is acknowledged when it is on disk. That and questions to shards take their time, and are done by threads of
 * their own, which call .answered in the end.
 */
#pragma once
#include <limits.h>
#include "base/vec.h"
#include "fleet/clickhouse/row_types.h"
#include "fleet/collect/collector.h"

enum request_kind {
	REQUEST_ANSWERED, /* .status and .text are there */
	REQUEST_INSERT,	  /* .post is there when its rows have been checked */
	REQUEST_QUESTION, /* it becomes one of the next three, when all of it is there */
	REQUEST_ARRIVED,
	REQUEST_END,
	REQUEST_TABLES,
};

/* What the head of a request says; NULL: nothing. */
struct request_head {
	const char *password, *sql, *encoding, *types;
};

struct request {
	struct job job;
	enum request_kind kind;
	unsigned int status;
	char text[512];
	void (*answered)(struct request *r);
	void *carrier;	   /* of the connection that waits for that */
	struct peer *peer; /* that has sent it */
	double until_s;	   /* by now_s(): all of it has to be there */
	struct vec(uint8_t) body;
	struct spool_post post;
	struct row_layout *layout; /* of its rows, if they do not have the table's own columns; NULL: they have */
	uint32_t day;		   /* of REQUEST_ARRIVED and REQUEST_END */
	uint64_t batch;
	char host[HOST_NAME_MAX + 1]; /* of REQUEST_END */
};

#define REQUEST_ENDS "the collector ends: try again"
#define REQUEST_S 120	  /* in which all of a post has to come: a small one over a slow network does */
#define REQUEST_IDLE_S 30 /* in which some more of it has to */

/* Take the head of a POST of @r->peer. */
void request_begin(struct collector *c, struct request *r, const struct request_head *head);

/* Take a part of the body. Returns false if it comes too late: what is left is not worth waiting for. */
bool request_take(struct collector *c, struct request *r, const void *data, size_t len);

/* All of it is there. Returns true if it is answered; otherwise request_wait() is to be called. */
bool request_end(struct collector *c, struct request *r);

/* Give it to a thread, which calls .answered. Returns false if the collector is about to end. */
bool request_wait(struct collector *c, struct request *r);

void request_done(struct collector *c, struct request *r);

/* Answer with a text. */
void request_answer(struct request *r, unsigned int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* What the threads do: struct worker's work, with the collector as its context. */
void request_check(void *collector, struct job *first);
void request_commit(void *collector, struct job *first);
void request_ask(void *collector, struct job *first);
