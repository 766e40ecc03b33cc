/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read the symbols of an ELF file, and find the function at an offset. */
#pragma once
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include <dusk/dusk.h>

struct fde_index;
struct go_program;
struct ranges;
struct symbols;
struct zstd_sections;

struct symbols_segment {
	uint64_t offset, file_bytes, address;
	bool code;
};

/*
 * Read the symbols of the ELF file @fd, which stays the caller's, and of its debug files: by build id in
 * /usr/lib/debug, by .gnu_debuglink beside @path, in .gnu_debugdata, and, in a confined process, from servers
 * (opener.h). Only for confined processes and tests; all other code must call elfread(). Free *@ret with
 * symbols_free().
 * Returns 0, -ENOEXEC (not a valid ELF file), or another negative errno.
 */
int symbols_open(struct symbols **ret, int fd, const char *path);

/* Convert @offset in the file to a link-time address. Returns 0, or -ENOENT if nothing is loaded from there. */
int symbols_address(const struct symbols *s, uint64_t offset, uint64_t *ret);

/*
 * Return the name of the function at link-time address @address as in the symbol table, or NULL; *@start is its
 * beginning.
 */
const char *symbols_find(const struct symbols *s, uint64_t address, uint64_t *start);

/* Find the beginning of the function at @address by its FDE, for a function without a symbol. */
bool symbols_find_unnamed(const struct symbols *s, uint64_t address, uint64_t *start);

/* Return all of it. In the ranges, @value is a pointer to the name, owned by @s. */
const struct symbols_segment *symbols_segments(const struct symbols *s, size_t *nr);
const struct ranges *symbols_ranges(const struct symbols *s);
const struct fde_index *symbols_fde_index(const struct symbols *s); /* may be NULL */

/* Return what it knows of itself, if it is a Go program. */
const struct go_program *symbols_go(const struct symbols *s);

/* Return the debug information, from whatever file has it, or NULL. */
struct Dwarf *symbols_dwarf(struct symbols *s);

/* The same of a module that symbols_report() has opened. It may be in @unpacked, which is all-zero before, and freed later. */
struct Dwarf *symbols_module_dwarf(Dwfl_Module *module, struct zstd_sections *unpacked);

/* Return whether there are sections of debug information, be they valid or not. */
bool symbols_has_debug_sections(const struct symbols *s);

void symbols_free(struct symbols *s);

/*
 * Open the file with libdwfl, at link-time addresses; its debug file is found when it is needed. End *@dwfl with
 * dwfl_end(), also after a failure, unless it is NULL.
 * Returns 0, -ENOEXEC, -ENOMEM, ...
 */
int symbols_report(Dwfl **dwfl, Dwfl_Module **module, int fd, const char *path);

/* Where packages install the debug file of a build id; the arguments are the build id and its part after two digits. */
#define SYMBOLS_BY_BUILD_ID "/usr/lib/debug/.build-id/%.2s/%s.debug"

/* Return whether that file exists. */
bool symbols_installed(const char *build_id);
