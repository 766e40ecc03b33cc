/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include "base/cleanup.h"
#include "core/module.h"
#include "port_proc.h"

#define MAX_MODULES 4096

static int mem = -1;
static struct vma *vmas;
static size_t nr_vmas;

static struct known {
	struct module_key key;
	struct module module;
} known[MAX_MODULES];
static u32 nr_known;

void port_proc_close(void)
{
	closep(&mem);
	mem = -1;
	free(vmas);
	vmas = NULL;
	nr_vmas = 0;
}

/* "start-end perms offset major:minor inode path" (proc(5)). 0; -EINVAL. */
static int parse(struct vma *ret, const char *line)
{
	unsigned int major, minor;
	unsigned long ino;
	char perms[5];
	int path = 0;

	memset(ret, 0, sizeof(*ret));
	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %lu %n", &ret->start, &ret->end, perms, &ret->offset, &major, &minor,
		   &ino, &path) < 7)
		return -EINVAL;
	ret->executable = perms[2] == 'x';
	ret->dev = makedev(major, minor);
	ret->ino = ino;
	ret->vdso = path && !strncmp(line + path, "[vdso]", 6);
	return 0;
}

static int read_maps(pid_t pid)
{
	_cleanup_(fclosep) FILE *maps = NULL;
	_cleanup_(freep) char *line = NULL;
	size_t room = 0, have = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	if (!maps)
		return -errno;
	while (getline(&line, &room, maps) > 0) {
		if (nr_vmas == have) {
			struct vma *more = reallocarray(vmas, have * 2 + 64, sizeof(*vmas));

			if (!more)
				return -ENOMEM;
			vmas = more;
			have = have * 2 + 64;
		}
		if (!parse(&vmas[nr_vmas], line))
			nr_vmas++;
	}
	return 0;
}

int port_proc_open(pid_t pid)
{
	char path[64];
	int err;

	port_proc_close();
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	if (mem < 0)
		return -errno;
	err = read_maps(pid);
	if (err)
		port_proc_close();
	return err;
}

CORE int port_read(void *dst, u32 len, u64 addr)
{
	return pread(mem, dst, len, (off_t)addr) == (ssize_t)len ? 0 : -EFAULT;
}

CORE int port_peek(void *dst, u32 len, u64 addr)
{
	return port_read(dst, len, addr) ? -EFAULT : 0;
}

CORE int port_vma(u64 addr, struct vma *ret)
{
	for (size_t i = 0; i < nr_vmas; i++)
		if (addr >= vmas[i].start && addr < vmas[i].end) {
			*ret = vmas[i];
			return 0;
		}
	return -ENOENT;
}

CORE u64 port_file_start(const struct vma *like)
{
	u64 start = 0;

	if (like->offset == 0)
		return like->start;
	for (size_t i = 0; i < nr_vmas && vmas[i].start <= like->start; i++)
		if (!vmas[i].offset && vmas[i].ino == like->ino && vmas[i].dev == like->dev)
			start = vmas[i].start;
	return start;
}

CORE struct module *port_module(const struct module_key *key)
{
	for (u32 i = 0; i < nr_known; i++)
		if (!memcmp(&known[i].key, key, sizeof(*key)))
			return &known[i].module;
	return NULL;
}

CORE struct module *port_module_add(struct modules *ms)
{
	if (nr_known == MAX_MODULES)
		return NULL;
	known[nr_known] = (struct known){ ms->key, ms->read };
	return &known[nr_known++].module;
}
