/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read perf map files.
 *
 * Each line is "START SIZE NAME", with hexadecimal numbers, and the name extends to the end of the line. A JIT appends:
 * reused memory appears again, hence the last line that covers an address is the right one.
 *
 * A map may be large, but the requested addresses are few. So lines are not kept: each leaves its file offset in a
 * segment tree over the sorted addresses, at the few nodes that together make up its range. The largest offset on the
 * path from an address to the root is that of the last line that covers it.
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
#include "base/name.h"
#include "base/strings.h"
#include "lib/process/perfmap.h"
#include "lib/process/procfs.h"

#define MAX_MAP_BYTES (256ULL << 20)	       /* about four million functions, one second of work */
#define MAX_LINE_BYTES (NAME_LIMIT_BYTES + 64) /* the rest is not read: numbers, and more than a name may have */
#define WINDOW_BYTES (1 << 16)
#define CLOCK_STEP_NS 2000000000LL /* tolerance, as the clock may have been set since */

struct place {
	uint64_t address, start;
	const char *name; /* NULL: no line covers it */
};

struct perfmap {
	struct place *places; /* sorted by address */
	size_t nr;
	uint64_t *latest; /* the tree, with its leaves from @nr on: 1 + offset of a line, 0: none */
	struct strings names;
};

/* A map in a file or in memory. */
struct source {
	int fd;
	const char *text;
	size_t len_bytes;
};

