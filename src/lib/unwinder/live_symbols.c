/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/unwinder/live_symbols.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/map.h"
#include "base/path.h"
#include "base/vec.h"
#include "lib/lang/code.h"
#include "lib/symbols/demangle.h"
#include "lib/symbols/elfread.h"
#include "lib/symbols/ksyms.h"
#include "lib/process/module_event.h"
#include "lib/symbols/symbols.h"

/* A file, found by its module number. */
struct file {
	char name[64];		 /* without folders */
	struct symfile *symbols; /* NULL if the file could not be read */
	enum mangling mangling;	 /* of its names */
};

struct live_symbols {
	int named, codes;
	struct ksyms *kernel;
	bool kernel_tried;
	struct vec(struct file) files;
	struct map by_id; /* module number -> index */
	char *name;	  /* the function name found last, owned here */
	struct code code; /* likewise */
};

int live_symbols_new(struct live_symbols **ret, int named, int codes)
{
	struct live_symbols *n = calloc(1, sizeof(*n));

	if (!n)
		return -ENOMEM;
	n->named = named;
	n->codes = codes;
	*ret = n;
	return 0;
}

void live_symbols_free(struct live_symbols *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->files.nr; i++)
		symfile_free(n->files.v[i].symbols);
	vec_done(&n->files);
	map_done(&n->by_id);
	ksyms_free(n->kernel);
	free(n->name);
	free(n);
}

/* Read the symbols of the file. Returns NULL if the file is not available here. */
static struct symfile *read_symbols(struct module_event *m, const struct event_module *e)
{
	_cleanup_(closep) int fd = module_event_open(m, e);
	_cleanup_(symfile_freep) struct symfile *s = symfile_new();
	struct elfread wanted = {.fd = fd, .path = m->path, .pid = m->module.pid, .no_servers = true};

	if (fd < 0 || !s || elfread(s, &wanted))
		return NULL;
	return steal(s);
}

static struct file *file_of(struct live_symbols *n, u32 id)
{
	struct event_module e;
	struct module_event met;
	const char *slash;
	struct file f = {};
	uint32_t *index;
	bool fresh;

	index = map_find(&n->by_id, id);
	if (index)
		return &n->files.v[*index];
	if (bpf_map_lookup_elem(n->named, &id, &e))
		return NULL; /* not cached: the module event may still come */
	module_event_read(&met, &e);
	slash = strrchr(met.path, '/');
	snprintf(f.name, sizeof(f.name), "%.63s", slash ? slash + 1 : met.path);
	f.symbols = read_symbols(&met, &e);
	f.mangling = f.symbols ? symfile_mangling(f.symbols) : MANGLING_MARKED;
	index = map_at(&n->by_id, id, &fresh);
	if (!index || vec_push(&n->files, f)) {
		symfile_free(f.symbols);
		return NULL;
	}
	*index = n->files.nr - 1;
	return &n->files.v[*index];
}

int live_symbols_module(struct live_symbols *n, uint32_t id, struct module_event *ret)
{
	struct event_module e;

	if (bpf_map_lookup_elem(n->named, &id, &e))
		return -ENOENT;
	module_event_read(ret, &e);
	return 0;
}

static void find_kernel(struct live_symbols *n, uint64_t address, struct dusk_place *ret)
{
	const char *symbol, *module;
	uint64_t start;

	if (!n->kernel_tried && ksyms_load(&n->kernel))
		n->kernel = NULL;
	n->kernel_tried = true;
	symbol = n->kernel ? ksyms_find(n->kernel, address, &start, &module) : NULL;
	if (symbol)
		*ret = (struct dusk_place){symbol, module, address - start};
	else
		*ret = (struct dusk_place){NULL, "[kernel]", address};
}

static void find_code(struct live_symbols *n, const struct file *f, uint64_t frame, struct dusk_place *ret)
{
	uint64_t offset = frame_offset(frame), address, start;
	const char *symbol = NULL;
	char *readable;

	if (f->symbols && !symfile_address(f->symbols, offset, &address))
		symbol = symfile_find(f->symbols, address - frame_is_return(frame), &start);
	readable = symbol ? demangle_symbol(symbol, f->mangling) : NULL;
	if (readable) {
		free(n->name);
		n->name = readable;
		*ret = (struct dusk_place){n->name, f->name, address - start};
	} else {
		*ret = (struct dusk_place){NULL, f->name, offset};
	}
}

/* A function of an interpreted language. */
static void find_language(struct live_symbols *n, uint64_t frame, struct dusk_place *ret)
{
	u32 number = frame_code(frame);
	struct code *c = &n->code;

	*ret = (struct dusk_place){NULL, "[unknown]", frame_position(frame), .is_source = true};
	if (number && !code_find(c, n->codes, number))
		*ret = (struct dusk_place){c->name, path_name(c->file), 0, code_line(c, frame_position(frame)), true};
}

void live_symbols_find(struct live_symbols *n, uint64_t frame, struct dusk_place *ret)
{
	u32 id = frame_module(frame);
	const struct file *f = id == FRAME_ANON || id >= FRAME_LANGUAGE ? NULL : file_of(n, id);

	if (id == FRAME_KERNEL)
		find_kernel(n, frame, ret);
	else if (frame_is_code(frame))
		find_language(n, frame, ret);
	else if (f)
		find_code(n, f, frame, ret);
	else if (frame == FRAME_GAP)
		*ret = (struct dusk_place){FRAME_GAP_NAME, FRAME_GAP_NAME, 0};
	else
		*ret = (struct dusk_place){NULL, id == FRAME_ANON ? "[anon]" : "[unknown]", frame_offset(frame)};
}

void live_symbols_name(struct live_symbols *n, uint64_t frame, char *ret, size_t room)
{
	struct dusk_place p;

	live_symbols_find(n, frame, &p);
	if (p.line)
		snprintf(ret, room, "%s (%s:%u)", p.function, p.module, p.line);
	else
		snprintf(ret, room, "%s%s0x%" PRIx64 " (%s)", p.function ?: "", p.function ? "+" : "", p.offset,
			 p.module);
}
