/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dusk-collect: it takes what many agents send, and inserts it into ClickHouse in few large pieces. It is a program of its own so
 * that only it links a library for HTTP as well as libcurl.
 *
 *	dusk-collect ADDRESS:PORT SPOOL SPOOL_BYTES WAIT_MS open|closed URL...
 *
 * closed: agents need the password in $DUSK_COLLECT_PASSWORD, if there is one, and without one only programs of this machine may
 * post. Users start dusk collect, which knows the options and their defaults (src/cli/commands/collect.c).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "base/address.h"
#include "base/httpd.h"
#include "base/privilege.h"
#include "fleet/collect/server.h"

static int fail(const char *what, const char *which, int err)
{
	fprintf(stderr, "dusk: %s %s: %s\n", what, which, strerror(-err));
	return 1;
}

/* Each agent has a connection. */
static void allow_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* What the address and the password mean together. Returns 0 or an exit status. */
static int check_address(const struct collector_options *o, bool open)
{
	union address a;

	if (address_parse(&a, o->listen)) {
		fprintf(stderr, "dusk: %s is no address and port, such as 127.0.0.1:8124 or [::]:8124\n", o->listen);
		return 2;
	}
	if (address_is_local(&a) || open || *o->password)
		return 0;
	fprintf(stderr,
		"dusk: everybody who reaches %s could post: put a password into $DUSK_COLLECT_PASSWORD, or say "
		"--open\n",
		o->listen);
	return 2;
}

static int serve(struct collector *c, const sigset_t *ends)
{
	const char *listen = c->o->listen;
	struct server *s;
	uint16_t port;
	int signal, err = server_start(&s, c, &port);

	if (err)
		return fail("cannot listen at", listen, err);
	printf("clickhouse://%.*s:%u/%s\n", (int)(strrchr(listen, ':') - listen), listen, port, collector_database(c));
	fflush(stdout);
	sigwait(ends, &signal);
	server_stop(s);
	return 0;
}

int main(int argc, char **argv)
{
	struct dusk_error error = {""};
	struct collector_options o;
	static struct collector c;
	sigset_t ends;
	int status;

	if (argc < 7 || argc - 6 > SHARDS_MAX) {
		fprintf(stderr, "dusk-collect is started by dusk collect, with at most %d shards\n", SHARDS_MAX);
		return 2;
	}
	o = (struct collector_options){.listen = argv[1],
				       .spool = argv[2],
				       .spool_bytes = strtoull(argv[3], NULL, 10),
				       .wait_ms = strtoull(argv[4], NULL, 10),
				       .password = getenv("DUSK_COLLECT_PASSWORD") ?: "",
				       .urls = (const char *const *)argv + 6,
				       .nr_shards = argc - 6};
	if (privilege_limit(0) || privilege_stay_low())
		return fail("cannot give up", "capabilities", -EPERM);
	status = check_address(&o, !strcmp(argv[5], "open"));
	if (status)
		return status;
	allow_files();
	httpd_block_ends(&ends);
	if (collector_init(&c, &o, &error)) {
		fprintf(stderr, "dusk: %s\n", error.text);
		status = 1;
	} else {
		status = serve(&c, &ends);
	}
	collector_done(&c);
	return status;
}
