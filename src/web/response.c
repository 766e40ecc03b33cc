/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What each response has. See response.h. */
#include "web/response.h"
#include <stdlib.h>
#include "base/json.h"
#include "web/metrics.h"

answer_t response_send(struct MHD_Connection *c, unsigned int status, struct MHD_Response *r, const char *type)
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

struct MHD_Response *response_of_text(const char *text, size_t bytes)
{
	return MHD_create_response_from_buffer(bytes, (void *)text, MHD_RESPMEM_MUST_COPY);
}

answer_t response_refuse(struct MHD_Connection *c, unsigned int status, const char *why)
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
	r = response_of_text(text, bytes);
	free(text);
	if (r && status == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(r, "WWW-Authenticate", "Bearer");
	if (r && status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, "Allow", "GET, HEAD");
	return response_send(c, status, r, RESPONSE_JSON);
}
