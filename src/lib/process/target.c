/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/process/target.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/sysmacros.h>
#include "base/cleanup.h"
#include "core/lang.h"
#include "lib/process/made_memory.h"

static _Thread_local struct target *used;

void target_use(struct target *t)
{
	used = t;
}

void target_init(struct target *t, int (*read)(struct target *t, void *dst, u32 len, u64 addr))
{
	*t = (struct target){.read = read, .mem = -1};
}

static void forget_mappings(struct target *t)
{
	for (size_t i = 0; i < t->mappings.nr; i++)
		free(t->mappings.v[i].line);
	t->mappings.nr = 0;
}

void target_done(struct target *t)
{
	if (used == t)
		used = NULL;
	closep(&t->mem);
	forget_mappings(t);
	vec_done(&t->mappings);
	vec_done(&t->modules);
	vec_done(&t->codes);
	target_init(t, NULL);
}

/*
 * Parse "start-end perms offset major:minor inode path" (proc(5)). Returns the offset of the path in @line, or -EINVAL.
 */
static int parse(struct vma *ret, const char *line)
{
	unsigned int major, minor;
	unsigned long ino;
	char perms[5];
	int path = 0;

	memset(ret, 0, sizeof(*ret));
	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %lu%n", &ret->start, &ret->end, perms, &ret->offset, &major, &minor,
		   &ino, &path) < 7)
		return -EINVAL;
	path += strspn(line + path, " ");
	ret->executable = perms[2] == 'x';
	if (!made_memory(line + path, perms[3] == 's')) {
		ret->dev = makedev(major, minor);
		ret->ino = ino;
		ret->in_memory = made_memory_holds(line + path);
	}
	ret->vdso = !strncmp(line + path, "[vdso]", 6);
	ret->uprobes = !strncmp(line + path, "[uprobes]", 9);
	return path;
}

int target_map(struct target *t, const char *line)
{
	struct target_mapping m = {.line = strndup(line, strcspn(line, "\n"))};
	int path = m.line ? parse(&m.vma, m.line) : -ENOMEM;

	if (path >= 0) {
		m.path = m.line + path;
		if (!vec_push(&t->mappings, m))
			return 0;
		path = -ENOMEM;
	}
	free(m.line);
	return path;
}

int target_look_again(struct target *t, pid_t pid)
{
	_cleanup_(fclosep) FILE *maps = NULL;
	_cleanup_(freep) char *line = NULL;
	size_t room = 0;
	char path[64];
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	if (!maps)
		return -errno;
	forget_mappings(t);
	while (!err && getline(&line, &room, maps) > 0)
		err = target_map(t, line);
	return err;
}

static int read_process(struct target *t, void *dst, u32 len, u64 addr)
{
	return pread(t->mem, dst, len, (off_t)addr) == (ssize_t)len ? 0 : -EFAULT;
}

int target_open(struct target *t, pid_t pid)
{
	char path[64];
	int err;

	target_init(t, read_process);
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	t->mem = open(path, O_RDONLY | O_CLOEXEC);
	err = t->mem < 0 ? -errno : target_look_again(t, pid);
	if (err)
		target_done(t);
	return err;
}

const struct target_mapping *target_find(const struct target *t, u64 addr)
{
	for (size_t i = 0; i < t->mappings.nr; i++)
		if (addr >= t->mappings.v[i].vma.start && addr < t->mappings.v[i].vma.end)
			return &t->mappings.v[i];
	return NULL;
}

CORE int port_read(void *dst, u32 len, u64 addr)
{
	return used ? used->read(used, dst, len, addr) : -EFAULT;
}

CORE int port_peek(void *dst, u32 len, u64 addr)
{
	return port_read(dst, len, addr) ? -EFAULT : 0;
}

CORE int port_wait(void *dst, u32 len, u64 addr)
{
	return port_read(dst, len, addr);
}

GLOBAL int port_vma(u64 addr, struct vma *ret NONNULL)
{
	const struct target_mapping *m;

	if (used && used->world)
		return used->world->vma(used, addr, ret);
	m = used ? target_find(used, addr) : NULL;
	if (!m)
		return -ENOENT;
	used->mappings.v[m - used->mappings.v].asked = true;
	*ret = m->vma;
	return 0;
}

GLOBAL u64 port_file_start(const struct vma *like NONNULL, u32 most)
{
	struct target_mapping *start = NULL;

	if (like->offset == 0)
		return like->start;
	if (used->world)
		return used->world->file_start(used, like);
	for (size_t i = 0; i < used->mappings.nr && used->mappings.v[i].vma.start <= like->start; i++) {
		struct target_mapping *m = &used->mappings.v[i];

		if (!m->vma.offset && m->vma.ino == like->ino && m->vma.dev == like->dev)
			start = m;
	}
	if (!start)
		return 0;
	start->asked = true;
	return start->vma.start;
}

/* Only the kernel knows it. */
GLOBAL int port_true_return(u64 trampoline, u64 slot, u64 *ret NONNULL)
{
	struct vma v;

	return !port_vma(trampoline, &v) && v.uprobes ? -EFAULT : -ENOENT;
}

CORE struct module *port_module(const struct module_key *key)
{
	if (used->world)
		return used->world->module(used, key);
	for (size_t i = 0; i < used->modules.nr; i++)
		if (!memcmp(&used->modules.v[i].key, key, sizeof(*key)))
			return &used->modules.v[i].module;
	return NULL;
}

CORE struct module *port_module_add(struct modules *ms, bool again)
{
	struct target_module m = {ms->key, ms->shareable};
	struct module *known;

	if (used->world)
		return used->world->module_add(used, ms, again);
	known = again ? port_module(&ms->key) : NULL;
	if (known) {
		*known = ms->shareable;
		return known;
	}

	return vec_push(&used->modules, m) ? NULL : &used->modules.v[used->modules.nr - 1].module;
}

CORE u32 port_code_number(u64 space, u64 object, u64 fingerprint)
{
	for (size_t i = 0; i < used->codes.nr; i++)
		if (used->codes.v[i].object == object && used->codes.v[i].fingerprint == fingerprint)
			return i + 1;
	return 0;
}

GLOBAL u32 port_code_add(struct lang *l NONNULL, bool is_piece)
{
	struct target_code c = {is_piece ? 0 : l->code, l->fingerprint, l->content};

	return vec_push(&used->codes, c) ? 0 : used->codes.nr;
}
