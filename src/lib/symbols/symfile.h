/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is known about one ELF file: its functions and, for requested code, inlined functions and lines.
 *
 * A symfile is a sequence of chunks. One describes the file: segments, functions, and which compilation unit covers
 * which code. Each other chunk holds a unit: blocks (functions, and functions inlined into them), and lines. They come
 * from a child process that reads ELF and DWARF (elfread.h) or from the cache (cache.h), and both are untrusted: a
 * chunk is accepted only if its hash is right and each number in it is valid, so that look-ups need no checks.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/symbols/mangling.h"

enum symfile_kind { SYMFILE_FILE = 1, SYMFILE_UNIT, SYMFILE_END };

struct symfile_chunk {
	uint32_t magic, kind; /* enum symfile_kind */
	uint64_t bytes;	      /* of the content that follows, a multiple of 8 */
	uint64_t hash;	      /* of the content */
};

#define SYMFILE_MAGIC 0x3453646b /* changes when one of the layouts below changes, or what they may hold */

/* Chunk FILE: this header, the arrays in this order, and the strings. Ranges are sorted and do not overlap. */
struct symfile_file {
	uint32_t nr_segments, nr_functions, nr_missing, nr_spans;
	uint64_t string_bytes;
};

struct symfile_segment {
	uint64_t offset, file_bytes, address, code; /* code: 0 or 1 */
};

struct symfile_function {
	uint64_t start, end, begin; /* begin: of the whole function, which an inner one can split */
	uint64_t name;		    /* offset in the strings, as for all names here */
};

struct symfile_range {
	uint64_t start, end, value; /* of a span: number of the unit; in a unit: index of the block */
};

/* Chunk UNIT: this header, the arrays in this order, and the strings. */
struct symfile_unit {
	uint32_t number, nr_blocks, nr_ranges, nr_lines;
	uint64_t string_bytes;
};

struct symfile_block {
	uint32_t parent; /* index + 1 of the block that it was inlined into; 0: a function of its own */
	uint32_t name;
	uint32_t call_file, call_line;
};

struct symfile_line {
	uint64_t address;    /* of its beginning; it ends where the next one begins */
	uint32_t file, line; /* file "": no line from here on */
};

/* Chunk END: everything requested was read. It is missing if the reader died. */
struct symfile_end {
	uint64_t broken; /* units that are invalid */
	uint64_t apart;	 /* units with their functions in a separate file, .dwo or .dwp, that is missing */
};

struct symfile;

/* A function at an address. Strings are valid as long as the symfile. */
struct symfile_place {
	const char *function; /* as in the symbol table, or "" */
	const char *file;     /* or "" */
	uint32_t line;	      /* 0: not known */
};

#define SYMFILE_PLACES 64 /* maximum number of functions at one address */

/* Return an empty symfile, to be freed with symfile_free(), or NULL. */
struct symfile *symfile_new(void);
void symfile_free(struct symfile *s);

static inline void symfile_freep(struct symfile **s)
{
	symfile_free(*s);
}

uint64_t symfile_hash(const void *data, size_t bytes);

/*
 * Take the complete chunks at @data. A chunk FILE that differs from the present one replaces everything.
 * Returns how many bytes the chunks have, -EBADMSG (a damaged chunk, which is not taken), or -ENOMEM.
 */
ssize_t symfile_take(struct symfile *s, const void *data, size_t bytes);

/* Write all chunks except END to @fd. Returns 0 or a negative errno. */
int symfile_write(const struct symfile *s, int fd);

bool symfile_has_file(const struct symfile *s);	 /* names can be looked up */
bool symfile_has_units(const struct symfile *s); /* there is debug information */
bool symfile_has_unit(const struct symfile *s, uint32_t number);
uint64_t symfile_file_hash(const struct symfile *s); /* of chunk FILE; 0: there is none */

/* Return the content of chunk END; NULL: it is missing. */
const struct symfile_end *symfile_end(const struct symfile *s);

/* Like symbols_address(), symbols_find() and symbols_find_unnamed(). */
int symfile_address(const struct symfile *s, uint64_t offset, uint64_t *ret);
const char *symfile_find(const struct symfile *s, uint64_t address, uint64_t *start);
bool symfile_find_unnamed(const struct symfile *s, uint64_t address, uint64_t *start);

/*
 * Like symfile_find(), and *@end is the end of the function. symfile_nr_functions(): the number of pieces of functions.
 */
const char *symfile_function(const struct symfile *s, uint64_t address, uint64_t *start, uint64_t *end);
uint32_t symfile_nr_functions(const struct symfile *s);

/* Return how the names of its functions are mangled. */
enum mangling symfile_mangling(const struct symfile *s);

/* Return whether @address is in a unit that was not read. */
bool symfile_lacks(const struct symfile *s, uint64_t address);

/*
 * Get the functions at @address, innermost first, and the one that contains the code last; @ret has room for
 * SYMFILE_PLACES. If more are inlined into each other, those before the last are left out.
 * Returns how many; 0: there is no debug information.
 */
size_t symfile_places(const struct symfile *s, uint64_t address, struct symfile_place *ret);
