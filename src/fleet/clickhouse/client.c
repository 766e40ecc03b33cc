/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Statements over HTTP, by libcurl. See client.h. */
#include "fleet/clickhouse/client.h"
#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/gzip.h"
#include "base/memstream.h"
#include "fleet/clickhouse/statement.h"
#include "lib/error.h"
#include "fleet/send/patience.h"

#define CONNECT_S 10L
#define STATEMENT_S 300
#define TIMEOUT "DUSK_CLICKHOUSE_TIMEOUT"
#define SESSION_S 600	 /* a session without statements is forgotten by the server after so long */
#define SESSION_BYTES 96 /* what an address has of it */
#define BUSY_TRIES 20
#define BUSY_US 250000
#define MAX_ANSWER_BYTES (1U << 30)
#define MAX_STATEMENT_BYTES "16777216"

struct client {
	CURL *curl;
	char *url, *user, *password;
	char database[64], place[512];
	long timeout_ms;   /* of a statement */
	uint64_t session;  /* of statements with an id; 0: none */
	const char *types; /* of the rows that are posted; NULL: it is not said */
	bool begun;	   /* the server knows it */
	struct patience patience;
	bool no_sessions; /* it has none */
};

/* What the server says. */
struct answer {
	struct vec(char) text;
};

static size_t take(char *data, size_t size, size_t nr, void *ctx)
{
	struct answer *a = ctx;
	size_t len = size * nr;

	return a->text.nr + len > MAX_ANSWER_BYTES || vec_append(&a->text, data, len) ? 0 : len;
}

/* libcurl asks this about once a second while nothing happens. */
static int is_over(void *patience, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	return patience_is_over(patience);
}

void client_set_stop(struct client *c, const volatile sig_atomic_t *stop)
{
	c->patience.stop = stop;
}

void client_free(struct client *c)
{
	if (!c)
		return;
	curl_easy_cleanup(c->curl);
	curl_free(c->url);
	curl_free(c->user);
	if (c->password)
		explicit_bzero(c->password, strlen(c->password));
	free(c->password);
	free(c);
}

static void url_cleanupp(CURLU **u)
{
	curl_url_cleanup(*u);
}

static void curl_freep(char **text)
{
	curl_free(*text);
}

/* The word behind the host is the database, and no part of the server's own address. */
static int take_database(struct client *c, CURLU *u)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	_cleanup_(curl_freep) char *path = NULL;
	const char *name;

	if (curl_url_get(u, CURLUPART_PATH, &path, 0))
		return -ENOMEM;
	name = path[0] == '/' && path[1] ? path + 1 : "dusk";
	if (strlen(name) >= sizeof(c->database) || strspn(name, word) != strlen(name) || strchr("0123456789", *name))
		return -EINVAL;
	strcpy(c->database, name);
	return curl_url_set(u, CURLUPART_PATH, "/", 0) ? -ENOMEM : 0;
}

static int take_password(struct client *c, CURLU *u)
{
	_cleanup_(curl_freep) char *given = NULL;
	const char *hidden = getenv("DUSK_CLICKHOUSE_PASSWORD");

	curl_url_get(u, CURLUPART_PASSWORD, &given, CURLU_URLDECODE);
	c->password = strdup(given ?: hidden ?: "");
	return c->password ? 0 : -ENOMEM;
}

static int take_timeout(struct client *c)
{
	const char *text = getenv(TIMEOUT);
	double s = STATEMENT_S;
	char *end = NULL;

	if (text)
		s = strtod(text, &end);
	if ((end && *end) || !(s >= 0.1 && s <= 86400))
		return -ERANGE;
	c->timeout_ms = s * 1000;
	return 0;
}

