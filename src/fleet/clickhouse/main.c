/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dusk-clickhouse: what dusk does with a ClickHouse server. It is a program of its own so that only it links libcurl.
 *
 *	dusk-clickhouse init [--cluster NAME] [--replicated] [--keep DAYS] URL...	make the tables
 *	dusk-clickhouse check URL		compare what was taken with what is stored, by host
 *	dusk-clickhouse check-minutes URL	the same by host and minute
 *	dusk-clickhouse status URL		print what there is; fail if nothing came for three minutes
 *	dusk-clickhouse alive URL		only fail if nothing came for three minutes
 *	dusk-clickhouse drop-before DAY URL...	remove the days before that
 *	dusk-clickhouse send URL STORE		send what is in a store, and end
 *	dusk-clickhouse fetch URL FROM TO FILE [WORD...]	write what there is of a time, in seconds since 1970, to a profile (query.h)
 *	dusk-clickhouse send-rest URL STORE	the same, without a word on how much
 *	dusk-clickhouse follow URL STORE	the same again and again, until SIGTERM
 *
 * Users start dusk store and dusk agent, which know the options (src/cli/commands/store.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/privilege.h"
#include "fleet/clickhouse/check.h"
#include "fleet/clickhouse/fetch.h"
#include "fleet/clickhouse/namesakes.h"
#include "fleet/clickhouse/schema.h"
#include "fleet/clickhouse/send.h"
#include "fleet/clickhouse/status.h"
#include "fleet/clickhouse/sums.h"
#include "fleet/send/follow.h"

#define NOTHING 4 /* the exit status of dusk, STATUS_NOTHING */
#define DROP_TRIES 4
#define STATUS_S (7 * 86400)
#define STALE_S 180 /* an agent writes a window every ten seconds */

static int fail(const struct dusk_error *err)
{
	fprintf(stderr, "dusk: %s\n", err->text);
	return 1;
}

/* Do @one with each of the servers @urls. */
static int each_server(const char *const *urls, int (*one)(struct client *c, const void *ctx, struct dusk_error *err),
		       const void *ctx, struct dusk_error *err)
{
	int rc = 0;

	for (; !rc && *urls; urls++) {
		_cleanup_(client_freep) struct client *c = NULL;

		rc = client_new(&c, *urls, err) ?: one(c, ctx, err);
	}
	return rc;
}

struct making {
	struct schema_options o;
	size_t nr;
};

static int may_make(struct client *c, const void *ctx, struct dusk_error *err)
{
	const struct making *m = ctx;

	return schema_may_make(c, &m->o, m->nr, err);
}

static int make(struct client *c, const void *ctx, struct dusk_error *err)
{
	const struct making *m = ctx;

	return schema_make(c, &m->o, err);
}

static int fill(struct client *c, const void *unused, struct dusk_error *err)
{
	return sums_fill(c, err);
}

static int say_filled(struct client *c, const void *unused, struct dusk_error *err)
{
	return sums_say_filled(c, err);
}

/* Nothing is made unless all can be; and nothing is read that is not on all of them. */
static int init(const char *const *words)
{
	struct making m = {.nr = 0};
	struct dusk_error err = {""};

	for (; *words && !strncmp(*words, "--", 2); words++)
		if (!strcmp(*words, "--replicated"))
			m.o.replicated = true;
		else if (!strcmp(*words, "--cluster") && words[1])
			m.o.cluster = *++words;
		else if (!strcmp(*words, "--keep") && words[1])
			m.o.keep_days = strtoul(*++words, NULL, 10);
		else
			return 2;
	while (words[m.nr])
		m.nr++;
	return each_server(words, may_make, &m, &err) || each_server(words, make, &m, &err) ||
			       each_server(words, fill, &m, &err) || each_server(words, say_filled, &m, &err)
		       ? fail(&err)
		       : 0;
}

static int send_to(struct client *c, const char *store, const char *how)
{
	struct clickhouse_target t;
	struct dusk_error err = {""};
	int status = clickhouse_target_init(&t, c, &err) ? fail(&err) : send_store(&t.target, store, how);

	clickhouse_target_done(&t);
	return status;
}

static int check(struct client *c, bool minutes)
{
	struct dusk_error err = {""};
	struct check_result r = {.twice = false};

	if (schema_check(c, &err) || check_server(c, minutes, &r, &err) || namesakes_say(c, 0, &err))
		return fail(&err);
	if (r.gone)
		fputs("dusk: of what was taken more than an hour ago, some is neither stored nor named as lost\n",
		      stderr);
	if (r.twice)
		fputs("dusk: more is stored than was taken: something was sent twice\n", stderr);
	if (r.unsummed)
		fputs("dusk: of some samples there are no sums, which views without functions show: dusk store init "
		      "makes them\n",
		      stderr);
	return r.twice || r.gone || r.unsummed;
}

static int say_stale(uint64_t ago_s)
{
	if (ago_s <= STALE_S)
		return 0;
	fputs("dusk: nothing came for three minutes\n", stderr);
	return 1;
}

static int status(struct client *c)
{
	struct dusk_error err = {""};
	uint64_t ago_s;

	if (schema_check(c, &err) || status_print(c, &ago_s, &err) || namesakes_say(c, time(NULL) - STATUS_S, &err))
		return fail(&err);
	return say_stale(ago_s);
}

static int alive(struct client *c)
{
	struct dusk_error err = {""};
	uint64_t ago_s;

	return status_newest(c, &ago_s, &err) ? fail(&err) : say_stale(ago_s);
}

static int drop_one(struct client *c, const void *day, struct dusk_error *err)
{
	return schema_check(c, err) ?: drop_before(c, day, err);
}

static int check_dropped(struct client *c, const void *day, struct dusk_error *err)
{
	return drop_check(c, day, err);
}

/* Replicas follow a moment later, and which one removes parts may change just now. */
static int drop(const char *day, const char *const *urls)
{
	struct dusk_error err = {""};
	int rc = -EEXIST;

	for (unsigned int i = 0; rc == -EEXIST && i < DROP_TRIES; i++) {
		sleep(i);
		rc = each_server(urls, drop_one, day, &err) ?: each_server(urls, check_dropped, day, &err);
	}
	return rc ? fail(&err) : 0;
}

int main(int argc, char **argv)
{
	_cleanup_(client_freep) struct client *c = NULL;
	struct dusk_error err = {""};

	/* Under sudo, or as a service, the store may be of another user. */
	if (privilege_limit(CAP(CAP_DAC_OVERRIDE) | CAP(CAP_DAC_READ_SEARCH)) || privilege_stay_low()) {
		fputs("dusk: cannot give up capabilities\n", stderr);
		return 1;
	}
	if (argc >= 3 && !strcmp(argv[1], "init"))
		return init((const char *const *)argv + 2);
	if (argc >= 4 && !strcmp(argv[1], "drop-before"))
		return drop(argv[2], (const char *const *)argv + 3);
	if (argc < 3 || client_new(&c, argv[2], &err))
		return *err.text ? fail(&err) : 2;
	if (argc == 3 && (!strcmp(argv[1], "check") || !strcmp(argv[1], "check-minutes")))
		return check(c, !strcmp(argv[1], "check-minutes"));
	if (argc == 3 && !strcmp(argv[1], "address"))
		return 0; /* it is one */
	if (argc == 3 && !strcmp(argv[1], "status"))
		return status(c);
	if (argc == 3 && !strcmp(argv[1], "alive"))
		return alive(c);
	if (argc == 4 && send_is_meant(argv[1]))
		return send_to(c, argv[3], argv[1]);
	if (argc >= 6 && !strcmp(argv[1], "fetch")) {
		int rc = fetch(c, strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10),
			       (const char *const *)argv + 6, argv[5], &err);

		if (rc)
			fail(&err);
		return rc == -ENODATA ? NOTHING : rc ? 1 : 0;
	}
	return 2;
}
