/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The collector's side of HTTP. */
#pragma once
#include "fleet/collect/collector.h"

struct server;

/*
 * Listen, and answer from now on. *@port: where. Returns 0; -EINVAL: the address is none; or a negative errno. @c must
 * live longer than the server.
 */
int server_start(struct server **ret, struct collector *c, uint16_t *port);

/* Answer what has come, and end. */
void server_stop(struct server *s);
