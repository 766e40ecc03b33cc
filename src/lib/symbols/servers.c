/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/symbols/servers.h"
#include <dlfcn.h>
#include <dusk/dusk.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include "base/clock.h"
#include "lib/symbols/opener.h"

#define PATIENCE_S 10 /* for a server that sends nothing, unless $DEBUGINFOD_TIMEOUT is set */

/* libdebuginfod, if it is installed; it is not linked. */
struct library {
	debuginfod_client *(*begin)(void);
	void (*end)(debuginfod_client *client);
	int (*find)(debuginfod_client *client, const unsigned char *build_id, int len, char **path);
	void (*watch)(debuginfod_client *client, int (*fn)(debuginfod_client *client, long got, long total));
};

/* Progress of a download; global, as libdebuginfod's callback has no context argument. */
static struct {
	struct opener_talk *talk;
	long bytes;
	uint64_t heard_ns;
} asked;

bool dusk_can_ask_servers(void)
{
	return true;
}

static int heard(debuginfod_client *client, long got, long total)
{
	uint64_t now = now_ns();

	(void)client;
	(void)total;
	/* Before data arrives, libdebuginfod passes the number of its calls instead of the number of bytes. */
	if ((got != asked.bytes && got != asked.bytes + 1) || !asked.heard_ns)
		asked.heard_ns = now;
	asked.bytes = got;
	if (!getenv("DEBUGINFOD_TIMEOUT") && now - asked.heard_ns > PATIENCE_S * 1000000000ULL)
		asked.talk->silent = true;
	return asked.talk->silent;
}

static bool load(struct library *l)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_LAZY);

	if (!library)
		return false;
	*(void **)&l->begin = dlsym(library, "debuginfod_begin");
	*(void **)&l->end = dlsym(library, "debuginfod_end");
	*(void **)&l->find = dlsym(library, "debuginfod_find_debuginfo");
	*(void **)&l->watch = dlsym(library, "debuginfod_set_progressfn");
	return l->begin && l->end && l->find && l->watch;
}

int servers_fetch(const char *build_id, struct opener_talk *talk)
{
	debuginfod_client *client;
	struct library l;
	int fd;

	if (talk->silent || !servers_named() || !load(&l))
		return -ENOENT;
	client = l.begin();
	if (!client)
		return -ENOMEM;
	asked.talk = talk;
	asked.heard_ns = 0;
	l.watch(client, heard);
	talk->asking = true;
	fd = l.find(client, (const unsigned char *)build_id, 0, NULL); /* 0: in hexadecimal */
	talk->asking = false;
	l.end(client);
	return fd;
}
