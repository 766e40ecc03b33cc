/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Modules, frames and nodes of a profile that is written. */
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/name.h"
#include "lib/profile/sums/packed.h"
#include "lib/profile/write/writer.h"

/* The identity of a frame. There is no padding: it is hashed and compared as bytes. */
struct frame_key {
	uint64_t offset;
	uint32_t module;
	uint16_t is_return, method;
};

/* Return the slot of @m's content, as it is written, in w->modules, or NULL. */
static uint32_t *module_at(struct profile_writer *w, const struct dusk_module *m, bool *fresh)
{
	char path[NAME_LIMIT_BYTES + 1], build_id[NAME_LIMIT_BYTES + 1];
	_cleanup_(freep) char *content = NULL;
	uint32_t number;
	int len = asprintf(&content, "%d %d %llx %llx %x %s %s", m->kind, m->kind == DUSK_MODULE_ANON ? m->pid : 0,
			   (unsigned long long)m->dev, (unsigned long long)m->ino, m->generation,
			   name_limit(build_id, m->build_id ?: ""), name_limit(path, m->path ?: ""));

	if (len < 0) {
		content = NULL;
		return NULL;
	}
	return strings_number(&w->contents, content, len, &number, NULL) ? NULL : map_at(&w->modules, number, fresh);
}

uint32_t profile_module(struct profile_writer *w, const struct dusk_module *m)
{
	sqlite3_stmt *stmt = writer_begin(w, MODULE);
	uint32_t *module;
	bool fresh;

	if (!stmt)
		return 0;
	module = module_at(w, m, &fresh);
	if (!module) {
		writer_fail_memory(w);
		return 0;
	}
	if (!fresh)
		return *module;
	*module = ++w->nr_modules;
	sqlite3_bind_int64(stmt, 1, *module);
	sqlite3_bind_int(stmt, 2, m->kind);
	writer_bind_pid(stmt, 3, m->pid);
	writer_bind_text(w, stmt, 4, m->path);
	writer_bind_text(w, stmt, 5, m->build_id);
	sqlite3_bind_int64(stmt, 6, m->dev);
	sqlite3_bind_int64(stmt, 7, m->ino);
	sqlite3_bind_int64(stmt, 8, m->generation);
	writer_run(w, stmt);
	return *module;
}

void profile_module_update(struct profile_writer *w, uint32_t module, const struct dusk_module *m)
{
	sqlite3_stmt *stmt = writer_begin(w, MODULE_UPDATE);
	uint32_t *known;
	bool fresh;

	if (!stmt)
		return;
	/* From now on the full content means this module, too. */
	known = module_at(w, m, &fresh);
	if (!known) {
		writer_fail_memory(w);
		return;
	}
	if (fresh)
		*known = module;
	sqlite3_bind_int64(stmt, 1, module);
	writer_bind_text(w, stmt, 2, m->path);
	writer_bind_text(w, stmt, 3, m->build_id);
	writer_run(w, stmt);
}

uint32_t profile_frame(struct profile_writer *w, uint32_t module, uint64_t offset, bool is_return,
		       enum dusk_method method)
{
	struct frame_key key = {.offset = offset, .module = module, .is_return = is_return, .method = method};
	sqlite3_stmt *stmt = writer_begin(w, FRAME);
	uint32_t number;
	bool fresh;

	if (!stmt)
		return 0;
	if (keys_number(&w->frames, &key, sizeof(key), &number, &fresh)) {
		writer_fail_memory(w);
		return 0;
	}
	if (!fresh)
		return number + 1;
	sqlite3_bind_int64(stmt, 1, number + 1);
	sqlite3_bind_int64(stmt, 2, module);
	sqlite3_bind_int64(stmt, 3, offset);
	sqlite3_bind_int(stmt, 4, is_return);
	sqlite3_bind_int(stmt, 5, method);
	writer_run(w, stmt);
	return number + 1;
}

uint32_t profile_node(struct profile_writer *w, uint32_t parent, uint32_t frame)
{
	const struct dusk_node key = {parent, frame};
	sqlite3_stmt *stmt = writer_begin(w, NODE);
	uint32_t number;
	bool fresh;

	if (!stmt)
		return 0;
	if (keys_number(&w->nodes, &key, sizeof(key), &number, &fresh)) {
		writer_fail_memory(w);
		return 0;
	}
	if (!fresh || w->windows.length_ns) /* as a block, later */
		return number + 1;
	sqlite3_bind_int64(stmt, 1, number + 1);
	sqlite3_bind_int64(stmt, 2, parent);
	sqlite3_bind_int64(stmt, 3, frame);
	writer_run(w, stmt);
	return number + 1;
}

/* Add the nodes from @from on, up to @to, to @c. */
static int add_nodes(const struct profile_writer *w, uint32_t from, uint32_t to, struct pack *c)
{
	int err = 0;

	for (uint32_t i = from; i < to && !err; i++) {
		const struct dusk_node *n = keys_at(&w->nodes, i);

		err = pack_number(c, 0, i + 1);
		err = err ?: pack_number(c, 1, n->parent);
		err = err ?: pack_number(c, 2, n->frame);
		pack_end_row(c);
	}
	return err;
}

int writer_pack_nodes(struct profile_writer *w)
{
	_cleanup_(pack_done) struct pack c = {.nr = 3};
	int rc = SQLITE_OK;

	while (!rc && w->nodes_written < w->nodes.nr) {
		uint32_t left = w->nodes.nr - w->nodes_written,
			 to = w->nodes_written + (left < PACKED_ROWS ? left : PACKED_ROWS);

		rc = add_nodes(w, w->nodes_written, to, &c) ? SQLITE_NOMEM : packed_add(w->db, "node", &c);
		w->nodes_written = to;
	}
	return rc;
}
