/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For a static program (meson's option "static"): debuginfod servers are not asked.
 *
 * Asking them takes dlopen() of libdebuginfod, which brings another C library than the one that is linked in, and two C
 * libraries in one process conflict. So dlopen() fails here for all callers: libdw works as on a machine without
 * libdebuginfod, and SQLite has no extensions to load.
 */
#include "lib/symbols/servers.h"
#include <dusk/dusk.h>
#include <errno.h>
#include <stddef.h>

bool dusk_can_ask_servers(void)
{
	return false;
}

int servers_fetch(const char *build_id, struct opener_talk *talk)
{
	(void)build_id;
	(void)talk;
	return -ENOENT;
}

/* The linker calls this instead of dlopen(): --wrap in src/cli/meson.build. */
void *__wrap_dlopen(const char *file, int mode);

void *__wrap_dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}
