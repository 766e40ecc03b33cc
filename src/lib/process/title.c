/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/process/title.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "lib/buildid.h"
#include "lib/process/ask.h"
#include "lib/process/cgroup_path.h"
#include "lib/process/loader.h"
#include "lib/process/procfs.h"

#define LINE_BYTES 8192 /* read of a title */
#define ENVIRON_BYTES (128 << 10)
#define HEAD_BYTES 120 /* kept of its beginning */
#define GAP "…"

/* Make a line of @len bytes with a 0 byte behind each argument; @line has room for one byte more. Returns its length. */
static size_t make_line(char *line, size_t len)
{
	while (len && (!line[len - 1] || line[len - 1] == ' '))
		len--;
	line[len] = 0;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = line[i];

		if (!c)
			line[i] = ' ';
		else if (c < ' ' || c == 0x7f)
			line[i] = '?';
	}
	return len;
}

static bool is_inside_character(char c)
{
	return (c & 0xc0) == 0x80; /* UTF-8 */
}

static void cut_middle(char title[TITLE_BYTES], const char *line, size_t len)
{
	size_t head = HEAD_BYTES, tail = len - (TITLE_BYTES - 1 - HEAD_BYTES - strlen(GAP));

	while (head && is_inside_character(line[head]))
		head--;
	while (tail < len && is_inside_character(line[tail]))
		tail++;
	snprintf(title, TITLE_BYTES, "%.*s%s%s", (int)head, line, GAP, line + tail);
}

/* Read the first @room bytes of /proc/PID/@name. Returns how many there are. */
static size_t read_proc(char *ret, size_t room, pid_t pid, const char *name)
{
	_cleanup_(closep) int fd = -1;
	char path[32];
	size_t len = 0;
	ssize_t got = 1;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	for (; fd >= 0 && len < room && got > 0; len += got > 0 ? got : 0)
		got = read(fd, ret + len, room - len);
	return len;
}

void title_of(char title[TITLE_BYTES], const char *text, size_t bytes)
{
	char line[LINE_BYTES + 1];
	size_t len = bytes < LINE_BYTES ? bytes : LINE_BYTES;

	memcpy(line, text, len);
	len = make_line(line, len);
	if (len < TITLE_BYTES)
		memcpy(title, line, len + 1);
	else
		cut_middle(title, line, len);
}

/* "Uid:" and the real one, the effective one and others. */
static uid_t read_uid(pid_t pid)
{
	char lines[LINE_BYTES + 1];
	const char *at;

	lines[read_proc(lines, LINE_BYTES, pid, "status")] = 0;
	at = strstr(lines, "\nUid:");
	return at ? strtoul(at + strlen("\nUid:"), NULL, 10) : 0;
}

/* The variables of the environment are one behind the other, with a 0 byte behind each. */
static void read_service(pid_t pid, char service[SERVICE_BYTES])
{
	static const char name[] = "OTEL_SERVICE_NAME=";
	static char variables[ENVIRON_BYTES + 1];
	size_t len = read_proc(variables, ENVIRON_BYTES, pid, "environ"), at = 0;

	variables[len] = 0;
	while (at < len && strncmp(variables + at, name, strlen(name)))
		at += strlen(variables + at) + 1;
	if (at >= len)
		return;
	at += strlen(name);
	len = make_line(variables + at, strlen(variables + at));
	if (len >= SERVICE_BYTES)
		len = SERVICE_BYTES - 1;
	while (len && is_inside_character(variables[at + len]))
		len--;
	memcpy(service, variables + at, len);
}

/* The programs that were read last: most processes run one that another one has run. */
static struct program {
	dev_t dev;
	ino_t ino;
	struct timespec changed;
	char version[VERSION_BYTES];
} programs[64];

/* @path_fd: the program, as O_PATH. */
static void read_version(int path_fd, char version[VERSION_BYTES])
{
	_cleanup_(closep) int fd = -1;
	char id[BUILDID_TEXT_BYTES];
	struct program *p;
	struct stat st;

	if (fstat(path_fd, &st) || !S_ISREG(st.st_mode))
		return;
	p = &programs[(st.st_dev ^ st.st_ino) % (sizeof(programs) / sizeof(*programs))];
	if (p->dev != st.st_dev || p->ino != st.st_ino || memcmp(&p->changed, &st.st_ctim, sizeof(p->changed))) {
		fd = procfs_reopen(path_fd);
		if (fd < 0 || buildid_read(id, sizeof(id), fd) || strlen(id) >= VERSION_BYTES)
			*id = 0;
		*p = (struct program){st.st_dev, st.st_ino, st.st_ctim, ""};
		strcpy(p->version, id);
	}
	strcpy(version, p->version);
}

/* The line of cgroup2 is "0::/path". */
static void read_cgroup(pid_t pid, char cgroup[CGROUP_BYTES])
{
	char lines[LINE_BYTES + 1], *line = lines;
	size_t len = read_proc(lines, LINE_BYTES, pid, "cgroup");

	lines[len] = 0;
	while (line && strncmp(line, "0::", 3)) {
		line = strchr(line, '\n');
		line += line != NULL;
	}
	len = line ? strcspn(line + 3, "\n") : 0;
	if (len && len < CGROUP_BYTES)
		memcpy(cgroup, line + 3, len);
}

/* A program that a dynamic linker runs has the linker's name: without a unit and a container, it is a service of its own name. */
static bool has_place(pid_t pid)
{
	char cgroup[CGROUP_BYTES] = "";
	struct cgroup_place place;

	read_cgroup(pid, cgroup);
	cgroup_parse(&place, cgroup);
	return *place.unit || *place.container;
}

static void read_process(pid_t pid, struct process_title *t)
{
	_cleanup_(closep) int program = -1;
	char line[LINE_BYTES + 1], name[SERVICE_BYTES];
	size_t len = read_proc(line, LINE_BYTES, pid, "cmdline");

	program = loader_open_program(pid, line, len, name, sizeof(name));
	title_of(t->title, line, len);
	if (!*t->title)
		return;
	t->uid = read_uid(pid);
	read_service(pid, t->service);
	if (!*t->service && *name && !has_place(pid))
		strcpy(t->service, name);
	if (program >= 0)
		read_version(program, t->version);
}

struct question {
	bool cgroups;
	pid_t pid[TITLES_AT_ONCE];
};

static ssize_t read_titles(const void *question, char *ret, size_t size)
{
	struct process_title *t = (struct process_title *)ret;
	const struct question *q = question;
	const pid_t *pid = q->pid;

	memset(ret, 0, size);
	for (size_t i = 0; i < size / sizeof(*t); i++) {
		if (q->cgroups)
			read_cgroup(pid[i], t[i].cgroup);
		read_process(pid[i], &t[i]);
	}
	return size;
}

int titles_read(struct ask_child *c, const pid_t *pid, size_t nr, bool cgroups, struct process_title *ret)
{
	struct question q = {.cgroups = cgroups};
	ssize_t got;

	if (!nr || nr > TITLES_AT_ONCE)
		return nr ? -E2BIG : 0;
	memcpy(q.pid, pid, nr * sizeof(*pid));
	got = ask_again(c, read_titles, &q, sizeof(q), (char *)ret, nr * sizeof(*ret));
	if (got < 0)
		return got;
	for (size_t i = 0; i < nr; i++)
		ret[i].title[TITLE_BYTES - 1] = ret[i].service[SERVICE_BYTES - 1] = ret[i].version[VERSION_BYTES - 1] =
			0;
	return 0;
}
