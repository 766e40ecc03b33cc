/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables in ClickHouse. The statements are those that 18.16 understands, and newer servers as well.
 *
 * samples	sums by window, process, kind and stack: one row each. kind is on-cpu, or why the thread was off CPU
 * counts	what was taken, lost and spent in each window
 * stacks	the frames of a stack, outermost first. The user part and the kernel part are stacks of their own
 * frames	what a frame is; of rows with the same frame that with the highest rev holds, as names come later
 * hosts	who sends
 *
 * stack and frame are hashes of what they mean, the same on all hosts: they are inserted without asking, and
 * collapse. batch is of one insert into samples, and of what goes with it into counts.
 */
#pragma once
#include "clickhouse/client.h"

/* Make the database and the tables that are not there. Returns as client_run(). */
int schema_make(struct client *c, struct dusk_error *err);

/* Returns 0; -ENOENT: the tables are not there; or as client_run(). */
int schema_check(struct client *c, struct dusk_error *err);
