/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The address spaces of processes. See spaces.h. */
#include "lib/copied/spaces.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "core/filesystem.h"
#include "lib/process/made_memory.h"

#define MAPS_BYTES (4 << 20) /* of /proc/PID/maps, at most */

/* What processes.h keeps of a mapping, beside its place: the number of its file, and these bits. */
#define IS_EXECUTABLE 1
#define IS_WRITTEN 2
#define FILE_SHIFT 2

#define COMPAT_END (1ULL << 32) /* 32-bit processes have their vDSO below */

/* A mapping, as records and /proc describe it. */
struct area {
	uint64_t start, end, offset;
	bool executable, writable, shared;
	struct code_file_identity file;
};

/* A file that was mapped since the execve() of @pid: is it one that only the new program itself can have mapped? */
static void note_file(struct spaces *s, uint32_t pid, uint32_t file)
{
	uint32_t *index = map_find(&s->new_program, pid);
	struct new_program *n = index && *index ? &s->new_programs.v[*index - 1] : NULL;

	if (!n || (n->nr && n->files[0] == file) || (n->nr > 1 && n->files[1] == file))
		return;
	if (n->nr < 2)
		n->files[n->nr++] = file;
	else
		*index = 0;
}

/* Could the process write to this place before, when it was mapped otherwise, as data that is read-only once it is relocated? */
static bool was_written(const struct spaces *s, uint32_t pid, const struct area *t, uint32_t file)
{
	const struct process_map *m = processes_find(&s->processes, pid, t->start);

	return m && m->what & IS_WRITTEN && m->what >> FILE_SHIFT == file &&
	       t->start - m->start + m->offset == t->offset;
}

static int take(struct spaces *s, uint32_t pid, const struct area *t)
{
	struct process_map m = {.start = t->start, .end = t->end, .offset = t->offset};
	uint32_t file = CODE_FILE_NONE;
	bool written;

	s->changes++;
	if (!strcmp(t->file.path, "[vdso]")) {
		file = t->start < COMPAT_END ? CODE_FILE_VDSO_COMPAT : CODE_FILE_VDSO;
		m.offset = 0;
	} else if (!strcmp(t->file.path, "[uprobes]")) {
		file = CODE_FILE_UPROBES;
	} else if (!made_memory(t->file.path, t->shared)) {
		int ret = code_files_number(&s->files, &t->file, &file);

		if (ret)
			return ret;
		if (filesystem_maps_memory(s->files.v.v[file].filesystem, t->shared))
			file = CODE_FILE_NONE;
		else
			note_file(s, pid, file);
	} else if (!t->executable) {
		return processes_unmap(&s->processes, pid, t->start, t->end);
	}
	if (file >= UINT32_MAX >> FILE_SHIFT)
		return -ENOMEM;
	written = !t->shared && (t->writable || was_written(s, pid, t, file));
	m.what = file << FILE_SHIFT | (t->executable ? IS_EXECUTABLE : 0) | (written ? IS_WRITTEN : 0);
	return processes_map(&s->processes, pid, &m);
}

static int take_record(struct spaces *s, const struct perfdata_record *r)
{
	const struct area t = {
		.start = r->start,
		.end = r->start + r->bytes,
		.offset = r->offset,
		.executable = r->protection & PROT_EXEC,
		.writable = r->protection & PROT_WRITE,
		.shared = r->flags & MAP_SHARED,
		.file = {r->dev, r->ino, r->generation, r->build_id, r->text, r->pid},
	};

	if (r->mode == PERFDATA_KERNEL || r->pid > INT_MAX || t.end < t.start)
		return 0;
	return take(s, r->pid, &t);
}

/* Forget the process that ended SPACES_ENDED processes before @pid, unless its number is used again. */
static void end_later(struct spaces *s, uint32_t pid)
{
	uint32_t *slot = &s->ended[s->nr_ended++ % SPACES_ENDED];
	const uint32_t *threads = map_find(&s->threads, *slot);

	if (*slot && *slot != pid && threads && !*threads) {
		processes_end(&s->processes, *slot);
		s->changes++;
	}
	*slot = pid;
}

