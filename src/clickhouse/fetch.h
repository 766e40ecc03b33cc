/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Make a profile of what a server has of a time, for the commands that read profiles. */
#pragma once
#include "clickhouse/client.h"

/*
 * Write what was sampled from @from_s up to @to_s, in seconds since 1970, to a new profile at @path. @filters: words such as
 * "host=web-1", each a column of samples and the text that it must have; NULL ends them.
 *
 * Returns 0; -ENODATA: there is nothing; -EINVAL: no such column; -EBADMSG: the answer makes no sense; or as client_run().
 */
int fetch(struct client *c, uint64_t from_s, uint64_t to_s, const char *const *filters, const char *path,
	  struct dusk_error *err);
