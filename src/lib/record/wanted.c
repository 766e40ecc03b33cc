/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tell the recorder's programs what is to be recorded. See wanted.h. */
#include "lib/record/wanted.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include "abi/config.h"
#include "base/cgroup_tree.h"
#include "base/cleanup.h"
#include "base/label_pattern.h"
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

static int add_cgroup_number(void *tool, const char *path, uint64_t id)
{
	u32 yes = 1;

	return bpf_map_update_elem(map_fd(tool, "cgroups"), &id, &yes, BPF_ANY) ? -errno : 0;
}

/* The folder @path and those below it; what is made in them later is added by the kernel side. */
static int add_folder(struct tool *t, const char *path, struct dusk_error *err)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;
	int ret;

	if (fd < 0)
		return error_set(err, -errno, "cannot open cgroup %s: %s", path, strerror(errno));
	if (fstatfs(fd, &fs) || fs.f_type != CGROUP2_SUPER_MAGIC)
		return error_set(err, -EINVAL,
				 "cannot record cgroup %s: it is not a folder of cgroup2 "
				 "(mount -t cgroup2 none /sys/fs/cgroup)",
				 path);
	ret = cgroup_tree_each(path, add_cgroup_number, t);
	return ret ? error_set(err, ret, "cannot record cgroup %s: %s", path, strerror(-ret)) : 0;
}

int wanted_add_cgroups(struct tool *t, const struct dusk_record_options *o, struct dusk_error *err)
{
	return o->cgroup ? add_folder(t, o->cgroup, err) : 0;
}

static bool is_unit(const char *pattern, const struct dusk_cgroup *c)
{
	return pattern_is_unit(pattern, c->unit);
}

static bool is_container(const char *pattern, const struct dusk_cgroup *c)
{
	return pattern_is_container(pattern, c->container, c->container_name);
}

static bool is_pod(const char *pattern, const struct dusk_cgroup *c)
{
	return pattern_is(pattern, c->pod);
}

static bool is_namespace(const char *pattern, const struct dusk_cgroup *c)
{
	return pattern_is(pattern, c->pod_namespace);
}

/* An empty list means all. */
static bool listed(const char *const *list, size_t nr, bool (*is)(const char *, const struct dusk_cgroup *),
		   const struct dusk_cgroup *c)
{
	for (size_t i = 0; i < nr; i++)
		if (is(list[i], c))
			return true;
	return !nr;
}

bool wanted_by_label(const struct dusk_record_options *o)
{
	return o->nr_units || o->nr_containers || o->nr_pods || o->nr_namespaces;
}

int wanted_choose_cgroup(struct tool *t, const struct dusk_record_options *o, uint64_t id, const struct dusk_cgroup *c)
{
	bool is = listed(o->units, o->nr_units, is_unit, c) &&
		  listed(o->containers, o->nr_containers, is_container, c) && listed(o->pods, o->nr_pods, is_pod, c) &&
		  listed(o->namespaces, o->nr_namespaces, is_namespace, c);
	int err = is ? add_cgroup_number(t, c->path, id) : 0;

	return err ? err : is;
}

int wanted_add(struct service *s, struct tool *t, const struct dusk_record_options *o, struct dusk_error *err)
{
	const struct tasks processes = {WANT_PROCESS, o->pids, o->nr_pids, o->from_exec ? WANTED_FROM_EXEC : WANTED};
	const struct tasks threads = {WANT_THREAD, o->tids, o->nr_tids, WANTED};
	int ret = add(s, t, &processes, err);

	return ret ? ret : add(s, t, &threads, err);
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
