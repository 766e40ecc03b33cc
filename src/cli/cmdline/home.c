/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cli/cmdline/home.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <dusk/dusk.h>

void home_leave_alone(void)
{
	const char *kept = getenv("DEBUGINFOD_CACHE_PATH");
	char folder[PATH_MAX + sizeof("debuginfod_client")];
	int err = dusk_cache_folder(folder, PATH_MAX);

	if (err == -ENOENT) /* there is no home to write to */
		return;
	if (err) {
		setenv("LESSHISTFILE", "-", 0);
		if (!kept || !*kept)
			unsetenv("DEBUGINFOD_URLS");
		return;
	}
	/*
	 * By default libdebuginfod prefers ~/.debuginfod_client_cache, but if $XDG_CACHE_HOME is set,
	 * dusk_cache_folder() did not check $HOME.
	 */
	strcpy(strrchr(folder, '/') + 1, "debuginfod_client");
	setenv("DEBUGINFOD_CACHE_PATH", folder, 0);
}
