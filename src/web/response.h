/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What each response has. */
#pragma once
#include "base/httpd.h"

/* A response with a copy of @text; NULL: memory is short. */
struct MHD_Response *response_of_text(const char *text, size_t bytes);

/* Send @r, which is freed, with the headers that each response has. @r may be NULL. */
answer_t response_send(struct MHD_Connection *c, unsigned int status, struct MHD_Response *r, const char *type);

/* Send {"error": @why}. */
answer_t response_refuse(struct MHD_Connection *c, unsigned int status, const char *why);

#define RESPONSE_JSON "application/json"
