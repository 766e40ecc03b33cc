/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Make a profile of what a server has of a time, for the commands that read profiles. */
#pragma once
#include "fleet/clickhouse/client.h"

/*
 * Write what was sampled from @from_s up to @to_s, in seconds since 1970, to a new profile at @path; "fd:3" is a file that is open. @words: what of it
 * (query.h); NULL ends them. A profile without samples says that none match.
 *
 * Returns 0; -ENODATA: there is nothing of that time; -EINVAL: a word makes no sense; -EBADMSG: the answer makes no sense; or as client_run().
 */
int fetch(struct client *c, uint64_t from_s, uint64_t to_s, const char *const *words, const char *path,
	  struct dusk_error *err);
