/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/descriptor.h"
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

int descriptor_send(int channel, int fd)
{
	union control control = {{0}};
	int err = fd < 0 ? fd : 0;
	struct iovec iov = {&err, sizeof(err)};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};

	if (!err) {
		m.msg_control = control.bytes;
		m.msg_controllen = sizeof(control.bytes);
		*CMSG_FIRSTHDR(&m) = (struct cmsghdr){
			.cmsg_len = CMSG_LEN(sizeof(fd)),
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS,
		};
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), &fd, sizeof(fd));
	}
	return sendmsg(channel, &m, MSG_NOSIGNAL) == sizeof(err) ? 0 : -errno;
}

int descriptor_receive(int channel)
{
	union control control;
	int err = 0, fd;
	struct iovec iov = {&err, sizeof(err)};
	struct msghdr m = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	struct cmsghdr *c;
	ssize_t got;

	do
		got = recvmsg(channel, &m, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got != sizeof(err))
		return -EPIPE;
	c = CMSG_FIRSTHDR(&m);
	if (!c || c->cmsg_type != SCM_RIGHTS)
		return err < 0 ? err : -EPIPE;
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}
