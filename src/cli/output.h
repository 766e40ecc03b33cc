/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where does a command's result go, and did all of it arrive?
 *
 * Into a file, to stdout, or through the pager if stdout is a terminal. A reader that has read enough is no error.
 *
 * What is seen of a profile is as private as it is. A file is a fresh one, mode 0600, or with that of our own file that
 * it replaces, and has its name when it is whole; under sudo it belongs to the caller. Links are followed if we or root
 * made them.
 */
#pragma once
#include <stdbool.h>
#include <stdio.h>

struct output {
	FILE *file;
	const char *path; /* NULL: stdout */
	char *fresh;	  /* what the file is called until it is whole; NULL: it is written to as it is */
	bool pager;
	bool color;   /* a terminal shows it, and the user has not set NO_COLOR */
	bool unicode; /* the locale has UTF-8 */
};

/* @path: NULL or "-" for stdout. @page: through the pager, if there is a terminal. STATUS_FAILED: all is said. */
int output_open(struct output *o, const char *path, bool page);

/* Flush, close, wait for the pager. @err: why the result is incomplete, or 0. An incomplete file is removed. */
int output_close(struct output *o, int err);
