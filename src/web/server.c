/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Answer requests over HTTP. See server.h. */
#include "web/server.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/address.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memstream.h"
#include "web/answer.h"
#include "web/listen.h"
#include "web/metrics.h"
#include "web/openapi.h"
#include "web/query.h"
#include "web/page.h"
#include "web/places.h"
#include "web/response.h"
#include "web/route.h"
#include "web/run.h"
#include "web/store_state.h"

#define MAX_ASKED 40
#define STRANGER_S 5 /* a connection that has not said why it may ask */
#define IDLE_S 120   /* another one, or a reader that does not read */

struct server {
	struct MHD_Daemon *daemon;
	const struct server_options *o;
	struct page page;
	struct cache *cache;
	struct places places;

	pthread_mutex_t asking; /* of what a server has said of how it is, and how long that holds, by now_s() */
	bool is_well;
	char why[RUN_SAID_BYTES];
	double until_s;
};

/* ---- Answers ---- */

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
	return response_send(c, same ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, r, "text/html; charset=utf-8");
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
	if (strcmp(name, "token")) /* that is not for the answer */
		g->v[g->nr++] = (struct asked){name, value ?: ""};
	return MHD_YES;
}

/* The token is right: from now on the browser shows it as a cookie, and the address has what it had beside it. */
static answer_t let_in(const struct server *s, struct MHD_Connection *c)
{
	_cleanup_(freep) char *query = NULL, *location = NULL;
	struct gathered asked = {.nr = 0};
	char cookie[TOKEN_ROOM + 96];
	struct MHD_Response *r;

	MHD_get_connection_values(c, MHD_GET_ARGUMENT_KIND, gather, &asked);
	query = query_of(asked.v, asked.nr);
	if (!query || asprintf(&location, "/%s", query) < 0) {
		location = NULL;
		return MHD_NO;
	}
	r = response_of_text("", 0);
	if (!r)
		return MHD_NO;
	snprintf(cookie, sizeof(cookie), "%s=%s; Path=/; HttpOnly; SameSite=Lax", s->o->guard.cookie,
		 s->o->guard.token);
	MHD_add_response_header(r, "Set-Cookie", cookie);
	MHD_add_response_header(r, "Location", location);
	return response_send(c, MHD_HTTP_SEE_OTHER, r, "text/plain");
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
	err = memstream_end(out, write(out, s->o));
	if (err) {
		free(text);
		return response_refuse(c, MHD_HTTP_INTERNAL_SERVER_ERROR, strerror(-err));
	}
	r = response_of_text(text, bytes);
	free(text);
	return response_send(c, MHD_HTTP_OK, r, type);
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

static const char well[] = "{\"status\":\"ok\"}\n";

/* Ask a server whether something has come of late. Returns whether it has; else s->why says why not. */
static bool ask_health(struct server *s)
{
	const char *words[] = {"dusk", "store", "alive", s->o->store, NULL};
	char part[4096];
	struct run *r;
	ssize_t n;

	if (run_brief(&r, s->o->dusk, words)) {
		strcpy(s->why, "the store cannot be asked now");
		return false;
	}
	while ((n = run_read(r, part, sizeof(part))) > 0)
		;
	run_said(r, s->why);
	run_free(r);
	return !n;
}

/* Whoever asks, and however often: it is asked once, and says where it is to those only that may ask it. */
static answer_t send_health_elsewhere(struct server *s, struct MHD_Connection *c)
{
	bool known = may_ask(s, c) == GUARD_YES, is_well;
	char why[RUN_SAID_BYTES];

	pthread_mutex_lock(&s->asking);
	if (now_s() >= s->until_s) {
		s->is_well = ask_health(s);
		s->until_s = now_s() + CACHE_HOLDS_S;
	}
	is_well = s->is_well;
	strcpy(why, known && *s->why ? s->why : "the store cannot be read");
	pthread_mutex_unlock(&s->asking);
	return is_well ? response_send(c, MHD_HTTP_OK, response_of_text(well, strlen(well)), RESPONSE_JSON)
		       : response_refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE, why);
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
		return response_send(c, MHD_HTTP_OK, response_of_text(well, strlen(well)), RESPONSE_JSON);
	if (err)
		snprintf(why, sizeof(why), "the store cannot be read: %s", strerror(-err));
	else if (state.written_s_ago < 0)
		snprintf(why, sizeof(why), "nothing was recorded yet");
	else
		snprintf(why, sizeof(why), "nothing was recorded for %.0f seconds", state.written_s_ago);
	return response_refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE, why);
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
		sent = response_refuse(c, MHD_HTTP_BAD_REQUEST, error);
	else
		sent = err ? MHD_NO : answer_by_dusk(s->cache, s->o->dusk, s->o->store, c, route, words.v.v);
	words_done(&words);
	return sent;
}

