/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* main, talk, and the C library's send() and recv(): datagrams to itself, which arrive in a softirq of the sender. */
#include <arpa/inet.h>
#include "victim.h"

volatile unsigned long sink;

KNOWN void talk(int fd)
{
	static char data[64];

	if (send(fd, data, sizeof(data), 0) != sizeof(data) || recv(fd, data, sizeof(data), 0) != sizeof(data))
		exit(1);
	sink++;
}

int main(void)
{
	struct sockaddr_in self = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(self);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (bind(fd, (struct sockaddr *)&self, len) || getsockname(fd, (struct sockaddr *)&self, &len) ||
	    connect(fd, (struct sockaddr *)&self, len))
		return 1;
	say_ready();
	for (;;)
		talk(fd);
}
