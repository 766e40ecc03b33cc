/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do two machines, or two agents of one machine, send under the name of one host? */
#pragma once
#include "fleet/clickhouse/client.h"

/*
 * Say for each host of which several profiles are of the same time, from @from_s on (since 1970), that this is so: its sums are those of
 * both. Returns as client_run().
 */
int namesakes_say(struct client *c, uint32_t from_s, struct dusk_error *err);
