/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which function of this ELF file is at this offset? */
#pragma once
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include <dusk/dusk.h>

struct fde_index;
struct ranges;
struct symbols;

struct symbols_segment {
	uint64_t offset, file_bytes, address;
	bool code;
};

/*
 * Read the symbols of the ELF file in @fd, which stays the caller's, and of the debug files that belong to it: by build
 * id in /usr/lib/debug, by .gnu_debuglink beside @path, in .gnu_debugdata, and, in a confined process, from servers
 * (opener.h). For confined processes, and tests: who else wants to know what a file says calls elfread(). *@ret is to
 * be freed with symbols_free(). -ENOEXEC: no ELF file, or none that makes sense.
 */
int symbols_open(struct symbols **ret, int fd, const char *path);

/* The link-time address of @offset in the file. -ENOENT: nothing of the file is loaded there. */
int symbols_address(const struct symbols *s, uint64_t offset, uint64_t *ret);

/* The function at link-time address @address: its name as it stands in the symbol table, or NULL; *@start: where it
 * begins. */
const char *symbols_find(const struct symbols *s, uint64_t address, uint64_t *start);

/* Where the function at @address begins if it has no symbol, but an FDE. */
bool symbols_find_unnamed(const struct symbols *s, uint64_t address, uint64_t *start);

/* All of it. Ranges: @value is a pointer to the name. It stays @s's. */
const struct symbols_segment *symbols_segments(const struct symbols *s, size_t *nr);
const struct ranges *symbols_ranges(const struct symbols *s);
const struct fde_index *symbols_fde_index(const struct symbols *s); /* may be NULL */

/* The debug information, wherever it is, or NULL. */
struct Dwarf *symbols_dwarf(struct symbols *s);

void symbols_free(struct symbols *s);

/*
 * The same file as libdwfl has it, at the addresses of link time, with its debug file when that is asked for. *@dwfl is
 * to be ended with dwfl_end(), also after a failure, if it is not NULL. 0; -ENOEXEC, -ENOMEM, ...
 */
int symbols_report(Dwfl **dwfl, Dwfl_Module **module, int fd, const char *path);

/* Where packages put the debug file for a build id, of which the arguments are the beginning and what follows. */
#define SYMBOLS_BY_BUILD_ID "/usr/lib/debug/.build-id/%.2s/%s.debug"

/* Is there one? */
bool symbols_installed(const char *build_id);

/* Is the file in @fd the one that was recorded as @m? By its build id; by device and inode if it has none. */
bool symbols_recorded(const struct dusk_module *m, int fd);
