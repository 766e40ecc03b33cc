/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The files that processes have mapped. See code_files.h. */
#include "lib/copied/code_files.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "core/filesystem.h"
#include "lib/buildid.h"
#include "lib/process/identity.h"
#include "lib/process/made_memory.h"
#include "lib/process/procfs.h"

#define USER_ANY (-1)
#define USER_GONE (-2)
#define MAX_TRIES 4 /* to open a file, by different processes that have mapped it */

int code_files_init(struct code_files *f)
{
	static const char *const names[CODE_FILE_FIRST] = {"", "[vdso]", "[vdso]", "[uprobes]"};

	*f = (struct code_files){0};
	for (int i = 0; i < CODE_FILE_FIRST; i++)
		if (vec_push(&f->v, ((struct code_file){.path = names[i], .fd = -1})))
			return -ENOMEM;
	return 0;
}

void code_files_done(struct code_files *f)
{
	for (size_t i = 0; i < f->v.nr; i++)
		closep(&f->v.v[i].fd);
	vec_done(&f->v);
	strings_done(&f->identities);
	strings_done(&f->paths);
}

/* Is the open file @fd the one that the kernel spoke of? */
static bool is_same(const struct code_files *files, const struct code_file_identity *id, int fd, const struct stat *st)
{
	char build_id[BUILDID_TEXT_BYTES];

	if (*id->build_id)
		return !buildid_read(build_id, sizeof(build_id), fd) && !strcmp(build_id, id->build_id);
	return !files->by_build_id && st->st_dev == id->dev && st->st_ino == id->ino;
}

static void open_file(const struct code_files *files, struct code_file *f, const struct code_file_identity *id)
{
	_cleanup_(closep) int fd = -1;
	struct statfs fs;
	struct stat st;

	if (f->fd >= 0 || f->tries >= MAX_TRIES || *id->path != '/')
		return;
	f->tries++;
	fd = files->by_build_id ? -ESRCH : procfs_open_in_root(id->pid, id->path);
	if (fd < 0)
		fd = procfs_open_file(id->path);
	if (fd < 0 || fstat(fd, &st) || !is_same(files, id, fd, &st))
		return;
	if (f->must_be_ours && identity_owner(fd) != IDENTITY_OURS)
		return;
	f->filesystem = fstatfs(fd, &fs) ? 0 : (uint64_t)fs.f_type;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	f->fd = steal_fd(&fd);
}

/* Open file @number now, in place of the one that was opened longest ago, if as many are open as may be. */
static void open_to_read(struct code_files *files, uint32_t number)
{
	struct code_file *f = &files->v.v[number];
	const struct code_file_identity id = {f->dev, f->ino, f->generation, f->build_id, f->path, f->pid};
	uint32_t *slot = &files->open[files->nr_opened % CODE_FILES_OPEN];

	if (f->fd >= 0 || f->tries)
		return;
	open_file(files, f, &id);
	if (f->fd < 0)
		return;
	f->tries = 0; /* when it has been closed, it may be opened again */
	if (files->nr_opened++ >= CODE_FILES_OPEN)
		closep(&files->v.v[*slot].fd);
	*slot = number;
}

bool code_files_has(struct code_files *f, uint32_t number)
{
	if (number >= f->v.nr)
		return false;
	if (f->when_read)
		open_to_read(f, number);
	return f->v.v[number].fd >= 0;
}

/*
 * Anybody can make a file with the build id of another one, and with other tables and names in it: so it is one file for processes
 * of one user. Return that of @id, or USER_GONE if the process is gone. Who is not root sees processes of one user only, and in
 * a recording of another time users are not known: USER_ANY.
 */
static int64_t user_of(const struct code_files *f, const struct code_file_identity *id)
{
	pid_t inner;
	uid_t user;

	if (!*id->build_id || f->when_read || f->by_build_id || geteuid())
		return USER_ANY;
	return procfs_identity(id->pid, &inner, &user) ? USER_GONE : (int64_t)user;
}

int code_files_number(struct code_files *f, const struct code_file_identity *id, uint32_t *ret)
{
	struct {
		uint64_t dev, ino, generation, path;
		int64_t user;
		char build_id[48];
	} key = {.dev = id->dev, .ino = id->ino, .generation = id->generation, .user = user_of(f, id)};
	struct code_file file = {
		.dev = id->dev, .ino = id->ino, .generation = id->generation, .pid = id->pid, .fd = -1};
	uint32_t number;
	bool fresh;

	strncpy(key.build_id, id->build_id, sizeof(key.build_id) - 1);
	if (!id->ino && !*id->build_id) { /* nothing but the path distinguishes it */
		if (strings_number(&f->paths, id->path, strlen(id->path), &number, NULL))
			return -ENOMEM;
		key.path = 1 + (uint64_t)number;
	}
	if (strings_number(&f->identities, &key, sizeof(key), &number, &fresh))
		return -ENOMEM;
	if (fresh) {
		file.must_be_ours = !key.user || key.user == USER_GONE;
		strncpy(file.build_id, id->build_id, sizeof(file.build_id) - 1);
		file.path = strings_intern(&f->paths, id->path);
		if (!file.path || vec_push(&f->v, file))
			return -ENOMEM;
	}
	*ret = number + CODE_FILE_FIRST;
	if (*ret >= f->v.nr)
		return -ENOMEM; /* when it was fresh, memory was short */
	if (!f->when_read)
		open_file(f, &f->v.v[*ret], id);
	return 0;
}

bool code_files_in_memory(const struct code_files *f, uint32_t number)
{
	return number >= CODE_FILE_FIRST && number < f->v.nr &&
	       (filesystem_is_memory(f->v.v[number].filesystem) || made_memory_holds(f->v.v[number].path));
}

int code_files_read(struct code_files *f, uint32_t number, void *dst, u32 len, u64 offset)
{
	ssize_t got;

	if (!code_files_has(f, number) || offset > INT64_MAX - PAGE_BYTES)
		return -EFAULT;
	got = pread(f->v.v[number].fd, dst, len, (off_t)offset);
	if (got <= 0)
		return -EFAULT;
	if (got < (ssize_t)len && ((offset + got - 1) | (PAGE_BYTES - 1)) < offset + len - 1)
		return -EFAULT;
	memset((char *)dst + got, 0, len - got);
	return 0;
}
