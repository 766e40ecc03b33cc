/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* core/port.h on the memory in struct twin, for both builds. */
#include "core/lang.h"
#include "twin.h"

#ifdef __bpf__
#define PROBE_READ_KERNEL ((long (*)(void *, u32, const void *))113)
#define copy(dst, len, src) PROBE_READ_KERNEL((dst), (len), (src))
#else
#define copy(dst, len, src) memcpy((dst), (src), (len))
#endif

static INLINE struct twin_mapping *find(u64 addr)
{
	struct twin *t = &twin;

	for (u32 i = 0; i < TWIN_MAPPINGS; i++)
		if (i < t->nr_mappings && addr >= t->mapping[i].vma.start && addr < t->mapping[i].vma.end)
			return &t->mapping[i];
	return 0;
}

static int read_memory(void *dst, u32 len, u64 addr)
{
	struct twin *t = &twin;
	struct twin_mapping *m = find(addr);
	u32 off;

	t->reads++;
	t->refused = t->reads == t->fail_nth ? -EACCES : -EFAULT;
	if (t->reads == t->fail_nth)
		return -EACCES;
	if (!m || len > m->vma.end - addr || len > PAGE_BYTES)
		return -EFAULT;
	off = m->at + (u32)(addr - m->vma.start);
	copy(dst, len, &at(t->memory, off));
	return 0;
}

CORE int port_peek(void *dst, u32 len, u64 addr)
{
	return read_memory(dst, len, addr) ? -EFAULT : 0;
}

#ifndef __bpf__
int port_read(void *dst, u32 len, u64 addr)
{
	return read_memory(dst, len, addr);
}
#endif

CORE int port_wait(void *dst, u32 len, u64 addr)
{
	return -EACCES;
}

GLOBAL int port_vma(u64 addr, struct vma *ret NONNULL)
{
	struct twin_mapping *m = find(addr);

	if (!m)
		return -ENOENT;
	*ret = m->vma;
	return 0;
}

GLOBAL u64 port_file_start(const struct vma *like NONNULL, u32 most)
{
	return like->start - like->offset;
}

GLOBAL int port_true_return(u64 trampoline, u64 slot, u64 *ret NONNULL)
{
	return -ENOENT;
}

CORE struct module *port_module(const struct module_key *key)
{
	struct twin *t = &twin;

	return t->known && t->key.dev == key->dev && t->key.ino == key->ino ? &t->module : 0;
}

CORE struct module *port_module_add(struct modules *ms, bool again)
{
	struct twin *t = &twin;

	t->key = ms->key;
	t->module = ms->shareable;
	t->known = 1;
	return &t->module;
}

/* There are no frames of languages here. */
CORE u32 port_code_number(u64 space, u64 object, u64 fingerprint)
{
	return 0;
}

GLOBAL u32 port_code_add(struct lang *l NONNULL, bool is_piece)
{
	return 0;
}
