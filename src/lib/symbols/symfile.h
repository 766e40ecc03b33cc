/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is known of one ELF file: its functions, and for the code that was asked about who was inlined where, and lines?
 *
 * A symfile is a row of chunks. One describes the file: segments, functions, and which compilation unit covers which
 * code. Each other one holds a unit: blocks (a function, or one that was inlined into it), and lines. They come from a
 * child process that reads ELF and DWARF (elfread.h) or from the cache (cache.h), and neither is believed: a chunk is
 * taken only if its hash is right and each number in it points to something, so that look-ups need no checks.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum symfile_kind { SYMFILE_FILE = 1, SYMFILE_UNIT, SYMFILE_END };

struct symfile_chunk {
	uint32_t magic, kind; /* enum symfile_kind */
	uint64_t bytes;	      /* that follow, a multiple of 8 */
	uint64_t hash;	      /* of them */
};

#define SYMFILE_MAGIC 0x3253646b /* changes when one of the layouts below does */

/* Chunk FILE: this, the arrays in this order, and the strings. Ranges are sorted and do not overlap. */
struct symfile_file {
	uint32_t nr_segments, nr_functions, nr_missing, nr_spans;
	uint64_t string_bytes;
};

struct symfile_segment {
	uint64_t offset, file_bytes, address, code; /* code: 0 or 1 */
};

struct symfile_function {
	uint64_t start, end, begin; /* begin: of the function, which an inner one can split */
	uint64_t name;		    /* offset in the strings, as all names here */
};

struct symfile_range {
	uint64_t start, end, value; /* a span: number of the unit; in a unit: the block */
};

/* Chunk UNIT: this, the arrays in this order, and the strings. */
struct symfile_unit {
	uint32_t number, nr_blocks, nr_ranges, nr_lines;
	uint64_t string_bytes;
};

struct symfile_block {
	uint32_t parent; /* index + 1 of the block into which it was inlined; 0: a function of its own */
	uint32_t name;
	uint32_t call_file, call_line;
};

struct symfile_line {
	uint64_t address;    /* where it begins; it ends where the next one does */
	uint32_t file, line; /* file "": no line from here on */
};

/* Chunk END: all was read that was asked for. If it is missing: the reader died. */
struct symfile_end {
	uint64_t broken; /* units that make no sense */
	uint64_t apart;	 /* units whose functions are in a file of their own, .dwo or .dwp, that is not here */
};

struct symfile;

/* A function at an address. Strings live as long as the symfile. */
struct symfile_place {
	const char *function; /* as in the symbol table, or "" */
	const char *file;     /* or "" */
	uint32_t line;	      /* 0: not known */
};

#define SYMFILE_PLACES 64 /* functions at one address, at most */

/* An empty one, to be freed with symfile_free(), or NULL. */
struct symfile *symfile_new(void);
void symfile_free(struct symfile *s);

static inline void symfile_freep(struct symfile **s)
{
	symfile_free(*s);
}

uint64_t symfile_hash(const void *data, size_t bytes);

/*
 * Take in the whole chunks at @data; returns how many bytes they have. A chunk FILE that differs from the one at hand
 * replaces everything. -EBADMSG: a chunk that is damaged, and not taken; -ENOMEM.
 */
ssize_t symfile_take(struct symfile *s, const void *data, size_t bytes);

/* Write all chunks but END to @fd. 0 or a negative errno. */
int symfile_write(const struct symfile *s, int fd);

bool symfile_has_file(const struct symfile *s);	 /* names can be looked up */
bool symfile_has_units(const struct symfile *s); /* there is debug information */
bool symfile_has_unit(const struct symfile *s, uint32_t number);
uint64_t symfile_file_hash(const struct symfile *s); /* of chunk FILE; 0: there is none */

/* What the chunk END said; NULL: it did not come. */
const struct symfile_end *symfile_end(const struct symfile *s);

/* As symbols_address(), symbols_find() and symbols_find_unnamed(). */
int symfile_address(const struct symfile *s, uint64_t offset, uint64_t *ret);
const char *symfile_find(const struct symfile *s, uint64_t address, uint64_t *start);
bool symfile_find_unnamed(const struct symfile *s, uint64_t address, uint64_t *start);

/* The same with where the function ends, to *@end; and how many pieces of functions there are. */
const char *symfile_function(const struct symfile *s, uint64_t address, uint64_t *start, uint64_t *end);
uint32_t symfile_nr_functions(const struct symfile *s);

/* Does @address lie in a unit that is not here? */
bool symfile_lacks(const struct symfile *s, uint64_t address);

/*
 * The functions at @address, the innermost first and the one that has the code last, to @ret, which has room for
 * SYMFILE_PLACES; where more are inlined into each other, those before the last are left out. Returns how many; 0:
 * there is no debug information.
 */
size_t symfile_places(const struct symfile *s, uint64_t address, struct symfile_place *ret);
