/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The address spaces of processes, as the kernel's records tell: what is mapped where, and from which bytes it can be
 * read.
 *
 * Mappings of files and of code are kept. Of other memory only that there is none of these: nothing of it is read, as it
 * may have changed since the sample.
 */
#pragma once
#include "lib/copied/code_files.h"
#include "lib/process/ask.h"
#include "lib/process/processes.h"

struct place {
	uint64_t start, end, offset; /* @offset: of @start, in the file */
	uint32_t file;		     /* number in code_files; CODE_FILE_NONE: it has none */
	bool executable;
	bool written; /* the process can write there, or could: the bytes need not be the file's */
};

/* A process that has called execve(), and of which nothing shows so far that the new program has begun. */
struct new_program {
	uint32_t nr, files[2]; /* that the kernel has mapped for it: the program, and its interpreter */
};

/*
 * Processes that have ended, the last ones: the kernel says so before it gives up their memory, so that there are samples
 * after that.
 */
#define SPACES_ENDED 64

/* To be initialized with spaces_init(). */
struct spaces {
	struct processes processes;
	struct code_files files;
	struct map threads; /* process -> number of its threads */
	uint32_t ended[SPACES_ENDED], nr_ended;
	struct map new_program; /* process -> index in new_programs, plus 1; 0: it has begun */
	struct vec(struct new_program) new_programs;
	struct ask_child child; /* that reads /proc/PID/maps */
	uint64_t changes;	/* grows whenever something is mapped otherwise */
	const uint8_t *vdso;
	size_t vdso_bytes; /* of the vDSO of 64-bit processes, which all share */
};

/* Returns 0 or -ENOMEM. */
int spaces_init(struct spaces *s);
void spaces_done(struct spaces *s);

/* Take a record, in the order of time. Returns 0 or -ENOMEM. */
int spaces_take(struct spaces *s, const struct perfdata_record *r);

/*
 * Read from /proc what process @pid has mapped now, and the names of its threads, in place of what was known of it.
 * Returns 0, -ESRCH or another error of /proc, -ENOMEM, or an error of ask.h.
 */
int spaces_read(struct spaces *s, pid_t pid);

/* Read from /proc the name of thread @tid of @pid. Returns 0, -ENOMEM, or an error of /proc. */
int spaces_read_name(struct spaces *s, pid_t pid, pid_t tid);

/* Forget all mappings: records were lost. */
void spaces_forget(struct spaces *s);

/* Find what @pid has mapped at @addr. */
bool spaces_find(const struct spaces *s, pid_t pid, uint64_t addr, struct place *ret);

/*
 * Note that @pid was seen in user mode. spaces_is_new(): has it not been since its execve()? Then registers of user mode
 * may be those of the program before.
 */
void spaces_begun(struct spaces *s, pid_t pid);
bool spaces_is_new(const struct spaces *s, pid_t pid);
