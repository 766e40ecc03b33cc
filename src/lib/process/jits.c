/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/process/jits.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/map.h"
#include "lib/process/jit_files.h"
#include "lib/process/jitdump.h"
#include "lib/process/perfmap.h"
#include "lib/process/procfs.h"

#define FIRST_PAUSE_NS 500000000ULL /* between two looks, doubled each time, up to: */
#define LONGEST_PAUSE_NS 64000000000ULL
#define FOLLOW_NS 100000000ULL /* between two looks at the length of maps */
#define FORK_NS 10000000ULL    /* a process began at most so much later than /proc says */
#define MAX_GENERATIONS 16     /* parents that are asked, too */
#define NONE UINT32_MAX

struct jit {
	pid_t pid;
	uint32_t parent;	    /* index of the process whose code it has had since its fork(), or NONE */
	uint64_t forked_ns;	    /* CLOCK_MONOTONIC */
	uint64_t look_ns, pause_ns; /* when to look for its files again */
	bool asked;		    /* for its parent */
	int dump_fd, map_fd;	    /* -1: none */
	struct perfmap_marks marks;
	struct vec(uint64_t) wanted;
	bool is_read;
	int error; /* of reading */
	struct jitdump *dump;
	struct perfmap *map;
};

struct jits {
	struct vec(struct jit) all;
	struct map by_pid; /* pid -> index */
	size_t end_fd;
	uint64_t followed_ns;
	uint64_t allowed, left_out; /* looks */
	struct ask_child child;
};

struct jits *jits_new(size_t end_fd)
{
	struct jits *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->end_fd = end_fd;
	j->allowed = UINT64_MAX;
	ask_begin(&j->child);
	return j;
}

void jits_free(struct jits *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->all.nr; i++) {
		struct jit *p = &j->all.v[i];

		closep(&p->dump_fd);
		closep(&p->map_fd);
		vec_done(&p->marks);
		vec_done(&p->wanted);
		jitdump_free(p->dump);
		perfmap_free(p->map);
	}
	vec_done(&j->all);
	map_done(&j->by_pid);
	ask_end(&j->child);
	free(j);
}

static uint32_t known(const struct jits *j, pid_t pid)
{
	const uint32_t *index = map_find(&j->by_pid, pid);

	return index && *index ? *index - 1 : NONE;
}

/* Return the index of @pid, which is added if it is new, or NONE: memory is short. */
static uint32_t process_at(struct jits *j, pid_t pid)
{
	bool fresh;
	uint32_t *index = map_at(&j->by_pid, pid, &fresh);

	if (!index)
		return NONE;
	if (!*index) {
		if (vec_push(&j->all, ((struct jit){.pid = pid, .parent = NONE, .dump_fd = -1, .map_fd = -1})))
			return NONE;
		*index = j->all.nr;
	}
	return *index - 1;
}

static void keep(struct jits *j, int *ret, int fd)
{
	if (fd < 0)
		return;
	if (*ret >= 0 || (size_t)fd >= j->end_fd) {
		close(fd);
		return;
	}
	*ret = fd;
}

static void mark(struct jit *p, uint64_t now)
{
	struct perfmap_mark *last = p->marks.nr ? &p->marks.v[p->marks.nr - 1] : NULL;
	struct stat st;

	if (p->map_fd < 0 || fstat(p->map_fd, &st))
		return;
	if (last && (uint64_t)st.st_size == last->bytes) {
		last->last_ns = now;
		return;
	}
	if (last && (uint64_t)st.st_size < last->bytes) /* written anew: nothing is known of its lines */
		p->marks.nr = 0;
	last = vec_add(&p->marks);
	if (last) /* without it, more is uncertain: no name is wrong */
		*last = (struct perfmap_mark){st.st_size, now, now};
}

/* Open what @p writes, by @files, unless it is open. */
static void open_files(struct jits *j, struct jit *p, uint8_t files, uint64_t now)
{
	if (p->dump_fd < 0 && files & JIT_WRITES_DUMP)
		keep(j, &p->dump_fd, jitdump_open(p->pid));
	if (p->map_fd < 0 && files & JIT_WRITES_MAP) {
		keep(j, &p->map_fd, perfmap_open(p->pid));
		mark(p, now);
	}
}

/* Look for files of process @i. Returns false if that has to wait. */
static bool look(struct jits *j, uint32_t i, uint64_t now)
{
	struct jit *p = &j->all.v[i];
	uint8_t files;

	if (now < p->look_ns)
		return true;
	if (!j->allowed) {
		j->left_out++;
		return false;
	}
	j->allowed--;
	p->pause_ns = !p->pause_ns ? FIRST_PAUSE_NS : p->pause_ns < LONGEST_PAUSE_NS ? 2 * p->pause_ns : p->pause_ns;
	p->look_ns = now + p->pause_ns;
	if ((p->dump_fd < 0 || p->map_fd < 0) && !jit_files_find(&j->child, &p->pid, 1, &files))
		open_files(j, p, files, now);
	return true;
}

