/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Answer requests over HTTP, each in a thread of its own. */
#pragma once
#include <stdint.h>
#include "web/guard.h"

struct server_options {
	const char *dusk;   /* the program that answers */
	const char *store;  /* what is asked about */
	const char *listen; /* "127.0.0.1:7417", "[::1]:0", "/run/socket" */
	struct guard guard;
};

struct server;

/*
 * Listen, and answer from now on. @o must live as long as the server, and its guard's cookie is named here. *@port: where.
 * Returns 0; -EINVAL: .listen is no address and port; or a negative errno.
 */
int server_start(struct server **ret, struct server_options *o, uint16_t *port);

/* Is the address one that only this machine reaches? */
bool server_is_local(const struct server_options *o);

/* Cut the answers off that are being given, and free @s, which may be NULL. */
void server_stop(struct server *s);
