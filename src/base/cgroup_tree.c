/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The folders of cgroup2. See cgroup_tree.h. */
#include "base/cgroup_tree.h"
#include <errno.h>
#include <fts.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool cgroup_tree_find(char ret[PATH_MAX])
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	bool found = false;
	struct mntent *m;

	while (mounts && !found && (m = getmntent(mounts)))
		found = !strcmp(m->mnt_type, "cgroup2") && snprintf(ret, PATH_MAX, "%s", m->mnt_dir) < PATH_MAX;
	if (mounts)
		endmntent(mounts);
	return found;
}

int cgroup_tree_each(const char *folder, int (*fn)(void *ctx, const char *path, uint64_t id), void *ctx)
{
	char *const roots[] = {(char *)folder, NULL};
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	int ret = tree ? 0 : -errno;
	struct stat st;
	FTSENT *e;

	while (!ret && (e = fts_read(tree)))
		if (e->fts_info == FTS_D && !stat(e->fts_accpath, &st))
			ret = fn(ctx, e->fts_path, st.st_ino);
	if (tree)
		fts_close(tree);
	return ret;
}
