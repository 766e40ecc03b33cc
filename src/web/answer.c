/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Answer with what dusk writes. See answer.h. */
#include "web/answer.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "web/run.h"

#define BLOCK 65536
#define FAILED_BY_USAGE 2 /* exit statuses of dusk: src/cli/cmdline/command.h */
#define FOUND_NOTHING 4

/* An answer on its way: what dusk writes is passed on, and kept if it is all of it. */
struct stream {
	struct run *run;
	struct cache *cache;
	struct cache_entry kept; /* .key is NULL: it is not to be kept */
	size_t nr, taken;	 /* bytes of the first block */
	char first[BLOCK];
};

static void stream_free(void *ctx)
{
	struct stream *st = ctx;

	run_free(st->run);
	cache_entry_done(&st->kept);
	free(st);
}

static ssize_t stream_read(void *ctx, uint64_t at, char *buffer, size_t room)
{
	struct stream *st = ctx;
	size_t left = st->nr - st->taken;
	ssize_t n = left < room ? left : room;

	if (left) {
		memcpy(buffer, st->first + st->taken, n);
		st->taken += n;
	} else {
		n = run_read(st->run, buffer, room);
	}
	if (n > 0) {
		cache_entry_add(&st->kept, buffer, n);
		return n;
	}
	if (n)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	cache_keep(st->cache, &st->kept);
	return MHD_CONTENT_READER_END_OF_STREAM;
}

/* What it has said, in one line of a header; what is no printable ASCII character becomes a blank. */
static void say_in_header(struct MHD_Response *r, const char *text)
{
	char said[RUN_SAID_BYTES];

	strcpy(said, text);
	for (char *p = said; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = ' ';
	if (*said)
		MHD_add_response_header(r, "Dusk-Said", said);
}

/* A message without the program that says it, "dusk: " or "dusk report: ". */
static const char *without_name(const char *said)
{
	const char *colon = strstr(said, ": ");

	return !strncmp(said, "dusk", 4) && colon ? colon + 2 : said;
}

/* It has ended without an answer, or not ended: @err of run_read(). */
static answer_t send_failure(struct MHD_Connection *c, struct run *run, int err)
{
	char said[RUN_SAID_BYTES];
	unsigned int status = MHD_HTTP_INTERNAL_SERVER_ERROR;

	run_said(run, said);
	if (err == -ETIMEDOUT)
		return response_refuse(c, MHD_HTTP_GATEWAY_TIMEOUT, "this takes too long: ask for less time");
	if (run_status(run) >= 128)
		return response_refuse(c, MHD_HTTP_GATEWAY_TIMEOUT, "this takes too much: ask for less time");
	if (run_status(run) == FAILED_BY_USAGE)
		status = MHD_HTTP_BAD_REQUEST;
	else if (run_status(run) == FOUND_NOTHING)
		status = MHD_HTTP_NOT_FOUND;
	said[strcspn(said, "\n")] = 0;
	return response_refuse(c, status, *said ? without_name(said) : "dusk failed");
}

static answer_t send_answer(struct MHD_Connection *c, const struct route *route, struct MHD_Response *r,
			    const char *said)
{
	if (!r)
		return MHD_NO;
	say_in_header(r, said);
	if (route->gzip)
		MHD_add_response_header(r, "Content-Encoding", "gzip");
	return response_send(c, MHD_HTTP_OK, r, route->type);
}

answer_t answer_by_dusk(struct cache *cache, const char *dusk, const char *store, struct MHD_Connection *c,
			const struct route *route, const char *const *words)
{
	struct stream *st = calloc(1, sizeof(*st));
	struct MHD_Response *r;
	ssize_t n;
	int err;

	if (!st)
		return MHD_NO;
	st->cache = cache;
	if (cache_find(cache, store, words, time(NULL), &st->kept)) {
		answer_t sent =
			send_answer(c, route, response_of_text(st->kept.bytes.v, st->kept.bytes.nr), st->kept.said);

		stream_free(st);
		return sent;
	}
	err = run_new(&st->run, dusk, words);
	if (err) {
		stream_free(st);
		return err == -EBUSY ? response_refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE, "too many ask: try again later")
				     : response_refuse(c, MHD_HTTP_INTERNAL_SERVER_ERROR, strerror(-err));
	}
	n = run_read(st->run, st->first, sizeof(st->first));
	if (n < 0) {
		answer_t sent = send_failure(c, st->run, n);

		stream_free(st);
		return sent;
	}
	st->nr = n;
	run_said(st->run, st->kept.said);
	r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, stream_read, st, stream_free);
	if (!r)
		stream_free(st);
	return send_answer(c, route, r, r ? st->kept.said : "");
}
