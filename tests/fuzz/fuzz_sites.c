/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the confined process sends of a file's functions may be any bytes: each site that is taken has its three texts. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "lib/symbols/sites.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sites s = {0};
	ssize_t taken = sites_take(&s, (const char *)data, size);
	size_t bytes = 0;

	assert(taken <= (ssize_t)size);
	for (size_t i = 0; i < s.all.nr; i++) {
		const struct site *site = &s.all.v[i];

		assert(site->kind < SITE_KINDS && *site->name);
		bytes += sizeof(struct site_record) + strlen(site->provider) + strlen(site->name) +
			 strlen(site->arguments) + 3;
	}
	assert(taken < 0 || bytes == (size_t)taken);
	sites_done(&s);
	return 0;
}
