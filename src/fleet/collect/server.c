/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The collector's side of HTTP. See server.h. */
#include "fleet/collect/server.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/address.h"
#include "base/cleanup.h"
#include "base/httpd.h"
#include "fleet/collect/metrics.h"
#include "fleet/collect/request.h"

#define CONNECTION_BYTES (16u << 10) /* of its head, and of what is read of its body at once */
#define IDLE_S 120
#define THREADS 2

struct server {
	struct MHD_Daemon *daemon;
	struct collector *collector;
};

static answer_t respond(struct MHD_Connection *c, unsigned int status, const char *text, size_t len, const char *type)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(len, (void *)text, MHD_RESPMEM_MUST_COPY);
	answer_t sent;

	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, "Content-Type", type);
	sent = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return sent;
}

static answer_t respond_text(struct MHD_Connection *c, unsigned int status, const char *text)
{
	return respond(c, status, text, strlen(text), "text/plain; charset=utf-8");
}

/* What a function writes to a file. Its result is the status. */
static answer_t respond_written(struct server *s, struct MHD_Connection *c,
				unsigned int (*write)(FILE *out, struct collector *collector))
{
	_cleanup_(freep) char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	unsigned int status = out ? write(out, s->collector) : 0;

	return out && !fclose(out) ? respond(c, status, text, len, "text/plain; version=0.0.4") : MHD_NO;
}

static answer_t get(struct server *s, struct MHD_Connection *c, const char *path)
{
	if (!strcmp(path, "/ping"))
		return respond_text(c, MHD_HTTP_OK, "Ok.\n");
	if (!strcmp(path, "/healthz"))
		return respond_written(s, c, metrics_health);
	if (!strcmp(path, "/metrics"))
		return respond_written(s, c, metrics_write);
	return respond_text(c, MHD_HTTP_NOT_FOUND, "agents post here; /metrics and /healthz show how it goes\n");
}

static const char *header(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static struct peer *peer_of(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static void resume(struct request *r)
{
	MHD_resume_connection(r->carrier);
}

/* The head of a post is there. */
static answer_t begin(struct server *s, struct MHD_Connection *c, void **request)
{
	const struct request_head head = {
		.password = header(c, "X-ClickHouse-Key"),
		.sql = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "query"),
		.encoding = header(c, "Content-Encoding"),
		.types = header(c, CLIENT_TYPES),
	};
	struct request *r = calloc(1, sizeof(*r));

	if (!r)
		return MHD_NO;
	r->answered = resume;
	r->carrier = c;
	r->peer = peer_of(c);
	*request = r;
	request_begin(s->collector, r, &head);
	MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned int)REQUEST_IDLE_S);
	return MHD_YES;
}

/* All of a post is there, or its answer is. */
static answer_t end(struct server *s, struct MHD_Connection *c, struct request *r)
{
	if (!request_end(s->collector, r)) {
		/* The connection is resumed by a thread that is about to begin, so it has to stand still before. */
		MHD_suspend_connection(c);
		if (!request_wait(s->collector, r)) {
			request_answer(r, MHD_HTTP_SERVICE_UNAVAILABLE, "%s", REQUEST_ENDS);
			MHD_resume_connection(c);
		}
		return MHD_YES;
	}
	return respond_text(c, r->status, r->text);
}

static answer_t answer(void *ctx, struct MHD_Connection *c, const char *path, const char *method, const char *version,
		       const char *upload, size_t *upload_bytes, void **request)
{
	struct server *s = ctx;

	if (!peer_of(c))
		return MHD_NO; /* there was no memory to know it */
	if (strcmp(method, "POST"))
		return !strcmp(method, "GET") ? get(s, c, path)
					      : respond_text(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET or POST\n");
	if (!*request)
		return begin(s, c, request);
	if (*upload_bytes) {
		bool in_time = request_take(s->collector, *request, upload, *upload_bytes);

		*upload_bytes = 0;
		return in_time ? MHD_YES : MHD_NO;
	}
	return end(s, c, *request);
}

static void forget(void *ctx, struct MHD_Connection *c, void **request, enum MHD_RequestTerminationCode why)
{
	struct server *s = ctx;

	if (*request)
		request_done(s->collector, *request);
	free(*request);
	*request = NULL;
	MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned int)IDLE_S);
}

static answer_t may_connect(void *ctx, const struct sockaddr *a, socklen_t len)
{
	struct server *s = ctx;

	return peers_may_come(&s->collector->peers, a) ? MHD_YES : MHD_NO;
}

static void note_connection(void *ctx, struct MHD_Connection *c, void **peer, enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	struct server *s = ctx;

	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		*peer = info ? peers_come(&s->collector->peers, info->client_addr) : NULL;
	else
		peers_leave(&s->collector->peers, *peer);
}

int server_start(struct server **ret, struct collector *c, uint16_t *port)
{
	struct server *s = calloc(1, sizeof(*s));
	const union MHD_DaemonInfo *info;
	union address a;
	int err = s ? address_parse(&a, c->o->listen) : -ENOMEM;

	if (err) {
		free(s);
		return err;
	}
	s->collector = c;
	errno = 0;
	s->daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
					     (a.any.sa_family == AF_INET6 ? MHD_USE_IPv6 : 0),
				     0, may_connect, s, answer, s, MHD_OPTION_SOCK_ADDR, &a.any,
				     MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
				     IDLE_S, MHD_OPTION_THREAD_POOL_SIZE, THREADS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
				     (size_t)CONNECTION_BYTES, MHD_OPTION_NOTIFY_COMPLETED, forget, s,
				     MHD_OPTION_NOTIFY_CONNECTION, note_connection, s, MHD_OPTION_END);
	info = s->daemon ? MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
	if (!info) {
		err = errno ? -errno : -EADDRINUSE;
		if (s->daemon)
			MHD_stop_daemon(s->daemon);
		free(s);
		return err;
	}
	*port = info->port;
	*ret = s;
	return 0;
}

/* Connections must not stand still when the daemon ends, so all that was begun is answered before. */
void server_stop(struct server *s)
{
	int fd = MHD_quiesce_daemon(s->daemon);

	worker_end(s->collector->checker);
	worker_end(s->collector->committer);
	worker_end(s->collector->asker);
	MHD_stop_daemon(s->daemon);
	closep(&fd);
	worker_free(s->collector->checker);
	worker_free(s->collector->committer);
	worker_free(s->collector->asker);
	free(s);
}
