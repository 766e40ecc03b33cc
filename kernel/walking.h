/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the two halves of the module say to each other. walking.c and files.c know the structs of the core, all others
 * those of the kernel: in one file they cannot be, as both have a struct module and a struct page.
 */
#pragma once
#include <linux/types.h>

struct walk;

/* How much memory a walk works in: zeroed, before the first one in it. */
extern const size_t walking_bytes;

/* Registers to start from, by the names that the kernel has for them. */
struct entry_registers {
	u64 ax, dx, cx, bx, si, di, bp, sp, r8, r9, r10, r11, r12, r13, r14, r15, ip, cs;
};

/* What the memory knows of mappings, from the walk that was done in it before. */
enum acquaintance {
	ANOTHER_SPACE, /* nothing */
	CHANGED_SPACE, /* to be looked at again before it is used */
	SAME_SPACE,
};

/* Walk from @from, at most @max_depth frames. Returns the outcome (abi/outcome.h); walking_frames() has the frames. */
u32 walking_walk(struct walk *w, const struct entry_registers *from, u32 max_depth, enum acquaintance known);

/* Frames of the last walk in @w (abi/frame.h), innermost first; they stay until the next one. Returns how many. */
u32 walking_frames(const struct walk *w, const u64 **ret);

/* A file that frames name by its number. */
struct known_file {
	u64 dev, ino; /* as the kernel has them; the vDSO is (0, 1), that of 32-bit tasks (0, 2) */
	u32 generation, build_id_bytes;
	u8 build_id[20];
	u32 pad;
};

/* 0, or -ENOENT: there is no such number. */
int files_find(u32 number, struct known_file *ret);

/* pool.c: who adds a file has this. May sleep. */
void files_lock(void);
void files_unlock(void);
