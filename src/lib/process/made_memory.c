/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/process/made_memory.h"
#include <stddef.h>
#include <string.h>

static bool begins_with_one(const char *path, const char *const *names)
{
	for (; *names; names++)
		if (!strncmp(path, *names, strlen(*names)))
			return true;
	return false;
}

bool made_memory_holds(const char *path)
{
	static const char *const names[] = {"/memfd:", "/dev/shm/", "/dev/zero", "/SYSV", NULL};

	return begins_with_one(path, names);
}

bool made_memory(const char *path, bool shared)
{
	static const char *const names[] = {"//anon", "/dev/zero", "/anon_hugepage", "/SYSV", NULL};

	return *path != '/' || begins_with_one(path, names) || (shared && made_memory_holds(path));
}
