/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The interface between the two halves of the module. walking.c and files.c know the structs of the core, all others
 * those of the kernel: one file cannot include both, as each has a struct module and a struct page.
 */
#pragma once
#include <linux/types.h>

struct walk;

/* The size of a walk's working memory, which is zeroed before the first walk in it. */
extern const size_t walking_bytes;

/* Registers to start from, by the kernel's names for them. */
struct entry_registers {
	u64 ax, dx, cx, bx, si, di, bp, sp, r8, r9, r10, r11, r12, r13, r14, r15, ip, cs;
};

/* What the working memory knows of mappings, from the last walk in it. */
enum acquaintance {
	ANOTHER_SPACE, /* nothing */
	CHANGED_SPACE, /* has to be checked again before it is used */
	SAME_SPACE,
};

/* Walk from @from, at most @max_depth frames. Returns the outcome (abi/outcome.h); walking_frames() has the frames. */
u32 walking_walk(struct walk *w, const struct entry_registers *from, u32 max_depth, enum acquaintance known);

/*
 * Get the frames of the last walk in @w (abi/frame.h), innermost first; they stay until the next one. Returns how many.
 */
u32 walking_frames(const struct walk *w, const u64 **ret);

/* A file that frames name by its number. */
struct known_file {
	u64 dev, ino; /* in the kernel's encoding; the vDSO is (0, 1), that of 32-bit tasks (0, 2) */
	u32 generation, build_id_bytes;
	u8 build_id[20];
	u32 pad;
};

/* Describe the file with @number. Returns 0, or -ENOENT: there is no such number. */
int files_find(u32 number, struct known_file *ret);

/* pool.c: the lock for adding a file. May sleep. */
void files_lock(void);
void files_unlock(void);
