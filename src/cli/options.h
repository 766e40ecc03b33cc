/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What did the user ask for? Tables in, structs out.
 *
 * Each command has a table of its options. The parser fills the members of the command's struct from it, and --help is
 * printed from it. "--opt=value", "--opt value", "-o value", "-ovalue", bundled flags "-qv"; "--" ends the options,
 * and so does the first word that is none. Strings point into argv. Every command has -h, --help.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum option_kind {
	OPTION_FLAG,	   /* bool */
	OPTION_OFF,	   /* bool: a flag that takes another one back */
	OPTION_TEXT,	   /* const char * */
	OPTION_NUMBER,	   /* uint32_t, min .. max */
	OPTION_PERCENT,	   /* double, 0 .. 100 */
	OPTION_DURATION,   /* uint64_t, nanoseconds: 20us, 500ms, 10s, 2m, 1h; without a unit: seconds */
	OPTION_DURATION_0, /* the same, or 0 */
	OPTION_SIZE,	   /* uint64_t, bytes, min .. max: 65536, 512K, 16M, 1G */
	OPTION_NUMBERS,	   /* struct number_list: 1,2,5-7; each min .. max */
	OPTION_TEXTS,	   /* struct text_list: a,b */
	OPTION_CHOICE,	   /* const char *: one of its choices; the first one if none follows */
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

struct option {
	char letter;	  /* 0: none */
	const char *name; /* NULL: end of the table */
	enum option_kind kind;
	size_t offset;	   /* of the member */
	const char *value; /* what stands for the value in --help; NULL for flags */
	const char *help;
	uint32_t min, max;
	const char *(*choice)(size_t i); /* what values there are; NULL: no more */
};

struct options_result {
	int next; /* index in argv of the first word that is no option */
	bool help;
	bool ended;	 /* "--" stood before it */
	char error[256]; /* why the return value is -EINVAL */
};

/*
 * Parse argv[1..]. Members of options that are not given stay as they are; an option given twice counts as the last one
 * says. Lists are to be freed with options_done(), also after a failure. -EINVAL: @ret->error; -ENOMEM.
 */
int options_parse(const struct option *table, int argc, char **argv, void *into, struct options_result *ret);
void options_done(const struct option *table, void *into);

/* The options of @table, a line or two each. */
void options_help(FILE *out, const struct option *table);

/* 20us, 500ms, 10s, 2m, 1h, 1.5s; without a unit: seconds. -EINVAL. */
int duration_parse(const char *text, uint64_t *ret_ns);

/* The entry of @names (the last one is NULL) that @word is a slip of, or NULL. */
const char *suggest(const char *word, const char *const *names);
