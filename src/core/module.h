/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which file is mapped at an address, and where its unwind tables are.
 *
 * There are two levels. A struct range is one executable mapping of one process, kept with the walker's state. A struct
 * module is what a file says of itself, shared by all processes (port_module()).
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
	MODULE_NOT_SAFE,   /* a page of its headers is not present, and not safe to wait for: not remembered */
	MODULE_TOO_LONG,   /* its tables would have to be searched for, and there is no time: not remembered */
	MODULE_ANON,	   /* memory without a file */
	MODULE_UNREAD,	   /* has a number, but has not been read: its headers were a process's private copies */
};

#define BUILD_ID_MAX 20
#define MAX_MODULE_ID 0xfffd /* abi/frame.h: 0, 0xfffe and 0xffff are reserved */

struct segment {
	u64 off, vaddr, size;
};

struct module {
	u32 id, kind;
	u32 nr_exec, nr_entries;
	u64 hdr, entry;	 /* .eh_frame_hdr (or .eh_frame, or .sframe) and entry point, link-time addresses */
	u64 sframe;	 /* .sframe, likewise; 0: it has none */
	u64 tables_off;	 /* offset of @hdr in the file */
	u64 start_vaddr; /* where the file's first byte is, link-time address */
	u64 dynamic;	 /* the dynamic section, link-time address; 0: it has none */
	u32 class;	 /* enum class */
	u32 used_s;	 /* when it was last used, by registry.now_s */
	struct segment exec[4];
	u32 build_id_bytes; /* 0: it has none */
	u8 build_id[BUILD_ID_MAX];
};

struct range {
	u64 start, end, bias, hdr, entry;
	u64 sframe;   /* link-time address; 0: it has none */
	s64 file_off; /* address + file_off = offset in the file; ANON: the address */
	s64 mapped;   /* the same of the mapping; another one where text was moved: find_moved() */
	u32 module, kind, nr_entries, epoch;
	u32 class;
	u32 has_handlers_return; /* 1: signal handlers return to it, where CFI describes that */
	/* for what is learnt here and shared with other processes */
	struct module_key file;
	u64 code, code_end; /* the segment for which @bias holds */
	u64 tables_off;
	u64 dynamic;	 /* address of the dynamic section; 0: it has none */
	u32 nr_vain;	 /* examinations in vain */
	u32 own_headers; /* the headers were private copies: nothing is shared */
	u32 owner;	 /* the headers or the tables were: rows are of this process alone, under this number; else 0 */
	u32 examined;	 /* EXAMINED: it was looked at whether it is the runtime of a language (core/lang) */
};

/* Memory that was read, and its offset in the file. */
struct piece {
	u64 addr, len, off;
};

/* IN_VAIN: it may not have been mapped completely; when mappings have changed, it is looked at again, some times. */
enum { EXAMINED = 1, EXAMINED_IN_VAIN };
#define EXAMINATIONS 4

#define NR_RANGES 32
#define NR_HINTS 64

struct modules {
	u32 here; /* the range that was found last */
	u32 nr, epoch;
	u32 vma_lookups, misses;
	u32 at_once;	/* the walk must be short */
	u32 now_s;	/* registry.now_s */
	u32 compat;	/* the task runs 32-bit code: tables of other files do not describe it */
	u32 runtime;	/* enum language: its runtime is among the modules; 0: none is known */
	u32 unexamined; /* there may be ranges that have not been examined */
	u32 owner;	/* the number of the process, for rows that are its own; 0: none so far */
	struct range range[NR_RANGES];
	u8 hint[NR_HINTS];

	struct page_wait wait;	/* for any read of the walk */
	struct vma vma, beside; /* working space of module_enter() */
	struct module_key key;
	u32 moved, pad; /* the mapping that is looked at is of no file */

	/* working space for reading an ELF file */
	u64 start_vaddr, phdr, sframe_off;
	u32 nr_ro, nr_notes, note_align;
	s32 error;
	u64 scan, scan_end;
	struct scan_pause pause;
	u64 word[8];
	u32 note[4];
	struct segment ro[4], notes[4];
	u64 align[4];		       /* of the notes */
	struct module read, shareable; /* what the headers say; the part of it that may be shared */
	struct page page;
	/* what something was learnt from, to check that it was the file's: module_tells() */
	struct module_key file;
	u32 sequence, nr_pieces;
	struct piece piece[16];
	struct vma tables;
};

static INLINE struct range *module_here(struct modules *ms)
{
	return &at(ms->range, ms->here);
}

/* Forget all ranges: this is another address space. */
static INLINE void modules_reset(struct modules *ms)
{
	ms->nr = ms->runtime = ms->unexamined = ms->owner = 0;
}

/* Check each range again before it is used: mappings may have changed. */
static INLINE void modules_distrust(struct modules *ms)
{
	ms->epoch++;
}

/* Does the range's file have tables to unwind by? */
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

/* Is @addr in module_here(), and need that not be checked again? */
static INLINE bool module_holds(struct modules *ms, u64 addr)
{
	struct range *r = module_here(ms);

	return ms->here < ms->nr && addr >= r->start && addr < r->end && r->epoch == ms->epoch;
}

/* Search all ranges for @addr. Returns as module_find() does. */
GLOBAL int module_find_slow(struct modules *ms NONNULL, u64 addr);

/* Make the range of @addr module_here(). Returns 0, or -EAGAIN: then call module_enter(). */
static INLINE int module_find(struct modules *ms, u64 addr)
{
	ms->here = at(ms->hint, hint_of(addr));
	return module_holds(ms, addr) ? 0 : module_find_slow(ms, addr);
}

/* Look up the mapping at @addr, and make it module_here(). Returns 0, -ENOENT or -EBUSY. */
GLOBAL int module_enter(struct modules *ms NONNULL, u64 addr);

/*
 * What is learnt of a file is for all processes that map it. But a process may have private copies of the file's pages,
 * and may have written anything to them. So what is learnt is shared only if all bytes that it was learnt from were the
 * file's. That is checked afterwards: from the moment a copy exists, the mapping is known to have some.
 *
 * Call this before something is learnt about @pc in module_here(). Returns whether it may be shared if it is learnt
 * from ms->tables only.
 */
GLOBAL bool module_may_tell(struct modules *ms NONNULL, u64 pc);

/* Note that @len bytes at @addr were read, which are at @off in the file. */
static INLINE void module_read(struct modules *ms, u64 addr, u64 len, u64 off)
{
	u32 nr = ms->nr_pieces;

	if (nr < COUNT(ms->piece))
		at(ms->piece, nr) = (struct piece){addr, len, off};
	ms->nr_pieces = nr + 1;
}

/* Was all that was noted the file's, from the first read until now? */
GLOBAL bool module_tells(struct modules *ms NONNULL);

/* elf.c: fill ms->read from the file that is mapped at @base, and note by module_read() what was read. */
GLOBAL int elf_read(struct modules *ms NONNULL, u64 base);
