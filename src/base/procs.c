/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/cgroup_tree.h"
#include "base/procs.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

#define PF_KTHREAD 0x00200000 /* linux include/linux/sched.h */

struct process {
	pid_t pid, parent;
};

struct processes vec(struct process);

pid_t procs_of_thread(pid_t tid)
{
	_cleanup_(fclosep) FILE *f = NULL;
	char path[64], line[128];
	pid_t ret = -ESRCH;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %d", &ret) == 1)
			break;
	return ret;
}

/*
 * Read a file named stat: "PID (NAME) STATE PARENT ...", where the name may contain anything, also parentheses. Returns
 * what begins with the last of these, or NULL.
 */
static const char *read_stat(const char *path, char *line, size_t size)
{
	_cleanup_(fclosep) FILE *f = fopen(path, "re");

	line[f ? fread(line, 1, size - 1, f) : 0] = 0;
	return strrchr(line, ')');
}

static pid_t parent_of(pid_t pid)
{
	char path[64], line[512];
	const char *end;
	pid_t parent;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	end = read_stat(path, line, sizeof(line));
	return end && sscanf(end, ") %*c %d", &parent) == 1 ? parent : -ESRCH;
}

char procs_state(pid_t pid, pid_t tid, bool *kernel)
{
	char path[64], line[512], state;
	const char *end;
	unsigned int flags;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	end = read_stat(path, line, sizeof(line));
	if (!end || sscanf(end, ") %c %*d %*d %*d %*d %*d %u", &state, &flags) != 2)
		return 0;
	*kernel = flags & PF_KTHREAD;
	return state;
}

bool procs_has_memory(pid_t tid)
{
	_cleanup_(fclosep) FILE *f = NULL;
	unsigned long pages = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/statm", tid);
	f = fopen(path, "re");
	return f && fscanf(f, "%lu", &pages) == 1 && pages;
}

static int list_processes(struct processes *ret)
{
	DIR *folder = opendir("/proc");
	struct dirent *e;
	int err = folder ? 0 : -errno;

	while (!err && (e = readdir(folder))) {
		struct process p = {.pid = atoi(e->d_name)};

		if (p.pid <= 0)
			continue;
		p.parent = parent_of(p.pid);
		if (p.parent >= 0 && vec_push(ret, p))
			err = -ENOMEM;
	}
	if (folder)
		closedir(folder);
	return err;
}

static bool has(const struct pids *pids, pid_t pid)
{
	for (size_t i = 0; i < pids->nr; i++)
		if (pids->v[i] == pid)
			return true;
	return false;
}

int procs_add_children(struct pids *pids)
{
	struct processes all = {0};
	int err = list_processes(&all);

	for (size_t at = 0; !err && at < pids->nr; at++) /* those that are appended have their turn, too */
		for (size_t i = 0; !err && i < all.nr; i++)
			if (all.v[i].parent == pids->v[at] && !has(pids, all.v[i].pid) && vec_push(pids, all.v[i].pid))
				err = -ENOMEM;
	vec_done(&all);
	return err;
}

/* The folder's own threads: a number on each line. One that is gone meanwhile has none. */
static int add_threads_of(void *tids, const char *folder, uint64_t id)
{
	_cleanup_(fclosep) FILE *f = NULL;
	char path[PATH_MAX];
	int ret = 0;
	pid_t tid;

	snprintf(path, sizeof(path), "%s/cgroup.threads", folder);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT || errno == ENODEV ? 0 : -errno;
	while (!ret && fscanf(f, "%d", &tid) == 1)
		ret = vec_push((struct pids *)tids, tid);
	return ret;
}

int procs_add_cgroup(struct pids *tids, const char *folder)
{
	return cgroup_tree_each(folder, add_threads_of, tids);
}
