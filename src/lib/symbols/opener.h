/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Open debug files for a confined process (base/sandbox.h). A binary names its debug file, and may name any file.
 * Opened are regular files in the binary's folder and below it, in /usr/lib/debug, and *.dwo and *.dwp anywhere, all
 * only if they belong to root, to the owner of the binary, or to our user; and what a debuginfod server has.
 */
#pragma once
#include <stdbool.h>

/*
 * Opening SERVERS_FILE followed by a build id in hexadecimal gets the debug file from the servers, if they may be
 * asked.
 */
#define SERVERS_FILE "debuginfod:"

/* State that the parent sees meanwhile, in shared memory. */
struct opener_talk {
	bool asking; /* a server is being asked, which takes time */
	bool silent; /* a server sent nothing until it was given up */
};

struct opener {
	int notify;	  /* as sandbox_enter() sends it */
	int fd;		  /* the binary */
	const char *path; /* its name */
	bool servers;	  /* may be asked */
	struct opener_talk *talk;
};

/*
 * Answer requests until the other process has ended. Opening a file can block forever, so the parent must kill this
 * process if it takes too long.
 */
void opener_run(const struct opener *o);
