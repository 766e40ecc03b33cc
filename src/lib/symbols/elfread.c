/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read an untrusted ELF file, the parent's side: run a confined reader and take its output. See elfread.h. */
#include <errno.h>

#include "lib/symbols/confined.h"
#include "lib/symbols/elfread.h"

struct reading {
	struct symfile *s;
	const struct elfread *e;
};

static int read_confined(void *arg, int out)
{
	const struct reading *r = arg;

	return elfread_write(r->s, r->e, out);
}

/* A damaged chunk ends the reading, but the chunks before it are kept. */
static ssize_t take(void *arg, const char *data, size_t bytes)
{
	struct reading *r = arg;

	return symfile_take(r->s, data, bytes);
}

int elfread(struct symfile *s, struct elfread *e)
{
	struct reading r = {s, e};
	struct confined c = {
		.fd = e->fd,
		.path = e->path,
		.pid = e->pid,
		.servers = !e->no_servers,
		.arg = &r,
		.read = read_confined,
		.take = take,
		.stop = e->stop,
		.ctx = e->ctx,
	};
	int err = confined_run(&c);

	e->silent = c.silent;
	e->late = c.late;
	return err == -EBADMSG ? 0 : err;
}
