/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Accept options structs of callers that were built with another version. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "lib/error.h"
#include "lib/options.h"

static bool is_zero(const char *bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (bytes[i])
			return false;
	return true;
}

int options_take(void *ours, size_t bytes, const void *theirs, const char *what, struct dusk_error *err)
{
	size_t sz = theirs ? *(const size_t *)theirs : bytes;

	if (sz < sizeof(size_t))
		return error_set(err, -EINVAL, "%s: the member sz of the options is %zu: set it to their size", what,
				 sz);
	if (sz > bytes && !is_zero((const char *)theirs + bytes, sz - bytes))
		return error_set(err, -E2BIG, "%s: an option is set that libdusk %s does not know: update libdusk",
				 what, dusk_version());
	memset(ours, 0, bytes);
	if (theirs)
		memcpy(ours, theirs, sz < bytes ? sz : bytes);
	*(size_t *)ours = bytes;
	return 0;
}
