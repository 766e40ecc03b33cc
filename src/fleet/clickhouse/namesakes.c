/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hosts of one name. See namesakes.h. */
#include "fleet/clickhouse/namesakes.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "fleet/clickhouse/rows.h"
#include "fleet/clickhouse/schema.h"
#include "lib/error.h"

/*
 * Each profile, with its first second and its last one. The profiles of one agent come one after the other, so that none begins before
 * another one has ended, but for a moment.
 */
#define PROFILES                                                                                                     \
	"SELECT host, toUInt32(min(first_s)) AS first, toUInt32(max(last_s)) AS last, profile, max(boot) FROM "      \
	"(SELECT "                                                                                                   \
	"host, batch, min(ts) AS first_s, max(ts) AS last_s, maxIf(value, name = '" ROWS_PROFILE                     \
	"') AS profile, maxIf(value, name = '" ROWS_BOOT "') AS boot FROM %s.counts%s WHERE name IN ('" ROWS_PROFILE \
	"', '" ROWS_BOOT                                                                                             \
	"') AND ts >= toDateTime(%u) GROUP BY host, batch) GROUP BY host, profile ORDER BY host, first, "            \
	"last FORMAT TabSeparated"

#define MOMENT_S 10

struct profile {
	const char *host;
	uint32_t first_s, last_s;
	uint64_t boot;
};

static bool parse(struct profile *ret, char *line)
{
	char *rest = strchr(line, '\t');

	ret->host = line;
	if (rest)
		*rest++ = 0;
	return rest &&
	       sscanf(rest, "%" SCNu32 "\t%" SCNu32 "\t%*u\t%" SCNu64, &ret->first_s, &ret->last_s, &ret->boot) == 3;
}

static void say(const struct profile *p, bool machines)
{
	fprintf(stderr,
		machines ? "dusk: %s is the name of two machines, or its clock was set back: what it has is of both. "
			   "Give "
			   "each a name of its own\n"
			 : "dusk: %s has two agents, or its clock was set back: what it has was recorded twice. End "
			   "one of "
			   "them\n",
		p->host);
}

int namesakes_say(struct client *c, uint32_t from_s, struct dusk_error *err)
{
	_cleanup_(freep) char *sql = NULL, *answer = NULL;
	struct profile newest = {.host = ""}, p; /* of those so far, that which ends last */
	const char *suffix, *said = "";
	char *rest;
	size_t len;
	int rc = schema_reads(c, &suffix, err);

	if (rc)
		return rc;
	if (asprintf(&sql, PROFILES, client_database(c), suffix, from_s) < 0) {
		sql = NULL;
		return error_set(err, -ENOMEM, "cannot ask a server: out of memory");
	}
	rc = client_run(c, sql, NULL, NULL, &answer, &len, err);
	for (char *line = rc ? NULL : strtok_r(answer, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (!parse(&p, line))
			continue;
		if (!strcmp(p.host, newest.host) && p.first_s + MOMENT_S < newest.last_s && strcmp(p.host, said)) {
			say(&p, p.boot != newest.boot);
			said = p.host;
		}
		if (strcmp(p.host, newest.host) || p.last_s > newest.last_s)
			newest = p;
	}
	return rc;
}