/* Find the process from which @pid, which is new, has its address space. */
static uint32_t find_parent(struct jits *j, pid_t pid, uint64_t *forked_ns)
{
	struct procfs_origin child, parent;

	if (procfs_origin(pid, &child) || procfs_origin(child.parent, &parent) ||
	    memcmp(child.layout, parent.layout, sizeof(child.layout)) != 0)
		return NONE;
	*forked_ns = child.started_ns;
	return process_at(j, child.parent);
}

/* Its parents are asked once: later it may have another one, which took it over. */
static void add_parents(struct jits *j, uint32_t child, uint64_t now)
{
	for (int i = 0; i < MAX_GENERATIONS && !j->all.v[child].asked; i++) {
		uint64_t forked_ns = 0;
		uint32_t parent = find_parent(j, j->all.v[child].pid, &forked_ns);

		j->all.v[child].asked = true;
		if (parent == NONE)
			return;
		j->all.v[child].parent = parent;
		j->all.v[child].forked_ns = forked_ns;
		look(j, parent, now);
		child = parent;
	}
}

void jits_look(struct jits *j, pid_t pid)
{
	uint64_t now = now_ns();
	uint32_t i = pid > 0 ? process_at(j, pid) : NONE;

	if (i != NONE && look(j, i, now))
		add_parents(j, i, now);
}

void jits_allow(struct jits *j, uint64_t looks)
{
	j->allowed = looks;
}

uint64_t jits_left_out(const struct jits *j)
{
	return j->left_out;
}

uint64_t jits_used_ns(const struct jits *j)
{
	return j->child.used_ns;
}

/* Look once more for all that is not there, for several processes at once. */
static void look_at_all(struct jits *j, uint64_t now)
{
	uint8_t files[JIT_FILES_AT_ONCE];
	pid_t pid[JIT_FILES_AT_ONCE];

	for (size_t from = 0, nr; from < j->all.nr; from += nr) {
		nr = j->all.nr - from < JIT_FILES_AT_ONCE ? j->all.nr - from : JIT_FILES_AT_ONCE;
		for (size_t i = 0; i < nr; i++)
			pid[i] = j->all.v[from + i].pid;
		if (jit_files_find(&j->child, pid, nr, files))
			continue;
		for (size_t i = 0; i < nr; i++)
			open_files(j, &j->all.v[from + i], files[i], now);
	}
}

void jits_follow(struct jits *j, bool last)
{
	uint64_t now = now_ns();

	if (!last && now < j->followed_ns + FOLLOW_NS)
		return;
	j->followed_ns = now;
	for (size_t i = 0; i < j->all.nr; i++)
		mark(&j->all.v[i], now);
	if (last)
		look_at_all(j, now);
}

int jits_want(struct jits *j, pid_t pid, uint64_t address)
{
	uint32_t at = known(j, pid);
	int rc = 0;

	for (int i = 0; i <= MAX_GENERATIONS && at != NONE && !rc; i++, at = j->all.v[at].parent)
		rc = vec_push(&j->all.v[at].wanted, address);
	return rc;
}

static void read_files(struct jit *p)
{
	p->is_read = true;
	if (p->dump_fd >= 0)
		p->error = jitdump_read(&p->dump, p->dump_fd, p->wanted.v, p->wanted.nr);
	if (p->error == -EINVAL) /* no dump, or not of this machine */
		p->error = 0;
	if (!p->error && p->map_fd >= 0)
		p->error = perfmap_read(&p->map, p->map_fd, p->wanted.v, p->wanted.nr);
	vec_done(&p->wanted);
}

/* Add what @p itself has written of @address. */
static int add_loads(struct jit *p, uint64_t address, struct code_loads *ret)
{
	int rc = 0;

	if (!p->is_read)
		read_files(p);
	if (p->error == -EFBIG || p->error == -ENOMEM)
		return p->error;
	if (p->dump)
		rc = jitdump_loads(p->dump, address, ret);
	if (!rc && p->map)
		rc = perfmap_loads(p->map, &p->marks, address, ret);
	return rc;
}

/* Of a parent's loads, from @from on in @v, keep those before the fork(). What came afterwards replaced nothing in the child. */
static void keep_until(struct code_loads *v, size_t from, uint64_t forked_ns)
{
	size_t kept = from;

	for (size_t i = from; i < v->nr; i++) {
		struct code_load l = v->v[i];

		if (l.after_ns > forked_ns && l.after_ns - forked_ns > FORK_NS)
			continue;
		if (l.by_ns > forked_ns)
			l.by_ns = CODE_STAYS; /* it may have been after it: only if there is no other one, it counts */
		if (l.gone_ns > forked_ns)
			l.gone_ns = CODE_STAYS;
		v->v[kept++] = l;
	}
	v->nr = kept;
}

int jits_loads(struct jits *j, pid_t pid, uint64_t address, struct code_loads *ret)
{
	uint64_t until_ns = CODE_STAYS;
	uint32_t at = known(j, pid);

	ret->nr = 0;
	for (int i = 0; i <= MAX_GENERATIONS && at != NONE; i++) {
		struct jit *p = &j->all.v[at];
		size_t before = ret->nr;
		int rc = add_loads(p, address, ret);

		if (rc)
			return rc;
		keep_until(ret, before, until_ns);
		until_ns = p->forked_ns < until_ns ? p->forked_ns : until_ns;
		at = p->parent;
	}
	return 0;
}
