/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/process/jit_files.h"
#include <errno.h>
#include <string.h>
#include "lib/process/jitdump.h"
#include "lib/process/perfmap.h"
#include "lib/process/procfs.h"

static uint8_t files_of(pid_t pid)
{
	pid_t inner;
	uid_t owner;

	if (procfs_identity(pid, &inner, &owner)) /* it is gone: its map may be there still, in our namespaces */
		return perfmap_is_there(pid, 0) ? JIT_WRITES_MAP : 0;
	return (jitdump_is_mapped(pid, inner) ? JIT_WRITES_DUMP : 0) |
	       (perfmap_is_there(pid, inner) ? JIT_WRITES_MAP : 0);
}

static ssize_t find(const void *question, char *ret, size_t size)
{
	const pid_t *pid = question;

	for (size_t i = 0; i < size; i++)
		ret[i] = files_of(pid[i]);
	return size;
}

int jit_files_find(struct ask_child *c, const pid_t *pid, size_t nr, uint8_t *ret)
{
	ssize_t got = nr > JIT_FILES_AT_ONCE ? -E2BIG : ask_again(c, find, pid, nr * sizeof(*pid), (char *)ret, nr);

	return got < 0 ? got : 0;
}
