/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Read perf map files.
 *
 * Each line is "START SIZE NAME", with hexadecimal numbers, and the name extends to the end of the line. A JIT appends:
 * memory that is used again appears again.
 *
 * A map may be large, but the requested addresses are few. So only lines that cover one of them are kept, at each that they
 * cover: a list from the last one to the first.
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
#include "base/rank.h"
#include "base/strings.h"
#include "lib/process/perfmap.h"
#include "lib/process/procfs.h"

#define MAX_MAP_BYTES (256ULL << 20)	       /* about four million functions, one second of work */
#define MAX_LINE_BYTES (NAME_LIMIT_BYTES + 64) /* the rest is not read: numbers, and more than a name may have */
#define MAX_KEPT (1 << 20)		       /* lines at all addresses together */
#define MAX_NAMES_BYTES (32 << 20)
#define WINDOW_BYTES (1 << 16)
#define CLOCK_STEP_NS 2000000000LL /* tolerance, as the clock may have been set since */

struct place {
	uint64_t address; /* must be first: rank_below() */
	uint32_t last;	  /* line that covers it, plus 1; 0: none */
};

struct kept_line {
	uint64_t end_bytes; /* of the map, up to the end of this line */
	uint64_t start;
	const char *name;
	uint32_t before; /* the line before it at the same place, plus 1; 0: none */
};

struct perfmap {
	struct place *places; /* sorted by address */
	size_t nr;
	struct vec(struct kept_line) lines;
	struct strings names;
	size_t names_bytes;
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
	return rank_below(m->places, m->nr, sizeof(*m->places), address);
}

static int keep_line(struct perfmap *m, struct place *p, const struct line *line, const char *name, uint64_t end_bytes)
{
	const struct kept_line *last = p->last ? &m->lines.v[p->last - 1] : NULL;

	if (last && last->name == name && last->start == line->start)
		return 0;
	if (m->lines.nr >= MAX_KEPT)
		return -EFBIG;
	if (vec_push(&m->lines, ((struct kept_line){end_bytes, line->start, name, p->last})))
		return -ENOMEM;
	p->last = m->lines.nr;
	return 0;
}

/* Note the line @text, which ends after @end_bytes of the map, and is behind all lines noted before. */
static int note_line(struct perfmap *m, const char *text, uint64_t end_bytes)
{
	char limited[NAME_LIMIT_BYTES + 1];
	struct line line;
	size_t from, to;
	const char *name;
	int rc = 0;

	if (!read_line(&line, text))
		return 0;
	from = first_at(m, line.start);
	to = first_at(m, line.end);
	if (from == to)
		return 0;
	name = strings_intern(&m->names, name_limit(limited, line.name));
	m->names_bytes += name ? strlen(name) : 0;
	if (!name || m->names_bytes > MAX_NAMES_BYTES)
		return name ? -EFBIG : -ENOMEM;
	for (; from < to && !rc; from++)
		rc = keep_line(m, &m->places[from], &line, name, end_bytes);
	return rc;
}

/*
 * Note the lines in @window, which has @have bytes from offset @at of the map, and room for one more byte. *@ret is the
 * number of bytes consumed. Returns 0, -EFBIG or -ENOMEM.
 */
static int note_lines(struct perfmap *m, char *window, size_t have, uint64_t at, bool is_last, bool *inside,
		      size_t *ret)
{
	size_t done = 0;
	int rc = 0;

	while (done < have && !rc) {
		char *line = window + done, *end = memchr(line, '\n', have - done);
		size_t len = end ? (size_t)(end - line) : have - done;

		if (!end && !is_last && len < WINDOW_BYTES)
			break;
		line[len < MAX_LINE_BYTES ? len : MAX_LINE_BYTES] = 0;
		if (!*inside)
			rc = note_line(m, line, at + done + len);
		*inside = !end; /* the line continues */
		done += len + (end ? 1 : 0);
	}
	*ret = done;
	return rc;
}

static int note_all(struct perfmap *m, const struct source *s)
{
	_cleanup_(freep) char *window = malloc(WINDOW_BYTES + 1);
	size_t have = 0, done;
	bool inside = false;
	uint64_t at = 0;
	ssize_t got;
	int rc;

	if (!window)
		return -ENOMEM;
	do {
		got = source_read(s, window + have, WINDOW_BYTES - have, at + have);
		if (got < 0)
			return got;
		have += got;
		rc = note_lines(m, window, have, at, !got, &inside, &done);
		if (rc)
			return rc;
		at += done;
		have -= done;
		memmove(window, window + done, have);
		if (at > MAX_MAP_BYTES)
			return -EFBIG; /* grown since it was opened */
	} while (got);
	return 0;
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
	m->places = calloc(nr + 1, sizeof(*m->places));
	if (!m->places) {
		perfmap_free(m);
		return NULL;
	}
	for (size_t i = 0; i < nr; i++)
		m->places[i].address = addresses[i];
	qsort(m->places, nr, sizeof(*m->places), by_address);
	for (size_t i = 0; i < nr; i++)
		if (!i || m->places[i].address != m->places[i - 1].address)
			m->places[m->nr++] = m->places[i];
	return m;
}

static int parse(struct perfmap **ret, const struct source *s, const uint64_t *addresses, size_t nr)
{
	struct perfmap *m = new_map(addresses, nr);
	int rc = m ? note_all(m, s) : -ENOMEM;

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

bool perfmap_is_there(pid_t pid, pid_t inner)
{
	_cleanup_(closep) int root = -1;
	_cleanup_(closep) int map = -1;
	char name[64];

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", pid);
	if (!access(name, F_OK))
		return true;
	if (!inner)
		return false;
	snprintf(name, sizeof(name), "/proc/%d/root", pid);
	root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", inner);
	map = root < 0 ? -1 : procfs_look_up(root, name);
	return map >= 0;
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

/* Set when the line that ends after @end_bytes of the map was written. */
static void set_times(struct code_load *l, const struct perfmap_marks *marks, uint64_t end_bytes)
{
	size_t before = rank_below(marks->v, marks->nr, sizeof(*marks->v), end_bytes);

	l->after_ns = before ? marks->v[before - 1].last_ns : 0;
	l->by_ns = before < marks->nr ? marks->v[before].first_ns : CODE_STAYS;
}

static void reverse(struct code_loads *loads, size_t from)
{
	for (size_t to = loads->nr; from + 1 < to; from++) {
		struct code_load l = loads->v[from];

		loads->v[from] = loads->v[--to];
		loads->v[to] = l;
	}
}

int perfmap_loads(const struct perfmap *m, const struct perfmap_marks *marks, uint64_t address, struct code_loads *ret)
{
	size_t i = first_at(m, address), before = ret->nr;

	if (i == m->nr || m->places[i].address != address)
		return 0;
	for (uint32_t at = m->places[i].last; at; at = m->lines.v[at - 1].before) {
		const struct kept_line *line = &m->lines.v[at - 1];
		struct code_load l = {.gone_ns = CODE_STAYS, .start = line->start, .name = line->name};

		set_times(&l, marks, line->end_bytes);
		if (vec_push(ret, l))
			return -ENOMEM;
	}
	reverse(ret, before);
	return 0;
}

void perfmap_free(struct perfmap *m)
{
	if (!m)
		return;
	strings_done(&m->names);
	vec_done(&m->lines);
	free(m->places);
	free(m);
}
