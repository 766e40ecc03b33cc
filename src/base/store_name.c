/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of profiles in a store. See store_name.h. */
#include "base/store_name.h"
#include <stdlib.h>
#include <string.h>

const char *store_name_parse(const char *name, time_t *start_s, unsigned long *nr)
{
	struct tm tm = {0};
	const char *rest = strptime(name, STORE_TIME, &tm);
	char *end;

	if (!rest)
		return NULL;
	*nr = 1;
	if (*rest == '_') {
		*nr = strtoul(rest + 1, &end, 10);
		rest = end;
	}
	if (strncmp(rest, STORE_SUFFIX, strlen(STORE_SUFFIX)))
		return NULL;
	*start_s = timegm(&tm);
	return rest + strlen(STORE_SUFFIX);
}
