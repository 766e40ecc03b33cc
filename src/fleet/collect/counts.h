/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a collector counts. Any thread adds; src/fleet/collect/metrics.c shows all of it. */
#pragma once
#include <stdatomic.h>
#include "fleet/collect/table.h"

/* Why a post was refused. The agent keeps what was in it, and posts it again. */
enum refusal {
	REFUSED_PASSWORD,
	REFUSED_STATEMENT, /* it is none of an agent */
	REFUSED_ROWS,	   /* they are not what the table has */
	REFUSED_SIZE,
	REFUSED_MEMORY,	 /* too much is under way at once */
	REFUSED_LATE,	 /* it took too long to come */
	REFUSED_FULL,	 /* the spool is */
	REFUSED_DISK,	 /* the spool cannot be written */
	REFUSED_UNKNOWN, /* a shard does not say whether it has a batch */
	NR_REFUSALS,
};

struct counts {
	atomic_ulong posts[NR_TABLES], rows[NR_TABLES], bytes, commits, again; /* acknowledged */
	atomic_ulong refused[NR_REFUSALS];
	atomic_ulong inserts[NR_TABLES], inserted_rows[NR_TABLES], small_inserts; /* that a shard has acknowledged */
	atomic_ulong failures, found, sent_again; /* of INSERTs; after which the shard had it, or did not */
};

static inline void count(atomic_ulong *counter, unsigned long by)
{
	atomic_fetch_add_explicit(counter, by, memory_order_relaxed);
}
