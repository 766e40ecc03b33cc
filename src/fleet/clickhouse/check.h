/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a server have what was taken? */
#pragma once
#include "fleet/clickhouse/client.h"

struct check_result {
	bool twice;    /* something is stored twice */
	bool unsummed; /* of some samples there are no sums (sums.h) */
	bool gone; /* of the samples that were taken more than an hour ago, some are neither stored nor named as lost */
};

/*
 * Print for each host, and, @minutes, each minute, how many samples were taken, stored and lost, and what is missing. What has
 * not been sent yet is neither taken nor stored. What is found is added to @ret. Returns as client_run().
 */
int check_server(struct client *c, bool minutes, struct check_result *ret, struct dusk_error *err);
