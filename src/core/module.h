/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which file is at an address, and where does it keep its unwind tables?
 *
 * Two levels. A struct range is one executable mapping of one process, kept with the walker's state; a struct module
 * is what a file says of itself, known once for all processes (port_module()).
 */
#pragma once
#include "core/page.h"

enum module_kind {
	MODULE_ELF = 1, /* has .eh_frame_hdr with a table */
	MODULE_SCANNED, /* has .eh_frame, without a table */
	MODULE_SFRAME,	/* has .sframe, and no .eh_frame */
	MODULE_NO_EH_FRAME,
	MODULE_NOT_ELF,
	MODULE_UNREADABLE, /* its headers are not mapped: not remembered */
	MODULE_NOT_SAFE,   /* some page of its headers is not there, and not safe to wait for: not remembered */
	MODULE_TOO_LONG,   /* its tables would have to be searched for, and there is no time: not remembered */
	MODULE_ANON,	   /* memory without a file */
	MODULE_UNREAD,	   /* has a number, but whoever met it had copies of its own of the headers */
};

#define BUILD_ID_MAX 20
#define MAX_MODULE_ID 0xfffe /* abi/frame.h: 0 and 0xffff are taken */

struct segment {
	u64 off, vaddr, size;
};

struct module {
	u32 id, kind;
	u32 nr_exec, nr_entries;
	u64 hdr, entry; /* .eh_frame_hdr (or .eh_frame, or .sframe) and entry point, link-time addresses */
	u64 sframe;	/* likewise; 0: it has none */
	u64 tables_off; /* of @hdr in the file */
	u32 class;	/* enum class */
	u32 used_s;	/* when it was last met, by registry.now_s */
	struct segment exec[4];
	u32 build_id_bytes; /* 0: it has none */
	u8 build_id[BUILD_ID_MAX];
};

struct range {
	u64 start, end, bias, hdr, entry;
	u64 sframe;   /* link-time address; 0: it has none */
	s64 file_off; /* address + file_off = offset in the file; ANON: the address */
	u32 module, kind, nr_entries, epoch;
	u32 class;
	u32 has_handlers_return; /* 1: handlers of signals return to it: a 32-bit vDSO */
	/* for what is learnt here, and told to other processes */
	struct module_key file;
	u64 code, code_end; /* the segment, of which the bias is true */
	u64 tables_off;
	u32 own_headers, pad; /* they were not the file's: nothing is told */
};

/* Memory that was read, and where in the file that is. */
struct piece {
	u64 addr, len, off;
};

#define NR_RANGES 32
#define NR_HINTS 64

struct modules {
	u32 here; /* the range found last */
	u32 nr, epoch;
	u32 vma_lookups, misses;
	u32 at_once; /* it may not take long */
	u32 now_s;   /* registry.now_s */
	u32 compat;  /* the code that runs is 32-bit code: other files' tables do not tell of it */
	struct range range[NR_RANGES];
	u8 hint[NR_HINTS];

	struct vma vma, beside; /* working space of module_enter() */
	struct module_key key;

	/* working space for reading an ELF file */
	u64 start_vaddr, phdr, sframe_off;
	u32 nr_ro, nr_notes, note_align;
	s32 error;
	u64 scan, scan_end;
	u64 word[8];
	u32 note[4];
	struct segment ro[4], notes[4];
	u64 align[4];		  /* of the notes */
	struct module read, told; /* what the headers say; what others may know of it */
	struct page page;
	/* what something was learnt from, and whether that was the file's: module_tells() */
	struct module_key file;
	u32 sequence, nr_pieces;
	struct piece piece[16];
	struct vma tables;
};

static INLINE struct range *module_here(struct modules *ms)
{
	return &at(ms->range, ms->here);
}

/* Another address space: forget all. */
static INLINE void modules_reset(struct modules *ms)
{
	ms->nr = 0;
}

/* Mappings may have changed: look at each range again before using it. */
static INLINE void modules_distrust(struct modules *ms)
{
	ms->epoch++;
}

/* Does it have tables to unwind by? */
static INLINE bool module_has_tables(const struct range *r)
{
	return r->kind <= MODULE_SFRAME;
}

static INLINE bool module_has_sframe(const struct range *r)
{
	return module_has_tables(r) && r->sframe;
}

static INLINE u32 hint_of(u64 addr)
{
	return ((addr >> 12) * 0x9E3779B97F4A7C15ULL) >> 58;
}

/* Is @addr in module_here(), and is that still as we know it? */
static INLINE bool module_holds(struct modules *ms, u64 addr)
{
	struct range *r = module_here(ms);

	return ms->here < ms->nr && addr >= r->start && addr < r->end && r->epoch == ms->epoch;
}

/* Search all ranges. */
CORE int module_find_slow(struct modules *ms, u64 addr);

/* Find the range of @addr, as module_here(). 0 or -EAGAIN: then ask module_enter(). */
static INLINE int module_find(struct modules *ms, u64 addr)
{
	ms->here = at(ms->hint, hint_of(addr));
	return module_holds(ms, addr) ? 0 : module_find_slow(ms, addr);
}

/* Learn of the mapping at @addr. 0, -ENOENT or -EBUSY. */
CORE int module_enter(struct modules *ms, u64 addr);

/*
 * What is learnt of a file is for all processes that have it mapped; but a process may have made copies of its own of
 * the file's pages, and may have written anything there. So it is told to others only if all that it was learnt from
 * was the file's, which is looked at afterwards: from the time on when there is a copy the mapping is known to have
 * some.
 *
 * Before something is learnt of @pc in module_here(): may it be told, if it is learnt from ms->tables only?
 */
CORE bool module_may_tell(struct modules *ms, u64 pc);

/* @len bytes at @addr were read, which are at @off in the file. */
static INLINE void module_read(struct modules *ms, u64 addr, u64 len, u64 off)
{
	u32 nr = ms->nr_pieces;

	if (nr < COUNT(ms->piece))
		at(ms->piece, nr) = (struct piece){addr, len, off};
	ms->nr_pieces = nr + 1;
}

/* Was all of that the file's, from the first of it on until now? */
CORE bool module_tells(struct modules *ms);

/* elf.c: fill ms->read from the file that is mapped at @base, and say with module_read() from what. */
CORE void elf_read(struct modules *ms, u64 base);
