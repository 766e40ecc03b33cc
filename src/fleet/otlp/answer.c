/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read answers. See answer.h. */
#include "fleet/otlp/answer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/base64.h"

#define FRAME_BYTES 5	       /* before each message of gRPC: is it compressed? and its length, the high byte first */
#define MAX_PATIENCE_S 3600    /* no answer makes us wait for longer */
#define MAX_DETAILS_BYTES 4096 /* of a status in a header */

enum { RESPONSE_PARTIAL = 1 };
enum { PARTIAL_REJECTED = 1, PARTIAL_TEXT };
enum { STATUS_MESSAGE = 2, STATUS_DETAIL };
enum { ANY_TYPE = 1, ANY_VALUE };
enum { RETRY_DELAY = 1, DURATION_S = 1 };
enum wire { WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES, WIRE_FIXED32 = 5 };

struct bytes {
	const uint8_t *at, *end;
};

struct field {
	uint32_t number;
	uint64_t value;	    /* of a number */
	struct bytes bytes; /* of text, and of a message */
};

static bool take_varint(struct bytes *b, uint64_t *ret)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; b->at < b->end && shift < 64; shift += 7) {
		uint8_t byte = *b->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*ret = value;
			return true;
		}
	}
	return false;
}

static bool take_bytes(struct bytes *b, uint64_t len, struct bytes *ret)
{
	if (len > b->end - b->at)
		return false;
	*ret = (struct bytes){b->at, b->at + len};
	b->at += len;
	return true;
}

/* The next field of a message. Returns false at its end, and where it is damaged. */
static bool next_field(struct bytes *b, struct field *ret)
{
	uint64_t tag, len;

	*ret = (struct field){.value = 0};
	if (!take_varint(b, &tag))
		return false;
	ret->number = tag >> 3;
	switch (tag & 7) {
	case WIRE_VARINT: return take_varint(b, &ret->value);
	case WIRE_FIXED64: return take_bytes(b, 8, &ret->bytes);
	case WIRE_FIXED32: return take_bytes(b, 4, &ret->bytes);
	case WIRE_BYTES: return take_varint(b, &len) && take_bytes(b, len, &ret->bytes);
	default: return false;
	}
}

static void set_text(struct answer *a, struct bytes b)
{
	size_t nr = 0;

	for (; b.at < b.end && nr + 1 < sizeof(a->text); b.at++)
		a->text[nr++] = *b.at < 0x20 || *b.at == 0x7f ? ' ' : *b.at;
	a->text[nr] = 0;
}

static void set_patience(struct answer *a, uint64_t s)
{
	a->patience_s = s > MAX_PATIENCE_S ? MAX_PATIENCE_S : s;
}

static void read_response(struct answer *a, struct bytes b)
{
	struct field f, part;

	while (next_field(&b, &f))
		while (f.number == RESPONSE_PARTIAL && next_field(&f.bytes, &part)) {
			if (part.number == PARTIAL_REJECTED)
				a->rejected = part.value > INT64_MAX ? 0 : part.value;
			else if (part.number == PARTIAL_TEXT)
				set_text(a, part.bytes);
		}
}

static void read_retry_info(struct answer *a, struct bytes b)
{
	struct field f, part;

	while (next_field(&b, &f))
		while (f.number == RETRY_DELAY && next_field(&f.bytes, &part))
			if (part.number == DURATION_S)
				set_patience(a, part.value > INT64_MAX ? 0 : part.value ?: 1);
}

static void read_detail(struct answer *a, struct bytes b)
{
	static const char retry_info[] = "google.rpc.RetryInfo";
	struct bytes type = {NULL, NULL}, value = {NULL, NULL};
	struct field f;
	size_t len;

	while (next_field(&b, &f)) {
		type = f.number == ANY_TYPE ? f.bytes : type;
		value = f.number == ANY_VALUE ? f.bytes : value;
	}
	len = type.end - type.at;
	if (len >= strlen(retry_info) && !memcmp(type.end - strlen(retry_info), retry_info, strlen(retry_info)))
		read_retry_info(a, value);
}

/* Returns false if it is none. */
static bool read_status(struct answer *a, struct bytes b)
{
	struct field f;

	while (next_field(&b, &f)) {
		if (f.number == STATUS_MESSAGE && f.bytes.at)
			set_text(a, f.bytes);
		else if (f.number == STATUS_DETAIL)
			read_detail(a, f.bytes);
	}
	return b.at == b.end;
}