static int parse(struct client *c, const char *url)
{
	static const char plain[] = "clickhouse://", tls[] = "clickhouses://";
	bool is_tls = !strncmp(url, tls, strlen(tls));
	_cleanup_(url_cleanupp) CURLU *u = curl_url();
	_cleanup_(curl_freep) char *port = NULL, *query = NULL, *fragment = NULL;
	_cleanup_(freep) char *http = NULL;
	int err;

	if (!is_tls && strncmp(url, plain, strlen(plain)))
		return -EINVAL;
	if (!u || asprintf(&http, "http%s://%s", is_tls ? "s" : "", url + (is_tls ? strlen(tls) : strlen(plain))) < 0)
		return -ENOMEM;
	if (curl_url_set(u, CURLUPART_URL, http, 0) || !curl_url_get(u, CURLUPART_QUERY, &query, 0) ||
	    !curl_url_get(u, CURLUPART_FRAGMENT, &fragment, 0))
		return -EINVAL;
	err = take_database(c, u) ?: take_password(c, u) ?: take_timeout(c);
	if (err)
		return err;
	curl_url_get(u, CURLUPART_USER, &c->user, CURLU_URLDECODE);
	if (curl_url_get(u, CURLUPART_PORT, &port, 0) && curl_url_set(u, CURLUPART_PORT, is_tls ? "8443" : "8123", 0))
		return -ENOMEM;
	curl_url_set(u, CURLUPART_USER, NULL, 0);
	curl_url_set(u, CURLUPART_PASSWORD, NULL, 0);
	if (curl_url_get(u, CURLUPART_URL, &c->url, 0))
		return -ENOMEM;
	snprintf(c->place, sizeof(c->place), "%s %s", c->url, c->database);
	return 0;
}

int client_new(struct client **ret, const char *url, struct dusk_error *err)
{
	_cleanup_(client_freep) struct client *c = calloc(1, sizeof(*c));
	int rc = c ? parse(c, url) : -ENOMEM;

	if (!rc) {
		c->curl = curl_easy_init();
		rc = c->curl ? 0 : -ENOMEM;
	}
	if (rc == -EINVAL)
		return error_set(err, rc,
				 "a store is clickhouse://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE], or "
				 "clickhouses:// for TLS");
	if (rc == -ERANGE)
		return error_set(err, rc, TIMEOUT " is a number of seconds, from 0.1 to 86400");
	if (rc)
		return error_complete(err, rc, "cannot ask a server");
	*ret = steal(c);
	return 0;
}

const char *client_database(const struct client *c)
{
	return c->database;
}

const char *client_place(const struct client *c)
{
	return c->place;
}

/* What is inserted is one block, of which a server stores all or nothing, also if its own blocks are smaller. */
#define ONE_BLOCK "&max_insert_block_size=1048576"

/* The statement @sql is in the address, and what is compressed behind it; NULL: it is what is posted, and may be long. */
static char *address(const struct client *c, const char *sql, const char *id, const char *session)
{
	_cleanup_(curl_freep) char *escaped = curl_easy_escape(c->curl, sql ?: "", 0);
	char *url;

	if (!escaped || asprintf(&url, "%s?wait_end_of_query=1%s%s%s%s%s", c->url, session,
				 sql ? ONE_BLOCK "&query=" : "&max_query_size=" MAX_STATEMENT_BYTES, escaped,
				 id ? "&query_id=" : "", id ?: "") < 0)
		return NULL;
	return url;
}

/* Add "NAME: VALUE", which may be as long as it likes; if memory is short it is left out, and the server says what it lacks. */
static struct curl_slist *with_header(struct curl_slist *list, const char *name, const char *value)
{
	struct curl_slist *more = NULL;
	char *line;

	if (asprintf(&line, "%s: %s", name, value) >= 0) {
		more = curl_slist_append(list, line);
		explicit_bzero(line, strlen(line));
		free(line);
	}
	return more ?: list;
}

static struct curl_slist *headers(const struct client *c, bool packed, const char *types)
{
	struct curl_slist *list = NULL, *more;
	const char *fixed[] = {"Expect:", "Content-Type: application/octet-stream",
			       packed ? "Content-Encoding: gzip" : NULL};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]) && fixed[i]; i++) {
		more = curl_slist_append(list, fixed[i]);
		list = more ?: list;
	}
	if (types)
		list = with_header(list, CLIENT_TYPES, types);
	if (c->user)
		list = with_header(list, "X-ClickHouse-User", c->user);
	return *c->password ? with_header(list, "X-ClickHouse-Key", c->password) : list;
}

static int pack(const struct buffer *data, char **ret, size_t *ret_len)
{
	FILE *out = open_memstream(ret, ret_len);

	return out ? memstream_end(out, gzip_all(out, data->bytes.v, data->bytes.nr)) : -ENOMEM;
}

