/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the core needs from the world it runs in.
 *
 * Declared here, and defined in bpf/common/port.bpf.c for BPF, in kernel/port_kernel.c and files.c for the kernel
 * module, and in lib/process/target.c or tests/port/ for the host: the linker connects them.
 */
#pragma once
#include "abi/outcome.h"
#include "core/env.h"

struct lang;
struct module;
struct modules;

/* A mapping of the target: of a file, of no file or of memory that the kernel keeps as one (dev and ino 0), or of the vDSO. */
struct vma {
	u64 start, end, offset; /* @offset: of @start in the file, in bytes */
	u64 dev, ino;
	u32 generation;
	u8 executable;
	u8 vdso;      /* enum vdso of abi/event.h; 0: a file, or nothing */
	u8 copied;    /* the process may have private copies of some pages: not all bytes are the file's */
	u8 uprobes;   /* the kernel's page for uprobes, [uprobes]; where port_true_return() needs it */
	u32 sequence; /* of the address space: odd, or different later, if mappings are changed meanwhile */
	u8 shared;
	u8 in_memory; /* of a file system that exists in memory only: a program, or what a process has made */
	u16 pad2;
	/* what the kernel says, for vma_settle() */
	u64 filesystem; /* its magic number */
	u64 copies;	/* its record of private copies; 0: there are none */
};

/* A range of memory. The highest bit of @outside is 0 as long as all reads lie within it. */
struct bounds {
	u64 start, end, outside;
};

/* Without a branch, which would double the verifier's paths through each read. */
static INLINE void bounds_note(struct bounds *b, u64 addr, u64 len)
{
	b->outside |= (addr - b->start) | (b->end - addr - len);
}

/* The identity of a file, the same in all processes. The vDSO is (0, 1, 0), that of 32-bit tasks (0, 2, 0). */
struct module_key {
	u64 dev, ino;
	u32 generation, pad;
};

/*
 * Copy @len bytes (at most a page) at @addr in the target to @dst. May sleep until a page is present, or note in struct
 * page_wait that it has to. Returns 0; -EFAULT: not mapped; -EACCES: a page is not present, and waiting for it could
 * hang the target, or has to be done by port_wait(). @dst is undefined on failure.
 */
FLAT int port_read(void *dst, u32 len, u64 addr);

/* The same for any @len, but never sleeps: -EFAULT for all that is not in memory. Any context. */
CORE int port_peek(void *dst, u32 len, u64 addr);

/*
 * A page that the walk has to wait for. Where port_read() cannot sleep, it notes the first such page here, and fails
 * with -EACCES. From then on nothing that was found is to be believed: the walk waits for the page, and goes back to
 * where its frame began. BPF verifies a function that does not sleep once, and one that does again for each call.
 */
struct page_wait {
	u64 addr;
	u32 bytes, pad; /* @bytes 0: no page */
	u64 absent;	/* the page that did not come, as its number + 1: port_read() of it fails with -EFAULT */
};

/* Copy @len bytes (1 to a page) at @addr to @dst, and wait until they are there. Returns 0, or negative: they will not. */
CORE int port_wait(void *dst, u32 len, u64 addr);

/* The outcome of a walk when port_read() failed with @err: @unreadable, or PAGE_NOT_SAFE. */
static INLINE u32 read_outcome(int err, u32 unreadable)
{
	return err == -EACCES ? PAGE_NOT_SAFE : unreadable;
}

/*
 * Find the mapping that holds @addr. Returns 0, -ENOENT, or -EBUSY: the process is changing its mappings, or may be,
 * and did not finish in time. With -EBUSY *@ret may have been written; it is true if it equals what was known before.
 */
GLOBAL int port_vma(u64 addr, struct vma *ret NONNULL);

/*
 * Find where the start of @like's file is mapped, at or below @like: first where linkers usually put it, then in up to
 * @most mappings before @like. Returns the address, or 0.
 */
GLOBAL u64 port_file_start(const struct vma *like NONNULL, u32 most);

/*
 * A uretprobe puts the address of a page of the kernel's in place of the return address at @slot. Is @trampoline that page?
 * Then get the true one. Returns 0; -ENOENT: it is not; -EFAULT: it is, and the true address is not known here.
 */
GLOBAL int port_true_return(u64 trampoline, u64 slot, u64 *ret NONNULL);

/* Look up @key in the table of modules. Returns NULL if it is unknown. */
CORE struct module *port_module(const struct module_key *key);

/*
 * Add ms->shareable to the table as the module of ms->key, mapped at ms->vma, and send a module event to user space. @again:
 * replace the table's entry, which has the same number. Returns the module that is now in the table, perhaps from
 * another walk, or NULL if the table is full.
 */
CORE struct module *port_module_add(struct modules *ms, bool again);

/*
 * The number of the code of a language at @object in the address space @space, if it is known, and still has this
 * @fingerprint; else 0.
 */
CORE u32 port_code_number(u64 space, u64 object, u64 fingerprint);

/*
 * Give l->content, whose hash is l->hash, a number: that of the same content, if it has one. Unless it @is_piece, remember the number for
 * port_code_number() of l->code. Returns it; 0: there is no room.
 */
GLOBAL u32 port_code_add(struct lang *l NONNULL, bool is_piece);
