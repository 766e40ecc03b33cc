/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What can be asked for, and which command of dusk answers.
 *
 * To add an answer, add a row to routes[]; to add a parameter, one to parameters[]. The description of the API
 * (openapi.h) is made from both.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "base/vec.h"

/* Which parameters a route takes. */
enum takes {
	TAKES_TIME = 1,	   /* from, to */
	TAKES_BEFORE = 2,  /* before_from, before_to: what is compared with */
	TAKES_FILTER = 4,  /* service, comm, focus, ... */
	TAKES_KIND = 8,	   /* kind: cpu, off-cpu or wall */
	TAKES_LIMIT = 16,  /* limit: of rows */
	TAKES_FORMAT = 32, /* format */
	TAKES_SECONDS = 64,
	NEEDS_BEFORE = 128, /* and makes no sense without it */
};

struct route {
	const char *path, *summary;
	const char *type; /* media type of the answer */
	bool gzip;	  /* the answer is compressed */
	unsigned int takes;
	const char *words[10]; /* of the command line, but for what parameters add */
};

struct parameter {
	const char *name, *help;
	unsigned int takes; /* one of enum takes */
	const char *option; /* of the command, "--service"; NULL: route_words() knows */
	const char *const
		*choice; /* valid values, up to NULL; NULL: any. Where there is but "yes", the option has no value */
};

extern const struct route routes[];	    /* up to one without path */
extern const struct parameter parameters[]; /* up to one without name */

const struct route *route_find(const char *path);

/* The command line of a request. */
struct words {
	struct vec(const char *) v; /* up to NULL */
	struct vec(char *) made;    /* what of it is to be freed */
};

/* A parameter of a request. */
struct asked {
	const char *name, *value;
};

/*
 * Make the command line that answers @r about @store, when @nr parameters are @asked. Free @ret with words_done() in any case.
 * Returns 0; -EINVAL, with the reason in @error; or -ENOMEM.
 */
int route_words(const struct route *r, const char *store, const struct asked *asked, size_t nr, struct words *ret,
		char error[256]);
void words_done(struct words *w);
