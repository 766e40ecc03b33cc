/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who may ask? See guard.h. */
#include "web/guard.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/base64.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/secret.h"

#define TOKEN_BYTES 16
#define BEARER "Bearer "
#define BASIC "Basic "

int guard_make_token(struct guard *g)
{
	unsigned char bytes[TOKEN_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return -errno;
	for (int i = 0; i < TOKEN_BYTES; i++)
		snprintf(g->token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

/* A token goes into URLs and cookies as it is. */
static bool is_token(const char *text)
{
	size_t len = strlen(text);

	return len >= 16 && len < TOKEN_ROOM - 1 &&
	       strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~") == len;
}

int guard_read_token(struct guard *g, const char *path)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	_cleanup_(freep) char *text = NULL;
	struct stat st;
	size_t len;
	int err = fd < 0 || fstat(fd, &st) ? -errno : file_read_fd(&text, &len, fd, 4096);

	if (err)
		return err;
	if (st.st_mode & (S_IROTH | S_IWOTH))
		return -EACCES;
	text[strcspn(text, "\r\n")] = 0;
	if (!is_token(text))
		return -EINVAL;
	strcpy(g->token, text);
	return 0;
}

/* Is the token in "a=b; NAME=TOKEN"? */
static bool has_cookie(const struct guard *g, const char *cookies)
{
	size_t name = strlen(g->cookie);

	while (cookies && *cookies) {
		cookies += strspn(cookies, "; ");
		if (!strncmp(cookies, g->cookie, name) && cookies[name] == '=' &&
		    secret_is(g->token, cookies + name + 1, strcspn(cookies + name + 1, ";")))
			return true;
		cookies = strchr(cookies, ';');
	}
	return false;
}

/* Is this "127.0.0.1:7417", "[::1]:7417", or "localhost"? */
static bool is_address(const char *host)
{
	bool six = host && *host == '[';
	struct in6_addr a6;
	struct in_addr a4;
	char name[64];

	if (!host || snprintf(name, sizeof(name), "%s", host + six) >= (int)sizeof(name))
		return false;
	name[strcspn(name, six ? "]" : ":")] = 0;
	return six ? inet_pton(AF_INET6, name, &a6) == 1
		   : inet_pton(AF_INET, name, &a4) == 1 || !strcasecmp(name, "localhost");
}

/* Is @host, perhaps with a port, one of the names that were chosen? */
static bool is_chosen(const struct guard *g, const char *host)
{
	size_t len = host ? strcspn(host, ":") : 0, part;

	for (const char *at = g->hosts; len && at && *at; at += part + (at[part] == ',')) {
		part = strcspn(at, ",");
		if (part == len && !strncasecmp(at, host, len))
			return true;
	}
	return false;
}

/* "Bearer TOKEN", or "Basic " and "USER:TOKEN" in base64: what HTTP's clients make of "http://USER:TOKEN@HOST". */
static bool is_authorized(const struct guard *g, const char *text)
{
	char pair[TOKEN_ROOM + 64], *token;

	if (text && !strncasecmp(text, BEARER, strlen(BEARER)))
		return secret_is(g->token, text + strlen(BEARER), strlen(text + strlen(BEARER)));
	if (!text || strncasecmp(text, BASIC, strlen(BASIC)))
		return false;
	pair[base64_decode((uint8_t *)pair, sizeof(pair) - 1, text + strlen(BASIC))] = 0;
	token = strchr(pair, ':');
	return token && secret_is(g->token, token + 1, strlen(token + 1));
}

enum guard_answer guard_ask(const struct guard *g, const struct guard_claim *claim)
{
	if (!is_address(claim->host) && !is_chosen(g, claim->host))
		return GUARD_WRONG_HOST;
	if (g->mode == GUARD_HEADER)
		return claim->header && *claim->header ? GUARD_YES : GUARD_NO;
	if (g->mode == GUARD_OPEN || g->mode == GUARD_METRICS)
		return GUARD_YES;
	if (has_cookie(g, claim->cookie))
		return claim->token ? GUARD_ENTER : GUARD_YES;
	if (is_authorized(g, claim->authorization))
		return GUARD_YES;
	return claim->token && secret_is(g->token, claim->token, strlen(claim->token)) ? GUARD_ENTER : GUARD_NO;
}