/* ---- Connections ---- */

static void note_connection(void *ctx, struct MHD_Connection *c, void **place, enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct server *s = ctx;

	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		*place = info ? places_take(&s->places, info->connect_fd) : NULL;
	else
		places_leave(&s->places, *place);
}

/* What it has asked is answered: it is no stranger. */
static void know(struct server *s, struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	if (info && places_know(&s->places, info->socket_context))
		MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned int)IDLE_S);
}

/* ---- Requests ---- */

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
		return response_refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "there is nothing to change here");
	if (!strcmp(path, "/healthz")) /* it tells nothing but that we are here */
		return send_health(s, c);
	switch (may_ask(s, c)) {
	case GUARD_YES: know(s, c); break;
	case GUARD_ENTER:
		know(s, c);
		if (!strcmp(path, "/"))
			return let_in(s, c);
		break; /* of a program, which may not keep cookies */
	case GUARD_NO:
		return response_refuse(c, MHD_HTTP_UNAUTHORIZED,
				       s->o->guard.mode == GUARD_TOKEN
					       ? "open the address that dusk web has printed, which has a token"
					       : "the proxy has not said who you are");
	case GUARD_WRONG_HOST:
		return response_refuse(c, MHD_HTTP_MISDIRECTED_REQUEST,
				       "ask by an address, for localhost, or for a name that dusk web --host allows");
	}
	if (!strcmp(path, "/metrics"))
		return send_written(s, c, "text/plain; version=0.0.4", write_metrics);
	if (s->o->guard.mode == GUARD_METRICS)
		return response_refuse(c, MHD_HTTP_NOT_FOUND,
				       "here are /metrics and /healthz; dusk web shows the rest");
	if (!strcmp(path, "/"))
		return send_page(s, c);
	if (!strcmp(path, "/api/v1/openapi.json"))
		return send_written(s, c, RESPONSE_JSON, write_openapi);
	route = route_find(path);
	return route ? answer_route(s, c, route)
		     : response_refuse(c, MHD_HTTP_NOT_FOUND, "/api/v1/openapi.json lists what there is");
}

/* ---- Begin and end ---- */

bool server_is_local(const struct server_options *o)
{
	union address a;

	return !address_parse(&a, o->listen) && address_is_local(&a);
}

/* At the address @a, or at the path in .listen. */
static int start_daemon(struct server *s, const union address *a)
{
	bool is_path = *s->o->listen == '/';
	int fd = is_path ? listen_at_path(s->o->listen) : -1;
	struct MHD_OptionItem where[] = {
		{is_path ? MHD_OPTION_LISTEN_SOCKET : MHD_OPTION_SOCK_ADDR, fd, is_path ? NULL : (void *)&a->any},
		{MHD_OPTION_END, 0, NULL}};

	if (is_path && fd < 0)
		return fd;
	errno = 0;
	s->daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL |
					     (!is_path && a->any.sa_family == AF_INET6 ? MHD_USE_IPv6 : 0),
				     0, NULL, NULL, answer, s, MHD_OPTION_ARRAY, where, MHD_OPTION_CONNECTION_LIMIT,
				     PLACES_MAX, MHD_OPTION_CONNECTION_TIMEOUT, STRANGER_S,
				     MHD_OPTION_NOTIFY_CONNECTION, note_connection, s, MHD_OPTION_END);
	return s->daemon ? 0 : errno ? -errno : -EADDRINUSE;
}

int server_start(struct server **ret, struct server_options *o, uint16_t *port)
{
	struct server *s = calloc(1, sizeof(*s));
	const union MHD_DaemonInfo *info;
	union address a;
	int err = !s ? -ENOMEM : *o->listen == '/' ? 0 : address_parse(&a, o->listen);

	if (!err)
		err = page_init(&s->page);
	if (!err) {
		s->cache = cache_new();
		err = s->cache ? 0 : -ENOMEM;
	}
	if (err) {
		server_stop(s);
		return err;
	}
	s->o = o;
	pthread_mutex_init(&s->asking, NULL);
	pthread_mutex_init(&s->places.lock, NULL);
	err = start_daemon(s, &a);
	if (err) {
		server_stop(s);
		return err;
	}
	info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT);
	*port = info ? info->port : 0;
	snprintf(o->guard.cookie, sizeof(o->guard.cookie), "dusk-%u", *port);
	*ret = s;
	return 0;
}

void server_stop(struct server *s)
{
	if (!s)
		return;
	run_stop_all();
	if (s->daemon)
		MHD_stop_daemon(s->daemon);
	if (s->daemon && *s->o->listen == '/')
		unlink(s->o->listen);
	page_done(&s->page);
	cache_free(s->cache);
	free(s);
}
