/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sets of distinct stacks: from a file, from a profile, or from the stackmap of a recording that goes on.
 *
 * A frame is one word: the address of kernel code; or, of user code, a module's number in the upper 16 bits, whether
 * it is a return address (bit 47), how the walk left it (bits 44 to 46, enum dusk_method) and the offset in the
 * module's file; of code without a file, module 0, the address instead of the last two. doc/stackmap.md has it on two
 * pages.
 */
#pragma once
#include <dusk/dusk.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A stack: its frames from the innermost outwards, and how often it was asked for. */
struct dusk_stack {
	uint32_t id, nr; /* nr: frames; at least 1 */
	uint64_t refs;
	const uint64_t *frame;
};

struct dusk_stacks {
	size_t nr;
	struct dusk_stack *v;
	uint64_t merged;		/* entries that held a stack which another one had: refs were added to that */
	char damage[256];		/* what of a file could not be read, and where; "": nothing */
	struct dusk_stack_names *names; /* dusk_stacks_find(); NULL: none are known */
	uint32_t identity;		/* of the stackmap that they are from: dusk_stackmap_identity(); 0: not known */
	struct dusk_stack_ids *ids;	/* dusk_stacks_by_id(); NULL: made when it is needed */
	void *store;			/* of the library */
};

void dusk_stacks_free(struct dusk_stacks *s);

/*
 * Read a file in the format FSMB, version 2, of either byte order: of dusk, or /sys/kernel/tracing/stack_map_bin of a
 * kernel that has the ftrace stackmap. *@ret is to be freed with dusk_stacks_free(). Of a file that is cut short or
 * broken all stacks before the break are there, and @damage says what is wrong at which byte. -EINVAL: no such file at
 * all; -EPROTONOSUPPORT: another version.
 */
int dusk_stacks_read(struct dusk_stacks **ret, const char *path, struct dusk_error *err);

/* The distinct stacks of a profile, kernel frames on user frames; refs are samples, ids nodes. */
int dusk_stacks_of_profile(struct dusk_stacks **ret, const struct dusk_profile *p);

/*
 * Write @s to @fd as FSMB, version 2, in our byte order; names, if it has any, behind the stacks, where readers that
 * know nothing of them do not look. Counts end at 4,294,967,295. 0 or a negative errno.
 */
int dusk_stacks_write(const struct dusk_stacks *s, int fd);

/*
 * The stack that had number @id where they are from; also if it is one with another here, since they were equal. @v is
 * as it was given. -ENOENT: there is none; -ENOMEM.
 */
int dusk_stacks_by_id(struct dusk_stacks *s, uint32_t id, const struct dusk_stack **ret);

/* Which code do the innermost frames belong to? */
bool dusk_stack_is_kernel(const struct dusk_stack *s);

/* A function, or a place in a file of which no function is known. */
struct dusk_symbol {
	const char *name, *module; /* module: "[kernel]", "[ext4]", "libc.so.6"; as long as what they are from */
	uint64_t offset, size;	   /* bytes; size 0: not known */
};

/*
 * Give @s the names of its frames and files, which go with it to a file, so that it can be read on another machine: of
 * a copy of @m, from the files and the kernel of this machine, soon, while programs run; or of the stacks of @p, as
 * that has them. A frame that is called one thing in one process and another in the next gets none. 0 or -ENOMEM.
 */
struct dusk_stackmap;
int dusk_stacks_name_by_map(struct dusk_stacks *s, struct dusk_stackmap *m);
int dusk_stacks_name_by_profile(struct dusk_stacks *s, const struct dusk_profile *p);

/*
 * The function that frame @i of @stack is in, of those that @s has names for; ret->name is NULL, and ret->offset that
 * in the file, if no more than its file is known. -ENOENT: nothing is.
 */
int dusk_stacks_find(const struct dusk_stacks *s, const struct dusk_stack *stack, uint32_t i, struct dusk_symbol *ret);

/* A file that frames of @s lie in: @i from 0. -ENOENT: there are no more. The kernel's number is 0xffff. */
struct dusk_stack_module {
	uint32_t number;	     /* the upper 16 bits of its frames */
	const char *path, *build_id; /* as in struct dusk_module */
};
int dusk_stacks_module(const struct dusk_stacks *s, size_t i, struct dusk_stack_module *ret);

/* Names of kernel code, each read as a whole, once. */
struct dusk_symbols;

/*
 * From text as in /proc/kallsyms, or from the symbol table of a kernel image, whose addresses are those of the kernel
 * that runs only if that is not moved at boot (nokaslr). *@ret is to be freed with dusk_symbols_free(). -EPERM: the
 * file hides all addresses; -ENOEXEC: no ELF file; -ENODATA: no functions in it.
 */
int dusk_symbols_kallsyms(struct dusk_symbols **ret, const char *path, struct dusk_error *err);
int dusk_symbols_vmlinux(struct dusk_symbols **ret, const char *path, struct dusk_error *err);
void dusk_symbols_free(struct dusk_symbols *s);