static bool has_code(const char *text, unsigned int code)
{
	char word[32];
	size_t len = snprintf(word, sizeof(word), "Code: %u", code);
	const char *at = strstr(text, word);

	return at && !strchr("0123456789", at[len] ?: ' ');
}

/* Is it the rows that are refused, by a collector, or by a server that cannot read them? Then they will be again. */
static bool are_bad_rows(const char *text)
{
	static const unsigned int codes[] = {27, 33, 117, 128, 131}; /* of ClickHouse: src/Common/ErrorCodes.cpp */
	bool bad =
		strstr(text, STATEMENT_BAD_ROWS) || strstr(text, STATEMENT_MANY_ROWS) || strstr(text, STATEMENT_LARGE);

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		bad |= has_code(text, codes[i]);
	return bad;
}

/* The first line of what a server says. */
static int refused(long status, struct answer *a, const char *place, bool in_session, bool rows, struct dusk_error *err)
{
	bool unsure = status >= 500 || status == 429;
	int code = status == 401 || status == 403 ? -EACCES : unsure ? -EAGAIN : -EINVAL;

	if (vec_push(&a->text, 0))
		return -ENOMEM;
	a->text.v[strcspn(a->text.v, "\n")] = 0;
	/* Statements with errors, and users that it does not know, are 500 and 404 to older servers. */
	if (has_code(a->text.v, 192) || has_code(a->text.v, 193) || has_code(a->text.v, 194) ||
	    has_code(a->text.v, 516) || strstr(a->text.v, "REQUIRED_PASSWORD"))
		code = -EACCES;
	else if (strstr(a->text.v, "Syntax error") || strstr(a->text.v, "doesn't exist") ||
		 strstr(a->text.v, "does not exist"))
		code = -EINVAL;
	else if (in_session && has_code(a->text.v, 372))
		code = -ENOENT; /* there is no such session */
	else if (in_session && has_code(a->text.v, 373))
		code = -EBUSY; /* a statement of it runs */
	else if (in_session && has_code(a->text.v, 164))
		code = -EROFS; /* it was ended */
	else if (rows && are_bad_rows(a->text.v))
		code = -EBADMSG;
	return error_set(err, code, "the server at %s says %ld: %.400s", place, status, a->text.v);
}

/* Post @data, which is packed; NULL: nothing. @session: words of the address. Returns as client_run(), or what refused() does. */
static int post(struct client *c, const char *sql, const char *id, const char *session, const void *data, size_t len,
		char **answer, size_t *answer_len, struct dusk_error *err)
{
	_cleanup_(freep) char *url = address(c, data ? sql : NULL, id, session);
	struct curl_slist *lines = headers(c, data != NULL, data ? c->types : NULL);
	struct answer a = {.text = {0}};
	CURLcode code = CURLE_OUT_OF_MEMORY;
	long status = 0;
	int rc = 0;

	if (url && lines) {
		curl_easy_reset(c->curl);
		curl_easy_setopt(c->curl, CURLOPT_URL, url);
		curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, lines);
		/* A request on a connection that was used before, and has died, is sent again by libcurl: an insert would be there twice. */
		curl_easy_setopt(c->curl, CURLOPT_FRESH_CONNECT, (long)(id != NULL));
		curl_easy_setopt(c->curl, CURLOPT_POST, 1L);
		curl_easy_setopt(c->curl, CURLOPT_POSTFIELDS, data ?: sql);
		curl_easy_setopt(c->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)(data ? len : strlen(sql)));
		curl_easy_setopt(c->curl, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
		curl_easy_setopt(c->curl, CURLOPT_TIMEOUT_MS, c->timeout_ms);
		curl_easy_setopt(c->curl, CURLOPT_NOSIGNAL, 1L);
		curl_easy_setopt(c->curl, CURLOPT_NOPROGRESS, (long)!c->patience.stop);
		curl_easy_setopt(c->curl, CURLOPT_XFERINFOFUNCTION, is_over);
		curl_easy_setopt(c->curl, CURLOPT_XFERINFODATA, &c->patience);
		curl_easy_setopt(c->curl, CURLOPT_WRITEFUNCTION, take);
		curl_easy_setopt(c->curl, CURLOPT_WRITEDATA, &a);
		code = curl_easy_perform(c->curl);
		curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &status);
	}
	curl_slist_free_all(lines);
	if (code)
		rc = error_set(err, -EAGAIN, "cannot reach the server at %s: %s", c->place, curl_easy_strerror(code));
	else if (status != 200)
		rc = refused(status, &a, c->place, *session, data, err);
	else if (answer && vec_push(&a.text, 0))
		rc = error_set(err, -ENOMEM, "cannot ask the server at %s: out of memory", c->place);
	else if (answer) {
		*answer_len = a.text.nr - 1;
		*answer = vec_steal(&a.text);
	}
	vec_done(&a.text);
	return rc;
}

