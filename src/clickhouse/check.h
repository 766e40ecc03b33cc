/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a server have what was taken? */
#pragma once
#include "clickhouse/client.h"

/*
 * Print for each host, and, @minutes, each minute, how many samples were taken, stored and lost, and what is missing. What has
 * not been sent yet is neither taken nor stored. *@bad: something is stored twice. Returns as client_run().
 */
int check_server(struct client *c, bool minutes, bool *bad, struct dusk_error *err);
