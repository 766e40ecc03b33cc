/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dusk-web: the server that dusk web becomes. It is a program of its own so that only it links a library for HTTP.
 *
 *	dusk-web DUSK STORE ADDRESS:PORT HOSTS token [FILE]	without a file the token is made by chance, and printed
 *	dusk-web DUSK STORE ADDRESS:PORT HOSTS header NAME
 *	dusk-web DUSK STORE ADDRESS:PORT HOSTS open
 *	dusk-web DUSK STORE ADDRESS:PORT HOSTS metrics		of an agent, which does not want to read where that is
 *
 * In place of ADDRESS:PORT there may be the path of a socket, which begins with /.
 * HOSTS are the names that requests may be for, "a,b" or "".
 *
 * Users start dusk web, which knows its options and their defaults (src/cli/commands/web.c).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/httpd.h"
#include "base/privilege.h"
#include "web/server.h"

static int fail(const char *what, const char *which, int err)
{
	fprintf(stderr, "dusk: %s %s: %s\n", what, which, strerror(-err));
	return 1;
}

static int choose_guard(struct guard *g, const char *mode, const char *value)
{
	int err = 0;

	if (!strcmp(mode, "open")) {
		g->mode = GUARD_OPEN;
	} else if (!strcmp(mode, "metrics")) {
		g->mode = GUARD_METRICS;
	} else if (!strcmp(mode, "header")) {
		g->mode = GUARD_HEADER;
		g->header = value;
	} else {
		g->mode = GUARD_TOKEN;
		err = value ? guard_read_token(g, value) : guard_make_token(g);
	}
	if (err == -EINVAL)
		fprintf(stderr, "dusk: %s has no token: 16 to 128 letters, digits, and - _ . ~ on its first line\n",
			value);
	else if (err == -EACCES && value && !access(value, R_OK))
		fprintf(stderr, "dusk: other users may read the token in %s: chmod o= %s\n", value, value);
	else if (err)
		fail("cannot read the token of", value ?: "the kernel", err);
	return err ? 1 : 0;
}

static void print_address(const struct server_options *o, uint16_t port, bool by_chance)
{
	int host = strcspn(o->listen, "/") ? strrchr(o->listen, ':') - o->listen : 0;

	if (o->guard.mode == GUARD_METRICS)
		return;
	printf("http://%.*s:%u/%s%s\n", host, o->listen, port, by_chance ? "?token=" : "",
	       by_chance ? o->guard.token : "");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const char *value = argc > 6 ? argv[6] : NULL;
	struct server_options o;
	sigset_t ends;
	struct server *s;
	uint16_t port;
	int signal, err;

	if (argc < 6) {
		fputs("dusk-web is started by dusk web\n", stderr);
		return 2;
	}
	o = (struct server_options){.dusk = argv[1], .store = argv[2], .listen = argv[3]};
	o.guard.hosts = argv[4];
	if (choose_guard(&o.guard, argv[5], value))
		return 1;
	err = privilege_stay_low();
	if (err)
		return fail("cannot give up", "privileges", err);
	httpd_block_ends(&ends);
	err = server_start(&s, &o, &port);
	if (err == -EINVAL) {
		fprintf(stderr, "dusk: %s is no address and port, such as 127.0.0.1:7417 or [::1]:7417\n", o.listen);
		return 2;
	}
	if (err)
		return fail("cannot listen at", o.listen, err);
	if (o.guard.mode == GUARD_OPEN && !server_is_local(&o))
		fprintf(stderr, "dusk: everybody who reaches %s sees what this machine does\n", o.listen);
	if (o.guard.mode == GUARD_HEADER && !server_is_local(&o))
		fprintf(stderr,
			"dusk: everybody who reaches %s can say that they are anybody: it is for a proxy alone\n",
			o.listen);
	print_address(&o, port, o.guard.mode == GUARD_TOKEN && !value);
	sigwait(&ends, &signal);
	server_stop(s);
	return 0;
}
