/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sets of distinct stacks: from a file, from a profile, or from the stackmap of a recording that goes on.
 *
 * A frame is one word. For kernel code it is the address. For user code it is the module's number in the upper 16 bits,
 * a flag for return addresses (bit 47), how the walk left the frame (bits 44 to 46, enum dusk_method), and the offset
 * in the module's file. For code without a file, the module is 0, and the address takes the place of the last two,
 * without its lowest bits if they are always 0 (address_shift).
 * doc/stackmap.md describes it on two pages.
 */
#pragma once
#include <dusk/dusk.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A stack: its frames from the innermost outwards, and how many requests there were for it. */
struct dusk_stack {
	uint32_t id, nr; /* nr: frames; at least 1 */
	uint64_t refs;
	const uint64_t *frame;
};

struct dusk_stacks {
	size_t nr;
	struct dusk_stack *v;
	uint64_t merged;		/* entries equal to another one, to which their refs were added */
	char damage[256];		/* which part of a file could not be read, and where; "": none */
	struct dusk_stack_names *names; /* dusk_stacks_find(); NULL: none are known */
	uint32_t identity;		/* of the stackmap that they are from: dusk_stackmap_identity(); 0: not known */
	uint32_t address_shift;		/* how many lowest bits addresses of code without a file lack in frames */
	struct dusk_stack_ids *ids;	/* dusk_stacks_by_id(); NULL: made when it is needed */
	void *store;			/* private to the library */
};

/* Free @s, which may be NULL, and all that it points to. */
void dusk_stacks_free(struct dusk_stacks *s);

/*
 * Read a file in format FSMB, version 2, of either byte order: written by dusk, or /sys/kernel/tracing/stack_map_bin of
 * a kernel that has the ftrace stackmap. Free *@ret with dusk_stacks_free(). From a file that is cut short or damaged,
 * all stacks before the damage are read, and @damage says what is wrong at which byte.
 *
 * Returns 0; -EINVAL: not such a file; -EPROTONOSUPPORT: another version; -EFBIG: above 2 GiB; others from reading the
 * file.
 */
int dusk_stacks_read(struct dusk_stacks **ret, const char *path, struct dusk_error *err);

/*
 * Collect the distinct stacks of a profile, kernel frames inner to user frames. refs are samples, ids are nodes. Free
 * *@ret with dusk_stacks_free().
 *
 * Returns 0 or -ENOMEM.
 */
int dusk_stacks_of_profile(struct dusk_stacks **ret, const struct dusk_profile *p);

/*
 * Write @s to @fd as FSMB, version 2, in this machine's byte order. Names, if there are any, follow behind the stacks,
 * where readers that do not know them do not look. Counts above 4,294,967,295 are written as that.
 *
 * Returns 0 or a negative errno.
 */
int dusk_stacks_write(const struct dusk_stacks *s, int fd);

/*
 * Find the stack that had the number @id in the stackmap that @s is from, also if it was merged with an equal one.
 * @s->v must be as the library returned it.
 *
 * Returns 0 and *@ret, which belongs to @s; -ENOENT: there is none; -ENOMEM.
 */
int dusk_stacks_by_id(struct dusk_stacks *s, uint32_t id, const struct dusk_stack **ret);

/* Returns true if the innermost frame of @s is kernel code. */
bool dusk_stack_is_kernel(const struct dusk_stack *s);

/* A function, or a place in a file for which no function is known. */
struct dusk_symbol {
	const char *name, *module; /* valid as long as their source; module: "[kernel]", "[ext4]", "libc.so.6" */
	uint64_t offset, size;	   /* bytes; size 0: not known */
};

/*
 * Add names of frames and files to @s, which are written with it, so that it can be read on another machine. Of a copy
 * of @m: from the files and the kernel of this machine, soon, while the processes run. Of the stacks of @p: from the
 * profile. A frame that has different names in different processes gets none.
 *
 * Returns 0 or -ENOMEM.
 */
