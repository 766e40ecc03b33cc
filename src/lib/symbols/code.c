/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Find the code of a recorded function, and the source lines that it was compiled from.
 *
 * The end of the function is from its symbol, or else from its FDE. The line of an instruction is from the line table
 * of the compilation unit, in the file or in its debug file. A confined process reads them: code_child.c.
 */
#include "lib/symbols/code.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/name.h"
#include "lib/symbols/confined.h"
#include "lib/error.h"
#include "lib/symbols/module_file.h"

/* All that dusk_code_free() frees. */
struct code {
	struct dusk_code public; /* must be first: dusk_code_free() gets its address */
	char *names;
};

static int open_module(const struct dusk_module *m, struct dusk_error *err)
{
	int fd;

	if (m->kind != DUSK_MODULE_FILE)
		return error_set(err, -EOPNOTSUPP, "the code of %s is in no file", m->path);
	fd = module_file_open(m, NULL, NULL);
	if (fd >= 0)
		return fd;
	return error_set(err, -ENOENT, "%s is %s", m->path,
			 fd == -ESTALE ? "not the file that was recorded: its build id differs" : "not here");
}

static void code_freep(struct code **c)
{
	if (*c)
		dusk_code_free(&(*c)->public);
}

/* Check that the lines are sorted, inside the function, and each in a file of the list. */
static bool lines_make_sense(const struct dusk_code *c)
{
	for (uint32_t i = 0; i < c->nr_lines; i++) {
		const struct dusk_code_line *l = &c->lines[i];

		if (l->address < c->start || l->address >= c->end || (i && l->address <= l[-1].address) ||
		    (l->line && l->file >= c->nr_files))
			return false;
	}
	return true;
}

/* Set the beginning of each name, of which none is longer than a name may be. */
static bool find_names(struct dusk_code *c, const char *names, size_t bytes)
{
	const char *end = names + bytes;

	for (uint32_t i = 0; i < c->nr_files; i++) {
		const char *zero = names < end ? memchr(names, 0, end - names) : NULL;

		if (!zero || zero - names > NAME_LIMIT_BYTES)
			return false;
		c->files[i] = names;
		names = zero + 1;
	}
	return names == end;
}

/* Take over the data behind the header, at @data. Returns 0, -EBADMSG or -ENOMEM. */
static int take_code(struct code *c, const struct code_head *h, const char *data)
{
	size_t line_bytes = h->nr_lines * sizeof(*c->public.lines);

	if (h->end <= c->public.start || h->end - c->public.start > CODE_MAX_BYTES)
		return -EBADMSG;
	c->public.end = h->end;
	c->public.nr_lines = h->nr_lines;
	c->public.nr_files = h->nr_files;
	c->public.lines = malloc(line_bytes + 1);
	c->public.files = calloc(h->nr_files + 1UL, sizeof(*c->public.files));
	c->names = malloc(h->name_bytes + 1);
	if (!c->public.lines || !c->public.files || !c->names)
		return -ENOMEM;
	memcpy(c->public.lines, data, line_bytes);
	memcpy(c->names, data + line_bytes, h->name_bytes);
	return lines_make_sense(&c->public) && find_names(&c->public, c->names, h->name_bytes) ? 0 : -EBADMSG;
}

struct taking {
	struct code_wanted wanted;
	struct code *code;
	int error; /* 1: no output yet */
};

static ssize_t take(void *arg, const char *data, size_t bytes)
{
	struct taking *t = arg;
	struct code_head h;
	size_t all;

	if (bytes < sizeof(h))
		return 0;
	memcpy(&h, data, sizeof(h));
	if (h.magic != CODE_MAGIC || t->error <= 0 || h.error > 0 || h.name_bytes > UINT32_MAX)
		return -EBADMSG;
	all = sizeof(h) + h.nr_lines * sizeof(struct dusk_code_line) + h.name_bytes;
	if (bytes < all)
		return 0;
	t->error = h.error ?: take_code(t->code, &h, data + sizeof(h));
	return all;
}

static int read_confined(void *arg, int out)
{
	const struct taking *t = arg;

	return code_write(&t->wanted, out);
}

static int read_code(struct code *c, const struct dusk_module *m)
{
	struct taking t = {{c->public.fd, m->path, c->public.start}, c, 1};
	struct confined confined = {
		.fd = c->public.fd,
		.path = m->path,
		.pid = m->pid,
		.servers = true,
		.arg = &t,
		.read = read_confined,
		.take = take,
	};
	int rc = confined_run(&confined);

	if (rc || confined.late)
		return rc ?: -ETIMEDOUT;
	return t.error > 0 ? -EBADMSG : t.error;
}

int dusk_code_read(struct dusk_code **ret, const struct dusk_profile *p, uint32_t frame, struct dusk_error *err)
{
	const struct dusk_frame *f = &p->frames[frame];
	const struct dusk_module *m = &p->modules[f->module];
	_cleanup_(code_freep) struct code *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return error_set(err, -ENOMEM, "cannot read the code of %s: %s", m->path, strerror(ENOMEM));
	c->public.start = f->address - f->function_offset;
	c->public.fd = open_module(m, err);
	if (c->public.fd < 0)
		return c->public.fd;
	rc = read_code(c, m);
	if (rc == -ENODATA)
		return error_set(err, rc, "no symbol and no FDE tells where the function at 0x%" PRIx64 " of %s ends",
				 c->public.start, m->path);
	if (rc)
		return error_set(err, rc, "cannot read the code of %s: %s", m->path, strerror(-rc));
	*ret = &steal(c)->public;
	return 0;
}

void dusk_code_free(struct dusk_code *code)
{
	struct code *c = (struct code *)code;

	if (!c)
		return;
	closep(&c->public.fd);
	free(c->public.lines);
	free(c->public.files);
	free(c->names);
	free(c);
}