/*
 * OTLP lets only four statuses be tried again. Here what the receiver may take when somebody has mended its address, our
 * credentials or its configuration is kept, too, as the store does that.
 */
static enum verdict verdict_of_http(long status)
{
	switch (status) {
	case 200 ... 299: return VERDICT_TAKEN;
	case 400:
	case 422: return VERDICT_REFUSED;
	case 413: return VERDICT_TOO_LARGE;
	case 500: return VERDICT_BROKEN;
	default: return VERDICT_LATER;
	}
}

/* Text, where it is no message: many servers answer so. */
static bool is_text(struct bytes b)
{
	for (; b.at < b.end; b.at++)
		if (*b.at < 0x20 && !strchr("\t\r\n", *b.at))
			return false;
	return true;
}

void answer_http(struct answer *ret, long status, int64_t retry_after_s, const uint8_t *body, size_t len)
{
	struct bytes b = {body, body + len};

	*ret = (struct answer){.verdict = verdict_of_http(status)};
	if (ret->verdict == VERDICT_TAKEN) {
		read_response(ret, b);
		return;
	}
	if (is_text(b))
		set_text(ret, b);
	else if (!read_status(ret, b))
		*ret->text = 0;
	if (retry_after_s > 0)
		set_patience(ret, retry_after_s);
}

enum {
	GRPC_OK,
	GRPC_CANCELLED,
	GRPC_UNKNOWN,
	GRPC_INVALID_ARGUMENT,
	GRPC_ALREADY_EXISTS = 6,
	GRPC_RESOURCE_EXHAUSTED = 8,
	GRPC_FAILED_PRECONDITION,
	GRPC_INTERNAL = 13
};

/* RESOURCE_EXHAUSTED is for a rate and for a size. Servers in Go, C and JavaScript say of a size this. */
static enum verdict verdict_of_grpc(long status, const char *text)
{
	switch (status) {
	case GRPC_OK: return VERDICT_TAKEN;
	case GRPC_INVALID_ARGUMENT:
	case GRPC_ALREADY_EXISTS:
	case GRPC_FAILED_PRECONDITION: return VERDICT_REFUSED;
	case GRPC_RESOURCE_EXHAUSTED: return strstr(text, "larger than max") ? VERDICT_TOO_LARGE : VERDICT_LATER;
	case GRPC_UNKNOWN:
	case GRPC_INTERNAL: return VERDICT_BROKEN;
	default: return VERDICT_LATER;
	}
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c | 0x20) : NULL;

	return at && c >= '0' ? at - digits : -1;
}

/* grpc-message has what is not printable as %XX. */
static void set_message(struct answer *a, const char *message)
{
	uint8_t text[ANSWER_TEXT_BYTES];
	size_t nr = 0;

	for (const char *c = message; *c && nr < sizeof(text); c++)
		if (*c == '%' && hex_digit(c[1]) >= 0 && hex_digit(c[2]) >= 0) {
			text[nr++] = hex_digit(c[1]) * 16 + hex_digit(c[2]);
			c += 2;
		} else {
			text[nr++] = *c;
		}
	set_text(a, (struct bytes){text, text + nr});
}

/* Read a status in base64, which may be without its padding. */
static void read_details(struct answer *a, const char *text)
{
	uint8_t bytes[MAX_DETAILS_BYTES];
	struct answer details = {.rejected = 0};
	size_t nr = base64_decode(bytes, sizeof(bytes), text);

	read_status(&details, (struct bytes){bytes, bytes + nr});
	a->patience_s = details.patience_s;
}

/* The message in the first frame. We have said that we read none that are compressed. */
static bool unframe(struct bytes b, struct bytes *ret)
{
	struct bytes head;

	if (!take_bytes(&b, FRAME_BYTES, &head) || head.at[0])
		return false;
	return take_bytes(&b, (uint64_t)head.at[1] << 24 | head.at[2] << 16 | head.at[3] << 8 | head.at[4], ret);
}

void answer_grpc(struct answer *ret, const char *status, const char *message, const char *details, const uint8_t *body,
		 size_t len)
{
	struct bytes response;
	char *end;
	long code = strtol(status, &end, 10);

	*ret = (struct answer){.verdict = VERDICT_LATER};
	if (end == status || *end) {
		snprintf(ret->text, sizeof(ret->text), "what it answers is not of gRPC");
		return;
	}
	set_message(ret, message);
	read_details(ret, details);
	ret->verdict = verdict_of_grpc(code, ret->text);
	if (ret->verdict == VERDICT_TAKEN && unframe((struct bytes){body, body + len}, &response))
		read_response(ret, response);
}
