/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Answer requests over HTTP. See server.h. */
#include "web/server.h"
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/json.h"
#include "web/metrics.h"
#include "web/openapi.h"
#include "web/page.h"
#include "web/route.h"
#include "web/run.h"
#include "web/store_state.h"

#define MAX_CONNECTIONS 64
#define MAX_ASKED 40
#define IDLE_S 120 /* a connection, or a reader that does not read */
#define BLOCK 65536
#define FAILED_BY_USAGE 2 /* exit statuses of dusk: src/cli/command.h */
#define FOUND_NOTHING 4
#define JSON "application/json"

#if MHD_VERSION < 0x00097002
typedef int answer_t;
#else
typedef enum MHD_Result answer_t;
#endif

struct server {
	struct MHD_Daemon *daemon;
	const struct server_options *o;
	struct page page;
};

union address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

/* ---- Answers ---- */

static answer_t send_response(struct MHD_Connection *c, unsigned int status, struct MHD_Response *r, const char *type)
{
	answer_t sent;

	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, "Content-Type", type);
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
	if (!MHD_get_response_header(r, "Cache-Control"))
		MHD_add_response_header(r, "Cache-Control", "no-store");
	sent = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	metrics_count(status);
	return sent;
}

static struct MHD_Response *of_text(const char *text, size_t bytes)
{
	return MHD_create_response_from_buffer(bytes, (void *)text, MHD_RESPMEM_MUST_COPY);
}

static answer_t refuse(struct MHD_Connection *c, unsigned int status, const char *why)
{
	char *text = NULL;
	size_t bytes;
	struct json j = {.out = open_memstream(&text, &bytes)};
	struct MHD_Response *r;

	if (!j.out)
		return MHD_NO;
	json_object(&j, NULL);
	json_string(&j, "error", why);
	json_object_end(&j);
	putc('\n', j.out);
	if (fclose(j.out)) {
		free(text);
		return MHD_NO;
	}
	r = of_text(text, bytes);
	free(text);
	if (r && status == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(r, "WWW-Authenticate", "Bearer");
	if (r && status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, "Allow", "GET, HEAD");
	return send_response(c, status, r, JSON);
}

static const char *header(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static answer_t send_page(struct server *s, struct MHD_Connection *c)
{
	const char *have = header(c, "If-None-Match");
	bool same = have && !strcmp(have, s->page.etag);
	struct MHD_Response *r =
		MHD_create_response_from_buffer(same ? 0 : s->page.bytes, s->page.text, MHD_RESPMEM_PERSISTENT);

	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, "ETag", s->page.etag);
	MHD_add_response_header(r, "Cache-Control", "no-cache"); /* it is asked whether it is the same */
	MHD_add_response_header(r, "Content-Security-Policy", "frame-ancestors 'none'");
	return send_response(c, same ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, r, "text/html; charset=utf-8");
}

/* The token is right: from now on the browser shows it as a cookie, and no address has it. */
static answer_t let_in(const struct server *s, struct MHD_Connection *c)
{
	char cookie[TOKEN_ROOM + 96];
	struct MHD_Response *r = of_text("", 0);

	if (!r)
		return MHD_NO;
	snprintf(cookie, sizeof(cookie), "%s=%s; Path=/; HttpOnly; SameSite=Lax", s->o->guard.cookie,
		 s->o->guard.token);
	MHD_add_response_header(r, "Set-Cookie", cookie);
	MHD_add_response_header(r, "Location", "/");
	return send_response(c, MHD_HTTP_SEE_OTHER, r, "text/plain");
}

/* What a function writes to a file, whose error it returns. */
static answer_t send_written(struct server *s, struct MHD_Connection *c, const char *type,
			     int (*write)(FILE *out, const struct server_options *o))
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	struct MHD_Response *r;
	int err;

	if (!out)
		return MHD_NO;
	err = write(out, s->o);
	if ((ferror(out) | fclose(out)) && !err)
		err = -ENOMEM;
	if (err) {
		free(text);
		return refuse(c, MHD_HTTP_INTERNAL_SERVER_ERROR, strerror(-err));
	}
	r = of_text(text, bytes);
	free(text);
	return send_response(c, MHD_HTTP_OK, r, type);
}

static int write_metrics(FILE *out, const struct server_options *o)
{
	return metrics_write(out, o->store, o->dusk);
}

static int write_openapi(FILE *out, const struct server_options *o)
{
	openapi_write(out);
	return 0;
}

static const char well[] = "{\"status\":\"ok\"}\n";

/* Ask a server whether something has come of late. */
static answer_t send_health_elsewhere(struct server *s, struct MHD_Connection *c)
{
	const char *words[] = {"dusk", "store", "status", s->o->store, NULL};
	char part[4096], why[RUN_SAID_BYTES];
	struct run *r;
	ssize_t n;

	if (run_new(&r, s->o->dusk, words))
		return refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE, "the store cannot be asked now");
	while ((n = run_read(r, part, sizeof(part))) > 0)
		;
	run_said(r, why);
	run_free(r);
	return n ? refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE, *why ? why : "the store cannot be read")
		 : send_response(c, MHD_HTTP_OK, of_text(well, strlen(well)), JSON);
}

