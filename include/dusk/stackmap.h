/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sets of distinct stacks: from a file, from a profile, or from the stackmap of a recording that goes on.
 *
 * A frame is one word: the address of kernel code; or, of user code, a module's number in the upper 16 bits, whether it
 * is a return address (bit 47), and the offset in the module's file. doc/stackmap.md has it on two pages.
 */
#pragma once
#include <dusk/dusk.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A stack: its frames from the innermost outwards, and how often it was asked for. */
struct dusk_stack {
	uint32_t id, nr;		/* nr: frames; at least 1 */
	uint64_t refs;
	const uint64_t *frame;
};

struct dusk_stacks {
	size_t nr;
	struct dusk_stack *v;
	uint64_t merged;		/* entries that held a stack which another one had: refs were added to that */
	char damage[256];		/* what of a file could not be read, and where; "": nothing */
	void *store;			/* of the library */
};

void dusk_stacks_free(struct dusk_stacks *s);

/*
 * Read a file in the format FSMB, version 2, of either byte order: of dusk, or /sys/kernel/tracing/stack_map_bin of a kernel
 * that has the ftrace stackmap. *@ret is to be freed with dusk_stacks_free(). Of a file that is cut short or broken all stacks
 * before the break are there, and @damage says what is wrong at which byte. -EINVAL: no such file at all; -EPROTONOSUPPORT:
 * another version.
 */
int dusk_stacks_read(struct dusk_stacks **ret, const char *path, struct dusk_error *err);

/* The distinct stacks of a profile, kernel frames on user frames; refs are samples, ids nodes. */
int dusk_stacks_of_profile(struct dusk_stacks **ret, const struct dusk_profile *p);

/* Write @s to @fd as FSMB, version 2, in our byte order. Counts end at 4,294,967,295. 0 or a negative errno. */
int dusk_stacks_write(const struct dusk_stacks *s, int fd);

/* Which code do the innermost frames belong to? */
bool dusk_stack_is_kernel(const struct dusk_stack *s);

/* Names of kernel code, each read as a whole, once. */
struct dusk_symbols;

struct dusk_symbol {
	const char *name, *module;	/* module: "[kernel]", "[ext4]"; as long as the symbols */
	uint64_t offset, size;		/* bytes; size 0: not known */
};

/*
 * From text as in /proc/kallsyms, or from the symbol table of a kernel image, whose addresses are those of the kernel
 * that runs only if that is not moved at boot (nokaslr). *@ret is to be freed with dusk_symbols_free(). -EPERM: the file
 * hides all addresses; -ENOEXEC: no ELF file; -ENODATA: no functions in it.
 */
int dusk_symbols_kallsyms(struct dusk_symbols **ret, const char *path, struct dusk_error *err);
int dusk_symbols_vmlinux(struct dusk_symbols **ret, const char *path, struct dusk_error *err);
void dusk_symbols_free(struct dusk_symbols *s);

/* The function that frame @i of @stack is in. -ENOENT: none is known. */
int dusk_symbols_find(const struct dusk_symbols *s, const struct dusk_stack *stack, uint32_t i, struct dusk_symbol *ret);

#ifdef __cplusplus
}
#endif
