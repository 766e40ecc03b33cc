/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A profile whose frames are being named: what symbolize.c, which goes through its modules, shares with who names the
 * frames of one kind of them.
 */
#pragma once
#include <dusk/dusk.h>
#include "base/map.h"
#include "base/strings.h"
#include "base/vec.h"

struct symbolizer {
	struct dusk_profile *p;
	const struct dusk_symbol_options *opts;
	struct dusk_error *err;
	struct strings *strings;
	struct vec(struct dusk_function) functions;
	struct vec(struct dusk_line) lines;
	struct strings keys; /* "symbol\nmodule" of each function but 0 */
	struct map numbers;  /* number in @keys -> function */
	uint64_t *seen_ns;   /* of each frame, when it was sampled last, or NULL; of CLOCK_MONOTONIC */
	uint32_t done, total;
	uint32_t broken;	  /* files that could not be read to their end, */
	const char *first_broken; /* and the first of them */
	uint64_t apart;		  /* units whose .dwo or .dwp files are not here, */
	const char *first_apart;  /* and the first file with such */
	uint32_t late;		  /* files that took too long, or were not begun because others had, */
	const char *first_late;	  /* and the first of them */
	uint64_t spent_ns;	  /* on reading files */
	bool unconfined;	  /* no process can be confined here, so that no file is read */
	uint32_t large;		  /* processes whose JIT wrote too much to be read, */
	int first_large;	  /* and the first of them */
	bool stopped;
	bool server_silent; /* do not wait for it once more */
};

/* The frames of one module. */
struct group {
	uint32_t *frames; /* indices */
	uint32_t nr;
	uint64_t shift; /* what makes their offsets those in the file that is read */
};

/* Where in its file the code of frame @i of @g is, or the call if that returned there. */
static inline uint64_t group_place(const struct symbolizer *s, const struct group *g, uint32_t i)
{
	const struct dusk_frame *f = &s->p->frames[g->frames[i]];

	return f->offset - f->is_return + g->shift;
}

/* Has the user had enough? */
bool symbolizer_stop(struct symbolizer *s);

/* Count a frame as looked up. -ECANCELED now and then, when the user has had enough. */
int symbolizer_step(struct symbolizer *s);

/* Where it is kept which function @symbol of @module is, to be set if it is @fresh; or NULL: out of memory. */
uint32_t *symbolizer_function_at(struct symbolizer *s, const char *symbol, const char *module, bool *fresh);

/* The index of the function @symbol of @module, which is added if it is new, to *@ret. 0 or -ENOMEM. */
int symbolizer_function(struct symbolizer *s, const char *symbol, const char *module, uint32_t *ret);

/* @f is in the function @symbol of @module, which begins at @start. 0 or -ENOMEM. */
int symbolizer_name(struct symbolizer *s, struct dusk_frame *f, const char *symbol, const char *module, uint64_t start);

/*
 * The file of module @i, if it is here and the recorded one: a descriptor. Another one in its place goes to @other,
 * allocated.
 */
int symbolizer_open(const struct symbolizer *s, uint32_t i, char **other);

/*
 * Name the frames of a module by its file; by what its JIT wrote; of the kernel. 0, also if nothing is found;
 * -ENOMEM, -ECANCELED.
 */
int symbolize_file(struct symbolizer *s, uint32_t module, const struct group *g);
int symbolize_anon(struct symbolizer *s, uint32_t module, const struct group *g);
int symbolize_kernel(struct symbolizer *s, uint32_t module, const struct group *g);