/* ---- Sessions ---- */

void client_set_session(struct client *c, uint64_t number)
{
	c->begun = c->begun && number == c->session;
	c->session = number;
}

/* What an address has of a session, which is made by the statement if it may be new. */
static const char *words_of(char ret[SESSION_BYTES], uint64_t session, bool may_be_new)
{
	snprintf(ret, SESSION_BYTES, "&session_id=dusk-%016" PRIx64 "&session_timeout=%d%s", session, SESSION_S,
		 may_be_new ? "" : "&session_check=1");
	return ret;
}

static int begin_session(struct client *c, struct dusk_error *err)
{
	char words[SESSION_BYTES];
	int rc = post(c, CLIENT_BEGIN_SESSION, NULL, words_of(words, c->session, true), NULL, 0, NULL, NULL, err);

	c->no_sessions = rc == -ENOENT || rc == -EINVAL;
	c->begun = !rc;
	return c->no_sessions ? 0 : rc;
}

int client_end_session(struct client *c, uint64_t number, struct dusk_error *err)
{
	char words[SESSION_BYTES];
	int rc = 0;

	for (int i = 0; number && i < BUSY_TRIES; i++) {
		if (rc && patience_is_over(&c->patience))
			break;
		if (rc)
			usleep(BUSY_US);
		rc = post(c, CLIENT_END_SESSION, NULL, words_of(words, number, false), NULL, 0, NULL, NULL, err);
		if (rc != -EBUSY)
			break;
	}
	if (rc == -EBUSY)
		return error_set(err, -EAGAIN, "an INSERT still runs at %s", c->place);
	/* It is not there any more, was ended before, or there are none. */
	if (rc == -ENOENT || rc == -EROFS || rc == -EINVAL)
		rc = 0;
	if (!rc)
		*err->text = 0;
	return rc;
}

/* What the server has forgotten since it was begun is begun anew. */
static int try_in_session(struct client *c, const char *sql, const char *id, const void *data, size_t len,
			  struct dusk_error *err)
{
	char words[SESSION_BYTES];
	int rc = c->begun ? 0 : begin_session(c, err);

	if (rc || c->no_sessions)
		return rc;
	rc = post(c, sql, id, words_of(words, c->session, false), data, len, NULL, NULL, err);
	c->begun = rc != -ENOENT;
	return rc == -EBUSY || rc == -EROFS ? -EAGAIN : rc;
}

/* If it is not there although it has just been begun, several servers answer, none of which knows what the others do. */
static int post_in_session(struct client *c, const char *sql, const char *id, const void *data, size_t len,
			   struct dusk_error *err)
{
	int rc = -ENOENT;

	for (int i = 0; c->session && !c->no_sessions && rc == -ENOENT && i < 2; i++)
		rc = try_in_session(c, sql, id, data, len, err);
	c->no_sessions |= c->session && rc == -ENOENT;
	if (!c->session || c->no_sessions)
		rc = post(c, sql, id, "", data, len, NULL, NULL, err);
	if (!rc)
		*err->text = 0;
	return rc;
}

/* ---- Statements ---- */

int client_run(struct client *c, const char *sql, const char *id, const struct buffer *data, char **answer,
	       size_t *answer_len, struct dusk_error *err)
{
	_cleanup_(freep) char *packed = NULL;
	size_t len = 0;

	c->types = data ? data->types : NULL;
	if (data && pack(data, &packed, &len))
		return error_set(err, -ENOMEM, "cannot ask the server at %s: out of memory", c->place);
	return id ? post_in_session(c, sql, id, packed, len, err)
		  : post(c, sql, NULL, "", packed, len, answer, answer_len, err);
}

int client_run_packed(struct client *c, const char *sql, const char *id, const void *data, size_t len,
		      struct dusk_error *err)
{
	return post_in_session(c, sql, id, data, len, err);
}