struct dusk_stackmap;
int dusk_stacks_name_by_map(struct dusk_stacks *s, struct dusk_stackmap *m);
int dusk_stacks_name_by_profile(struct dusk_stacks *s, const struct dusk_profile *p);

/*
 * Look up the function of frame @i of @stack in the names of @s. If only its file is known, ret->name is NULL and
 * ret->offset is the offset in the file.
 *
 * Returns 0, or -ENOENT: nothing is known.
 */
int dusk_stacks_find(const struct dusk_stacks *s, const struct dusk_stack *stack, uint32_t i, struct dusk_symbol *ret);

/* A file that frames of a set lie in. The kernel's number is 0xffff. */
struct dusk_stack_module {
	uint32_t number;	     /* the upper 16 bits of its frames */
	const char *path, *build_id; /* as in struct dusk_module; they belong to the set */
};

/*
 * Get the file with index @i, from 0, of @s.
 *
 * Returns 0, or -ENOENT: there are no more.
 */
int dusk_stacks_module(const struct dusk_stacks *s, size_t i, struct dusk_stack_module *ret);

/* Names of kernel code; each source is read once, completely. */
struct dusk_symbols;

/*
 * Read names from text in the form of /proc/kallsyms, or from the symbol table of a kernel image. The image's addresses
 * are those of the running kernel only if that is not relocated at boot (nokaslr). Free *@ret with dusk_symbols_free().
 *
 * Returns 0; -EPERM: the file hides all addresses; -ENOEXEC: not an ELF file; -ENODATA: it has no functions;
 * -ETIMEDOUT: reading the image took too long; -EOPNOTSUPP: the process that reads it cannot be confined here; others
 * from the file.
 */
int dusk_symbols_kallsyms(struct dusk_symbols **ret, const char *path, struct dusk_error *err);
int dusk_symbols_vmlinux(struct dusk_symbols **ret, const char *path, struct dusk_error *err);

/* Free @s, which may be NULL. */
void dusk_symbols_free(struct dusk_symbols *s);

/*
 * Find the function of frame @i of @stack, a kernel frame. Its strings belong to @s.
 *
 * Returns 0, or -ENOENT: none is known.
 */
int dusk_symbols_find(const struct dusk_symbols *s, const struct dusk_stack *stack, uint32_t i,
		      struct dusk_symbol *ret);

/*
 * The stackmap of a recording that goes on, or of any tool that uses libdusk, to be read while the kernel side fills
 * it. All tools that share an unwinder share a stackmap. When its table is 3/4 full, or at a reset, a fresh one takes
 * its place: a new epoch begins. What was mapped of the old one stays unchanged.
 */
struct dusk_unwinder;

/*
 * Open the stackmap that is pinned in the folder @pin of bpffs; NULL: the folder of shared unwinders. Close *@ret with
 * dusk_stackmap_close().
 *
 * Returns 0; -ENOENT: no tool uses a stackmap there; -EPERM, -EACCES: access is denied.
 */
int dusk_stackmap_open(struct dusk_stackmap **ret, const char *pin, struct dusk_error *err);

/*
 * Open the stackmap of @u. Close *@ret with dusk_stackmap_close(), before @u. dusk_unwind_forget() ends its frames,
 * too.
 *
 * Returns 0 or -ENOMEM.
 */
int dusk_stackmap_of(struct dusk_stackmap **ret, struct dusk_unwinder *u);

/* Close @m, which may be NULL. */
void dusk_stackmap_close(struct dusk_stackmap *m);

/*
 * Get the next stack. Set *@cursor to 0 before the first call; all stacks are then of the epoch of that call. Each
 * stack that was there at that time is returned once; stacks that are added meanwhile may be missing. A stack is
 * complete or not there; its frames stay valid and unchanged until @m is closed. Never waits.
 *
 * Returns true and fills @ret; false: there are no more.
 */