/* A thread has begun, or if @change is -1, ended. With the last one its process is gone. */
static int count_thread(struct spaces *s, uint32_t pid, int change)
{
	bool fresh;
	uint32_t *nr = map_at(&s->threads, pid, &fresh);

	if (!nr)
		return -ENOMEM;
	if (change > 0)
		++*nr;
	else if (*nr && !--*nr)
		end_later(s, pid);
	return 0;
}

static int take_fork(struct spaces *s, const struct perfdata_record *r)
{
	const struct process_fork f = {r->pid, r->tid, r->ppid, r->ptid, r->exec};
	uint32_t *threads;

	spaces_begun(s, r->ppid);
	if (r->pid != r->ppid) {
		threads = map_find(&s->threads, r->pid); /* the number is used again */
		if (threads)
			*threads = 0;
		spaces_begun(s, r->pid);
		s->changes++;
	}
	return processes_fork(&s->processes, &f) ?: count_thread(s, r->pid, 1);
}

static int take_name(struct spaces *s, const struct perfdata_record *r)
{
	uint32_t *index;
	bool fresh;

	if (r->exec) {
		index = map_at(&s->new_program, r->pid, &fresh);
		if (!index || vec_push(&s->new_programs, (struct new_program){0}))
			return -ENOMEM;
		*index = s->new_programs.nr;
		s->changes++;
	}
	return processes_name(&s->processes, r->pid, r->tid, r->text, r->exec);
}

int spaces_take(struct spaces *s, const struct perfdata_record *r)
{
	switch (r->kind) {
	case PERFDATA_MAP: return take_record(s, r);
	case PERFDATA_NAME: return take_name(s, r);
	case PERFDATA_FORK: return take_fork(s, r);
	case PERFDATA_EXIT: return count_thread(s, r->pid, -1);
	default: return 0;
	}
}

static ssize_t read_whole(const void *name, char *ret, size_t size)
{
	_cleanup_(closep) int fd = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -errno : 0, nr = 0;

	while (got >= 0 && nr < (ssize_t)size) {
		got = read(fd, ret + nr, size - nr);
		if (got <= 0)
			break;
		nr += got;
	}
	return got < 0 ? (fd < 0 ? got : -errno) : nr;
}

/* Parse a line of /proc/PID/maps. False: it is none, or of the kernel's addresses. */
static bool parse(struct area *t, pid_t pid, const char *line)
{
	unsigned long long start, end, offset;
	unsigned int major, minor;
	unsigned long ino;
	char perms[5];
	int path = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %lu%n", &start, &end, perms, &offset, &major, &minor, &ino, &path) <
		    7 ||
	    start > INT64_MAX)
		return false;
	path += strspn(line + path, " ");
	*t = (struct area){
		.start = start,
		.end = end,
		.offset = offset,
		.executable = perms[2] == 'x',
		.writable = perms[1] == 'w',
		.shared = perms[3] == 's',
		.file = {makedev(major, minor), ino, 0, "", ino || line[path] == '[' ? line + path : "", pid},
	};
	return true;
}

/* Data that is read-only once it is relocated lies before data that stays writable, and comes from the same file. */
static bool is_relocated(const struct area *t, const struct area *next)
{
	return next->writable && !next->shared && next->start == t->end && next->file.ino &&
	       next->file.ino == t->file.ino && next->file.dev == t->file.dev;
}

/* Take the lines of /proc/PID/maps. */
static int take_lines(struct spaces *s, pid_t pid, char *text)
{
	struct area t, next;
	char *save = NULL, *line = strtok_r(text, "\n", &save);
	bool is = line && parse(&t, pid, line), more;
	int ret = 0;

	while (!ret && is) {
		line = strtok_r(NULL, "\n", &save);
		more = line && parse(&next, pid, line);
		if (more && !t.executable && is_relocated(&t, &next))
			t.writable = true;
		ret = take(s, pid, &t);
		t = next;
		is = more;
	}
	return ret;
}

