/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stores of many hosts, on a ClickHouse server: clickhouse://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE. */
#pragma once
#include <dusk/dusk.h>
#include <stdbool.h>

struct needs;

/* Does @path mean such a store? */
bool fleet_is_meant(const char *path);

/* The '@' before the part of the time in @path, or NULL: it is behind the name of the database. */
const char *fleet_span(const char *path);

/*
 * Read what the store @url has from @from_ns (0: a day ago) up to @to_ns (0: now), by CLOCK_REALTIME; of it what @needs (NULL: all) says. Free *@ret with
 * dusk_profile_free(). Returns STATUS_OK, or STATUS_FAILED after an error.
 */
int fleet_open(struct dusk_profile **ret, const char *url, uint64_t from_ns, uint64_t to_ns, const struct needs *needs);
