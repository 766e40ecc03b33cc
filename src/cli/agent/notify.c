/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The protocol of sd_notify(3): a datagram to the socket that $NOTIFY_SOCKET names. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "base/cleanup.h"
#include "cli/agent/agent.h"

void agent_notify(const char *state)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	const char *path = getenv("NOTIFY_SOCKET");
	size_t len = path ? strlen(path) : 0;
	_cleanup_(closep) int fd = -1;

	if (len < 2 || len >= sizeof(to.sun_path) || (*path != '/' && *path != '@'))
		return;
	memcpy(to.sun_path, path, len);
	if (*path == '@') /* in the abstract namespace */
		to.sun_path[0] = 0;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&to,
		       offsetof(struct sockaddr_un, sun_path) + len);
}
