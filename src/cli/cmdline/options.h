/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parse command lines by tables of options.
 *
 * Each command has a table of its options. The parser fills the members of the command's struct by it, and --help is
 * printed from it. Forms are "--opt=value", "--opt value", "-o value", "-ovalue", and bundled flags "-qv". "--" ends
 * the options, and so does the first word that is not an option. Strings point into argv. Each command has -h, --help.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum option_kind {
	OPTION_FLAG,	   /* bool */
	OPTION_OFF,	   /* bool: a flag that sets the member to false */
	OPTION_TEXT,	   /* const char * */
	OPTION_NUMBER,	   /* uint32_t, min .. max */
	OPTION_NUMBER_MAX, /* the same, or "max": UINT32_MAX */
	OPTION_PERCENT,	   /* double, 0 .. 100 */
	OPTION_DURATION,   /* uint64_t, nanoseconds: 20us, 500ms, 10s, 2m, 1h, 7d; without a unit: seconds */
	OPTION_DURATION_0, /* the same, or 0 */
	OPTION_RANGE,	   /* struct time_range: 1.8s-2.6s, 2s-, and from the end: -500ms */
	OPTION_SIZE,	   /* uint64_t, bytes, min .. max: 65536, 512K, 16M, 1G */
	OPTION_NUMBERS,	   /* struct number_list: 1,2,5-7; each min .. max */
	OPTION_TEXTS,	   /* struct text_list: a,b(c,d) */
	OPTION_CHOICE,	   /* const char *: one of its choices; the first one if no choice follows */
};

struct number_list {
	int *v; /* pid_t is int */
	size_t nr;
};

struct text_list {
	const char **v;
	size_t nr;
	char *copy;
};

struct time_range {
	uint64_t from_ns, to_ns; /* to_ns 0: no end */
	uint64_t last_ns;	 /* not 0: the last so much, without the others */
};

struct option {
	char letter;	  /* 0: none */
	const char *name; /* NULL: end of the table */
	enum option_kind kind;
	size_t offset;	   /* of the member */
	const char *value; /* the value's name in --help; NULL for flags */
	const char *help;
	uint64_t min, max;
	const char *(*choice)(size_t i); /* returns valid value @i, or NULL after the last */
};

struct options_result {
	int next; /* index in argv of the first word that is not an option */
	bool help;
	bool ended;	 /* "--" was before it */
	char error[256]; /* the reason of -EINVAL */
};

/*
 * Parse argv[1..]. Members of options that are not given keep their values; of an option given twice, the last one
 * counts. Free lists with options_done(), also after a failure. Returns 0; -EINVAL, with the reason in @ret->error; or
 * -ENOMEM.
 */
int options_parse(const struct option *table, int argc, char **argv, void *into, struct options_result *ret);
void options_done(const struct option *table, void *into);

/* Has the member of @o, a flag, a number or a text, in @from another value than all-zero? */
bool option_is_given(const struct option *o, const void *from);

/* Print the options of @table, one line each. */
void options_help(FILE *out, const struct option *table);

/* Parse 20us, 500ms, 10s, 2m, 1h, 7d, 1.5s; without a unit: seconds. Returns 0 or -EINVAL. */
int duration_parse(const char *text, uint64_t *ret_ns);

/* Return the entry of @names (terminated by NULL) that @word is probably a misspelling of, or NULL. */
const char *suggest(const char *word, const char *const *names);
