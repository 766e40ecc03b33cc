/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A profile in the course of naming its frames: what symbolize.c, which iterates over the modules, shares with the code
 * for each kind of module.
 */
#pragma once
#include <dusk/dusk.h>
#include "base/map.h"
#include "base/strings.h"
#include "base/vec.h"
#include "lib/process/code_lives.h"
#include "lib/symbols/mangling.h"
#include "lib/symbols/recorded.h"

/* When a frame was sampled, in nanoseconds of the recording. */
struct seen {
	uint64_t first_ns, last_ns;
};

struct symbolizer {
	struct dusk_profile *p;
	const struct dusk_symbol_options *opts;
	struct dusk_error *err;
	struct strings *strings;
	struct vec(struct dusk_function) functions;
	struct vec(struct dusk_line) lines;
	struct strings keys;	   /* "symbol\nmodule" of each function except 0 */
	struct map numbers;	   /* number in @keys -> function */
	enum mangling mangling;	   /* of the names of the file that is looked at */
	struct recorded *recorded; /* or NULL: nothing is known but what is there now */
	struct jits *jits;	   /* of @recorded, or our own; NULL: not needed so far */
	struct seen *seen;	   /* by frame; NULL: not needed so far */
	uint64_t start_ns;	   /* of the recording, CLOCK_MONOTONIC; 0: not known */
	struct code_lives lives;   /* working space */
	uint32_t done, total;
	uint32_t broken;	  /* files that could not be read completely, */
	const char *first_broken; /* ... and the first of them */
	uint64_t apart;		  /* units with missing .dwo or .dwp files, */
	const char *first_apart;  /* ... and the first file with such units */
	uint32_t late;		  /* files that took too long, or were skipped as others had, */
	const char *first_late;	  /* ... and the first of them */
	uint64_t spent_ns;	  /* on reading files */
	bool unconfined;	  /* no process can be confined here, so no file is read */
	uint32_t large;		  /* processes with JIT files too large to be read, */
	int first_large;	  /* ... and the first of them */
	uint64_t cut;		  /* functions whose names were too long, */
	const char *first_cut;	  /* ... and the module of the first of them */
	bool stopped;
	bool server_silent; /* do not ask it again */
};

/* The frames of one module. */
struct group {
	uint32_t *frames; /* indexes */
	uint32_t nr;
	uint64_t shift; /* added to their offsets gives those in the file that is read */
};

/* Return the file offset of the code of frame @i of @g; of the call, if the frame's address is a return address. */
static inline uint64_t group_place(const struct symbolizer *s, const struct group *g, uint32_t i)
{
	const struct dusk_frame *f = &s->p->frames[g->frames[i]];

	return f->offset - f->is_return + g->shift;
}

/* Return whether the user has asked to stop. */
bool symbolizer_stop(struct symbolizer *s);

/* Count a frame as looked up. Returns 0 or, checked now and then, -ECANCELED if the user has asked to stop. */
int symbolizer_step(struct symbolizer *s);

/* Return the slot for the index of function @symbol of @module, to be set if it is @fresh; NULL: out of memory. */
uint32_t *symbolizer_function_at(struct symbolizer *s, const char *symbol, const char *module, bool *fresh);

/*
 * Get the index of function @symbol of @module, which is added if it is new. A name that is too long is cut, and counted.
 * Returns 0 or -ENOMEM.
 */
int symbolizer_function(struct symbolizer *s, const char *symbol, const char *module, uint32_t *ret);

/* Set the function of @f to @symbol of @module, which begins at @start. Returns 0 or -ENOMEM. */
int symbolizer_name(struct symbolizer *s, struct dusk_frame *f, const char *symbol, const char *module, uint64_t start);

/*
 * Name frame @i by what was loaded at its address, which the look-up sorts, at the time at which it was sampled. If it was
 * several functions, it has none itself, and s->recorded gets its eras.
 * Returns 0 or -ENOMEM.
 */
int symbolizer_name_by_time(struct symbolizer *s, uint32_t i, struct code_loads *loads, const char *module);

/*
 * Open the recorded file of module @i, if it is here. If another file is in its place, *@other is its path, to be freed
 * with free().
 * Returns a descriptor or a negative errno.
 */
int symbolizer_open(const struct symbolizer *s, uint32_t i, char **other);

/*
 * Name the frames of a module: by its file; by what its JIT wrote; of the kernel.
 * Returns 0, also if nothing was found, -ENOMEM or -ECANCELED.
 */
int symbolize_file(struct symbolizer *s, uint32_t module, const struct group *g);
int symbolize_anon(struct symbolizer *s, uint32_t module, const struct group *g);
int symbolize_kernel(struct symbolizer *s, uint32_t module, const struct group *g);
