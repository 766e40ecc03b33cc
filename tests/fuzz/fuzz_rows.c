/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whatever agents post, what a collector takes of it can stand before and behind other posts. The input: a byte that chooses a
 * table, or says that what follows is packed already (bit 7); then rows.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/gzip.h"
#include "fleet/clickhouse/row_types.h"
#include "fleet/clickhouse/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_ROWS 1000

static const struct {
	const char *types;
	bool has_batch;
} kinds[] = {
	{ROWS_FRAMES_TYPES, false}, {ROWS_STACKS_TYPES, false}, {ROWS_HOSTS_TYPES, false},
	{ROWS_COUNTS_TYPES, true},  {ROWS_SAMPLES_TYPES, true},
};

static int check(struct row_facts *ret, size_t kind, const void *packed, size_t len, uint64_t max_rows)
{
	int rc = row_types_check(ret, kinds[kind].types, kinds[kind].has_batch, packed, len, max_rows);

	assert(!rc || rc == -EBADMSG || rc == -E2BIG);
	return rc;
}

/* The same for @data, @times one behind the other. */
static int check_times(struct row_facts *ret, size_t kind, const uint8_t *data, size_t size, int times)
{
	struct gzip *g;
	char *packed;
	size_t len;
	FILE *out = open_memstream(&packed, &len);
	int rc = gzip_new(&g, out);

	assert(!rc);
	for (int i = 0; i < times; i++)
		gzip_write(g, data, size);
	gzip_free(g);
	fclose(out);
	rc = check(ret, kind, packed, len, (uint64_t)times * MAX_ROWS);
	free(packed);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct row_facts once, twice;
	size_t kind = size ? (data[0] & 0x7f) % (sizeof(kinds) / sizeof(kinds[0])) : 0;
	int rc;

	if (size && data[0] & 0x80)
		check(&once, kind, data + 1, size - 1, MAX_ROWS);
	else if (size && !check_times(&once, kind, data + 1, size - 1, 1)) {
		assert(once.nr_rows && once.nr_rows <= MAX_ROWS && !once.batch == !kinds[kind].has_batch);
		rc = check_times(&twice, kind, data + 1, size - 1, 2);
		assert(!rc && twice.nr_rows == 2 * once.nr_rows && twice.batch == once.batch &&
		       twice.host == once.host);
	}
	return 0;
}
