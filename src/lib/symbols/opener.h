/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Opening debug files for a process that may not (base/sandbox.h). A binary says where its debug file is, and may say
 * anything: opened are regular files in the binary's own folder and below, in /usr/lib/debug, and *.dwo and *.dwp
 * anywhere, all of them only if they belong to root, to the owner of the binary, or to who runs us; and what a server
 * has.
 */
#pragma once
#include <stdbool.h>

/*
 * Who opens SERVERS_FILE and a build id in hexadecimal gets the debug file that servers have, if they are to be asked.
 */
#define SERVERS_FILE "debuginfod:"

/* What is said to the parent meanwhile, in memory that both share. */
struct opener_talk {
	bool asking; /* servers, which takes its time */
	bool silent; /* one sent nothing until it was given up */
};

struct opener {
	int notify;	  /* from sandbox_receive() */
	int fd;		  /* the binary */
	const char *path; /* and its name */
	bool servers;	  /* are to be asked */
	struct opener_talk *talk;
};

/* Answer until the other process has ended. To be killed if that takes too long: opening a file can, without end. */
void opener_run(const struct opener *o);
