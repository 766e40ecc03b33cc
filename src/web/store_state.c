/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is in a store, from the outside. See store_state.h. */
#include "web/store_state.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/map.h"
#include "base/store_name.h"
#include "base/suffix.h"

#define RECORDING STORE_SUFFIX STORE_RECORDING

/* In any order: folders have none. */
static void sign(struct store_state *s, const char *name, const struct stat *st)
{
	uint64_t hash = hash64(hash64(hash_text(name) ^ st->st_size) ^ st->st_mtim.tv_sec);

	s->signature += hash64(hash64(hash ^ st->st_mtim.tv_nsec) ^ st->st_ino);
}

static void note(struct store_state *s, const char *name, const struct stat *st)
{
	double ago_s = difftime(time(NULL), st->st_mtime);

	if (ago_s < 0)
		ago_s = 0; /* the clock was set back */
	sign(s, name, st);
	s->bytes += S_ISREG(st->st_mode) ? st->st_size : 0;
	if (s->written_s_ago < 0 || ago_s < s->written_s_ago)
		s->written_s_ago = ago_s;
}

/* A recording is a folder, of a database and its journal. */
static void note_recording(struct store_state *s, int store, const char *name)
{
	int fd = openat(store, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;
	struct stat st;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && (d = readdir(dir)))
		if (!fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode))
			note(s, d->d_name, &st);
	if (dir)
		closedir(dir);
}

int store_state_read(struct store_state *ret, const char *path)
{
	char shown[2][NAME_MAX + 1] = {"", ""};
	DIR *dir = opendir(path);
	struct dirent *d;
	struct stat st;

	if (!dir)
		return -errno;
	*ret = (struct store_state){.written_s_ago = -1};
	while ((d = readdir(dir))) {
		bool recording = has_suffix(d->d_name, RECORDING);

		if ((!recording && !has_suffix(d->d_name, STORE_SUFFIX)) ||
		    fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (recording && S_ISDIR(st.st_mode))
			note_recording(ret, dirfd(dir), d->d_name);
		else if (!recording && S_ISREG(st.st_mode))
			note(ret, d->d_name, &st), ret->nr_profiles++;
		/* The newest recording may be one that has not begun yet. */
		if (recording && S_ISDIR(st.st_mode) && (!*shown[0] || strcmp(d->d_name, shown[0]) < 0))
			strcpy(shown[0], d->d_name);
		else if (!recording && S_ISREG(st.st_mode) && strcmp(d->d_name, shown[1]) > 0)
			strcpy(shown[1], d->d_name);
	}
	closedir(dir);
	for (int i = 0; i < 2; i++)
		if (*shown[i] && snprintf(ret->counting[i], PATH_MAX, "%s/%s", path, shown[i]) >= PATH_MAX)
			*ret->counting[i] = 0;
	return 0;
}
