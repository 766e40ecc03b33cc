/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What becomes of an older profile of the same name? See keep.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cli/keep.h"

int keep_old(struct keep *k, const char *path)
{
	_cleanup_(freep) char *old = NULL;
	struct stat st;

	*k = (struct keep){.path = path};
	if (lstat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	if (asprintf(&old, "%s.old", path) < 0) {
		old = NULL;
		return -ENOMEM;
	}
	if (rename(path, old))
		return -errno;
	k->old = steal(old);
	return 0;
}

void keep_undo(struct keep *k)
{
	static const char *const parts[] = {"", "-journal", "-wal", "-shm"};

	for (size_t i = 0; k->made && i < sizeof(parts) / sizeof(*parts); i++) {
		_cleanup_(freep) char *part = NULL;

		if (asprintf(&part, "%s%s", k->path, parts[i]) >= 0)
			unlink(part);
		else
			part = NULL;
	}
	if (k->old)
		rename(k->old, k->path);
}

void keep_done(struct keep *k)
{
	free(steal(k->old));
}
