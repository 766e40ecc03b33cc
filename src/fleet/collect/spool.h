/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What agents have posted and the shards do not have yet: a database in a folder.
 *
 * A post is acknowledged when it is in the spool, and leaves it when the shard has it. Posts of a shard, a table and a day, in
 * the order in which they came, become one INSERT. Which ones these are is written before it is sent, so that after a
 * failure, or a kill, the very same INSERT is sent again, if the shard says that it does not have it.
 *
 * The batches that have arrived are remembered for a quarter of an hour, as a post may come again from a connection that was
 * slow. Functions may be called from any thread.
 */
#pragma once
#include <dusk/dusk.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPOOL_ROWS_ENOUGH 10000		/* an INSERT of fewer rows is worth waiting for more */
#define SPOOL_ROWS_MAX (1u << 20)	/* a server's block: all of an INSERT, or nothing, is stored */
#define SPOOL_BYTES_ENOUGH (4ULL << 20) /* of an INSERT, packed */
#define SPOOL_BYTES_MAX (32ULL << 20)	/* at most, and of a post */

struct spool;

struct spool_post {
	size_t table;	/* tables[] */
	uint32_t shard; /* of tables with a batch; others go to all shards */
	uint32_t day;
	uint64_t batch, nr_rows;
	const void *data; /* packed */
	size_t len;
	int result; /* 0: it is on disk; -EEXIST: it is, or was, there before; -EDQUOT: the spool is full; or another */
};

/* Some posts of one table and day, as one INSERT. */
struct spool_insert {
	uint64_t id; /* no other one has it, nor has this one when it is sent again */
	size_t table;
	uint32_t day;
	uint64_t batch; /* one of those in it; if the shard has it, it has all of an INSERT of samples */
	uint64_t nr_rows, nr_posts;
	uint8_t *data; /* the posts' data one behind the other: gzip streams make a gzip stream */
	size_t len;
	bool maybe; /* it may have been sent before */
};

struct spool_state {
	uint64_t max_bytes, used_bytes, nr_posts, nr_rows;
	double oldest_s; /* how long the oldest post has waited */
};

/*
 * Open the spool in @folder, which is made if it is not there, for the shards with @places, of at most @max_bytes on disk:
 * these are allocated now. Posts wait for others for @wait_ms. Free *@ret with spool_free().
 *
 * Returns 0; -EBUSY: another process has it; -EEXIST: it has posts for a shard that is not among @places; or another
 * negative errno; with a text in @err.
 */
int spool_open(struct spool **ret, const char *folder, const char *const *places, uint32_t nr_places,
	       uint64_t max_bytes, uint64_t wait_ms, struct dusk_error *err);
void spool_free(struct spool *s);

/* Write @posts, all at once, so that they are there after a crash; each has a result. */
void spool_add(struct spool *s, struct spool_post *const *posts, size_t nr);

/* Is the batch in the spool, or has it left it of late? Otherwise it never came, or a shard has it. */
bool spool_has(struct spool *s, size_t table, uint64_t batch);

/*
 * Set @ret to what the shard @shard is to be sent next, and note that on disk; free it with spool_insert_done(). Returns 0;
 * -EAGAIN: nothing is due; or another negative errno.
 */
int spool_next(struct spool *s, uint32_t shard, struct spool_insert *ret);
void spool_insert_done(struct spool_insert *i);

/* The batches of the INSERT of samples that is being sent, in *@ret, to free(). Returns 0 or a negative errno. */
int spool_batches(struct spool *s, uint32_t shard, uint64_t **ret, size_t *ret_nr);

/* What spool_next() has set is sent again: it gets another id. Returns 0 or a negative errno. */
int spool_again(struct spool *s, uint32_t shard, struct spool_insert *i);

/* The shard has it. Returns 0 or a negative errno: then spool_next() returns it again. */
int spool_arrived(struct spool *s, uint32_t shard);

void spool_look(struct spool *s, struct spool_state *ret);
