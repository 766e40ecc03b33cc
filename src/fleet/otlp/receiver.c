/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages to a receiver, by libcurl, which speaks the HTTP/2 of gRPC too. See receiver.h. */
#include "fleet/otlp/receiver.h"
#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/cleanup.h"
#include "base/gzip.h"
#include "base/memstream.h"
#include "base/vec.h"
#include "lib/error.h"
#include "fleet/send/patience.h"

#define CONNECT_S 10L
#define REQUEST_S 60L
#define MAX_ANSWER_BYTES 65536 /* what comes behind these is not looked at */
#define MAX_HEADER_BYTES 8192
#define FRAME_BYTES 5 /* before a message of gRPC: is it compressed? and its length, the high byte first */
#define HTTP_PATH "/v1development/profiles"
#define GRPC_PATH "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"

struct receiver {
	CURL *curl;
	char *url, *place, *user, *password;
	struct curl_slist *headers;
	bool grpc, packs;
	struct patience patience;
};

static const struct scheme {
	const char *name, *http, *port;
	bool grpc;
} schemes[] = {
	{"otlp://", "http://", "4318", false},
	{"otlps://", "https://", "4318", false},
	{"otlp+grpc://", "http://", "4317", true},
	{"otlps+grpc://", "https://", "4317", true},
};

/* libcurl asks this about once a second while nothing happens. */
static int is_over(void *patience, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	return patience_is_over(patience);
}

void receiver_set_stop(struct receiver *r, const volatile sig_atomic_t *stop)
{
	r->patience.stop = stop;
}

static void url_cleanupp(CURLU **u)
{
	curl_url_cleanup(*u);
}

static void curl_freep(char **text)
{
	curl_free(*text);
}

void receiver_free(struct receiver *r)
{
	if (!r)
		return;
	curl_easy_cleanup(r->curl);
	curl_slist_free_all(r->headers);
	curl_free(r->url);
	free(r->place);
	curl_free(r->user);
	curl_free(r->password);
	free(r);
}

/* A variable as OpenTelemetry has it, for profiles or for all signals; NULL: it is not set. */
static const char *variable(const char *name)
{
	static const char *const forms[] = {"OTEL_EXPORTER_OTLP_PROFILES_%s", "OTEL_EXPORTER_OTLP_%s"};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		char full[64];
		const char *value;

		snprintf(full, sizeof(full), forms[i], name);
		value = getenv(full);
		if (value && *value)
			return value;
	}
	return NULL;
}

/* What is behind the host is where the receiver's paths begin; @whole: it is all of the path. */
static int set_path(struct receiver *r, CURLU *u, bool whole)
{
	_cleanup_(curl_freep) char *path = NULL;
	_cleanup_(freep) char *full = NULL;
	size_t len;

	if (curl_url_get(u, CURLUPART_PATH, &path, 0))
		return -ENOMEM;
	len = strlen(path);
	while (len && path[len - 1] == '/')
		len--;
	if (r->grpc && len)
		return -EINVAL;
	if (asprintf(&full, "%.*s%s", (int)len, path, r->grpc ? GRPC_PATH : whole ? "" : HTTP_PATH) < 0)
		return -ENOMEM;
	return *full && curl_url_set(u, CURLUPART_PATH, full, 0) ? -ENOMEM : 0;
}

