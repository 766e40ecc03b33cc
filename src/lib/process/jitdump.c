/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read jitdump files.
 *
 * The format is version 1 of perf's jitdump specification: a header, then records, each with its length and a
 * timestamp. A load names a function, and has its code behind the name; a move changes its address. Other records
 * (lines, unwind tables) are skipped, and so is code. code_lives.h says what it means that memory is used again.
 *
 * A dump may be large, so only functions at the requested addresses are kept. A function that is moved to one of them
 * was loaded elsewhere, so a first pass finds the moves.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/process/ask.h"
#include "base/cleanup.h"
#include "base/map.h"
#include "base/name.h"
#include "base/rank.h"
#include "base/strings.h"
#include "base/vec.h"
#include "lib/arch/names.h"
#include "lib/process/jitdump.h"
#include "lib/process/procfs.h"

#define MAGIC 0x4a695444 /* "JiTD" */
#define VERSION 1
#define CPU_TIME 1 /* in the flags: times are from the CPU's counter, not from CLOCK_MONOTONIC */
#define MAX_NAME_BYTES (NAME_LIMIT_BYTES + 2) /* one more than a name may have: what is longer is seen to be */
#define MAX_DUMP_BYTES \
	(1LL << 30) /* a larger dump is refused: from a part of it, names could be those of earlier functions */
#define MAX_RECORDS (1 << 22)	/* likewise */
#define MAX_FUNCTIONS (1 << 18) /* at the requested addresses */
#define MAX_NAMES_BYTES (32 << 20)
#define NOT_KEPT UINT32_MAX
#define MAX_TRIES 4096 /* functions to look at per address, as any of them may reach that far */

enum record_id { LOAD, MOVE };

struct header {
	uint32_t magic, version, bytes, machine, pad, pid;
	uint64_t time, flags;
};

struct record {
	uint32_t id, bytes; /* including this */
	uint64_t time;
};

struct load {
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
};

struct move {
	uint32_t pid, tid;
	uint64_t vma, from, to, size, index;
};

struct function {
	uint64_t start, end;	 /* @start must be first: rank_of() */
	uint64_t from_ns, to_ns; /* @to_ns: when it was moved */
	const char *name;
};

/* The requested addresses. */
struct wanted {
	uint64_t *addresses; /* sorted */
	size_t nr;
	struct map moved; /* indexes of functions that are moved to one of them */
};

struct jitdump {
	struct vec(struct function) functions; /* after reading: by start, then by time */
	uint64_t *reach;		       /* by function: the highest end of it and those before it */
	struct strings names;
	size_t names_bytes;
	bool timeless; /* times are of another clock */
};

static bool is_wanted(const struct wanted *w, uint64_t start, uint64_t size)
{
	size_t low = 0, high = w->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->addresses[middle] < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < w->nr && w->addresses[low] - start < size;
}

/* Add @f. From now on @index refers to it. */
static int add(struct jitdump *j, struct map *by_index, uint64_t index, const struct function *f)
{
	uint32_t *at;
	bool fresh;

	if (f->end <= f->start)
		return 0;
	if (j->functions.nr >= MAX_FUNCTIONS)
		return -EFBIG;
	at = map_at(by_index, index, &fresh);
	if (!at)
		return -ENOMEM;
	*at = j->functions.nr;
	return vec_push(&j->functions, *f);
}

/*
 * Read the name at the file position, which must end within @room bytes. Returns NULL if it does not or is empty, or if
 * a limit is exceeded or memory is short (*@err).
 */
static const char *read_name(struct jitdump *j, FILE *in, size_t room, int *err)
{
	char name[MAX_NAME_BYTES], limited[NAME_LIMIT_BYTES + 1];
	const char *name_kept;
	size_t len = 0;
	int c = 0;

	while (len < room && (c = getc(in)) > 0) {
		if (len < sizeof(name) - 1)
			name[len] = c;
		len++;
	}
	if (c || !len || len == room)
		return NULL;
	name[len < sizeof(name) ? len : sizeof(name) - 1] = 0;
	j->names_bytes += len < sizeof(name) ? len : sizeof(name);
	if (j->names_bytes > MAX_NAMES_BYTES) {
		*err = -EFBIG;
		return NULL;
	}
	name_kept = strings_intern(&j->names, name_limit(limited, name));
	if (!name_kept)
		*err = -ENOMEM;
	return name_kept;
}