/* Like pread(2), but returns a negative errno. */
static ssize_t source_read(const struct source *s, char *ret, size_t room, uint64_t at)
{
	size_t left;
	ssize_t got;

	if (s->text) {
		left = at < s->len_bytes ? s->len_bytes - at : 0;
		memcpy(ret, s->text + (left ? at : 0), left < room ? left : room);
		return left < room ? left : room;
	}
	do
		got = pread(s->fd, ret, room, at);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

/* Parse the hexadecimal number at *@p and advance *@p. Returns false if there is none or it is too large. */
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

struct line {
	uint64_t start, end;
	const char *name;
};

/* Parse @text, which ends with a 0 byte. Returns false if it is invalid. */
static bool read_line(struct line *ret, const char *text)
{
	uint64_t size;
	const char *p = text;

	if (!take_hex(&p, &ret->start) || *p++ != ' ' || !take_hex(&p, &size) || *p++ != ' ')
		return false;
	ret->end = ret->start + size;
	ret->name = p + strspn(p, " ");
	return *ret->name && ret->end > ret->start;
}

/* Return the index of the first place at @address or above. */
static size_t first_at(const struct perfmap *m, uint64_t address)
{
	size_t low = 0, high = m->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->places[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Note the line at offset @at of the map, which is behind all lines noted before. */
static void note_line(struct perfmap *m, const char *text, uint64_t at)
{
	struct line line;
	size_t from, to;

	if (!read_line(&line, text))
		return;
	from = first_at(m, line.start) + m->nr;
	to = first_at(m, line.end) + m->nr;
	for (; from < to; from /= 2, to /= 2) {
		if (from & 1)
			m->latest[from++] = at + 1;
		if (to & 1)
			m->latest[--to] = at + 1;
	}
}

/*
 * Note the lines in @window, which has @have bytes from offset @at of the map, and room for one more byte. Return the
 * number of bytes consumed.
 */
static size_t note_lines(struct perfmap *m, char *window, size_t have, uint64_t at, bool is_last, bool *inside)
{
	size_t done = 0;

	while (done < have) {
		char *line = window + done, *end = memchr(line, '\n', have - done);
		size_t len = end ? (size_t)(end - line) : have - done;

		if (!end && !is_last && len < WINDOW_BYTES)
			break;
		line[len < MAX_LINE_BYTES ? len : MAX_LINE_BYTES] = 0;
		if (!*inside)
			note_line(m, line, at + done);
		*inside = !end; /* the line continues */
		done += len + (end ? 1 : 0);
	}
	return done;
}

static int note_all(struct perfmap *m, const struct source *s)
{
	_cleanup_(freep) char *window = malloc(WINDOW_BYTES + 1);
	size_t have = 0, done;
	bool inside = false;
	uint64_t at = 0;
	ssize_t got;

	if (!window)
		return -ENOMEM;
	do {
		got = source_read(s, window + have, WINDOW_BYTES - have, at + have);
		if (got < 0)
			return got;
		have += got;
		done = note_lines(m, window, have, at, !got, &inside);
		at += done;
		have -= done;
		memmove(window, window + done, have);
		if (at > MAX_MAP_BYTES)
			return -EFBIG; /* grown since it was opened */
	} while (got);
	return 0;
}

/* Return 1 + the offset of the last line that covers place @i, or 0. */
static uint64_t latest_at(const struct perfmap *m, size_t i)
{
	uint64_t latest = 0;

	for (i += m->nr; i; i /= 2)
		if (m->latest[i] > latest)
			latest = m->latest[i];
	return latest;
}

/* Name @p by the line at @at, if that line still covers it. */
static int name_place(struct perfmap *m, struct place *p, const struct source *s, uint64_t at)
{
	char text[MAX_LINE_BYTES + 1], limited[NAME_LIMIT_BYTES + 1];
	struct line line;
	ssize_t got = source_read(s, text, MAX_LINE_BYTES, at);

	if (got < 0)
		return got;
	text[got] = 0;
	text[strcspn(text, "\n")] = 0;
	if (!read_line(&line, text) || p->address < line.start || p->address >= line.end)
		return 0;
	p->start = line.start;
	p->name = strings_intern(&m->names, name_limit(limited, line.name));
	return p->name ? 0 : -ENOMEM;
}

static int name_all(struct perfmap *m, const struct source *s)
{
	uint64_t before = 0, at;
	int rc = 0;

	for (size_t i = 0; i < m->nr && !rc; i++, before = at) {
		at = latest_at(m, i);
		if (at && at == before && m->places[i - 1].name) {
			m->places[i].start = m->places[i - 1].start;
			m->places[i].name = m->places[i - 1].name;
		} else if (at) {
			rc = name_place(m, &m->places[i], s, at - 1);
		}
	}
	return rc;
}

static int by_address(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static struct perfmap *new_map(const uint64_t *addresses, size_t nr)
{
	struct perfmap *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->nr = nr;
	m->places = calloc(nr + 1, sizeof(*m->places));
	m->latest = calloc(2 * nr + 2, sizeof(*m->latest));
	if (!m->places || !m->latest) {
		perfmap_free(m);
		return NULL;
	}
	for (size_t i = 0; i < nr; i++)
		m->places[i].address = addresses[i];
	qsort(m->places, nr, sizeof(*m->places), by_address);
	return m;
}

static int parse(struct perfmap **ret, const struct source *s, const uint64_t *addresses, size_t nr)
{
	struct perfmap *m = new_map(addresses, nr);
	int rc = m ? note_all(m, s) : -ENOMEM;

	rc = rc ?: name_all(m, s);
	if (rc)
		perfmap_free(m);
	else
		*ret = m;
	return rc;
}

int perfmap_parse(struct perfmap **ret, const char *text, size_t len_bytes, const uint64_t *addresses, size_t nr)
{
	return parse(ret, &(struct source){.fd = -1, .text = text, .len_bytes = len_bytes}, addresses, nr);
}

int perfmap_read(struct perfmap **ret, int fd, const uint64_t *addresses, size_t nr)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if ((uint64_t)st.st_size > MAX_MAP_BYTES)
		return -EFBIG;
	return parse(ret, &(struct source){.fd = fd}, addresses, nr);
}

/*
 * Check the file: any user can write to /tmp, where a file could give false names, and it may be older than the
 * process.
 */
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
	size_t i = first_at(m, address);

	if (i == m->nr || m->places[i].address != address || !m->places[i].name)
		return NULL;
	*start = m->places[i].start;
	return m->places[i].name;
}

void perfmap_free(struct perfmap *m)
{
	if (!m)
		return;
	strings_done(&m->names);
	free(m->latest);
	free(m->places);
	free(m);
}
