/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Answer a request with what a command of dusk writes. */
#pragma once
#include "web/cache.h"
#include "web/response.h"
#include "web/route.h"

/*
 * Answer by the program @dusk with @words, as route_words() makes them of @store, or by what it has written before (@cache). An exit
 * status other than 0 becomes one of HTTP.
 */
answer_t answer_by_dusk(struct cache *cache, const char *dusk, const char *store, struct MHD_Connection *c,
			const struct route *route, const char *const *words);
