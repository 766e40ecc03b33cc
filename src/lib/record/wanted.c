/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tell the recorder's programs what is to be recorded. See wanted.h. */
#include "lib/record/wanted.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include "abi/config.h"
#include "base/cleanup.h"
#include "base/procs.h"
#include "lib/error.h"

static int map_fd(const struct tool *t, const char *name)
{
	return bpf_object__find_map_fd_by_name(tool_object(t), name);
}

/* The tasks of one kind, and from when on they are recorded. */
struct tasks {
	u32 kind; /* WANT_PROCESS or WANT_THREAD */
	const pid_t *ids;
	size_t nr;
	enum wanted wish;
};

static int add(struct service *s, struct tool *t, const struct tasks *tasks, struct dusk_error *err)
{
	const char *what = tasks->kind == WANT_PROCESS ? "process" : "thread";
	int fd = map_fd(t, "wanted");
	u32 value = tasks->wish;

	for (size_t i = 0; i < tasks->nr; i++) {
		pid_t given = tasks->ids[i];
		pid_t id = given > 0 ? service_find_task(s, given) : -ESRCH;
		pid_t process = id > 0 && tasks->kind == WANT_PROCESS ? procs_of_thread(given) : given;
		u32 key[2] = {id, tasks->kind};

		if (id == -ESRCH)
			return error_set(err, id, "cannot record %s %d: there is no such %s", what, given, what);
		if (process > 0 && process != given)
			return error_set(err, -ESRCH,
					 "cannot record process %d: it is a thread of process %d; -p %d records that, "
					 "and -t %d the thread",
					 given, process, process, given);
		if (id > 0 && bpf_map_update_elem(fd, key, &value, BPF_ANY))
			id = -errno;
		if (id < 0)
			return error_set(err, id, "cannot record %s %d: %s", what, given, strerror(-id));
	}
	return 0;
}

static int add_cgroup(struct tool *t, const char *path, struct dusk_error *err)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	u32 zero = 0;

	if (fd < 0)
		return error_set(err, -errno, "cannot open cgroup %s: %s", path, strerror(errno));
	if (bpf_map_update_elem(map_fd(t, "cgroup"), &zero, &fd, BPF_ANY))
		return error_set(err, -EINVAL,
				 "cannot record cgroup %s: it is not a folder of cgroup2 "
				 "(mount -t cgroup2 none /sys/fs/cgroup)",
				 path);
	return 0;
}

int wanted_add(struct service *s, struct tool *t, const struct dusk_record_options *o, struct dusk_error *err)
{
	const struct tasks processes = {WANT_PROCESS, o->pids, o->nr_pids, o->from_exec ? WANTED_FROM_EXEC : WANTED};
	const struct tasks threads = {WANT_THREAD, o->tids, o->nr_tids, WANTED};
	int ret = add(s, t, &processes, err);

	if (!ret)
		ret = add(s, t, &threads, err);
	if (!ret && o->cgroup)
		ret = add_cgroup(t, o->cgroup, err);
	return ret;
}

int wanted_add_descendants(struct service *s, struct tool *t, const struct dusk_record_options *o,
			   struct dusk_error *err)
{
	struct pids known = {0};
	size_t before = 0;
	int ret = vec_append(&known, o->pids, o->nr_pids);

	while (!ret && known.nr > before) {
		before = known.nr;
		ret = procs_add_children(&known);
		for (size_t i = before; !ret && i < known.nr; i++) {
			const struct tasks child = {WANT_PROCESS, &known.v[i], 1, WANTED};

			ret = add(s, t, &child, err);
			if (ret && service_find_task(s, known.v[i]) == -ESRCH)
				ret = 0;
		}
	}
	vec_done(&known);
	return ret;
}
