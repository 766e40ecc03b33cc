/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The description of the API. See openapi.h. */
#include "web/openapi.h"
#include <dusk/dusk.h>
#include "base/json.h"
#include "web/route.h"

static void write_schema(struct json *j, const struct parameter *p)
{
	json_object(j, "schema");
	json_string(j, "type", "string");
	if (p->choice) {
		json_array(j, "enum");
		for (const char *const *c = p->choice; *c; c++)
			json_string(j, NULL, *c);
		json_array_end(j);
	}
	json_object_end(j);
}

static void write_parameters(struct json *j, unsigned int takes)
{
	json_array(j, "parameters");
	for (const struct parameter *p = parameters; p->name; p++) {
		if (!(p->takes & takes))
			continue;
		json_object(j, NULL);
		json_string(j, "name", p->name);
		json_string(j, "in", "query");
		json_string(j, "description", p->help);
		write_schema(j, p);
		json_object_end(j);
	}
	json_array_end(j);
}

static void write_answer(struct json *j, const char *status, const char *help, const char *type)
{
	json_object(j, status);
	json_string(j, "description", help);
	json_object(j, "content");
	json_object(j, type);
	json_object_end(j);
	json_object_end(j);
	json_object_end(j);
}

static void write_path(struct json *j, const char *path, const char *summary, const char *type, unsigned int takes)
{
	json_object(j, path);
	json_object(j, "get");
	json_string(j, "summary", summary);
	write_parameters(j, takes);
	json_object(j, "responses");
	write_answer(j, "200", summary, type);
	write_answer(j, "default", "why there is no answer: {\"error\": \"...\"}", "application/json");
	json_object_end(j);
	json_object_end(j);
	json_object_end(j);
}

void openapi_write(FILE *out)
{
	struct json j = {.out = out, .indent = 1};

	json_object(&j, NULL);
	json_string(&j, "openapi", "3.0.3");
	json_object(&j, "info");
	json_string(&j, "title", "dusk web");
	json_string(&j, "version", DUSK_VERSION);
	json_object_end(&j);
	json_object(&j, "paths");
	for (const struct route *r = routes; r->path; r++)
		write_path(&j, r->path, r->summary, r->type, r->takes);
	write_path(&j, "/metrics", "the state of the store, and what the recorder counts", "text/plain", 0);
	write_path(&j, "/healthz", "is something being recorded? 503: nothing was for a while", "application/json", 0);
	write_path(&j, "/api/v1/openapi.json", "this document", "application/json", 0);
	json_object_end(&j);
	json_object_end(&j);
	putc('\n', out);
}