static int set_address(struct receiver *r, const char *http, const char *port, bool whole)
{
	_cleanup_(url_cleanupp) CURLU *u = curl_url();
	_cleanup_(curl_freep) char *given = NULL, *query = NULL, *fragment = NULL;
	int err;

	if (!u)
		return -ENOMEM;
	if (curl_url_set(u, CURLUPART_URL, http, 0) || !curl_url_get(u, CURLUPART_QUERY, &query, 0) ||
	    !curl_url_get(u, CURLUPART_FRAGMENT, &fragment, 0))
		return -EINVAL;
	err = set_path(r, u, whole);
	if (err)
		return err;
	if (port && curl_url_get(u, CURLUPART_PORT, &given, 0) && curl_url_set(u, CURLUPART_PORT, port, 0))
		return -ENOMEM;
	curl_url_get(u, CURLUPART_USER, &r->user, CURLU_URLDECODE);
	curl_url_get(u, CURLUPART_PASSWORD, &r->password, CURLU_URLDECODE);
	curl_url_set(u, CURLUPART_USER, NULL, 0);
	curl_url_set(u, CURLUPART_PASSWORD, NULL, 0);
	if (curl_url_get(u, CURLUPART_URL, &r->url, 0) ||
	    asprintf(&r->place, "%.*s%s", (int)(strlen(r->url) - (r->grpc ? strlen(GRPC_PATH) : 0)), r->url,
		     r->grpc ? " over gRPC" : "") < 0)
		return -ENOMEM;
	return 0;
}

/* An endpoint of OpenTelemetry's variables is an http:// or https:// URL. */
static int set_by_environment(struct receiver *r)
{
	const char *own = getenv("OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT"), *endpoint = variable("ENDPOINT"),
		   *protocol = variable("PROTOCOL");

	if (!endpoint || (strncmp(endpoint, "http://", 7) && strncmp(endpoint, "https://", 8)) ||
	    (protocol && strcmp(protocol, "grpc") && strcmp(protocol, "http/protobuf")))
		return -EINVAL;
	r->grpc = protocol && !strcmp(protocol, "grpc");
	return set_address(r, endpoint, NULL, own && *own && !r->grpc);
}

static int parse(struct receiver *r, const char *url)
{
	if (!strcmp(url, "otlp:"))
		return set_by_environment(r);
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		const struct scheme *s = &schemes[i];
		_cleanup_(freep) char *http = NULL;

		if (strncmp(url, s->name, strlen(s->name)))
			continue;
		r->grpc = s->grpc;
		if (asprintf(&http, "%s%s", s->http, url + strlen(s->name)) < 0)
			return -ENOMEM;
		return set_address(r, http, s->port, false);
	}
	return -EINVAL;
}

static int add_header(struct receiver *r, const char *line)
{
	struct curl_slist *more = curl_slist_append(r->headers, line);

	r->headers = more ?: r->headers;
	return more ? 0 : -ENOMEM;
}

/* One NAME=VALUE of the variable, of @len bytes. */
static int add_given_header(struct receiver *r, const char *text, size_t len)
{
	_cleanup_(curl_freep) char *plain = curl_easy_unescape(r->curl, text, len, NULL);
	char line[MAX_HEADER_BYTES];
	char *equals = plain ? strchr(plain, '=') : NULL;

	if (!plain)
		return -ENOMEM;
	if (!equals || strpbrk(plain, "\r\n") ||
	    snprintf(line, sizeof(line), "%.*s: %s", (int)(equals - plain), plain, equals + 1) >= sizeof(line))
		return -EINVAL;
	return add_header(r, line);
}

static int add_given_headers(struct receiver *r)
{
	const char *text = variable("HEADERS");
	int err = 0;

	while (!err && text && *text) {
		size_t len;

		text += strspn(text, ", ");
		len = strcspn(text, ",");
		err = len ? add_given_header(r, text, len) : 0;
		text += len;
	}
	return err;
}

/* Connections wait for no "100 Continue"; for what gRPC wants, see its "over HTTP2". */
static int add_headers(struct receiver *r)
{
	static const char *const http[] = {"Expect:", "Content-Type: application/x-protobuf", NULL},
				 *const grpc[] = {"Expect:",	       "Content-Type: application/grpc",
						  "TE: trailers",      "grpc-accept-encoding: identity",
						  "grpc-timeout: 60S", NULL};
	int err = 0;

	for (const char *const *line = r->grpc ? grpc : http; !err && *line; line++)
		err = add_header(r, *line);
	if (!err && r->packs)
		err = add_header(r, r->grpc ? "grpc-encoding: gzip" : "Content-Encoding: gzip");
	return err;
}

