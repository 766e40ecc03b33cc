/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Open debug files for a confined process (base/sandbox.h). A binary names its debug file, and may name any file.
 *
 * Names are looked up where the binary is by its own name: here, or in the root of a process that has it, as in a container.
 * Opened are regular files in the binary's folder and below it, in /usr/lib/debug, and *.dwo and *.dwp anywhere; of a
 * container's, those in our /usr/lib/debug, too. And what a debuginfod server has.
 *
 * All these must be ELF files that everybody may read, or, of the binary's owner, that no fewer may read than the binary.
 * They are the word of root or of our user (lib/process/identity.h); of a binary that is not, also of its owner.
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

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
	const char *path; /* its name, here or in the root of the next */
	pid_t pid;	  /* a process that had it mapped; 0: none */
	bool servers;	  /* may be asked */
	struct opener_talk *talk;
};

/*
 * Answer requests until the other process has ended. Opening a file can block forever, so the parent must kill this
 * process if it takes too long.
 */
void opener_run(const struct opener *o);
