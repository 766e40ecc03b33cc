/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses to listen at: "127.0.0.1:7417", "[::1]:0", "localhost:80". */
#pragma once
#include <netinet/in.h>
#include <stdbool.h>

union address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

/* Returns 0, or -EINVAL: @text is no address with a port. */
int address_parse(union address *ret, const char *text);

/* Do only programs of this machine reach it? */
bool address_is_local(const union address *a);
