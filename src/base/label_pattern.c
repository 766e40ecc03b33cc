/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a user means who names a unit, a container or a cgroup. See label_pattern.h. */
#include "base/label_pattern.h"
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

bool pattern_is(const char *pattern, const char *text)
{
	return !fnmatch(pattern, text, 0);
}

bool pattern_is_unit(const char *pattern, const char *unit)
{
	char name[512];

	return pattern_is(pattern, unit) ||
	       (*unit && snprintf(name, sizeof(name), "%s.service", pattern) < (int)sizeof(name) &&
		pattern_is(name, unit));
}

bool pattern_is_container(const char *pattern, const char *id, const char *name)
{
	size_t len = strlen(pattern);

	return pattern_is(pattern, id) || (*name && pattern_is(pattern, name)) ||
	       (len >= SHORT_ID && !strncmp(id, pattern, len));
}

bool pattern_is_cgroup(const char *pattern, const char *path)
{
	size_t len = strlen(pattern);

	return pattern_is(pattern, path) || (len > 1 && !strncmp(path, pattern, len) && path[len] == '/');
}
