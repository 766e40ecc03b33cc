/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Copy a file descriptor, or pass it, or the error of opening it, to another process over a Unix socket (unix(7),
 * SCM_RIGHTS).
 */
#pragma once
#include <fcntl.h>

/* Return a copy of @fd that programs this process executes do not inherit, or -1 with errno. */
static inline int descriptor_copy(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

/* Send @fd, which stays the caller's, or a negative errno, over @channel. Returns 0 or a negative errno. */
int descriptor_send(int channel, int fd);

/*
 * Wait for what descriptor_send() sends.
 * Returns the descriptor, which the caller closes; the errno that was sent; or -EPIPE: the sender has ended.
 */
int descriptor_receive(int channel);