static int read_load(struct jitdump *j, FILE *in, const struct record *r, struct map *by_index, const struct wanted *w)
{
	size_t room = r->bytes - sizeof(*r);
	struct load l;
	const char *name;
	uint32_t *at;
	int err = 0;

	if (room < sizeof(l) || fread(&l, sizeof(l), 1, in) != 1)
		return 0;
	at = map_find(by_index, l.index);
	if (at)
		*at = NOT_KEPT; /* the index belongs to a new function now */
	if (!is_wanted(w, l.address, l.size) && !map_find(&w->moved, l.index))
		return 0;
	name = read_name(j, in, room - sizeof(l), &err);
	if (!name)
		return err;
	return add(j, by_index, l.index, &(struct function){l.address, l.address + l.size, r->time, UINT64_MAX, name});
}

/* Note functions that are moved to a requested address. */
static int note_move(struct wanted *w, FILE *in, const struct record *r)
{
	struct move m;
	bool fresh;

	if (r->bytes - sizeof(*r) < sizeof(m) || fread(&m, sizeof(m), 1, in) != 1 || !is_wanted(w, m.to, m.size))
		return 0;
	if (w->moved.nr >= MAX_FUNCTIONS)
		return -EFBIG;
	return map_at(&w->moved, m.index, &fresh) ? 0 : -ENOMEM;
}

static int read_move(struct jitdump *j, FILE *in, const struct record *r, struct map *by_index, const struct wanted *w)
{
	const char *name;
	struct move m;
	uint32_t *at;

	if (r->bytes - sizeof(*r) < sizeof(m) || fread(&m, sizeof(m), 1, in) != 1)
		return 0;
	at = map_find(by_index, m.index);
	if (!at || *at == NOT_KEPT)
		return 0;
	if (j->functions.v[*at].to_ns == UINT64_MAX)
		j->functions.v[*at].to_ns = r->time;
	name = j->functions.v[*at].name;
	if (!is_wanted(w, m.to, m.size))
		return 0; /* a later move from there finds it by its index */
	return add(j, by_index, m.index, &(struct function){m.to, m.to + m.size, r->time, UINT64_MAX, name});
}

