/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parts of a path. */
#pragma once
#include <string.h>

/* What is behind the last slash of @path; all of it if there is none. */
static inline const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
