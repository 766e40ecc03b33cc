/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Read and write whole files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

int file_read_fd(char **ret, size_t *len_bytes, int fd, size_t max_bytes)
{
	_cleanup_(freep) char *text = NULL;
	size_t len = 0, room = 0;
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_size > 0 && (size_t)st.st_size > max_bytes)
		return -EFBIG;
	for (;;) {
		ssize_t got;

		if (room - len < 2) {
			size_t more = room ? room * 2 : (st.st_size > 0 ? (size_t)st.st_size + 2 : 16384);
			char *bigger = realloc(text, more);

			if (!bigger)
				return -ENOMEM;
			text = bigger;
			room = more;
		}
		got = read(fd, text + len, room - len - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		len += got;
		if (len > max_bytes)
			return -EFBIG;
	}
	text[len] = 0;
	*ret = steal(text);
	*len_bytes = len;
	return 0;
}

int file_read(char **ret, size_t *len_bytes, const char *path, size_t max_bytes)
{
	/* O_NONBLOCK: do not block if the path is a FIFO. */
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? -errno : file_read_fd(ret, len_bytes, fd, max_bytes);
}

int file_write_fd(int fd, const void *data, size_t len_bytes)
{
	for (const char *at = data; len_bytes;) {
		ssize_t wrote = write(fd, at, len_bytes);

		if (wrote < 0 && errno != EINTR)
			return -errno;
		at += wrote < 0 ? 0 : wrote;
		len_bytes -= wrote < 0 ? 0 : wrote;
	}
	return 0;
}