/* The function that frame @i of @stack is in. -ENOENT: none is known. */
int dusk_symbols_find(const struct dusk_symbols *s, const struct dusk_stack *stack, uint32_t i,
		      struct dusk_symbol *ret);

/*
 * The stackmap of a recording that goes on, or of any tool that uses libdusk: to be read while the kernel side fills
 * it. All tools that share an unwinder share a stackmap. When its table is 3/4 full, or at a reset, a fresh one takes
 * its place: a new epoch begins. What was mapped of the old one stays as it is.
 */
struct dusk_unwinder;

/*
 * Open the stackmap that is pinned in the folder @pin of bpffs; NULL: where tools share one. *@ret is to be closed with
 * dusk_stackmap_close(). -ENOENT: nobody uses one there; -EPERM, -EACCES: not ours to see.
 */
int dusk_stackmap_open(struct dusk_stackmap **ret, const char *pin, struct dusk_error *err);

/* The one of @u, to be closed before it. */
int dusk_stackmap_of(struct dusk_stackmap **ret, struct dusk_unwinder *u);
void dusk_stackmap_close(struct dusk_stackmap *m);

/*
 * The next stack, to @ret: true; false: there is no more. *@cursor is 0 before the first one. All are of the epoch in
 * which that was taken. Each that was there then is met once; of those that come meanwhile some are. A stack is whole
 * or not there; its frames stay as they are until the map is closed. Never waits.
 */
bool dusk_stackmap_next(struct dusk_stackmap *m, uint64_t *cursor, struct dusk_stack *ret);

/* All of them, copied; *@ret is to be freed with dusk_stacks_free(). 0 or -ENOMEM. */
int dusk_stackmap_copy(struct dusk_stacks **ret, struct dusk_stackmap *m);

/*
 * The same of all epochs whose tables are still there: of an unwinder's stackmap (dusk_stackmap_of()) all since that
 * was opened, or since dusk_unwind_forget(). A stack may be there more than once then, each time with another id.
 */
int dusk_stackmap_copy_all(struct dusk_stacks **ret, struct dusk_stackmap *m);

/*
 * What tells this stackmap from others: never 0, and another one after all tools have left and one has come again. An
 * id that is written down means nothing without it.
 */
uint32_t dusk_stackmap_identity(const struct dusk_stackmap *m);

/* The frames of stack @id of this epoch or one whose table is still there, *@nr how many. -ENOENT: there is none. */
int dusk_stackmap_frames(struct dusk_stackmap *m, uint32_t id, const uint64_t **ret, uint32_t *nr);

/* A frame as text, "function+0x12 (module)", to @ret of @room bytes. */
void dusk_stackmap_name(struct dusk_stackmap *m, uint64_t frame, char *ret, size_t room);

#define DUSK_STACKMAP_LENGTHS 8

struct dusk_stackmap_stat {
	uint32_t bits, epoch;
	uint32_t epochs;		/* of whose tables this is the sum; 0: requests are not known */
	uint64_t entries, table_size;	/* stacks; slots, each for one */
	uint64_t kernel_entries;	/* of these: dusk_stack_is_kernel() */
	uint64_t frames, kernel_frames; /* of all stacks; of these */
	uint64_t successes;		/* requests for a stack that got an id */
	uint64_t full, contended;	/* that got none: no room for the frames; all slots taken where it could be */
	uint64_t raced;			/* stacks written in vain, as another CPU was faster: room that is lost */
	/* successes by the slots looked at: 1, 2, 3, 4, up to 8, 16, 24, 32 */
	uint64_t probes[DUSK_STACKMAP_LENGTHS];
	uint64_t bytes_used, bytes; /* for these stacks; of the whole table */
	uint64_t room;		    /* bytes for frames and their heads */
};

/* Since this epoch began. -ENOENT: it has no table. */
int dusk_stackmap_stat(struct dusk_stackmap *m, struct dusk_stackmap_stat *ret);

/*
 * Of a recording that has ended: its distinct stacks, kernel frames on user frames, and what they would take in a
 * table; requests of all tools that shared the stackmap meanwhile. @table_size, @room and @bytes are 0; so are requests
 * if it was killed. 0 or -ENOMEM.
 */
int dusk_stackmap_stat_of_profile(struct dusk_stackmap_stat *ret, const struct dusk_profile *p);

/*
 * Begin a new epoch: the stackmap is empty. Recordings go on undisturbed, and what they have gathered stays theirs.
 * @when_stopped: only if nothing records, as the ftrace stackmap has it. -EBUSY: something records, or another reset is
 * under way, or a tool has not taken in yet what was there before the last one (which: @err).
 */
int dusk_stackmap_reset(struct dusk_stackmap *m, bool when_stopped, struct dusk_error *err);

#ifdef __cplusplus
}
#endif