static answer_t send_health(struct server *s, struct MHD_Connection *c)
{
	struct store_state state;
	char why[128];
	int err;

	if (store_is_elsewhere(s->o->store))
		return send_health_elsewhere(s, c);
	err = store_state_read(&state, s->o->store);
	if (!err && state.written_s_ago >= 0 && state.written_s_ago <= STALE_S)
		return send_response(c, MHD_HTTP_OK, of_text(well, strlen(well)), JSON);
	if (err)
		snprintf(why, sizeof(why), "the store cannot be read: %s", strerror(-err));
	else if (state.written_s_ago < 0)
		snprintf(why, sizeof(why), "nothing was recorded yet");
	else
		snprintf(why, sizeof(why), "nothing was recorded for %.0f seconds", state.written_s_ago);
	return refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE, why);
}

/* ---- Answers of dusk ---- */

struct stream {
	struct run *run;
	size_t nr, taken; /* bytes of the first block */
	char first[BLOCK];
};

static void stream_free(void *ctx)
{
	struct stream *st = ctx;

	run_free(st->run);
	free(st);
}

static ssize_t stream_read(void *ctx, uint64_t at, char *buffer, size_t room)
{
	struct stream *st = ctx;
	size_t left = st->nr - st->taken;
	ssize_t n;

	if (left) {
		n = left < room ? left : room;
		memcpy(buffer, st->first + st->taken, n);
		st->taken += n;
		return n;
	}
	n = run_read(st->run, buffer, room);
	if (n > 0)
		return n;
	return n ? MHD_CONTENT_READER_END_WITH_ERROR : MHD_CONTENT_READER_END_OF_STREAM;
}

/* What it has said, in one line of a header; what is no printable ASCII character becomes a blank. */
static void say_in_header(struct MHD_Response *r, struct run *run)
{
	char said[RUN_SAID_BYTES];

	run_said(run, said);
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
		return refuse(c, MHD_HTTP_GATEWAY_TIMEOUT, "this takes too long: ask for less time");
	if (run_status(run) >= 128)
		return refuse(c, MHD_HTTP_GATEWAY_TIMEOUT, "this takes too much: ask for less time");
	if (run_status(run) == FAILED_BY_USAGE)
		status = MHD_HTTP_BAD_REQUEST;
	else if (run_status(run) == FOUND_NOTHING)
		status = MHD_HTTP_NOT_FOUND;
	said[strcspn(said, "\n")] = 0;
	return refuse(c, status, *said ? without_name(said) : "dusk failed");
}

static answer_t send_run(struct server *s, struct MHD_Connection *c, const struct route *route,
			 const char *const *words)
{
	struct stream *st = calloc(1, sizeof(*st));
	struct MHD_Response *r;
	ssize_t n;
	int err = st ? run_new(&st->run, s->o->dusk, words) : -ENOMEM;

	if (err) {
		free(st);
		return err == -EBUSY ? refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE, "too many ask: try again later")
				     : refuse(c, MHD_HTTP_INTERNAL_SERVER_ERROR, strerror(-err));
	}
	n = run_read(st->run, st->first, sizeof(st->first));
	if (n < 0) {
		answer_t sent = send_failure(c, st->run, n);

		stream_free(st);
		return sent;
	}
	st->nr = n;
	r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, stream_read, st, stream_free);
	if (!r) {
		stream_free(st);
		return MHD_NO;
	}
	say_in_header(r, st->run);
	if (route->gzip)
		MHD_add_response_header(r, "Content-Encoding", "gzip");
	return send_response(c, MHD_HTTP_OK, r, route->type);
}

struct gathered {
	struct asked v[MAX_ASKED];
	size_t nr;
	bool too_many;
};

static answer_t gather(void *ctx, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct gathered *g = ctx;

	if (g->nr == MAX_ASKED) {
		g->too_many = true;
		return MHD_NO;
	}
	g->v[g->nr++] = (struct asked){name, value ?: ""};
	return MHD_YES;
}

static answer_t answer_route(struct server *s, struct MHD_Connection *c, const struct route *route)
{
	struct gathered asked = {.nr = 0};
	struct words words = {.v = {0}};
	char error[256] = "too many parameters";
	answer_t sent;
	int err;

	MHD_get_connection_values(c, MHD_GET_ARGUMENT_KIND, gather, &asked);
	err = asked.too_many ? -EINVAL : route_words(route, s->o->store, asked.v, asked.nr, &words, error);
	if (err == -EINVAL)
		sent = refuse(c, MHD_HTTP_BAD_REQUEST, error);
	else
		sent = err ? MHD_NO : send_run(s, c, route, words.v.v);
	words_done(&words);
	return sent;
}

