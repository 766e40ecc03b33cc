/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who may ask?
 *
 *	GUARD_TOKEN	a client with the token: as "Authorization: Bearer TOKEN", as the password of any user, as the parameter
 *			"token", or as a cookie, which "/?token=TOKEN" sets
 *	GUARD_HEADER	whom a proxy has let through, which puts the user's name into a header that it takes from others
 *	GUARD_OPEN	everybody who reaches the address
 *	GUARD_METRICS	likewise, but only /metrics and /healthz: what an agent says of itself
 *
 * The request must be for an address, for localhost, or for a name that was chosen: a page of another site may make its own
 * name point to us, and would be shown what is here (DNS rebinding). It can send any header, too, that a proxy would.
 */
#pragma once
#include <stdbool.h>

#define TOKEN_ROOM 130 /* bytes: a token has at most 128 characters */

enum guard_mode { GUARD_TOKEN, GUARD_HEADER, GUARD_OPEN, GUARD_METRICS };

struct guard {
	enum guard_mode mode;
	char token[TOKEN_ROOM];
	const char *header; /* of GUARD_HEADER */
	const char *hosts;  /* names that requests may be for, "a,b"; NULL: none */
	char cookie[32];    /* its name: cookies do not distinguish ports */
};

/* What a request says of itself; NULL: nothing. */
struct guard_claim {
	const char *host, *authorization, *cookie, *header, *token; /* .token: the parameter */
};

enum guard_answer {
	GUARD_YES,
	GUARD_NO,
	GUARD_ENTER, /* the parameter is right: in a browser, set the cookie, and hide the token */
	GUARD_WRONG_HOST,
};

/* Make a token by chance, or read it from the file @path. Returns 0, -EINVAL: the file has none; -EACCES: others may read or write it; or a negative errno. */
int guard_make_token(struct guard *g);
int guard_read_token(struct guard *g, const char *path);

enum guard_answer guard_ask(const struct guard *g, const struct guard_claim *claim);
