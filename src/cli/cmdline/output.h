/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Write a command's result to a file, to stdout, or to the pager if stdout is a terminal, and detect errors.
 *
 * A reader that closes its end early is not an error.
 *
 * The result is as private as the profile. A file is made new, with mode 0600 or that of our own file which it
 * replaces, and gets its name when it is complete; under sudo it belongs to the caller. Links are followed only if we
 * or root own them.
 */
#pragma once
#include <stdbool.h>
#include <stdio.h>

struct output {
	FILE *file;
	const char *path; /* NULL: stdout */
	char *fresh;	  /* the file's name until it is complete; NULL: it is written in place */
	bool pager;
	bool color;   /* the result goes to a terminal, and NO_COLOR is not set */
	bool unicode; /* the locale is UTF-8 */
	size_t width; /* columns of the terminal; 0: the result goes elsewhere */
};

/*
 * Open @path; NULL or "-" for stdout. @page: use the pager if stdout is a terminal. Returns STATUS_OK, or STATUS_FAILED
 * after an error.
 */
int output_open(struct output *o, const char *path, bool page);

/*
 * Check whether output_open() could write @path, for a command that works for long before it does. Nothing is opened. With file
 * capabilities it is the user's right that counts. Returns STATUS_OK, or STATUS_FAILED after an error.
 */
int output_check(const char *path);

/*
 * Flush and close, and wait for the pager. @err: 0, or a negative errno if the result is incomplete. An incomplete file
 * is removed. Returns STATUS_OK, or STATUS_FAILED after an error.
 */
int output_close(struct output *o, int err);

/* Nothing comes of it, for a reason that is said elsewhere: a file that is not complete is removed. */
void output_discard(struct output *o);
