/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The program is one static file (meson's option "static"): no servers of debug information are asked.
 *
 * They are reached by dlopen() of libdebuginfod, which comes with another C library than the one that is linked in, and
 * both would believe that the process is theirs. So here dlopen() finds nothing, whoever calls it: libdw goes on as on
 * a machine without libdebuginfod, and SQLite has no extensions to load.
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

/* What the linker calls instead of dlopen(): --wrap of src/cli/meson.build. */
void *__wrap_dlopen(const char *file, int mode);

void *__wrap_dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}