int receiver_new(struct receiver **ret, const char *url, struct dusk_error *err)
{
	_cleanup_(receiver_freep) struct receiver *r = calloc(1, sizeof(*r));
	const char *compression = variable("COMPRESSION");
	int rc = r ? parse(r, url) : -ENOMEM;

	if (rc == -EINVAL)
		return error_set(
			err, rc,
			"a receiver is otlp://HOST[:PORT][/PATH] or otlp+grpc://HOST[:PORT], with otlps for TLS, or "
			"otlp: for that of $OTEL_EXPORTER_OTLP_ENDPOINT, an http:// or https:// URL");
	if (!rc) {
		r->packs = !compression || strcmp(compression, "none");
		r->curl = curl_easy_init();
		rc = r->curl ? add_headers(r) ?: add_given_headers(r) : -ENOMEM;
	}
	if (rc == -EINVAL)
		return error_set(err, rc, "$OTEL_EXPORTER_OTLP_HEADERS is not NAME=VALUE,...");
	if (rc)
		return error_complete(err, rc, "cannot send to a receiver");
	if (r->grpc && !(curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_HTTP2))
		return error_set(err, -ENOTSUP, "this libcurl has no HTTP/2, which gRPC needs: use otlp://");
	*ret = steal(r);
	return 0;
}

const char *receiver_place(const struct receiver *r)
{
	return r->place;
}

/* What came of a request. */
struct heard {
	struct vec(uint8_t) body;
	char status[16], message[ANSWER_TEXT_BYTES * 3], details[8192];
	curl_off_t retry_after_s; /* also where the header is a date */
};

static size_t take_body(char *data, size_t size, size_t nr, void *ctx)
{
	struct heard *h = ctx;
	size_t len = size * nr, left = MAX_ANSWER_BYTES - h->body.nr;

	return vec_append(&h->body, (const uint8_t *)data, len < left ? len : left) ? 0 : len;
}

/* Headers, and the trailers of gRPC. */
static size_t take_header(char *line, size_t size, size_t nr, void *ctx)
{
	struct heard *h = ctx;
	size_t len = size * nr;
	const struct {
		const char *name;
		char *to;
		size_t room;
	} known[] = {
		{"grpc-status:", h->status, sizeof(h->status)},
		{"grpc-message:", h->message, sizeof(h->message)},
		{"grpc-status-details-bin:", h->details, sizeof(h->details)},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t name = strlen(known[i].name), end = len;

		if (len < name || strncasecmp(line, known[i].name, name))
			continue;
		while (name < end && line[name] == ' ')
			name++;
		while (end > name && strchr("\r\n ", line[end - 1]))
			end--;
		snprintf(known[i].to, known[i].room, "%.*s", (int)(end - name), line + name);
	}
	return len;
}

/* The body of a request: @data, compressed, and for gRPC framed. Free *@ret with free(). */
static int wrap(const struct receiver *r, const uint8_t *data, size_t len, char **ret, size_t *ret_len)
{
	FILE *out = open_memstream(ret, ret_len);
	char frame[FRAME_BYTES] = {r->packs};
	size_t head = r->grpc ? sizeof(frame) : 0;
	int err = 0;

	if (!out)
		return -ENOMEM;
	fwrite(frame, 1, head, out);
	if (r->packs)
		err = gzip_all(out, data, len);
	else
		fwrite(data, 1, len, out);
	if (memstream_end(out, err))
		return -ENOMEM;
	for (size_t i = 1; i < head; i++)
		(*ret)[i] = (*ret_len - head) >> (8 * (head - 1 - i));
	return 0;
}

static void set_tls(struct receiver *r)
{
	const char *ca = variable("CERTIFICATE"), *certificate = variable("CLIENT_CERTIFICATE"),
		   *key = variable("CLIENT_KEY");

	if (ca)
		curl_easy_setopt(r->curl, CURLOPT_CAINFO, ca);
	if (certificate)
		curl_easy_setopt(r->curl, CURLOPT_SSLCERT, certificate);
	if (key)
		curl_easy_setopt(r->curl, CURLOPT_SSLKEY, key);
}

