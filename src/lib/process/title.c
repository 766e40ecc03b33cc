/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "lib/process/title.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "lib/process/ask.h"

#define LINE_BYTES 8192 /* read of a title */
#define HEAD_BYTES 120	/* kept of its beginning */
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

static void read_title(pid_t pid, char title[TITLE_BYTES])
{
	_cleanup_(closep) int fd = -1;
	char name[32], line[LINE_BYTES + 1];
	ssize_t got;
	size_t len;

	snprintf(name, sizeof(name), "/proc/%d/cmdline", pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? 0 : read(fd, line, LINE_BYTES);
	len = make_line(line, got > 0 ? got : 0);
	if (len < TITLE_BYTES)
		memcpy(title, line, len + 1);
	else
		cut_middle(title, line, len);
}

static ssize_t read_titles(const void *question, char *ret, size_t size)
{
	const pid_t *pid = question;

	memset(ret, 0, size);
	for (size_t i = 0; i < size / TITLE_BYTES; i++)
		read_title(pid[i], ret + i * TITLE_BYTES);
	return size;
}

int titles_read(struct ask_child *c, const pid_t *pid, size_t nr, char (*ret)[TITLE_BYTES])
{
	ssize_t got;

	if (!nr || nr > TITLES_AT_ONCE)
		return nr ? -E2BIG : 0;
	got = ask_again(c, read_titles, pid, nr * sizeof(*pid), ret[0], nr * TITLE_BYTES);
	if (got < 0)
		return got;
	for (size_t i = 0; i < nr; i++)
		ret[i][TITLE_BYTES - 1] = 0;
	return 0;
}
