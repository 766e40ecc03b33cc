/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A ClickHouse server, over HTTP.
 *
 * Its address is a URL: clickhouse://USER:PASSWORD@HOST:PORT/DATABASE. What is left out is default, "", 127.0.0.1, 8123 and
 * dusk; clickhouses:// is over TLS, at port 8443. The password may be in $DUSK_CLICKHOUSE_PASSWORD instead, as command lines
 * can be read by others. A statement that has no answer after 300 s, or $DUSK_CLICKHOUSE_TIMEOUT, has failed.
 */
#pragma once
#include <dusk/dusk.h>
#include <signal.h>
#include "fleet/clickhouse/buffer.h"

struct client;

/* Prepare to ask the server at @url. Free *@ret with client_free(). Returns 0; -EINVAL: it is no such URL; -ERANGE:
 * the timeout is none; -ENOMEM. */
int client_new(struct client **ret, const char *url, struct dusk_error *err);
void client_free(struct client *c);

static inline void client_freep(struct client **c)
{
	client_free(*c);
}

/* The name of the database, which is a word of letters, digits and '_'. */
const char *client_database(const struct client *c);

/* Where it is, without the password: "http://127.0.0.1:8123/ dusk". It is the same for the same server and database. */
const char *client_place(const struct client *c);

/*
 * A statement that was given up may come to the server later, if the network holds it back. So what must not be done twice goes in a session,
 * with a number of its own; and before it is tried again, that session is ended, and another one set.
 *
 * client_set_session: what has an id goes in the session @number from now on. Without a session, or where a server has none, only a
 * statement that runs keeps another one with its id from running.
 *
 * client_end_session: nothing of the session @number (0: none) is done any more, whenever it comes; what runs is waited for. Returns 0, or as
 * client_run(); -EAGAIN: something runs for long.
 */
void client_set_session(struct client *c, uint64_t number);
int client_end_session(struct client *c, uint64_t number, struct dusk_error *err);

/* What waits for a server is given up a second after a signal has set *@stop, and fails with -EAGAIN. @stop must live as long as the client. */
void client_set_stop(struct client *c, const volatile sig_atomic_t *stop);

/* The header in which a collector finds the types of the columns (buffer.h), as it may not know all of them. */
#define CLIENT_TYPES "X-Dusk-Types"

/* What these say to a server. */
#define CLIENT_BEGIN_SESSION "SELECT 1"
#define CLIENT_END_SESSION "SET readonly = 1"

/*
 * Run the statement @sql, followed by @data (NULL: none). @id: the server refuses another statement with this id while one
 * runs, it is done in the session that was set, and there is no answer; NULL: any. *@answer (NULL: not needed) is what the server has said, with a 0 byte behind it; free it with free().
 *
 * Returns 0; -EBADMSG: the server refuses @data, and will again; -EINVAL: it refuses the statement, likewise; -EACCES: user or password are wrong; -EAGAIN: it
 * is not known whether it was done, as the connection failed, or the server.
 */
int client_run(struct client *c, const char *sql, const char *id, const struct buffer *data, char **answer,
	       size_t *answer_len, struct dusk_error *err);

/* The same for @data that is packed already: gzip streams, one behind the other. */
int client_run_packed(struct client *c, const char *sql, const char *id, const void *data, size_t len,
		      struct dusk_error *err);
