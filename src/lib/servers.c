/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "servers.h"
#include <dlfcn.h>
#include <dusk/dusk.h>
#include <elfutils/libdwfl.h>

#define PATIENCE_S 10 /* for a server that sends nothing, unless $DEBUGINFOD_TIMEOUT says else */

/* Whose server is being asked: libdebuginfod's callback carries nothing of ours. */
static __thread struct server_talk *asking;

static int heard(debuginfod_client *client, long got, long total)
{
	struct timespec now;

	(void)client;
	(void)total;
	if (!asking)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	/* Until something comes libdebuginfod passes the number of its calls for that of bytes. */
	if ((got != asking->bytes && got != asking->bytes + 1) || !asking->heard)
		asking->heard = now.tv_sec;
	asking->bytes = got;
	if (!getenv("DEBUGINFOD_TIMEOUT") && now.tv_sec - asking->heard > PATIENCE_S)
		asking->silent = true;
	return asking->silent;
}

bool dusk_can_ask_servers(void)
{
	return true;
}

/* libdw loads libdebuginfod by itself if it is installed, so we do not link with it either. */
void servers_watch(Dwfl *dwfl)
{
	void (*set)(debuginfod_client *client, int (*fn)(debuginfod_client *client, long got, long total));
	debuginfod_client *client = servers_named() ? dwfl_get_debuginfod_client(dwfl) : NULL;
	void *library = client ? dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_NOLOAD) : NULL;

	if (!library)
		return;
	*(void **)&set = dlsym(library, "debuginfod_set_progressfn");
	if (set)
		set(client, heard);
	dlclose(library);
}

void servers_begin(struct server_talk *t)
{
	asking = t;
	t->heard = 0;
}

void servers_end(void)
{
	asking = NULL;
}
