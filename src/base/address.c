/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses to listen at. See address.h. */
#include "base/address.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int address_parse(union address *ret, const char *text)
{
	const char *colon = strrchr(text, ':');
	bool six = *text == '[';
	char host[64];
	char *end;
	unsigned long port = colon ? strtoul(colon + 1, &end, 10) : 0;

	if (!colon || !colon[1] || *end || port > 65535 || (six && (colon == text || colon[-1] != ']')) ||
	    snprintf(host, sizeof(host), "%.*s", (int)(colon - text) - 2 * six, text + six) >= (int)sizeof(host))
		return -EINVAL;
	memset(ret, 0, sizeof(*ret));
	if (six) {
		ret->six.sin6_family = AF_INET6;
		ret->six.sin6_port = htons(port);
		return inet_pton(AF_INET6, host, &ret->six.sin6_addr) == 1 ? 0 : -EINVAL;
	}
	ret->four.sin_family = AF_INET;
	ret->four.sin_port = htons(port);
	return inet_pton(AF_INET, strcmp(host, "localhost") ? host : "127.0.0.1", &ret->four.sin_addr) == 1 ? 0
													    : -EINVAL;
}

bool address_is_local(const union address *a)
{
	if (a->any.sa_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&a->six.sin6_addr);
	return ntohl(a->four.sin_addr.s_addr) >> 24 == 127;
}