int spaces_read_name(struct spaces *s, pid_t pid, pid_t tid)
{
	char path[64], name[64];
	ssize_t nr;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	nr = read_whole(path, name, sizeof(name) - 1);
	if (nr <= 0)
		return nr ? nr : -ESRCH;
	name[nr - (name[nr - 1] == '\n')] = 0;
	return processes_name(&s->processes, pid, tid, name, false);
}

static int read_threads(struct spaces *s, pid_t pid)
{
	char path[64];
	struct dirent *e;
	uint32_t *threads;
	bool fresh;
	DIR *folder;
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	folder = opendir(path);
	threads = map_at(&s->threads, pid, &fresh);
	if (threads)
		*threads = 0;
	while (!ret && folder && (e = readdir(folder))) {
		int tid = atoi(e->d_name);

		if (tid <= 0)
			continue;
		ret = spaces_read_name(s, pid, tid);
		if (!ret)
			ret = count_thread(s, pid, 1);
		else if (ret != -ENOMEM)
			ret = 0; /* it has ended */
	}
	if (folder)
		closedir(folder);
	return ret;
}

int spaces_read(struct spaces *s, pid_t pid)
{
	_cleanup_(freep) char *text = malloc(MAPS_BYTES + 1);
	char name[64];
	ssize_t nr;

	if (!text)
		return -ENOMEM;
	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	nr = ask_again(&s->child, read_whole, name, strlen(name) + 1, text, MAPS_BYTES);
	if (nr < 0)
		return nr;
	text[nr] = 0;
	if (nr == MAPS_BYTES && strrchr(text, '\n'))
		*strrchr(text, '\n') = 0; /* the last line may not be whole */
	processes_end(&s->processes, pid);
	spaces_begun(s, pid);
	s->changes++;
	return take_lines(s, pid, text) ?: read_threads(s, pid);
}

void spaces_forget(struct spaces *s)
{
	processes_done(&s->processes);
	s->processes = (struct processes){0};
	map_clear(&s->threads);
	map_clear(&s->new_program);
	s->new_programs.nr = 0;
	s->changes++;
}

bool spaces_find(const struct spaces *s, pid_t pid, uint64_t addr, struct place *ret)
{
	const struct process_map *m = processes_find(&s->processes, pid, addr);

	if (!m)
		return false;
	*ret = (struct place){
		.start = m->start,
		.end = m->end,
		.offset = m->offset,
		.file = m->what >> FILE_SHIFT,
		.executable = m->what & IS_EXECUTABLE,
		.written = m->what & IS_WRITTEN,
	};
	return true;
}

void spaces_begun(struct spaces *s, pid_t pid)
{
	uint32_t *index = map_find(&s->new_program, pid);

	if (index)
		*index = 0;
}

bool spaces_is_new(const struct spaces *s, pid_t pid)
{
	const uint32_t *index = map_find(&s->new_program, pid);

	return index && *index;
}

/* Find our own vDSO: the kernel has one for all 64-bit processes. */
static void find_vdso(struct spaces *s)
{
	uint64_t start = getauxval(AT_SYSINFO_EHDR);
	_cleanup_(fclosep) FILE *f = fopen("/proc/self/maps", "re");
	unsigned long long from, to;
	char line[512];

	while (f && start && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx-%llx", &from, &to) == 2 && from == start) {
			s->vdso = (const uint8_t *)start;
			s->vdso_bytes = to - from;
		}
}

int spaces_init(struct spaces *s)
{
	*s = (struct spaces){0};
	find_vdso(s);
	return code_files_init(&s->files);
}

void spaces_done(struct spaces *s)
{
	processes_done(&s->processes);
	code_files_done(&s->files);
	map_done(&s->threads);
	map_done(&s->new_program);
	vec_done(&s->new_programs);
	ask_end(&s->child);
}
