/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A ClickHouse server as the target of a store: each row arrives exactly once.
 *
 * A batch is inserted as one block for each of its days, which is stored or not. If it is not known which, the server is asked
 * for the batch before it is sent again, when it cannot come late any more.
 */
#pragma once
#include "base/map.h"
#include "fleet/clickhouse/client.h"
#include "fleet/send/target.h"

struct clickhouse_target {
	struct target target;
	struct client *client;
	const char *suffix;	   /* of the names of tables that are read; NULL: not known yet */
	struct map stacks, frames; /* that this process has sent */
};

/* Free with clickhouse_target_done(), in any case. @c must live as long. Returns 0, or a negative errno with a text in @err. */
int clickhouse_target_init(struct clickhouse_target *ret, struct client *c, struct dusk_error *err);
void clickhouse_target_done(struct clickhouse_target *t);
