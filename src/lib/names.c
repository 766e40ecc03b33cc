/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "names.h"
#include <bpf/bpf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "abi/event.h"
#include "base/cleanup.h"
#include "base/map.h"
#include "base/vec.h"
#include "demangle.h"
#include "ksyms.h"
#include "procfs.h"
#include "symbols.h"

/* A file, by its module number. */
struct file {
	char name[64];			/* without folders */
	struct symbols *symbols;	/* NULL: none could be read */
};

struct names {
	int named;
	struct ksyms *kernel;
	bool kernel_tried;
	struct vec(struct file) files;
	struct map by_id;		/* module number -> index */
};

int names_new(struct names **ret, int named)
{
	struct names *n = calloc(1, sizeof(*n));

	if (!n)
		return -ENOMEM;
	n->named = named;
	*ret = n;
	return 0;
}

void names_free(struct names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->files.nr; i++)
		symbols_free(n->files.v[i].symbols);
	vec_done(&n->files);
	map_done(&n->by_id);
	ksyms_free(n->kernel);
	free(n);
}

/* The file as its process sees it, or its parent, or we do. Only the one that was walked is believed. */
static struct symbols *open_symbols(const struct event_module *e, const char *path)
{
	char recorded[2 * BUILD_ID_BYTES + 1] = "", found[2 * BUILD_ID_BYTES + 1] = "";
	_cleanup_(closep) int fd = procfs_open_in_root(e->pid, path);
	struct symbols *s = NULL;

	if (fd < 0)
		fd = procfs_open_in_root(e->parent, path);
	if (fd < 0)
		fd = procfs_open_file(path);
	if (fd < 0)
		return NULL;
	for (u32 i = 0; i < e->build_id_bytes && i < BUILD_ID_BYTES; i++)
		sprintf(recorded + 2 * i, "%02x", e->build_id[i]);
	if (symbols_build_id(found, sizeof(found), fd) || strcmp(found, recorded))
		return NULL;
	return symbols_open(&s, fd, path, NULL, NULL) ? NULL : s;
}

static struct file *file_of(struct names *n, u32 id)
{
	char path[PATH_BYTES + 1], *slash;
	struct event_module e;
	struct file f = {};
	uint32_t *index;
	bool fresh;

	index = map_find(&n->by_id, id);
	if (index)
		return &n->files.v[*index];
	if (bpf_map_lookup_elem(n->named, &id, &e))
		return NULL;		/* it may still come */
	snprintf(path, sizeof(path), "%.*s", (int)(PATH_BYTES - e.path_start), e.path + e.path_start);
	slash = strrchr(path, '/');
	snprintf(f.name, sizeof(f.name), "%.63s", e.vdso ? "[vdso]" : slash ? slash + 1 : path);
	if (!e.vdso && *path == '/')
		f.symbols = open_symbols(&e, path);
	index = map_at(&n->by_id, id, &fresh);
	if (!index || vec_push(&n->files, f)) {
		symbols_free(f.symbols);
		return NULL;
	}
	*index = n->files.nr - 1;
	return &n->files.v[*index];
}

static void name_symbol(char *ret, size_t room, const char *symbol, uint64_t distance, const char *module)
{
	_cleanup_(freep) char *readable = demangle(symbol);

	snprintf(ret, room, "%s+0x%" PRIx64 " (%s)", readable ? readable : symbol, distance, module);
}

static void name_kernel(struct names *n, uint64_t address, char *ret, size_t room)
{
	const char *symbol, *module;
	uint64_t start;

	if (!n->kernel_tried && ksyms_load(&n->kernel))
		n->kernel = NULL;
	n->kernel_tried = true;
	symbol = n->kernel ? ksyms_find(n->kernel, address, &start, &module) : NULL;
	if (symbol)
		snprintf(ret, room, "%s+0x%" PRIx64 " (%s)", symbol, address - start, module);
	else
		snprintf(ret, room, "0x%" PRIx64 " ([kernel])", address);
}

static void name_code(const struct file *f, uint64_t frame, char *ret, size_t room)
{
	uint64_t offset = frame_offset(frame), address, call, start;
	const char *symbol = NULL;

	if (f->symbols && !symbols_address(f->symbols, offset, &address)) {
		call = address - frame_is_return(frame);
		symbol = symbols_find(f->symbols, call, &start);
	}
	if (symbol)
		name_symbol(ret, room, symbol, address - start, f->name);
	else
		snprintf(ret, room, "0x%" PRIx64 " (%s)", offset, f->name);
}

void names_frame(struct names *n, uint64_t frame, pid_t pid, char *ret, size_t room)
{
	u32 id = frame_module(frame);
	const struct file *f;

	if (id == FRAME_KERNEL) {
		name_kernel(n, frame, ret, room);
	} else if (id == FRAME_ANON) {
		snprintf(ret, room, "0x%llx ([anon] of %d)", frame_offset(frame), pid);
	} else {
		f = file_of(n, id);
		if (f)
			name_code(f, frame, ret, room);
		else
			snprintf(ret, room, "0x%llx ([module %u])", frame_offset(frame), id);
	}
}