/* ---- Requests ---- */

static enum guard_answer may_ask(const struct server *s, struct MHD_Connection *c)
{
	const struct guard *g = &s->o->guard;
	struct guard_claim claim = {
		.host = header(c, "Host"),
		.authorization = header(c, "Authorization"),
		.cookie = header(c, "Cookie"),
		.header = g->header ? header(c, g->header) : NULL,
		.token = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "token"),
	};

	return guard_ask(g, &claim);
}

static answer_t answer(void *ctx, struct MHD_Connection *c, const char *path, const char *method, const char *version,
		       const char *upload, size_t *upload_bytes, void **request)
{
	static int seen; /* an answer before the whole request has been read would close the connection */
	struct server *s = ctx;
	const struct route *route;

	if (!*request) {
		*request = &seen;
		return MHD_YES;
	}
	if (*upload_bytes) {
		*upload_bytes = 0;
		return MHD_YES;
	}
	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "there is nothing to change here");
	if (!strcmp(path, "/healthz")) /* it tells nothing but that we are here */
		return send_health(s, c);
	switch (may_ask(s, c)) {
	case GUARD_YES: break;
	case GUARD_ENTER: return let_in(s, c);
	case GUARD_NO:
		return refuse(c, MHD_HTTP_UNAUTHORIZED,
			      s->o->guard.mode == GUARD_TOKEN
				      ? "open the address that dusk web has printed, which has a token"
				      : "the proxy has not said who you are");
	case GUARD_WRONG_HOST:
		return refuse(c, MHD_HTTP_MISDIRECTED_REQUEST,
			      "ask by an address, or for localhost; or through a proxy");
	}
	if (!strcmp(path, "/"))
		return send_page(s, c);
	if (!strcmp(path, "/metrics"))
		return send_written(s, c, "text/plain; version=0.0.4", write_metrics);
	if (!strcmp(path, "/api/v1/openapi.json"))
		return send_written(s, c, JSON, write_openapi);
	route = route_find(path);
	return route ? answer_route(s, c, route)
		     : refuse(c, MHD_HTTP_NOT_FOUND, "/api/v1/openapi.json lists what there is");
}

/* ---- Begin and end ---- */

static int parse_address(const char *text, union address *ret)
{
	const char *colon = strrchr(text, ':');
	bool six = *text == '[';
	char host[64];
	char *end;
	unsigned long port = colon ? strtoul(colon + 1, &end, 10) : 0;

	if (!colon || !colon[1] || *end || port > 65535 || (six && (colon == text || colon[-1] != ']')) ||
	    snprintf(host, sizeof(host), "%.*s", (int)(colon - text) - 2 * six, text + six) >= (int)sizeof(host))
		return -EINVAL;
	memset(ret, 0, sizeof(*ret));
	if (six) {
		ret->six.sin6_family = AF_INET6;
		ret->six.sin6_port = htons(port);
		return inet_pton(AF_INET6, host, &ret->six.sin6_addr) == 1 ? 0 : -EINVAL;
	}
	ret->four.sin_family = AF_INET;
	ret->four.sin_port = htons(port);
	return inet_pton(AF_INET, strcmp(host, "localhost") ? host : "127.0.0.1", &ret->four.sin_addr) == 1 ? 0
													    : -EINVAL;
}

bool server_is_local(const struct server_options *o)
{
	union address a;

	if (parse_address(o->listen, &a))
		return false;
	if (a.any.sa_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&a.six.sin6_addr);
	return ntohl(a.four.sin_addr.s_addr) >> 24 == 127;
}

int server_start(struct server **ret, struct server_options *o, uint16_t *port)
{
	struct server *s = calloc(1, sizeof(*s));
	const union MHD_DaemonInfo *info;
	union address a;
	int err = s ? parse_address(o->listen, &a) : -ENOMEM;

	if (!err)
		err = page_init(&s->page);
	if (err) {
		free(s);
		return err;
	}
	s->o = o;
	errno = 0;
	s->daemon =
		MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL |
					 (a.any.sa_family == AF_INET6 ? MHD_USE_IPv6 : 0),
				 0, NULL, NULL, answer, s, MHD_OPTION_SOCK_ADDR, &a.any, MHD_OPTION_CONNECTION_LIMIT,
				 MAX_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S, MHD_OPTION_END);
	info = s->daemon ? MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
	if (!info) {
		err = errno ? -errno : -EADDRINUSE;
		server_stop(s);
		return err;
	}
	*port = info->port;
	snprintf(o->guard.cookie, sizeof(o->guard.cookie), "dusk-%u", *port);
	*ret = s;
	return 0;
}

void server_stop(struct server *s)
{
	if (!s)
		return;
	if (s->daemon)
		MHD_stop_daemon(s->daemon);
	page_done(&s->page);
	free(s);
}