static CURLcode perform(struct receiver *r, const char *body, size_t len, struct heard *h, long *status)
{
	bool tls = !strncmp(r->url, "https", 5);
	CURLcode code;

	curl_easy_reset(r->curl);
	curl_easy_setopt(r->curl, CURLOPT_URL, r->url);
	if (r->user) {
		curl_easy_setopt(r->curl, CURLOPT_USERNAME, r->user);
		curl_easy_setopt(r->curl, CURLOPT_PASSWORD, r->password ?: "");
	}
	if (r->grpc)
		curl_easy_setopt(r->curl, CURLOPT_HTTP_VERSION,
				 tls ? (long)CURL_HTTP_VERSION_2TLS : (long)CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
	/* Some versions of libcurl, such as Debian 12's, cannot use such a connection twice. */
	curl_easy_setopt(r->curl, CURLOPT_FORBID_REUSE, (long)(r->grpc && !tls));
	set_tls(r);
	curl_easy_setopt(r->curl, CURLOPT_USERAGENT, "dusk/" DUSK_VERSION);
	curl_easy_setopt(r->curl, CURLOPT_HTTPHEADER, r->headers);
	curl_easy_setopt(r->curl, CURLOPT_POST, 1L);
	curl_easy_setopt(r->curl, CURLOPT_POSTFIELDS, body);
	curl_easy_setopt(r->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	curl_easy_setopt(r->curl, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	curl_easy_setopt(r->curl, CURLOPT_TIMEOUT, REQUEST_S);
	curl_easy_setopt(r->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(r->curl, CURLOPT_NOPROGRESS, (long)!r->patience.stop);
	curl_easy_setopt(r->curl, CURLOPT_XFERINFOFUNCTION, is_over);
	curl_easy_setopt(r->curl, CURLOPT_XFERINFODATA, &r->patience);
	curl_easy_setopt(r->curl, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(r->curl, CURLOPT_WRITEDATA, h);
	curl_easy_setopt(r->curl, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(r->curl, CURLOPT_HEADERDATA, h);
	code = curl_easy_perform(r->curl);
	curl_easy_getinfo(r->curl, CURLINFO_RESPONSE_CODE, status);
	curl_easy_getinfo(r->curl, CURLINFO_RETRY_AFTER, &h->retry_after_s);
	return code;
}

static void read_answer(const struct receiver *r, struct answer *ret, long status, const struct heard *h)
{
	bool grpc = r->grpc && status == 200;
	char text[ANSWER_TEXT_BYTES];

	if (grpc)
		answer_grpc(ret, h->status, h->message, h->details, h->body.v, h->body.nr);
	else
		answer_http(ret, status, h->retry_after_s, h->body.v, h->body.nr);
	if (ret->verdict == VERDICT_TAKEN)
		return;
	if (grpc)
		snprintf(text, sizeof(text), "status %s of gRPC: %.360s", h->status, ret->text);
	else
		snprintf(text, sizeof(text), "%ld: %.360s", status, ret->text);
	strcpy(ret->text, text);
}

int receiver_send(struct receiver *r, const uint8_t *data, size_t len, struct answer *ret, struct dusk_error *err)
{
	_cleanup_(freep) char *body = NULL;
	struct heard h = {.body = {0}};
	size_t body_len;
	long status = 0;
	CURLcode code;

	if (wrap(r, data, len, &body, &body_len))
		return error_set(err, -ENOMEM, "cannot send to %s: out of memory", r->place);
	code = perform(r, body, body_len, &h, &status);
	if (code)
		error_set(err, -EAGAIN, "cannot reach %s: %s", r->place, curl_easy_strerror(code));
	else
		read_answer(r, ret, status, &h);
	vec_done(&h.body);
	return code ? -EAGAIN : 0;
}
