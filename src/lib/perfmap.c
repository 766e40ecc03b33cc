/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which function is it that a JIT has put at this address?
 *
 * Each line of the map says "START SIZE NAME", both numbers hexadecimal, and the name goes to the end of the line. A
 * JIT appends: memory that is used again appears again, hence the later line counts (ranges.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "perfmap.h"
#include "procfs.h"
#include "ranges.h"

#define MAX_MAP_BYTES ((size_t)1 << 30)
#define MAX_NAME_BYTES 4096
#define CLOCK_STEP_NS 2000000000LL	/* the clock may have been set meanwhile, by so much */

struct perfmap {
	char *text;
	struct ranges ranges;	/* value: where the name begins in @text */
};

/* The hexadecimal number at *@p, which is moved behind it; false if there is none, or it does not fit. */
static bool take_hex(const char **p, uint64_t *ret)
{
	uint64_t value = 0;
	int digits = 0;

	if ((*p)[0] == '0' && ((*p)[1] == 'x' || (*p)[1] == 'X'))
		*p += 2;
	for (;; (*p)++, digits++) {
		int c = **p | 0x20;
		int digit = **p >= '0' && **p <= '9' ? **p - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;

		if (digit < 0)
			break;
		if (value >> 60)
			return false;
		value = value << 4 | digit;
	}
	*ret = value;
	return digits > 0;
}

static int parse_line(struct perfmap *m, const char *line)
{
	uint64_t start, size;
	const char *p = line;

	if (!take_hex(&p, &start) || *p++ != ' ' || !take_hex(&p, &size) || *p++ != ' ')
		return 0;
	p += strspn(p, " ");
	if (!*p || !size || start + size < start)
		return 0;
	return ranges_add(&m->ranges, start, start + size, p - m->text);
}

/* Takes @text, which has a 0 byte at @len_bytes. */
static int parse(struct perfmap **ret, char *text, size_t len_bytes)
{
	_cleanup_(freep) char *owned = text;
	struct perfmap *m = calloc(1, sizeof(*m));
	int rc = m ? 0 : -ENOMEM;

	if (!m)
		return rc;
	m->text = steal(owned);
	for (char *line = text, *end; !rc && line < text + len_bytes; line = end + 1) {
		end = memchr(line, '\n', text + len_bytes - line);
		if (!end)
			end = text + len_bytes;
		*end = 0;
		if (end - line > MAX_NAME_BYTES)
			line[MAX_NAME_BYTES] = 0;
		rc = parse_line(m, line);
	}
	rc = rc ?: ranges_build(&m->ranges);
	if (rc)
		perfmap_free(m);
	else
		*ret = m;
	return rc;
}

int perfmap_parse(struct perfmap **ret, const char *text, size_t len_bytes)
{
	char *copy = malloc(len_bytes + 1);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, len_bytes);
	copy[len_bytes] = 0;
	return parse(ret, copy, len_bytes);
}

int perfmap_read(struct perfmap **ret, int fd)
{
	size_t len;
	char *text;
	int rc;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	rc = file_read_fd(&text, &len, fd, MAX_MAP_BYTES);
	return rc ?: parse(ret, text, len);
}

/* Anybody can write into /tmp, and names lead those who read them; and what is there may be older than the process. */
static int check(int fd, pid_t pid, uid_t owner)
{
	int64_t started_ns;
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_uid && st.st_uid != owner)
		return -EPERM;
	if (!procfs_started(pid, &started_ns) &&
	    st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec < started_ns - CLOCK_STEP_NS)
		return -ESTALE;
	return fd;
}

int perfmap_open(pid_t pid)
{
	_cleanup_(closep) int fd = -1;
	pid_t inner = pid;
	uid_t owner = geteuid();
	char path[64];
	int rc;

	/* A process that is gone has left its map, if any, in our own namespace. */
	if (!procfs_identity(pid, &inner, &owner)) {
		snprintf(path, sizeof(path), "/tmp/perf-%d.map", inner);
		fd = procfs_open_in_root(pid, path);
	}
	if (fd < 0) {
		snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
		fd = procfs_open_file(path);
	}
	if (fd < 0)
		return fd;
	rc = check(fd, pid, owner);
	if (rc >= 0)
		steal_fd(&fd);
	return rc;
}

const char *perfmap_find(const struct perfmap *m, uint64_t address, uint64_t *start)
{
	const struct range *r = ranges_find(&m->ranges, address);

	if (!r)
		return NULL;
	*start = r->start;
	return m->text + r->value;
}

void perfmap_free(struct perfmap *m)
{
	if (!m)
		return;
	ranges_done(&m->ranges);
	free(m->text);
	free(m);
}
