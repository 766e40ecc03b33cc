/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files that processes have mapped, each once, opened where they still are what was mapped.
 *
 * The kernel says by build id, or by device and inode, which file a mapping is of. The file at the path of the mapping
 * may be another one by now: only a file that has that build id, or that inode, is used.
 */
#pragma once
#include "base/strings.h"
#include "base/vec.h"
#include "core/module.h"
#include "lib/perfdata/perfdata.h"

/* Numbers of what is no file on a disk. */
enum { CODE_FILE_NONE, CODE_FILE_VDSO, CODE_FILE_VDSO_COMPAT, CODE_FILE_UPROBES, CODE_FILE_FIRST };

struct code_file {
	uint64_t dev, ino; /* of the file that is open; else as the kernel said, or 0 */
	uint32_t generation;
	uint64_t filesystem;		       /* its magic number, of the file that is open; 0 */
	char build_id[PERFDATA_BUILD_ID_TEXT]; /* as the kernel said, or "" */
	const char *path;
	pid_t pid;	   /* a process that sees it there */
	bool must_be_ours; /* by its build id it is the file of a process of root's, or of one that is gone */
	int fd, tries;
	bool known;	      /* it has a module: */
	struct module module; /* what the core has learnt of it */
};

/* Of many files few are needed. So many of these are open at a time. */
#define CODE_FILES_OPEN 64

/* To be initialized with code_files_init(). */
struct code_files {
	struct vec(struct code_file) v; /* by number */
	struct strings identities, paths;
	bool when_read;	  /* they are opened when they are read, as what had mapped them may be gone anyway */
	bool by_build_id; /* processes, devices and inodes are of another boot, or machine: build ids alone count */
	uint32_t open[CODE_FILES_OPEN], nr_opened; /* when_read: the numbers of those opened last */
};

/* Returns 0 or -ENOMEM. */
int code_files_init(struct code_files *f);
void code_files_done(struct code_files *f);

/* What the kernel says of the file of a mapping. */
struct code_file_identity {
	uint64_t dev, ino;
	uint32_t generation;
	const char *build_id, *path;
	pid_t pid; /* a process that sees the file at @path */
};

/* Set *@ret to the number of a file, and open it if that has not succeeded so far. Returns 0 or -ENOMEM. */
int code_files_number(struct code_files *f, const struct code_file_identity *id, uint32_t *ret);

/* Is file @number open, or with when_read, can it be opened? */
bool code_files_has(struct code_files *f, uint32_t number);

/* Is file @number on a file system that exists in memory only? */
bool code_files_in_memory(const struct code_files *f, uint32_t number);

/* Copy @len bytes at @offset, with zeros behind its end up to that page's end. Returns 0, or -EFAULT: not open, or past. */
int code_files_read(struct code_files *f, uint32_t number, void *dst, u32 len, u64 offset);
