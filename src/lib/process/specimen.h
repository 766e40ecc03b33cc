/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What did a walk read? A specimen is a stack, cut out of its process with all that its walk needs: it can be walked
 * again on any machine.
 *
 * A text file, so that whoever sends it sees what it says. Of files (ELF headers, unwind tables, code) it holds what
 * was read and some bytes around it, so that another version of the walk finds its bytes, too. Of all other memory,
 * and of the registers, it holds no word that the walk did not need: such words are zero.
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
	struct target target;			  /* first: it reads from @blocks */
	struct target *live;			  /* where it is cut out of; else NULL */
	struct vec(struct specimen_block) blocks; /* by address, apart from each other */
	u64 regs[TRACE_REGS];
	u32 max_depth;
	char comm[64];
	u32 outcome; /* what the walk said when it was cut out */
	struct vec(struct specimen_frame) frames;
	u32 missing; /* reads of what it does not have */
};

/*
 * Cut the stack of @regs out of @live, which stands still. *@ret is to be freed with specimen_free(). -ENOMEM; -EBUSY:
 * it did not stand still.
 */
int specimen_cut(struct specimen **ret, struct target *live, const u64 *regs, u32 max_depth, const char *comm);
/* An empty one that walks its blocks. */
void specimen_init(struct specimen *s);
void specimen_free(struct specimen *s);

static inline void specimen_freep(struct specimen **s)
{
	specimen_free(*s);
}

/* Walk it again, to @t. 0 or -ENOMEM. specimen_agrees(): did it go as when it was cut out? */
int specimen_walk(struct specimen *s, struct trace *t);
bool specimen_agrees(const struct specimen *s, const struct trace *t);

/* Line for line, as text. 0 or -EIO. */
int specimen_write(const struct specimen *s, FILE *out);

/* -ENOENT, ...; -EINVAL: no specimen, or damaged (where: @err). */
int specimen_read(struct specimen **ret, const char *path, struct dusk_error *err);
