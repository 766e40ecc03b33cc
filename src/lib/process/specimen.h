/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A specimen is a stack with all that its walk needs, extracted from its process: it can be walked again on any
 * machine.
 *
 * It is a text file, so that its sender sees what it contains. Of files (ELF headers, unwind tables, code) it holds
 * what the walk read and some bytes around it, so that a changed walk finds its bytes, too. Of all other memory, and of
 * the registers, it holds only the words that the walk needed; all others are zero.
 */
#pragma once
#include <stdio.h>
#include "lib/process/target.h"
#include "lib/process/trace.h"

struct specimen_block {
	u64 addr;
	u32 len;
	bool is_file;
	u8 *bytes;
};

struct specimen_frame {
	u64 pc;
	bool pc_is_exact;
};

struct specimen {
	struct target target;			  /* must be first; it reads from @blocks */
	struct target *live;			  /* the process that it is cut from; else NULL */
	struct vec(struct specimen_block) blocks; /* sorted by address, separate from each other */
	u64 regs[TRACE_REGS];
	u32 max_depth;
	char comm[64];
	u32 outcome; /* of the walk when it was cut */
	struct vec(struct specimen_frame) frames;
	u32 missing; /* reads of memory that is not in it */
};

/*
 * Cut a specimen of the stack with registers @regs from @live; its memory must not change meanwhile. Free *@ret with
 * specimen_free().
 * Returns 0, -ENOMEM, or -EBUSY (memory changed).
 */
int specimen_cut(struct specimen **ret, struct target *live, const u64 *regs, u32 max_depth, const char *comm);
/* Initialize an empty specimen that is walked from its blocks. */
void specimen_init(struct specimen *s);
void specimen_free(struct specimen *s);

static inline void specimen_freep(struct specimen **s)
{
	specimen_free(*s);
}

/*
 * specimen_walk(): walk it again, to @t. Returns 0 or -ENOMEM. specimen_agrees(): compare @t with the walk when it was
 * cut.
 */
int specimen_walk(struct specimen *s, struct trace *t);
bool specimen_agrees(const struct specimen *s, const struct trace *t);

/* Write it as lines of text. Returns 0 or -EIO. */
int specimen_write(const struct specimen *s, FILE *out);

/* Read a specimen. Returns 0, -ENOENT, ..., or -EINVAL (not a specimen, or damaged: @err says where). */
int specimen_read(struct specimen **ret, const char *path, struct dusk_error *err);
