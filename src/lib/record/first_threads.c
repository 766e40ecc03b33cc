/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The threads that a recording begins with. See first_threads.h. */
#include "lib/record/first_threads.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/map.h"
#include "lib/error.h"

#define MAX_LOOKS 16 /* at the threads of a process, until there is no new one */

static int check_process(pid_t pid, struct dusk_error *err)
{
	pid_t process = procs_of_thread(pid);

	if (process < 0)
		return error_set(err, -ESRCH, "cannot record process %d: there is no such process", pid);
	if (process != pid)
		return error_set(
			err, -ESRCH,
			"cannot record process %d: it is a thread of process %d; -p %d records that, and -t %d "
			"the thread",
			pid, process, process, pid);
	return 0;
}

/* Append to @tids the threads of @pid that it does not have, by @known. Returns how many, or a negative errno. */
static int add_threads(struct pids *tids, struct map *known, pid_t pid)
{
	struct dirent *e;
	char path[32];
	DIR *folder;
	int nr = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	folder = opendir(path);
	while (nr >= 0 && folder && (e = readdir(folder))) {
		pid_t tid = atoi(e->d_name);
		bool fresh = false;

		if (tid > 0 && !map_at(known, tid, &fresh))
			nr = -ENOMEM;
		if (fresh)
			nr = vec_push(tids, tid) ?: nr + 1;
	}
	if (folder)
		closedir(folder);
	return nr;
}

/* All threads of the first @nr of @pids. */
static int add_all_threads(struct pids *tids, struct map *known, const struct pids *pids, size_t nr)
{
	int ret = 0;

	for (size_t i = 0; ret >= 0 && i < nr; i++)
		ret = add_threads(tids, known, pids->v[i]);
	return ret < 0 ? ret : 0;
}

static int add_single_threads(struct pids *tids, struct map *known, const pid_t *of, size_t nr)
{
	bool fresh;
	int ret = 0;

	for (size_t i = 0; !ret && i < nr; i++) {
		if (!map_at(known, of[i], &fresh))
			return -ENOMEM;
		ret = fresh ? vec_push(tids, of[i]) : 0;
	}
	return ret;
}

/* Threads and processes that were created while the events of others were opened. */
static int add_latecomers(struct perf_source *source, struct first_threads *f, struct pids *tids, struct map *known,
			  struct dusk_error *err)
{
	size_t done = tids->nr;
	int ret = 0;

	for (int look = 0; !ret && look < MAX_LOOKS; look++) {
		if (!f->only)
			ret = procs_add_children(&f->pids);
		ret = ret ?: add_all_threads(tids, known, &f->pids, f->pids.nr);
		if (tids->nr == done)
			break;
		for (; !ret && done < tids->nr; done++) {
			ret = source_add(source, tids->v[done], err);
			if (ret == -ESRCH)
				ret = 0;
		}
	}
	return ret;
}

static int check(const struct dusk_record_options *o, struct dusk_error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < o->nr_pids; i++)
		ret = check_process(o->pids[i], err);
	for (size_t i = 0; !ret && i < o->nr_tids; i++)
		if (procs_of_thread(o->tids[i]) < 0)
			ret = error_set(err, -ESRCH, "cannot record thread %d: there is no such thread", o->tids[i]);
	return ret;
}

int first_threads_open(struct perf_source **ret, struct first_threads *f, const struct dusk_record_options *o,
		       struct source_options *so, struct dusk_error *err)
{
	struct pids tids = {0};
	struct map known = {0};
	int rc = check(o, err);

	f->only = o->no_children;
	rc = rc ?: vec_append(&f->pids, o->pids, o->nr_pids);
	if (!rc && !o->from_exec && !o->no_children && o->nr_pids)
		rc = procs_add_children(&f->pids);
	rc = rc ?: add_all_threads(&tids, &known, &f->pids, f->pids.nr);
	rc = rc ?: add_single_threads(&tids, &known, o->tids, o->nr_tids);
	if (!rc && !tids.nr)
		rc = error_set(err, -ESRCH, "cannot record: the processes have ended");
	so->tids = tids.v;
	so->nr_tids = tids.nr;
	rc = rc ?: source_new(ret, so, err);
	if (!rc && !o->from_exec && o->nr_pids)
		rc = add_latecomers(*ret, f, &tids, &known, err);
	f->nr_whole = f->pids.nr;
	rc = rc ?: vec_append(&f->tids, o->tids, o->nr_tids);
	for (size_t i = 0; !rc && i < o->nr_tids; i++) /* their processes' mappings are to be read, too */
		rc = vec_push(&f->pids, procs_of_thread(o->tids[i]));
	vec_done(&tids);
	map_done(&known);
	return rc;
}

/* All processes, for a recording of the machine. */
static int add_processes(struct pids *ret)
{
	DIR *folder = opendir("/proc");
	struct dirent *e;
	int rc = 0;

	while (!rc && folder && (e = readdir(folder)))
		if (atoi(e->d_name) > 0)
			rc = vec_push(ret, atoi(e->d_name));
	if (folder)
		closedir(folder);
	return rc;
}

int first_threads_processes(const struct first_threads *f, struct pids *ret)
{
	if (!f->pids.nr)
		return add_processes(ret);
	return vec_append(ret, f->pids.v, f->pids.nr) ?: procs_add_children(ret);
}

int first_threads_list(const struct first_threads *f, struct pids *ret)
{
	struct pids whole = {0};
	struct map known = {0};
	int rc = f->pids.nr ? vec_append(&whole, f->pids.v, f->nr_whole) : add_processes(&whole);

	if (!rc && f->nr_whole && !f->only)
		rc = procs_add_children(&whole);
	rc = rc ?: add_all_threads(ret, &known, &whole, whole.nr);
	rc = rc ?: add_single_threads(ret, &known, f->tids.v, f->tids.nr);
	vec_done(&whole);
	map_done(&known);
	return rc;
}

void first_threads_done(struct first_threads *f)
{
	vec_done(&f->pids);
	vec_done(&f->tids);
}
