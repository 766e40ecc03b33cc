/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A receiver of OTLP profiles, over HTTP or gRPC.
 *
 *	otlp://HOST[:PORT][/PATH]	HTTP, port 4318; /v1development/profiles comes behind the path
 *	otlp+grpc://HOST[:PORT]		gRPC, port 4317
 *	otlps://, otlps+grpc://		over TLS
 *	otlp:				as $OTEL_EXPORTER_OTLP_ENDPOINT and $OTEL_EXPORTER_OTLP_PROTOCOL say
 *
 * Headers, as for authentication, are in $OTEL_EXPORTER_OTLP_HEADERS, since command lines can be read by others: NAME=VALUE,...
 * with %XX for what is special. $OTEL_EXPORTER_OTLP_CERTIFICATE, _CLIENT_CERTIFICATE and _CLIENT_KEY are files for TLS;
 * $OTEL_EXPORTER_OTLP_COMPRESSION may be none. Each of these variables has a form for profiles only, OTEL_EXPORTER_OTLP_PROFILES_...,
 * that comes first.
 */
#pragma once
#include <dusk/dusk.h>
#include <signal.h>
#include "fleet/otlp/answer.h"

struct receiver;

/* Prepare to send to @url. Free *@ret with receiver_free(). Returns 0; -EINVAL: it is no such URL; -ENOMEM. */
int receiver_new(struct receiver **ret, const char *url, struct dusk_error *err);
void receiver_free(struct receiver *r);

static inline void receiver_freep(struct receiver **r)
{
	receiver_free(*r);
}

/* Where it is, without secrets: "http://127.0.0.1:4318/v1development/profiles", "http://127.0.0.1:4317 over gRPC". */
const char *receiver_place(const struct receiver *r);

/* What waits for the receiver is given up a second after a signal has set *@stop. @stop must live as long as the receiver. */
void receiver_set_stop(struct receiver *r, const volatile sig_atomic_t *stop);

/*
 * Send the message of @len bytes at @data. Returns 0, with what the receiver said in *@ret; -EAGAIN: there was no answer, and it is not known
 * what has become of it; -ENOMEM.
 */
int receiver_send(struct receiver *r, const uint8_t *data, size_t len, struct answer *ret, struct dusk_error *err);
