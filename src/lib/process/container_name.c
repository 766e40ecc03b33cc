/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The name of a container, from the files of its runtime. See container_name.h. */
#include "lib/process/container_name.h"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"

#define MAX_FILE_BYTES (16 << 20)

static bool copy(char *ret, const char *text, size_t len)
{
	if (!len || len >= CONTAINER_NAME_BYTES)
		return false;
	memcpy(ret, text, len);
	ret[len] = 0;
	return true;
}

/*
 * /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log, where names have no '_'
 * (kubernetes pkg/kubelet/kuberuntime/legacy.go, legacyLogSymlink()).
 */
static bool take_log(struct container_name *ret, const char *name, const char *id)
{
	size_t len = strlen(name), tail = strlen(id) + strlen("-.log");
	const char *space = strchr(name, '_'), *container = space ? strchr(space + 1, '_') : NULL, *end;

	if (!container || len <= tail || name[len - tail] != '-' || strncmp(name + len - tail + 1, id, strlen(id)) ||
	    strcmp(name + len - 4, ".log"))
		return false;
	end = name + len - tail;
	return end > container && copy(ret->pod, name, space - name) &&
	       copy(ret->pod_namespace, space + 1, container - space - 1) &&
	       copy(ret->container, container + 1, end - container - 1);
}

static bool find_kubernetes(struct container_name *ret, const char *root, const char *id)
{
	char path[PATH_MAX];
	bool found = false;
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/var/log/containers", root);
	dir = opendir(path);
	while (dir && !found && (d = readdir(dir)))
		found = take_log(ret, d->d_name, id);
	if (dir)
		closedir(dir);
	return found;
}

/* Return what is in the file @path, to be freed with free(), or NULL. */
static char *read_file(const char *path, size_t *bytes)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	_cleanup_(freep) char *text = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_FILE_BYTES)
		return NULL;
	text = malloc(st.st_size + 1);
	if (!text || read(fd, text, st.st_size) != st.st_size)
		return NULL;
	*bytes = st.st_size;
	return steal(text);
}

/* Run @query on the JSON text in the file @path, ?1, and @id, ?2: the result is the name. */
static bool ask_json(struct container_name *ret, const char *path, const char *query, const char *id)
{
	size_t bytes;
	_cleanup_(freep) char *text = read_file(path, &bytes);
	sqlite3_stmt *stmt = NULL;
	sqlite3 *db = NULL;
	bool found = false;

	if (!text)
		return false;
	if (!sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE, NULL) &&
	    !sqlite3_prepare_v2(db, query, -1, &stmt, NULL)) {
		sqlite3_bind_text(stmt, 1, text, bytes, SQLITE_STATIC);
		sqlite3_bind_text(stmt, 2, id, -1, SQLITE_STATIC);
		if (sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_type(stmt, 0) == SQLITE_TEXT)
			found = copy(ret->container, (const char *)sqlite3_column_text(stmt, 0),
				     sqlite3_column_bytes(stmt, 0));
	}
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return found;
}

/* The name begins with '/' (moby container/container.go). */
static bool find_docker(struct container_name *ret, const char *root, const char *id)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/var/lib/docker/containers/%s/config.v2.json", root, id);
	return ask_json(
		ret, path,
		"select ltrim(json_extract(?1,'$.Name'),'/') where json_type(?1,'$.Name')='text' and ?2 is not null",
		id);
}

/* containers/storage containers.go: a list of all containers, and one of those that are removed when they end (since Podman 4.4). */
static bool find_podman(struct container_name *ret, const char *root, const char *id)
{
	static const char *const lists[] = {
		"overlay-containers/containers.json", "overlay-containers/volatile-containers.json",
		"vfs-containers/containers.json", "vfs-containers/volatile-containers.json"};
	char path[PATH_MAX];
	bool found = false;

	for (size_t i = 0; !found && i < sizeof(lists) / sizeof(*lists); i++) {
		snprintf(path, sizeof(path), "%s/var/lib/containers/storage/%s", root, lists[i]);
		found = ask_json(ret, path,
				 "select json_extract(value,'$.names[0]') from json_each(?1) "
				 "where json_extract(value,'$.id')=?2 and json_type(value,'$.names[0]')='text'",
				 id);
	}
	return found;
}

bool container_find_name(struct container_name *ret, const char *root, const char *id)
{
	static bool (*const runtimes[])(struct container_name *, const char *,
					const char *) = {find_kubernetes, find_docker, find_podman};

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++) {
		memset(ret, 0, sizeof(*ret));
		if (!strchr(id, '/') && runtimes[i](ret, root, id))
			return true;
	}
	memset(ret, 0, sizeof(*ret));
	return false;
}