bool dusk_stackmap_next(struct dusk_stackmap *m, uint64_t *cursor, struct dusk_stack *ret);

/*
 * Copy all stacks of this epoch. Free *@ret with dusk_stacks_free().
 *
 * Returns 0 or -ENOMEM.
 */
int dusk_stackmap_copy(struct dusk_stacks **ret, struct dusk_stackmap *m);

/*
 * As dusk_stackmap_copy(), for all epochs that still have a table. For an unwinder's stackmap (dusk_stackmap_of()),
 * these are all since the unwinder was opened or dusk_unwind_forget() was called. A stack can then be there more than
 * once, with different ids.
 *
 * Returns 0 or -ENOMEM.
 */
int dusk_stackmap_copy_all(struct dusk_stacks **ret, struct dusk_stackmap *m);

/*
 * Tell this stackmap from others. An id that is stored somewhere means nothing without this number.
 *
 * Returns a number, never 0, that changes when all tools have left and one has come again.
 */
uint32_t dusk_stackmap_identity(const struct dusk_stackmap *m);

/*
 * Get the *@nr frames of stack @id, of this epoch or another one that still has a table. They stay valid until @m is
 * closed.
 *
 * Returns 0, or -ENOENT: there is no such stack.
 */
int dusk_stackmap_frames(struct dusk_stackmap *m, uint32_t id, const uint64_t **ret, uint32_t *nr);

/* Write a frame as text, "function+0x12 (module)", to @ret of @room bytes. */
void dusk_stackmap_name(struct dusk_stackmap *m, uint64_t frame, char *ret, size_t room);

#define DUSK_STACKMAP_LENGTHS 8

struct dusk_stackmap_stat {
	uint32_t bits, epoch;
	uint32_t epochs;		/* number of tables that this is the sum of; 0: requests are not known */
	uint64_t entries, table_size;	/* stacks; slots, one for each stack */
	uint64_t kernel_entries;	/* entries that are dusk_stack_is_kernel() */
	uint64_t frames, kernel_frames; /* of all entries; those of them in the kernel */
	uint64_t successes;		/* requests for an id that got one */
	uint64_t full, contended; /* requests that got none: no room for the frames; all possible slots were taken */
	uint64_t raced;		  /* stacks written in vain because another CPU was faster: their room is lost */
	/* successes by the number of slots looked at: 1, 2, 3, 4, up to 8, 16, 24, 32 */
	uint64_t probes[DUSK_STACKMAP_LENGTHS];
	uint64_t bytes_used, bytes; /* used by these stacks; of the whole table */
	uint64_t room;		    /* bytes for frames and their heads */
};

/*
 * Get the counters of this epoch, from its beginning.
 *
 * Returns 0, or -ENOENT: the epoch has no table.
 */
int dusk_stackmap_stat(struct dusk_stackmap *m, struct dusk_stackmap_stat *ret);

/*
 * Get the counters of a recording that has ended: its distinct stacks, kernel frames inner to user frames; the bytes
 * that they would take in a table; and the requests of all tools that shared the stackmap meanwhile. @table_size, @room
 * and @bytes are 0; so are the requests if the recorder was killed.
 *
 * Returns 0 or -ENOMEM.
 */
int dusk_stackmap_stat_of_profile(struct dusk_stackmap_stat *ret, const struct dusk_profile *p);

/*
 * Empty the stackmap: begin a new epoch. Recordings go on undisturbed, and keep what they have gathered. @when_stopped:
 * only if nothing records, as the ftrace stackmap does.
 *
 * Returns 0; -EBUSY: something records, or another reset is in progress, or a tool has not read yet what was there
 * before the last reset (which tool: @err); or another negative errno.
 */
int dusk_stackmap_reset(struct dusk_stackmap *m, bool when_stopped, struct dusk_error *err);

#ifdef __cplusplus
}
#endif
