/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the path of a cgroup says. See cgroup_path.h. */
#include "lib/process/cgroup_path.h"
#include <stdbool.h>
#include <string.h>

#define ID_DIGITS 64   /* of docker, containerd, CRI-O and podman */
#define TASK_DIGITS 32 /* of a task of ECS, behind which come '-' and a number */
#define MIN_POD_UID 32 /* a hash; a UUID has four '-' more */
#define MAX_POD_UID 36

/* A part of the path, or of a name in it. */
struct piece {
	const char *text;
	size_t len;
};

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t span(const struct piece *p, size_t from, bool (*is)(char))
{
	size_t i = from;

	while (i < p->len && is(p->text[i]))
		i++;
	return i - from;
}

static bool has(const struct piece *p, const char *text)
{
	return memmem(p->text, p->len, text, strlen(text)) != NULL;
}

static bool starts(const struct piece *p, const char *text)
{
	return p->len >= strlen(text) && !memcmp(p->text, text, strlen(text));
}

static bool ends(const struct piece *p, const char *text)
{
	size_t len = strlen(text);

	return p->len > len && !memcmp(p->text + p->len - len, text, len);
}

static void keep(char *ret, size_t room, const char *text, size_t len)
{
	if (len >= room)
		len = room - 1;
	memcpy(ret, text, len);
	ret[len] = 0;
}

/* "pod8a6e...", as a name or at the end of one of systemd's slices, which have '_' for '-'. */
static bool take_pod(struct cgroup_place *ret, const struct piece *p)
{
	for (size_t at = 0; at + 3 < p->len; at++) {
		size_t from = at + 3, to = from;

		if (memcmp(p->text + at, "pod", 3) || (at && p->text[at - 1] != '-'))
			continue;
		while (to < p->len && (is_hex(p->text[to]) || p->text[to] == '-' || p->text[to] == '_'))
			to++;
		if (to - from < MIN_POD_UID || to - from > MAX_POD_UID ||
		    (to < p->len && p->text[to] != '.' && p->text[to] != ':'))
			continue;
		keep(ret->pod, sizeof(ret->pod), p->text + from, to - from);
		for (char *c = ret->pod; *c; c++)
			if (*c == '_')
				*c = '-';
		return true;
	}
	return false;
}

/* "6f3c...", "docker-6f3c....scope", "...:cri-containerd:6f3c...". What watches a container, conmon, is not in it. */
static bool take_id(struct cgroup_place *ret, const struct piece *p)
{
	struct piece name = *p;
	size_t from;

	if (ends(&name, ".scope"))
		name.len -= strlen(".scope");
	if (name.len < ID_DIGITS || has(&name, "conmon"))
		return false;
	from = name.len - ID_DIGITS;
	if (span(&name, from, is_hex) < ID_DIGITS || (from && name.text[from - 1] != '-' && name.text[from - 1] != ':'))
		return false;
	keep(ret->container, sizeof(ret->container), name.text + from, ID_DIGITS);
	return true;
}

/* ECS on Fargate: the task's id, and a number. */
static bool take_task(struct cgroup_place *ret, const struct piece *p)
{
	if (p->len < TASK_DIGITS + 2 || span(p, 0, is_hex) != TASK_DIGITS || p->text[TASK_DIGITS] != '-' ||
	    span(p, TASK_DIGITS + 1, is_digit) != p->len - TASK_DIGITS - 1)
		return false;
	keep(ret->container, sizeof(ret->container), p->text, p->len);
	return true;
}

/* LXC: "lxc.payload.NAME", or NAME below "lxc". */
static bool take_lxc(struct cgroup_place *ret, const struct piece *p, const struct piece *parent)
{
	static const char payload[] = "lxc.payload.";
	size_t skip = starts(p, payload) ? strlen(payload) : 0;

	if (skip >= p->len || (!skip && (parent->len != 3 || memcmp(parent->text, "lxc", 3))))
		return false;
	keep(ret->container, sizeof(ret->container), p->text + skip, p->len - skip);
	return true;
}

static bool take_container(struct cgroup_place *ret, const struct piece *p, const struct piece *parent)
{
	return take_id(ret, p) || take_task(ret, p) || take_lxc(ret, p, parent);
}

/* The units that have cgroups, but for slices, which only group them (systemd.unit(5)). */
static bool is_unit(const struct piece *p)
{
	return ends(p, ".service") || ends(p, ".scope") || ends(p, ".socket") || ends(p, ".mount") || ends(p, ".swap");
}

void cgroup_parse(struct cgroup_place *ret, const char *path)
{
	struct piece parent = {"", 0};

	memset(ret, 0, sizeof(*ret));
	while (*path) {
		struct piece p = {path, strcspn(path, "/")};

		if (p.len) {
			take_pod(ret, &p);
			if (take_container(ret, &p, &parent))
				ret->unit[0] = 0;
			else if (is_unit(&p))
				keep(ret->unit, sizeof(ret->unit), p.text, p.len);
			parent = p;
		}
		path += p.len + (path[p.len] == '/');
	}
}
