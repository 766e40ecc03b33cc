/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read the memory of other processes, in a child process (ask.h).
 *
 * A page can be one that never comes: of a file whose file system is a process that does not answer (FUSE), or of memory
 * whose faults a process handles itself (userfaultfd). Who reads it waits for ever, and in some places of the kernel not even
 * SIGKILL ends that. What is mapped can be looked up before, but is another thing by the time it is read. So a child reads. If it
 * does not answer in time it is given up, and when that has happened twice, as a busy machine may be late once, nothing more is read
 * from that process.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/map.h"
#include "lib/process/ask.h"

#define MEMORY_LATE 2	  /* times that a page may not come, of one process */
#define MEMORY_TOUCHED 64 /* pages that one call touches, at most */
#define MEMORY_KEPT 32	  /* pages */
#define MEMORY_KEPT_MS 20 /* for so long */

/* All-zero: the child does not run yet. To be ended with memory_reader_done(). */
struct memory_reader {
	struct ask_child child;
	struct map late;   /* process -> how often a page of it did not come in time */
	bool by_ourselves; /* we may read what our child may not */
	struct kept_page *kept;
	uint64_t given_up;
};

/*
 * Copy up to @len bytes at @addr of process @pid, at most 64 KiB. Returns how many there are from @addr on, or a negative
 * errno: -EFAULT, none; -ETIMEDOUT, they did not come, or those of an earlier call; or another one of process_vm_readv(2) or
 * ask.h.
 */
ssize_t memory_copy(struct memory_reader *r, pid_t pid, void *dst, size_t len, uint64_t addr);

/*
 * Read all of the @len bytes at @addr of process @pid, as they were at most MEMORY_KEPT_MS ago: a walk reads few bytes at a time, and
 * the next one reads the same. Returns 0, or an error as memory_copy() does.
 */
int memory_read(struct memory_reader *r, pid_t pid, void *dst, size_t len, uint64_t addr);

/*
 * Bring @nr pages of process @pid from @addr on into memory, as far as there is something. Returns how many there are, or
 * an error as memory_copy() does.
 */
ssize_t memory_touch(struct memory_reader *r, pid_t pid, uint64_t addr, size_t nr);

void memory_reader_done(struct memory_reader *r);
