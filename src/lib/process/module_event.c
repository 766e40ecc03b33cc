/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/process/module_event.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include "base/cleanup.h"
#include "lib/buildid.h"
#include "lib/process/identity.h"
#include "lib/process/procfs.h"

void module_event_read(struct module_event *ret, const struct event_module *e)
{
	ret->module = (struct dusk_module){
		.kind = e->vdso ? DUSK_MODULE_VDSO : DUSK_MODULE_FILE,
		.pid = e->pid,
		.path = ret->path,
		.build_id = ret->build_id,
		.ino = e->vdso ? 0 : e->ino,
		.dev = e->vdso ? 0 : makedev(e->dev >> 20, e->dev & 0xfffff),
		.generation = e->generation,
	};
	buildid_hex(ret->build_id, e->build_id, e->build_id_bytes <= BUILD_ID_BYTES ? e->build_id_bytes : 0);
	if (e->vdso)
		strcpy(ret->path, "[vdso]");
	else if (e->path_start < PATH_BYTES)
		snprintf(ret->path, sizeof(ret->path), "%.*s", (int)(PATH_BYTES - e->path_start),
			 e->path + e->path_start);
	else if (procfs_mapped_path(e->pid, e->start, e->end, ret->path, sizeof(ret->path)))
		snprintf(ret->path, sizeof(ret->path), "[inode %llu]", e->ino); /* the mmap lock was held */
}

/*
 * Return @fd, which may be an error, if it is the file of @m; else -ENOENT. Where only a build id is known, the file must be our own:
 * the process may have something else at its path.
 */
static int accept(const struct module_event *m, int fd)
{
	_cleanup_(closep) int file = fd;

	if (file < 0 || !identity_recorded(&m->module, file))
		return -ENOENT;
	return m->module.ino || identity_owner(file) == IDENTITY_OURS ? steal_fd(&file) : -ENOENT;
}

static int accept_mapped(struct module_event *m, const struct event_module *e, int fd)
{
	_cleanup_(closep) int file = fd;

	return file >= 0 && identity_mapped(&m->module, e, file) ? steal_fd(&file) : -ENOENT;
}

static int open_mapped(struct module_event *m, const struct event_module *e)
{
	int fd = accept_mapped(m, e, procfs_open_mapped(e->pid, e->start, e->end));

	return fd < 0 ? accept_mapped(m, e, procfs_open_program(e->pid)) : fd;
}

int module_event_open(struct module_event *m, const struct event_module *e)
{
	bool has_path = m->path[0] == '/';
	int fd = -ENOENT;

	if (e->vdso == VDSO_COMPAT) /* not the same as this process's */
		return procfs_copy_memory(e->pid, e->start, e->end);
	if (e->vdso)
		return -ENOENT;
	/* By its path first: the other way needs a child. */
	if (has_path)
		fd = accept(m, procfs_open_in_root(e->pid, m->path));
	if (fd < 0)
		fd = open_mapped(m, e);
	if (fd < 0 && has_path)
		fd = accept(m, procfs_open_in_root(e->parent, m->path));
	return fd < 0 && has_path ? accept(m, procfs_open_file(m->path)) : fd;
}
