/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a receiver of OTLP answers: an ExportProfilesServiceResponse, or a google.rpc.Status, over HTTP or in a frame of gRPC. It
 * is read from bytes that anybody may have sent, without libraries.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANSWER_TEXT_BYTES 400

/* What becomes of a request. */
enum verdict {
	VERDICT_TAKEN,
	VERDICT_REFUSED,   /* it is wrong, now and later */
	VERDICT_TOO_LARGE, /* its parts may be taken */
	VERDICT_BROKEN,	   /* something failed there, perhaps because of this request */
	VERDICT_LATER,	   /* it may be taken later, when somebody has seen to the receiver */
};

struct answer {
	enum verdict verdict;
	uint64_t rejected;	      /* of what was taken: so many profiles were not */
	unsigned int patience_s;      /* it asks to be left alone for so long; 0: it does not */
	char text[ANSWER_TEXT_BYTES]; /* what it says, without control characters */
};

/* The answer to a request over HTTP: @retry_after_s is what that header says, 0 or less: nothing. */
void answer_http(struct answer *ret, long status, int64_t retry_after_s, const uint8_t *body, size_t len);

/*
 * The answer to one over gRPC: the headers grpc-status, grpc-message and grpc-status-details-bin, "" where they are missing, and
 * what came before them.
 */
void answer_grpc(struct answer *ret, const char *status, const char *message, const char *details, const uint8_t *body,
		 size_t len);
