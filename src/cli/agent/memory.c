/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the agent's recorders take: their anonymous memory, and the kernel's memory for BPF maps. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cli/agent/agent.h"

/* The number behind @key in the lines of @f, times @unit; 0: there is none. */
static uint64_t find(FILE *f, const char *key, uint64_t unit)
{
	char line[256];

	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			return strtoull(line + strlen(key), NULL, 10) * unit;
	return 0;
}

static uint64_t anonymous(pid_t pid)
{
	_cleanup_(fclosep) FILE *f = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	return f ? find(f, "RssAnon:", 1024) : 0;
}

/* With its children, which have none of their own. */
static uint64_t anonymous_of_recorder(pid_t pid)
{
	return anonymous(pid) + agent_sum_children(pid, anonymous);
}

/* A descriptor's file says of a map what it takes, and then its number. */
static void add_map(struct agent_memory *m, FILE *f)
{
	uint64_t bytes = find(f, "memlock:", 1);
	uint32_t id = bytes ? find(f, "map_id:", 1) : 0;

	for (size_t i = 0; i < m->maps.nr; i++)
		if (m->maps.v[i] == id)
			return;
	if (id && !vec_push(&m->maps, id))
		m->map_bytes += bytes;
}

/* A recorder has many other files open. */
static bool is_map(pid_t pid, const char *fd)
{
	static const char map[] = "anon_inode:bpf-map";
	char path[64], target[sizeof(map)];

	snprintf(path, sizeof(path), "/proc/%d/fd/%.16s", pid, fd);
	return readlink(path, target, sizeof(target)) == sizeof(map) - 1 && !memcmp(target, map, sizeof(map) - 1);
}

static void add_maps(struct agent_memory *m, pid_t pid)
{
	char path[64];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", pid);
	dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		_cleanup_(fclosep) FILE *f = NULL;

		snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.16s", pid, d->d_name);
		f = is_map(pid, d->d_name) ? fopen(path, "re") : NULL;
		if (f)
			add_map(m, f);
	}
	if (dir)
		closedir(dir);
}

uint64_t agent_memory_of(struct agent_memory *m, pid_t pid)
{
	add_maps(m, pid);
	return anonymous_of_recorder(pid);
}

uint64_t agent_memory_of_all(void)
{
	return anonymous(getpid()) + agent_sum_children(getpid(), anonymous_of_recorder);
}
