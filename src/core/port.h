/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the core asks of the world it runs in.
 *
 * Declared here, defined in bpf/common/port.bpf.c for the kernel and in lib/process/target.c or tests/port/ for the
 * host: the linker is the seam.
 */
#pragma once
#include "abi/outcome.h"
#include "core/env.h"

struct module;
struct modules;

/* A mapping of the target that is backed by a file, or by nothing (dev and ino 0), or is the vDSO. */
struct vma {
	u64 start, end, offset; /* @offset: of @start in the file, bytes */
	u64 dev, ino;
	u32 generation;
	u8 executable;
	u8 vdso;   /* enum vdso of abi/event.h; 0: a file, or nothing */
	u8 copied; /* the process may have copies of its own of some pages: not all is the file's */
	u8 pad;
	u32 sequence; /* of the address space: another one, or odd, if mappings were changed meanwhile */
	u32 pad2;
};

/* A piece of memory, and whether all that was read lies in it: then the highest bit of @outside is 0. */
struct bounds {
	u64 start, end, outside;
};

/* Without a branch: to the verifier it would double the ways through each read. */
static INLINE void bounds_note(struct bounds *b, u64 addr, u64 len)
{
	b->outside |= (addr - b->start) | (b->end - addr - len);
}

/* What makes a file the same in all processes. The vDSO is (0, 1, 0), that of 32-bit tasks (0, 2, 0). */
struct module_key {
	u64 dev, ino;
	u32 generation, pad;
};

/*
 * Copy @len bytes (at most a page) at @addr in the target to @dst. May sleep for a page. 0; -EFAULT: not mapped;
 * -EACCES: a page is not there, and waiting for it could hang the target. @dst is undefined on failure.
 */
CORE int port_read(void *dst, u32 len, u64 addr);

/* The same for any @len, but never sleeps: -EFAULT for whatever is not in memory. Any context. */
CORE int port_peek(void *dst, u32 len, u64 addr);

/* The outcome of a walk that needed what port_read() refused with @err: @unreadable, unless the page was not safe. */
static INLINE u32 read_outcome(int err, u32 unreadable)
{
	return err == -EACCES ? PAGE_NOT_SAFE : unreadable;
}

/*
 * The mapping that holds @addr: 0, -ENOENT, or -EBUSY: the process is changing it, or may be, and that took too long;
 * then *@ret, if it was written to at all, says what was there, which is true if it was known before.
 */
CORE int port_vma(u64 addr, struct vma *ret);

/*
 * The mapping of the start of @like's file, at or below @like: its address, or 0. Looked for where a linker leads one
 * to expect it, and in @most mappings before @like.
 */
CORE u64 port_file_start(const struct vma *like, u32 most);

/* The table of known modules: NULL if unknown. */
CORE struct module *port_module(const struct module_key *key);

/*
 * Make ms->told known as the module of ms->key, mapped at ms->vma, and tell user space of it; @again: instead of what
 * the table has, with the same number. Returns the module that the table now has, perhaps somebody else's, or NULL if
 * the table is full.
 */
CORE struct module *port_module_add(struct modules *ms, bool again);