/* Read all records from the position of @in. @by_index is NULL in the first pass, which is for moves. */
static int read_records(struct jitdump *j, FILE *in, struct map *by_index, struct wanted *w)
{
	struct record r;
	int err = 0;

	for (int left = MAX_RECORDS; !err && fread(&r, sizeof(r), 1, in) == 1; left--) {
		long begin = ftell(in);

		if (r.bytes < sizeof(r) || begin < 0)
			break;
		if (!left || begin > MAX_DUMP_BYTES)
			return -EFBIG;
		if (r.id == MOVE && !by_index)
			err = note_move(w, in, &r);
		else if (r.id == MOVE)
			err = read_move(j, in, &r, by_index, w);
		else if (r.id == LOAD && by_index)
			err = read_load(j, in, &r, by_index, w);
		if (fseek(in, begin + (long)(r.bytes - sizeof(r)), SEEK_SET))
			break;
	}
	return err;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void wanted_done(struct wanted *w)
{
	free(w->addresses);
	map_done(&w->moved);
}

static int ask_for(struct wanted *w, const uint64_t *addresses, size_t nr)
{
	w->addresses = malloc((nr + 1) * sizeof(*addresses));
	if (!w->addresses)
		return -ENOMEM;
	if (nr)
		memcpy(w->addresses, addresses, nr * sizeof(*addresses));
	qsort(w->addresses, nr, sizeof(*addresses), by_value);
	w->nr = nr;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

/* Sort the functions, and compute @reach. */
static int build(struct jitdump *j)
{
	uint64_t reach = 0;

	if (j->functions.nr)
		qsort(j->functions.v, j->functions.nr, sizeof(*j->functions.v), by_start);
	j->reach = malloc((j->functions.nr + 1) * sizeof(*j->reach));
	if (!j->reach)
		return -ENOMEM;
	for (size_t i = 0; i < j->functions.nr; i++) {
		if (j->functions.v[i].end > reach)
			reach = j->functions.v[i].end;
		j->reach[i] = reach;
	}
	return 0;
}

/* Is it this machine? CPython 3.13 does not say, and a dump that a process has mapped is of the machine that runs it. */
static bool is_machine(uint32_t machine)
{
	return machine == ARCH_ELF_MACHINE || machine == EM_NONE;
}

int jitdump_parse(struct jitdump **ret, FILE *in, const uint64_t *addresses, size_t nr)
{
	_cleanup_(map_done) struct map by_index = {0};
	_cleanup_(wanted_done) struct wanted w = {0};
	struct header h;
	struct jitdump *j;
	int err;

	if (fread(&h, sizeof(h), 1, in) != 1 || h.magic != MAGIC || h.version != VERSION || !is_machine(h.machine) ||
	    h.bytes < sizeof(h) || fseek(in, h.bytes, SEEK_SET))
		return -EINVAL;
	j = calloc(1, sizeof(*j));
	if (!j)
		return -ENOMEM;
	j->timeless = h.flags & CPU_TIME;
	err = ask_for(&w, addresses, nr);
	err = err ?: read_records(j, in, NULL, &w);
	if (!err && fseek(in, h.bytes, SEEK_SET))
		err = -EINVAL;
	err = err ?: read_records(j, in, &by_index, &w);
	err = err ?: build(j);
	if (err)
		jitdump_free(j);
	else
		*ret = j;
	return err;
}

int jitdump_read(struct jitdump **ret, int fd, const uint64_t *addresses, size_t nr)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	_cleanup_(fclosep) FILE *in = own < 0 ? NULL : fdopen(own, "r");

	if (!in) {
		closep(&own);
		return -ENOMEM;
	}
	fseek(in, 0, SEEK_SET);
	return jitdump_parse(ret, in, addresses, nr);
}

/* Check whether this line of /proc/PID/maps is the executable mapping of a dump. *@path points to its path in @line. */
static bool is_mark(char *line, pid_t inner, char **path, uint64_t *ino)
{
	char permissions[5], name[32], *slash;
	int at = 0;

	if (sscanf(line, "%*x-%*x %4s %*x %*x:%*x %" SCNu64 " %n", permissions, ino, &at) != 2 || permissions[2] != 'x')
		return false;
	line[strcspn(line, "\n")] = 0;
	*path = line + at;
	slash = strrchr(*path, '/');
	snprintf(name, sizeof(name), "/jit-%d.dump", inner);
	return slash && !strcmp(slash, name);
}

/* The dump that a process has mapped. */
struct mapped {
	pid_t pid, inner;
	uint64_t ino;
	char path[PATH_MAX];
};

/* Find the first dump that the process of @ctx has mapped, and copy its struct mapped to @ret. */
static ssize_t find_mark(void *ctx, char *ret, size_t size)
{
	struct mapped *m = ctx;
	_cleanup_(fclosep) FILE *maps = NULL;
	_cleanup_(freep) char *line = NULL;
	char name[32], *path;
	size_t room = 0;

	snprintf(name, sizeof(name), "/proc/%d/maps", m->pid);
	maps = fopen(name, "re");
	while (maps && getline(&line, &room, maps) > 0)
		if (is_mark(line, m->inner, &path, &m->ino) && strlen(path) < sizeof(m->path)) {
			strcpy(m->path, path);
			memcpy(ret, m, sizeof(*m));
			return sizeof(*m);
		}
	return -ENOENT;
}

bool jitdump_is_mapped(pid_t pid, pid_t inner)
{
	struct mapped wanted = {.pid = pid, .inner = inner}, m;

	return find_mark(&wanted, (char *)&m, sizeof(m)) > 0;
}

int jitdump_open(pid_t pid)
{
	struct mapped wanted = {.pid = pid}, m;
	_cleanup_(closep) int fd = -1;
	struct stat st;
	uid_t owner;
	int rc = procfs_identity(pid, &wanted.inner, &owner);

	if (rc)
		return rc;
	rc = ask_in_child(find_mark, &wanted, (char *)&m, sizeof(m));
	fd = rc < 0 ? rc : procfs_open_in_root(pid, m.path);
	if (fd < 0)
		return -ENOENT;
	if (fstat(fd, &st) || st.st_ino != m.ino) /* the path names another file now */
		return -ENOENT;
	if (st.st_uid && st.st_uid != owner)
		return -EPERM;
	return steal_fd(&fd);
}

int jitdump_loads(const struct jitdump *j, uint64_t address, struct code_loads *ret)
{
	size_t i = rank_of(j->functions.v, j->functions.nr, sizeof(*j->functions.v), address), before = ret->nr;

	for (int tries = 0; i-- && j->reach[i] > address; tries++) {
		const struct function *f = &j->functions.v[i];
		struct code_load l = {f->from_ns, f->from_ns, f->to_ns, f->start, f->name, 0};

		if (tries == MAX_TRIES) { /* one that is not looked at may have been the last */
			ret->nr = before;
			return 0;
		}
		if (j->timeless) {
			l.after_ns = 0;
			l.by_ns = l.gone_ns = CODE_STAYS;
		}
		if (address < f->end && vec_push(ret, l))
			return -ENOMEM;
	}
	return 0;
}

void jitdump_free(struct jitdump *j)
{
	if (!j)
		return;
	vec_done(&j->functions);
	strings_done(&j->names);
	free(j->reach);
	free(j);
}
